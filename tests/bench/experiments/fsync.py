# SPDX-License-Identifier: GPL-2.0
"""How long does it take to make a few bytes safe while others are greedy?

A process in a group of its own does one thing a hundred times, with 20 ms of rest after each, on
ext4 with its journal in ordered mode: every transaction waits for the data of all files that it
makes longer, whoever writes them. So a scheduler sees the writes that somebody waits for come
from the journal's thread, in the root group, behind what greedy ones have written. Kinds:

  fsync     appends 4 KiB to a file and calls fsync()
  create    makes a file of 4 KiB, calls fsync() and renames it: a mail, a configuration

Neighbours, each in a group, all weights 100, are in the case's name:

  alone     nobody
  4w        4 writers in the same file system, through the page cache, whose files of 64 MiB are cut
            off and written again and again, of which 64 MiB may be dirty. The SSD's link is slowed
            from 500 to 300 MB/s, or all of the guest's CPU would go into copying what they write
  4r        4 readers of the disk behind it, 128 KiB at random, 16 at a time
  4f        4 others who append and call fsync() without any rest

The figures are of the time from write to the end of fsync() or rename(). Data are kept, or the
file system would not find what it wrote. Everybody has the schedulers' defaults.
"""

import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = (*PEERS, "bfq-ll0")
PIVOT = True
COLUMNS = [Column("p50_us", "P50, us", "{:,.0f}"), Column("p99_us", "P99, us", "{:,.0f}"),
           Column("max_us", "longest, us", "{:,.0f}"),
           Column("total_mb_s", "total meanwhile, MB/s", "{:,.1f}")]
PLOT = {"figure": "p50_us", "ylabel": "median time to make 4 KiB safe, us", "log": True}
PROFILES = ("sata-ssd", "hdd")
KINDS = ("fsync", "create")
NEIGHBOURS = {"alone": (0, "none"), "4w": (4, "append"), "4r": (4, "randread"),
              "4f": (4, "fsync")}
SLOWED = {("sata-ssd", "4w"): {"disk": "link_mb_s=300"}}
COUNT, PAUSE_MS, WARMUP_MS = 100, 20, 2000
QUICK = ("sata-ssd fsync alone", "sata-ssd fsync 4w")


def boots(options):
    files = (tools.program("asker"), tools.load())
    for profile in PROFILES:
        for kind in KINDS:
            for way, (n, pattern) in NEIGHBOURS.items():
                case = f"{profile} {kind} {way}"
                if options.quick and case not in QUICK:
                    continue
                args = {"profile": profile, "kind": kind, "neighbours": n, "pattern": pattern,
                        "count": COUNT, "pause_ms": PAUSE_MS, "warmup_ms": WARMUP_MS,
                        **SLOWED.get((profile, way), {})}
                for s in options.schedulers:
                    yield Boot(s, case, args, mem="4G", disk=True, files=files,
                               programs=("mkfs.ext4",), modules=("ext4", "crc32c_generic"))


def rows(boot, out):
    said, w = out.words("asker"), out.window()
    if int(said["count"]) != COUNT:
        raise BenchError(f"{said['count']} of {COUNT} were made safe")
    w.need_idle()
    yield {"case": boot.case, **{k: float(said[k]) for k in ("p50_us", "p99_us", "max_us")},
           "seconds": w.seconds, "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct}
