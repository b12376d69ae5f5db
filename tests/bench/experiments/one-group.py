# SPDX-License-Identifier: GPL-2.0
"""What do others lose by one who asks for little, all in one group?

As isolation, but nobody has told the scheduler who is who: all are in one group, as on a machine
without cgroups. A process reads 4 KiB at random, 30 times a second (on the disk 5 times), whatever
became of the read before (player.c steady), for 12 s. A read's time counts from the moment when it
was due. The others' total is that of the last 4 s, since who is new may be a program that starts,
and a scheduler that holds others back for it does so for some seconds; the reads' times are those of
all 12. In the case's name are the disk and the neighbours:

  4r      4 readers, at random 16 at a time each, 128 KiB on the NVMe drive and 64 on the SSD; on the
          disk in sequence, 128 KiB, 2 at a time
  4w      4 writers in sequence, direct, of the same sizes

total_of_alone_pct is the total against what the neighbours make under none without the reader. The
NVMe drive's link is slowed to 1.5 GB/s, as in isolation.
"""

import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = PEERS
PIVOT = True
COLUMNS = [Column("total_mb_s", "total, MB/s", "{:,.1f}"),
           Column("total_of_alone_pct", "total, % of the neighbours' alone under none", "{:.0f}"),
           Column("p50_us", "P50, us", "{:,.0f}"), Column("p99_us", "P99, us", "{:,.0f}"),
           Column("max_us", "longest, us", "{:,.0f}")]
PLOT = {"figure": "p99_us", "ylabel": "99th percentile of a read's time, us", "log": True}
# Profile, what differs from it, bytes and requests at a time of the neighbours, how the readers read.
DISKS = {"nvme": ("nvme", "link_mb_s=1500", 131072, 16, "randread"),
         "sata-ssd": ("sata-ssd", "", 65536, 16, "randread"), "hdd": ("hdd", "", 131072, 2, "read")}
NEIGHBOURS = {"4r": (4, 0), "4w": (0, 4)}
RATE, RATE_DISK = 30, 5
ALONE = " alone"        # ends the name of a case without the reader
QUICK = ("sata-ssd 4r",)
WARMUP_MS, READS_S, WINDOW_S = 1000, 12, 4


def boots(options):
    files = (tools.program("player"), tools.load())
    for disk, (profile, more, size, depth, pattern) in DISKS.items():
        rate = RATE_DISK if profile == "hdd" else RATE
        for others, (readers, writers) in NEIGHBOURS.items():
            case = f"{disk} {others}"
            if options.quick and case not in QUICK:
                continue
            args = {"profile": profile, "more": more, "readers": readers, "writers": writers,
                    "bs": size, "depth": depth, "pattern": pattern, "reads_s": READS_S,
                    "window_s": WINDOW_S, "warmup_ms": WARMUP_MS}
            yield Boot("none", case + ALONE, {**args, "rate": 0}, disk=True, files=files)
            for s in options.schedulers:
                yield Boot(s, case, {**args, "rate": rate}, disk=True, files=files)


def rows(boot, out):
    w = out.window()
    w.need_idle()
    said = out.words("player") if boot.args["rate"] else {}
    if said and int(said["reads"]) != boot.args["rate"] * READS_S:
        raise BenchError(f"{said['reads']} reads, expected {boot.args['rate'] * READS_S}")
    yield {"case": boot.case, "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct,
           **{p: float(said[p]) if said else None for p in ("p50_us", "p99_us", "max_us")}}


def finish(rows):
    alone = {r["case"]: r["total_mb_s"] for r in rows if r["case"].endswith(ALONE)}
    rows = [r for r in rows if r["case"] not in alone]
    for row in rows:
        row["alone_mb_s"] = alone[row["case"] + ALONE]
        row["total_of_alone_pct"] = 100 * row["total_mb_s"] / row["alone_mb_s"]
    return rows
