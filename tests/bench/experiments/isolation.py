# SPDX-License-Identifier: GPL-2.0
"""What do greedy neighbours cost somebody who asks for little?

A process in a group of its own reads 4 KiB at random, one every 2 ms whatever became of
the one before (player.c steady), 2 MB/s in all, on the modelled NVMe drive. A read's time
counts from the moment when it was due. Its neighbours, each in a group, all weights 100, are
in the case's name:

  alone   nobody
  4r      4 readers, 128 KiB at random, 32 at a time each
  4w      4 writers, 128 KiB in sequence, direct, 32 at a time each
  2r2w    two of either

The drive's link is slowed from 6.4 to 1.5 GB/s, or the guest's CPU and not the drive would be what
they fight for: idle_pct, the CPU's rest, is in the result, and a row without any is refused. The
reader is due a fifth of the bytes and asks for a 700th, so a scheduler that isolates
would give it what it has alone, plus a request of its neighbours that is under way.

io.cost has a fitted model (tests/bench/iocost.py). io.latency, the kernel's own answer to this, is not
built into Debian's kernels.
"""

import iocost
import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = (*PEERS, iocost.NAME)
PIVOT = True
COLUMNS = [Column("p50_us", "P50, us", "{:,.0f}"), Column("p99_us", "P99, us", "{:,.0f}"),
           Column("p999_us", "P99.9, us", "{:,.0f}"),
           Column("total_mb_s", "total meanwhile, MB/s", "{:,.0f}")]
PLOT = {"figure": "p99_us", "ylabel": "99th percentile of a read's time, us", "log": True}
NEIGHBOURS = {"alone": (0, 0), "4r": (4, 0), "4w": (0, 4), "2r2w": (2, 2)}
QUICK = ("alone", "4r")
WARMUP_MS, SETTLE_MS = 1000, 4000   # io.cost changes its speed by a few percent a period
RATE, READS = 500, 4000         # 8 s, so that P99.9 is four reads


def boots(options):
    files = (tools.program("player"), tools.load())
    for case, (readers, writers) in NEIGHBOURS.items():
        if options.quick and case not in QUICK:
            continue
        for s in options.schedulers:
            yield Boot(s, case, {"readers": readers, "writers": writers, "rate": RATE,
                                 "reads": READS, "link_mb_s": 1500,
                                 "warmup_ms": SETTLE_MS if s == iocost.NAME else WARMUP_MS,
                                 **iocost.settings(s, "nvme")},
                       disk=True, files=files)


def rows(boot, out):
    said, w = out.words("player"), out.window()
    w.need_idle()
    if int(said["reads"]) != READS:
        raise BenchError(f"{said['reads']} reads, expected {READS}")
    yield {"case": boot.case, **{p: float(said[p]) for p in ("p50_us", "p99_us", "p999_us",
                                                               "max_us")},
           "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct}
