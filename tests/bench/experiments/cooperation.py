# SPDX-License-Identifier: GPL-2.0
"""Processes that work together: do they get what one process gets that does it all?

N processes read one region of a disk with moving parts in stripes of 64 KiB: the first process
the stripes 0, N, 2N and so on, the second 1, N + 1, ..., each one stripe after the other, directly.
So do readers with several threads, backup programs, and virtual machines whose I/O comes from
worker threads. Served as what it is together it is one sequential read; served one process after
the other it is a seek for each stripe. A case's name is N.

Beside a greedy sequential reader ("+1"), which is a process of its own far away on the disk, the
stripes' readers together are to have no less than the one has: each for itself has a share, and they
need no seeks among each other.

Bytes are those that the disk has completed, in the region and in all.

Two more kinds wait for each other's I/O, on ext4 with its journal in ordered mode; both are alone, or
beside four greedy sequential readers ("4r", direct, 128 KiB, two at a time), on the disk that the
case's name says:

  pipeline  a reader, a worker and a writer with fsync(), each of which has one block of 64 KiB that
            the next one waits for: how long do a hundred blocks take?
  commit    a database appends 4 KiB to its log and calls fsync(), two hundred times with 10 ms in
            between; what is written at last comes from the journal's thread. The figures are of one
            commit, of a pipeline's block those from its read to the end of its fsync().
"""

import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = PEERS
COLUMNS = [Column("stripes_mb_s", "stripes, MB/s", "{:.1f}"),
           Column("other_mb_s", "the other, MB/s", "{:.1f}"),
           Column("total_mb_s", "total, MB/s", "{:.1f}"),
           Column("seconds", "seconds for all blocks or commits", "{:.1f}"),
           Column("p50_us", "P50, us", "{:,.0f}"), Column("p99_us", "P99, us", "{:,.0f}"),
           Column("max_us", "longest, us", "{:,.0f}")]
PROCESSES = (1, 2, 4, 8)
QUICK = ("1", "4")
WARMUP_S, WINDOW_S = 4, 8
PIVOT = True
PLOT = {"figure": "stripes_mb_s", "ylabel": "all who read in stripes together, MB/s"}
# These have a script of their own: the stripes' machines are to stay what they were.
FILES_SCRIPT = "cooperation-files.sh"
PROFILES = ("hdd", "sata-ssd")
KINDS = {"pipeline": {"count": 100, "work_us": 1000}, "commit": {"count": 200, "pause_ms": 10}}
READERS = {"alone": 0, "4r": 4}
FILES_WARMUP_MS = 2000


def boots(options):
    for n in PROCESSES:
        for other in (0, 1):
            case = f"{n} +1" if other else str(n)
            if options.quick and case not in QUICK:
                continue
            for s in options.schedulers:
                yield Boot(s, case, {"processes": n, "other": other, "warmup": WARMUP_S,
                                     "length": WINDOW_S}, mem="512M", disk=True)
    if not options.quick:
        yield from boots_of_files(options)


def boots_of_files(options):
    files = (tools.program("asker"), tools.program("crew"), tools.load())
    for kind, args in KINDS.items():
        for profile in PROFILES:
            for beside, readers in READERS.items():
                for s in options.schedulers:
                    yield Boot(s, f"{kind} {profile} {beside}",
                               {"kind": kind, "profile": profile, "readers": readers, **args,
                                "warmup_ms": FILES_WARMUP_MS}, mem="4G", disk=True,
                               script=FILES_SCRIPT, files=files, programs=("mkfs.ext4",),
                               modules=("ext4", "crc32c_generic"))


def rows(boot, out):
    w = out.window()
    if "kind" in boot.args:
        said = out.words("said")
        if int(said["count"]) != boot.args["count"]:
            raise BenchError(f"{said['count']} of {boot.args['count']} are done")
        w.need_idle()
        yield {"case": boot.case, "total_mb_s": w.disk.mb_s, "seconds": w.seconds,
               **{k: float(said[k]) for k in ("p50_us", "p99_us", "max_us")},
               "idle_pct": w.idle_pct}
        return
    yield {"case": boot.case, "stripes_mb_s": w.parts[1].mb_s,
           **({"other_mb_s": w.parts[2].mb_s} if boot.args["other"] else {}),
           "total_mb_s": w.disk.mb_s}
