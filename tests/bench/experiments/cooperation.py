# SPDX-License-Identifier: GPL-2.0
"""Processes that read one file together: do they get what one reader alone gets?

N processes read one region of a disk with moving parts in stripes of 64 KiB: the first process
the stripes 0, N, 2N and so on, the second 1, N + 1, ..., each one stripe after the other, directly.
So do readers with several threads, backup programs, and virtual machines whose I/O comes from
worker threads. Served as what it is together it is one sequential read; served one process after
the other it is a seek for each stripe. A case's name is N.

Beside a greedy sequential reader ("+1"), which is a process of its own far away on the disk, the
stripes' readers together are to have no less than the one has: each for itself has a share, and they
need no seeks among each other.

Bytes are those that the disk has completed, in the region and in all.
"""

from bench import PEERS, Boot, Column

SCHEDULERS = PEERS
COLUMNS = [Column("stripes_mb_s", "stripes, MB/s", "{:.1f}"),
           Column("other_mb_s", "the other, MB/s", "{:.1f}"),
           Column("total_mb_s", "total, MB/s", "{:.1f}")]
PROCESSES = (1, 2, 4, 8)
QUICK = ("1", "4")
WARMUP_S, WINDOW_S = 4, 8
PIVOT = True
PLOT = {"figure": "stripes_mb_s", "ylabel": "all who read in stripes together, MB/s"}


def boots(options):
    for n in PROCESSES:
        for other in (0, 1):
            case = f"{n} +1" if other else str(n)
            if options.quick and case not in QUICK:
                continue
            for s in options.schedulers:
                yield Boot(s, case, {"processes": n, "other": other, "warmup": WARMUP_S,
                                     "length": WINDOW_S}, mem="512M", disk=True)


def rows(boot, out):
    w = out.window()
    yield {"case": boot.case, "stripes_mb_s": w.parts[1].mb_s,
           **({"other_mb_s": w.parts[2].mb_s} if boot.args["other"] else {}),
           "total_mb_s": w.disk.mb_s}
