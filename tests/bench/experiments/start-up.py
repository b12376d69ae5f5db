# SPDX-License-Identifier: GPL-2.0
"""How long does a program take to start while others keep the disk busy?

Its reads are replayed (replay.c) with cold caches, each as soon as those it depends on have
completed and the program has thought, on an idle disk and while 10 processes read and 2 write
in sequence. Programs:

  xterm, gnome-terminal   recordings of the S benchmark suite, as tables in data/: 164 and
                          788 reads that are waited for, and as many again and more of read-ahead
  longer                  of our own making (data/longer): 2,900 reads by four threads

Of xterm there are three more cases, on each disk, and of gnome-terminal the last of these:

  together    ten readers begin in the same moment as the program (within milliseconds), so a
              scheduler knows as little of them as of the program
  crowd       100 processes of 2 MiB each begin with it, eight at a time, one after the other, as
              make -j does; each reads 128 KiB, one after the other. crowd_seconds is until the
              last has ended
  groups      the program in one group, 10 readers and 2 writers in another, of equal weights

ratio_to_idle is against the same scheduler with an idle disk. total_mb_s is all that the disk
did during the start. Nobody waits longer than a minute for a disk and a third of one for an SSD;
">60" is who would have had to.

The disk is 256 GiB large, so that the recordings' positions can stand as they are. Readers are
direct, 128 KiB, two at a time, which is what read-ahead makes of a buffered reader, without
the price of the page cache (lwn-sequential has both side by side); writers go through the
page cache. What is written is not kept, and what is read is nothing: copying would be most of
the work. The SSD's link is slowed from 500 to 300 MB/s, or two writers who get all that the
scheduler can give them would take all of the guest's CPU; idle_pct is in the result, and a
row without any is refused. Everybody is in the root group, and schedulers have their
defaults, as on a desktop. The load runs for some seconds before; how many depends on the
seed, so that each seed meets another moment of it.
"""

import os

import tools
from bench import BenchError, Boot, Column, Window

PIVOT = True
COLUMNS = [Column("seconds", "seconds until started", "{:.2f}", done="started"),
           Column("ratio_to_idle", "times as long as on an idle disk", "{:.1f}", done="started"),
           Column("longest_ms", "longest wait for one read, ms", "{:,.0f}"),
           Column("total_mb_s", "total meanwhile, MB/s", "{:.1f}"),
           Column("crowd_seconds", "seconds until the crowd is through", "{:.1f}"),
           Column("idle_pct", "the guest's CPU idle meanwhile, %", "{:.0f}")]
PLOT = {"figure": "seconds", "ylabel": "seconds until started (hatched: not by then)", "log": True,
        "cases": "*loaded", "done": "started"}
PROGRAMS = ("xterm", "gnome-terminal", "longer")
# Seconds that a program is given (the longer starts on an SSD are the dearest to emulate), and
# what else the disk is made with.
LIMIT_S = {"hdd": 60, "sata-ssd": 20, "sd-card": 60, "usb-stick": 60}
DISK = {"sata-ssd": {"link_mb_s": 300}}
QUICK_DISKS = ("hdd", "sata-ssd")
LOAD = {"readers": 10, "writers": 2}
WARMUP_MS = 4000
# Whom the program starts beside in the other cases, and these have a script of their own: the
# machines of the older ones are to stay what they were, to the last instruction.
BESIDE = {"together": {"readers": 10, "writers": 0},
          "crowd": {"readers": 0, "writers": 0, "crowd": 100, "at_once": 8, "crowd_kb": 2048},
          "groups": LOAD}
BESIDE_SCRIPT = "start-up-beside.sh"


def boots(options):
    replay = tools.program("replay")
    for program in PROGRAMS[:1] if options.quick else PROGRAMS:
        reads = tools.reads(program)
        for profile in QUICK_DISKS if options.quick else LIMIT_S:
            for s in options.schedulers:
                yield Boot(s, f"{program} {profile}",
                           {"profile": profile, "table": os.path.basename(reads),
                            "limit_s": LIMIT_S[profile], "warmup_ms": WARMUP_MS, **LOAD,
                            **DISK.get(profile, {})},
                           disk=True,
                           early=profile == "sata-ssd" and program != "xterm",
                           files=(replay, tools.load(), reads))
    if not options.quick:
        yield from boots_beside(options, PROGRAMS[0], BESIDE)
        yield from boots_beside(options, PROGRAMS[1], ["groups"])


def boots_beside(options, program, all_beside):
    reads = tools.reads(program)
    files = (tools.program("replay"), tools.load(), tools.program("crew"), reads)
    for beside in all_beside:
        for profile, limit in LIMIT_S.items():
            for s in options.schedulers:
                yield Boot(s, f"{program} {profile} {beside}",
                           {"profile": profile, "table": os.path.basename(reads),
                            "limit_s": limit, "warmup_ms": WARMUP_MS, "beside": beside, **BESIDE[beside],
                            **DISK.get(profile, {})},
                           disk=True, script=BESIDE_SCRIPT, files=files)


def rows(boot, out):
    """Idle and loaded; of a case of BESIDE the second alone, for others say the first already."""
    idle, limit = None, boot.args["limit_s"]
    beside = boot.args.get("beside")
    for state in ("idle", beside or "loaded"):
        said = out.words(state)
        seconds = float(said["seconds"]) if "seconds" in said else None
        if state == "idle":
            idle = seconds
        elif idle is None:
            raise BenchError("the program did not even start on an idle disk")
        w = Window(out.text(state + "-before"), out.text(state + "-after"))
        w.need_idle()
        if beside and state == "idle":
            continue
        yield {"case": boot.case if beside else f"{boot.case} {state}",
               "seconds": seconds if seconds is not None else limit,
               "started": int(seconds is not None), "reads_done": int(said["done"]),
               "reads": int(said["of"]), "longest_ms": float(said["longest_ms"]),
               "ratio_to_idle": (seconds or limit) / idle if state != "idle" else None,
               "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct,
               **({"crowd_seconds": float(out.words("crew")["crowd_seconds"])}
                  if beside == "crowd" else {})}
