# SPDX-License-Identifier: GPL-2.0
"""Does a film play smoothly while others keep the disk busy?

A player (player.c video) reads 1.5 MB/s, 25 frames a second of 60 KiB, and drops a frame that is
not there when the next one's time has come. Beside it on the disk are, in the case's name,

  alone    nobody
  10r      10 sequential readers
  5r5w     5 sequential readers and 5 writers

Readers are direct, 128 KiB, two at a time, which is what read-ahead makes of a buffered
reader; writers go through the page cache. All are in the root group with equal weights and
the schedulers' defaults, as on a desktop. The load runs for some seconds before the film
begins; how many depends on the seed. FRAMES of the film are 20 s: enough for several hundred
turns of a reader.
"""

import tools
from bench import Boot, Column

PIVOT = True
COLUMNS = [Column("frames_dropped", "frames dropped of 500", "{:,.0f}"),
           Column("longest_ms", "longest wait for a frame, ms", "{:,.1f}"),
           Column("total_mb_s", "total meanwhile, MB/s"),
           Column("idle_pct", "the guest's CPU idle meanwhile, %", "{:.0f}")]
PLOT = {"figure": "frames_dropped", "ylabel": "frames dropped of 500", "cases": "*r*"}
FRAMES = 500
PROFILES = ("hdd", "sata-ssd")
LOADS = {"alone": (0, 0), "10r": (10, 0), "5r5w": (5, 5)}


def boots(options):
    player = tools.program("player")
    for profile in PROFILES[:1] if options.quick else PROFILES:
        for load, (readers, writers) in LOADS.items():
            for s in options.schedulers:
                yield Boot(s, f"{profile} {load}",
                           {"profile": profile, "readers": readers, "writers": writers,
                            "frames": FRAMES, "warmup_ms": 3000}, disk=True,
                           files=(player, tools.load()))


def rows(boot, out):
    said, w = out.words("player"), out.window()
    yield {"case": boot.case, "frames_dropped": int(said["dropped"]),
           "frames": int(said["frames"]), "longest_ms": float(said["longest_ms"]),
           "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct}
