# SPDX-License-Identifier: GPL-2.0
"""How long does a short burst take of somebody who rests otherwise?

A group whose process has slept for a second reads a little, one read after the other, and sleeps
again: a server that is asked now and then, a shell, a desktop. Its neighbours, each in a group,
never rest. Everybody has weight 100. In the case's name are the disk, the burst,

  random    4 KiB at random places: 500 reads on the NVMe drive, 200 on the SSD, 30 on the disk
  stream    128 KiB in sequence: 64, 32 and 16 reads

and the four neighbours, who read (4r) or write (4w) 128 KiB each time, 16 at a time, readers in
sequence on the disk with moving parts, else at random, writers in sequence.

seconds is the median of five bursts until the last read is there, worst_seconds the longest;
ratio_to_idle is seconds against the same scheduler without neighbours. A fifth of the device is
due to the group, so five times would be no more than its share; but since it asks for so
little, a scheduler that serves it first makes nobody wait. total_mb_s is all that the disk does
meanwhile, the second of rest before each burst included.

The NVMe drive's link is slowed to 1.5 GB/s, as in isolation.
"""

import re
import statistics

import iocost
import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = (*PEERS, "bfq-ll0", iocost.NAME)
PIVOT = True
COLUMNS = [Column("seconds", "seconds until served", "{:.3f}"),
           Column("ratio_to_idle", "times as long as without neighbours", "{:.1f}"),
           Column("worst_seconds", "longest burst, seconds", "{:.3f}"),
           Column("total_mb_s", "total meanwhile, MB/s", "{:,.0f}")]
PLOT = {"figure": "seconds", "ylabel": "seconds until a burst is served", "log": True}
LINK_MB_S = {"nvme": 1500, "sata-ssd": 510, "hdd": 250}
# Reads of a burst: on each disk some tens of milliseconds alone, and some hundreds on the slow one.
BURSTS = {"random": (4096, {"nvme": 500, "sata-ssd": 200, "hdd": 30}),
          "stream": (131072, {"nvme": 64, "sata-ssd": 32, "hdd": 16})}
NEIGHBOURS, DEPTH, COUNT, PAUSE_MS = 4, 16, 5, 1000
WARMUP_MS, SETTLE_MS = 1000, 4000       # io.cost changes its speed by a few percent a period
QUICK = ("sata-ssd random 4r",)


def cases():
    for profile, link in LINK_MB_S.items():
        for kind, (size, reads) in BURSTS.items():
            for way in ("4r", "4w"):
                reader = "read" if profile == "hdd" else "randread"
                yield f"{profile} {kind} {way}", profile, {
                    "profile": profile, "link_mb_s": link, "bytes": size,
                    "reads": reads[profile], "pattern": reader if way == "4r" else "write"}


def boots(options):
    files = (tools.program("asker"), tools.load())
    for case, profile, args in cases():
        if options.quick and case not in QUICK:
            continue
        for s in options.schedulers:
            yield Boot(s, case, {**args, "neighbours": NEIGHBOURS, "depth": DEPTH, "count": COUNT,
                                 "pause_ms": PAUSE_MS,
                                 "warmup_ms": SETTLE_MS if s == iocost.NAME else WARMUP_MS,
                                 **iocost.settings(s, profile)}, disk=True, files=files)


def bursts(out, name):
    found = [float(s) for s in re.findall(r"^burst \d+ (\S+)", out.text(name), re.M)]
    if len(found) != COUNT:
        raise BenchError(f"{name}: {len(found)} bursts, expected {COUNT}")
    return found


def rows(boot, out):
    idle, loaded, w = bursts(out, "idle"), bursts(out, "loaded"), out.window()
    w.need_idle()
    seconds = statistics.median(loaded)
    yield {"case": boot.case, "seconds": seconds, "worst_seconds": max(loaded),
           "idle_seconds": statistics.median(idle),
           "ratio_to_idle": seconds / statistics.median(idle), "total_mb_s": w.disk.mb_s,
           "idle_pct": w.idle_pct}
