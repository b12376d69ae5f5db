# SPDX-License-Identifier: GPL-2.0
"""Does a backup make a desktop unpleasant?

A script of half a minute is what somebody does, one step after the other, with a second of rest before
each:

  xterm, gnome-terminal, longer   a program starts, as in start-up (replay.c), with cold caches
  film                            ten seconds of a film, as in video
  save                            20 small files are saved, as editors do: written under another name,
                                  fsync(), renamed (asker create)
  unpack                          an archive of 1,000 files of 4 to 32 KiB is unpacked through the page
                                  cache, and what was written is synced in the end (crew unpack)

It runs on an idle disk, and on a new one that a backup reads in sequence (directly, 128 KiB, two at a
time, which is what read-ahead makes of a buffered reader). ratio_to_idle is a step's time against the
same scheduler's with an idle disk; a film takes no longer, but loses frames. No program is waited
for longer than a minute, on an SSD a third of one: ">". The disk has 256 GiB, in which what
the programs read, files (ext4, ordered mode), film and backup each have a place. All
are in the root group, with the schedulers' defaults. The SSD's link is slowed, as in start-up.
"""

import tools
from bench import BenchError, Boot, Column, Window

PIVOT = True
COLUMNS = [Column("seconds", "seconds beside the backup", "{:.2f}", done="started"),
           Column("ratio_to_idle", "times as long as on an idle disk", "{:.1f}", done="started"),
           Column("frames_dropped", "frames dropped of 250", "{:,.0f}"),
           Column("longest_ms", "longest wait for one read or file, ms", "{:,.0f}"),
           Column("total_mb_s", "total meanwhile, MB/s", "{:.1f}")]
PLOT = {"figure": "ratio_to_idle", "ylabel": "times as long as on an idle disk", "log": True,
        "done": "started"}
PROGRAMS = ("xterm", "gnome-terminal", "longer")
STEPS = ("xterm", "film", "gnome-terminal", "save", "longer", "unpack")
LIMIT_S = {"hdd": 60, "sata-ssd": 20, "sd-card": 60, "usb-stick": 60}
DISK = {"sata-ssd": {"link_mb_s": 300}}
FRAMES, SAVED, UNPACKED = 250, 20, 1000
QUICK = ("sata-ssd",)


def boots(options):
    files = (*map(tools.program, ("replay", "player", "asker", "crew")), tools.load(),
             *map(tools.reads, PROGRAMS))
    for profile in QUICK if options.quick else LIMIT_S:
        for s in options.schedulers:
            yield Boot(s, profile,
                       {"profile": profile, "steps": " ".join(STEPS), "limit_s": LIMIT_S[profile],
                        "frames": FRAMES, "saved": SAVED, "unpacked": UNPACKED,
                        **DISK.get(profile, {})},
                       mem="4G", disk=True, files=files, programs=("mkfs.ext4",),
                       modules=("ext4", "crc32c_generic"))


def figures(step, said, seconds):
    """What a step's program says of itself."""
    if step in PROGRAMS:
        started = "seconds" in said
        return {"seconds": float(said["seconds"]) if started else seconds,
                "started": int(started), "longest_ms": float(said["longest_ms"])}
    if step == "film":
        return {"frames_dropped": int(said["dropped"]), "longest_ms": float(said["longest_ms"])}
    return {"seconds": seconds, "started": 1} | ({"longest_ms": float(said["max_us"]) / 1e3}
                                                 if step == "save" else {})


def rows(boot, out):
    for step in STEPS:
        found = {}
        for state in ("idle", "backup"):
            stem = f"{state}-{step}"
            w = Window(out.text(stem + "-before"), out.text(stem + "-after"))
            w.need_idle()
            found[state] = figures(step, out.words(stem), w.seconds)
        idle, row = found["idle"], found["backup"]
        if not idle.get("started", 1):
            raise BenchError(f"{step} did not even start on an idle disk")
        if "seconds" in row:
            row |= {"idle_seconds": idle["seconds"], "ratio_to_idle": row["seconds"] / idle["seconds"]}
        else:
            row["idle_frames_dropped"] = idle["frames_dropped"]
        yield {"case": f"{boot.case} {step}", **row, "total_mb_s": w.disk.mb_s,
               "idle_pct": w.idle_pct}
