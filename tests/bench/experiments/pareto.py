# SPDX-License-Identifier: GPL-2.0
"""What does a scheduler get for what: a reader's latency against its neighbours' throughput.

One process reads 4 KiB at random, one after the other. Four neighbours read or write at random,
4, 64 or 128 KiB each time, 1, 4, 16 or 32 at a time; all five are in groups of their own with
weight 100, on the modelled SATA SSD and NVMe drive. What a scheduler makes of a setting is a point:
up is slow for the reader, to the right is fast for the neighbours. Who is above and left of
another is worse in both. beaten_by_pct names those who are better in both P99 and the
neighbours' throughput, with the smaller of the two advantages in percent, from 1 % on.

A read's time is counted in the window of half a second if it was under way at any time in it, so a
reader that starves is seen; with fewer than 1,000 of them, P99.9 is the largest.

Both controllers are slowed to 42,000 commands a second, and the drive's link from
6.4 to 1 GB/s, or the guest's CPU and not the disk would be what they fight for: idle_pct is in
the result, and where there is none of it there are no figures. Everybody has the schedulers' defaults; since the
reader has just started, in-tree bfq is raising it the whole time: as bfq-ll0 it does not.
"""

import re

import plot as drawing
import tools
from bench import LEAST_IDLE_PCT, PEERS, Boot, Column, Window

SCHEDULERS = (*PEERS, "bfq-ll0")
PIVOT = True
COLUMNS = [Column("p50_us", "the reader's P50, us", "{:,.0f}"),
           Column("p99_us", "P99, us", "{:,.0f}"), Column("p999_us", "P99.9, us", "{:,.0f}"),
           Column("neighbours_mb_s", "neighbours, MB/s", "{:,.1f}"),
           Column("beaten_by_pct", "better in P99 and throughput by so many %", "{:.0f}")]
# No divisor of the guest's tick of 4 ms, which would find the CPU in the same state each time.
COMMAND_NS = 23700
DISKS = {"nvme": {"command_ns": COMMAND_NS, "link_mb_s": 1000},
         "sata-ssd": {"command_ns": COMMAND_NS, "link_mb_s": 510}}
PATTERNS = {"read": "randread", "write": "randwrite"}
SIZES, DEPTHS = (4, 64, 128), (1, 4, 16, 32)
NEIGHBOURS, READ_BYTES = 4, 4096
# Which boots, sizes and depths.
QUICK = (("nvme read", "sata-ssd read", "sata-ssd write"), (4, 128), (1, 32))
# The disk's cache is full by then: at 380 MB/s to the flash and 510 over the link it takes 500 ms.
WARMUP_MS = {"read": 300, "write": 600}
WINDOW_MS = 500
BETTER_PCT = 1          # less is no difference
KEPT = 0.95             # of none's throughput is what a scheduler has to keep


def settings(quick):
    sizes, depths = QUICK[1:] if quick else (SIZES, DEPTHS)
    return [(size, depth) for size in sizes for depth in depths]


def boots(options):
    for profile, disk in DISKS.items():
        for way, pattern in PATTERNS.items():
            if options.quick and f"{profile} {way}" not in QUICK[0]:
                continue
            for s in options.schedulers:
                yield Boot(s, f"{profile} {way}",
                           {"profile": profile, **disk, "pattern": pattern,
                            "neighbours": NEIGHBOURS, "alone": int(way == "read"),
                            "settings": " ".join(f"{k}/{d}" for k, d in settings(options.quick)),
                            "warmup_ms": WARMUP_MS[way], "window_ms": WINDOW_MS},
                           disk=True, files=(tools.program("asker"), tools.load()))


def measured(out, name):
    """The figures of one setting."""
    text = out.text(name)
    w = Window(out.text("before-" + name), out.text("after-" + name))
    if w.idle_pct < LEAST_IDLE_PCT:
        return {"idle_pct": w.idle_pct}
    n, *times = map(int, re.search(r"^times (.*)", text).group(1).split())
    done = int(re.search(r"^done (\d+)", text, re.M).group(1))
    ns, _, size = map(int, re.search(r"^slice 0 (.*)", text, re.M).group(1).split())
    row = {"reads": n, **{k: t / 1e3 for k, t in zip(("p50_us", "p99_us", "p999_us", "max_us"),
                                                     times)}}
    if name != "alone":
        row["neighbours_mb_s"] = (size - done * READ_BYTES) / ns * 1e3
    return row | {"total_mb_s": size / ns * 1e3, "idle_pct": w.idle_pct}


def rows(boot, out):
    if boot.args["alone"]:
        yield {"case": f"{boot.args['profile']} alone", **measured(out, "alone")}
    for setting in boot.args["settings"].split():
        size, depth = setting.split("/")
        yield {"case": f"{boot.case} {size}k x{depth}", **measured(out, f"{size}-{depth}")}


def finish(found):
    """Who is better than whom in both latency and throughput; and the throughput to keep."""
    none = {r["case"]: r.get("neighbours_mb_s") for r in found if r["scheduler"] == "none"}
    for r in found:
        if none.get(r["case"]):
            r["floor_mb_s"] = KEPT * none[r["case"]]
        if "neighbours_mb_s" in r:
            r["beaten_by_pct"] = {o["scheduler"]: least for o in found
                                  if o["case"] == r["case"] and "neighbours_mb_s" in o
                                  and (least := advantage(o, r)) >= BETTER_PCT}
    return found


def advantage(a, b):
    """By how many percent a is better than b in whatever it is better in by less."""
    return 100 * min(b["p99_us"] / a["p99_us"] - 1,
                     a["neighbours_mb_s"] / b["neighbours_mb_s"] - 1 if b["neighbours_mb_s"] else 0)


def panel(axes, rows, order):
    """Of one disk, way and size: a line for each scheduler through its depths."""
    for s in order:
        mine = sorted((r for r in rows if r["scheduler"] == s),
                      key=lambda r: int(r["case"].rpartition("x")[2]))
        axes.plot([r["neighbours_mb_s"] for r in mine], [r["p99_us"] / 1e3 for r in mine],
                  marker="o", markersize=3, linewidth=0.8, label=s,
                  color=drawing.colour(s, order))
    axes.set_yscale("log")
    axes.set_xlim(left=0)
    axes.set_title(rows[0]["case"].rpartition(" ")[0], fontsize=8)


def plot(figure, data):
    """A panel for each disk, way and size; along a line the neighbours' depth grows."""
    found = [r for r in data["rows"] if "neighbours_mb_s" in r]
    order = list(dict.fromkeys(r["scheduler"] for r in found))
    panels = list(dict.fromkeys(r["case"].rpartition(" ")[0] for r in found))
    across = min(len(SIZES), len(panels))
    down = -(-len(panels) // across)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, name in zip(grid, panels):
        panel(axes, [r for r in found if r["case"].rpartition(" ")[0] == name], order)
    for axes in grid[len(panels):]:
        axes.remove()
    figure.supxlabel("neighbours, MB/s")
    figure.supylabel("reader's P99, ms")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="upper center", ncols=5,
                  frameon=False)
    figure.set_size_inches(9, 2 + 2.2 * down)
    figure.tight_layout(rect=(0, 0, 1, 0.96))
