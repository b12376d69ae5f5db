# SPDX-License-Identifier: GPL-2.0
"""What does a scheduler cost those who are all alike?

Four processes, each in a group of its own with weight 100, read, write, or two of either, all in
sequence or all at random, 1, 4 or 32 requests at a time; 128 KiB each time in sequence, 4 KiB at
random. None asks for less than the others, so nothing has to be held back for anybody, and
whatever of none's throughput is lost is lost for nothing.

On the modelled SATA SSD and NVMe drive. Their controllers are slowed to 21,000 and 32,000 commands
a second, and the NVMe drive's link from 6.4 to 1 GB/s, or the guest's CPU and not the disk would be
what they fight for: idle_pct is in the result, and a setting without any is refused. (On the SSD
those who want 128 tags sleep for 64, which costs as much again.) share_error_pct is how far the
furthest of those that do the same is from their mean. New processes go first for 3.4 seconds at
most (low_latency); that is over before anything is counted, and what it costs the others is seen in
lwn-random and burst.
"""

import tools
from bench import PEERS, Boot, Column, Window

SCHEDULERS = PEERS
PIVOT = True
COLUMNS = [Column("total_mb_s", "total, MB/s", "{:,.1f}"),
           Column("of_none_pct", "total, % of none's", "{:.1f}"),
           Column("share_error_pct", "largest error among those that do the same, %", "{:.1f}")]
PLOT = {"figure": "of_none_pct", "ylabel": "total, % of none's", "cases": "sata-ssd*"}
# No divisors of the guest's tick of 4 ms, which would find the CPU in the same state each time.
DISKS = {"sata-ssd": {"command_ns": 47300, "link_mb_s": 510},
         "nvme": {"command_ns": 31300, "link_mb_s": 1000}}
# How it goes over the disk, and bytes of a request.
ORDERS = {"seq": ("", 131072), "rand": ("rand", 4096)}
WAYS = {"read": ("read",) * 4, "write": ("write",) * 4,
        "mixed": ("read", "read", "write", "write")}
DEPTHS = (1, 4, 32)
# Nobody goes first for longer than that (low_latency), and the disk's cache is full long before.
WARMUP_MS, WINDOW_MS = 4000, 1000


def boots(options):
    for profile, disk in DISKS.items():
        for order, (prefix, size) in ORDERS.items():
            if options.quick and (profile, order) != ("sata-ssd", "seq"):
                continue
            settings = [f"{way}/{depth}/" + ",".join(prefix + p for p in patterns)
                        for way, patterns in WAYS.items() for depth in DEPTHS]
            for s in options.schedulers:
                yield Boot(s, f"{profile} {order}",
                           {"profile": profile, **disk, "bytes": size,
                            "settings": " ".join(settings),
                            "warmup_ms": WARMUP_MS, "window_ms": WINDOW_MS},
                           disk=True, files=(tools.load(),))


def rows(boot, out):
    for setting in boot.args["settings"].split():
        way, depth, patterns = setting.split("/")
        w = Window(out.text(f"before-{way}-{depth}"), out.text(f"after-{way}-{depth}"))
        w.need_idle()
        alike = {}
        for n, pattern in enumerate(patterns.split(","), 1):
            alike.setdefault(pattern, []).append(w.parts[n].bytes)
        error = max(abs(b * len(all_of) / max(1, sum(all_of)) - 1)
                    for all_of in alike.values() for b in all_of)
        yield {"case": f"{boot.case} {way} x{depth}", "total_mb_s": w.disk.mb_s,
               "share_error_pct": 100 * error, "idle_pct": w.idle_pct}


def finish(found):
    """Each against none on the same disk."""
    none = {r["case"]: r["total_mb_s"] for r in found if r["scheduler"] == "none"}
    for r in found:
        if r["case"] in none:
            r["of_none_pct"] = 100 * r["total_mb_s"] / none[r["case"]]
    return found
