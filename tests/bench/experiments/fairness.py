# SPDX-License-Identifier: GPL-2.0
"""Does each of many groups get the share its weight says?

2, 10, 100 and 1,000 cgroups with random weights from 100 to 1000, one process in each, on the
modelled SATA SSD (32 tags). Each reader has its part of 4 GiB, which begins where a request of 256 KiB may. In the
case's name:

  sync      one 64k random read at a time
  exact     the same with exact_shares=1, which only this module has
  deep      16 random reads at a time by io_submit, 64k; 2 at a time where there are 1,000 groups
  long      deep, 10 groups, in a window 2.4 times as long: what is left of the error there is no
            turn at the window's edge, which in five seconds is a hundredth of the smallest group's
  unequal   the same, but groups read 16k, 64k and 256k at a time, in turn
  write     through the page cache, 64k, memory controller on, a quarter of the 8 MiB that each writes
            over and over again being written back in the background, half being the most that may
            wait (up to 100 groups: a disk has 250 partitions, which are what counts for each group
            what has reached the disk)

Shares are of bytes completed in a window in which all run. share_error_pct is the largest
distance of any group's share from what is due to it, in percent of that; jain is Jain's
index of share / due, 1 when all are right.

shortfall_pct is the largest part by which any group is below its guarantee: its weight's share
of what one process like its own reaches alone on the disk, which each machine measures before,
under none (alone_mb_s, by size). Who gets the guarantee may get more, so the shortfall can be 0
where the error is not. time_error_pct, of deep queues, is the largest error of the shares of the
device's time: a group's bytes are divided by the rate at which the disk moves requests of its
size 16 at a time. Where all sizes are equal that is share_error_pct.

A window is finite. Who asks for 16 at a time hears of 15 together, when it has handed in as many anew, so the part
of a small group of 100 is a few of these in five seconds: deep 100, unequal 100 and unequal 1000 have a minute. With
1,000 groups the smallest is due about 1 MB in twelve seconds, and a turn of bfq is up to 512 KiB; Jain's index says
more there.

This module has the 64 tags that such a disk has by default. For others 1,000 groups have
nr_requests=2048, the most there is, since they don't see who waits for a tag: with 64, sync was
1,997 % wrong with the in-tree one.

Peers that know no weights are shown with 10 groups and equal sizes only; they treat all groups alike. The in-tree
scheduler has low_latency=0, or it would be raising the weights of what has just started: as
bfq-ll1 it does. io.cost has a fitted model (tests/bench/iocost.py), and no row with 1,000 groups: it
works without a scheduler, where a disk of 32 tags refuses an nr_requests of 2048.
"""

import re

import iocost
import tools
from bench import OURS, PEERS, BenchError, Boot, Column, jain

SCHEDULERS = (*PEERS, "bfq-ll1", iocost.NAME)
COLUMNS = [Column("share_error_pct", "largest error, %"),
           Column("time_error_pct", "by device time, %"),
           Column("shortfall_pct", "largest shortfall, %"),
           Column("jain", "Jain's index", "{:.4f}"),
           Column("total_mb_s", "total, MB/s"), Column("kiops", "KIOPS", "{:.2f}"),
           Column("alone_mb_s", "one alone, MB/s", "{:.1f}")]
PLOT = {"figure": "share_error_pct", "ylabel": "largest error of a share, %", "log": True}
WEIGHTED = ("bfq", "bfq-ll1", iocost.NAME, OURS)
# number of groups: window and warm-up in ms
WINDOWS = {2: (3000, 500), 10: (5000, 500), 100: (6000, 1000), 1000: (12000, 2000)}
LOADS = {"sync": ("sync", "equal"), "exact": ("sync", "equal"), "deep": ("deep", "equal"), "unequal": ("deep", "unequal"),
         "long": ("deep", "equal"), "write": ("write", "equal")}
GROUPS = {"long": (10,), "write": (2, 10, 100)}     # where they are not those of WINDOWS
LONG_MS = 12000
MINUTE_MS = 60000
MINUTE = {("deep", 100), ("unequal", 100), ("unequal", 1000)}
# Of writers, until the disk's cache is full (64 MiB), and the kernel has learned how many pages each
# of them may dirty: mm/page-writeback.c follows the rate at which it has been written over seconds.
WRITERS_SETTLE_MS = 10000
QUICK = {("sync", 10), ("exact", 10), ("deep", 10), ("long", 10)}
SHOWS_OTHERS = 10
MANY = 1000             # groups that need an nr_requests which only a scheduler makes possible
DEEP = 16               # requests at a time that keep the disk busy


def cases(options):
    for name in LOADS:
        for n in GROUPS.get(name, WINDOWS):
            if not options.quick or (name, n) in QUICK:
                yield name, n


def boots(options):
    for name, n in cases(options):
        load, sizes = LOADS[name]
        window, warmup = WINDOWS[n]
        if load == "write":
            warmup = WRITERS_SETTLE_MS
        if name == "long":
            window = LONG_MS
        if (name, n) in MINUTE:
            window = MINUTE_MS
        for s in options.schedulers:
            if name == "exact" and s != OURS:
                continue
            if s == iocost.NAME and n == MANY:
                continue
            if s in WEIGHTED or n == SHOWS_OTHERS and sizes == "equal":
                yield Boot(s, f"{name} {n}", {"n": n, "load": load, "sizes": sizes,
                                              "window_ms": window, "warmup_ms": warmup,
                                              "exact": int(name == "exact"),
                                              **iocost.settings(s, "sata-ssd")},
                           mem="4G", disk=True, files=(tools.load(),))


def counted(boot, out):
    """Bytes and I/Os of each group, and the seconds they took."""
    if boot.args["load"] == "write":
        w = out.window()
        parts = [w.parts[i] for i in sorted(w.parts)]
        return [p.write_bytes for p in parts], sum(p.write_ios for p in parts), w.seconds
    return load_counted(out.text("load"))


def load_counted(text):
    found = re.findall(r"^process \d+ (\d+) (\d+)", text, re.M)
    seconds = int(re.search(r"^window (\d+)", text).group(1)) / 1e9
    return [int(b) for _, b in found], sum(int(i) for i, _ in found), seconds


def alone(boot, out, sizes, depth):
    """Bytes a second that one process reaches by itself, by the size of its requests."""
    if boot.args["load"] == "write":
        w = out.window("alone-before", "alone-after")
        return {size: w.disk.write_bytes / w.seconds for size in sizes}
    rates = {}
    for size in sizes:
        got, _, seconds = load_counted(out.text(f"alone-{size}-{depth}"))
        rates[size] = got[0] / seconds
    return rates


def due(got, weights):
    """What each has of what its weight makes due to it."""
    return [b / sum(got) / (w / sum(weights)) for b, w in zip(got, weights)]


def largest_error(ratio):
    return 100 * max(abs(r - 1) for r in ratio)


def depth_of(boot):
    """As fairness.sh has it."""
    if boot.args["load"] == "sync":
        return 1
    return 2 if boot.args["n"] == 1000 else DEEP


def rows(boot, out):
    groups = [line.split() for line in out.text("groups").splitlines()]
    weights, sizes = [int(g[1]) for g in groups], [int(g[2]) for g in groups]
    got, ios, seconds = counted(boot, out)
    if len(got) != len(weights) or not sum(got):
        raise BenchError(f"figures of {len(got)} groups instead of {len(weights)}")
    ratio, rates = due(got, weights), alone(boot, out, sorted(set(sizes)), depth_of(boot))
    row = {"case": boot.case, "share_error_pct": largest_error(ratio)}
    if boot.args["load"] == "deep":
        full = alone(boot, out, sorted(set(sizes)), DEEP)
        row["time_error_pct"] = largest_error(due([b / full[s] for b, s in zip(got, sizes)],
                                                  weights))
    short = max(1 - b / seconds / (w / sum(weights) * rates[s])
                for b, w, s in zip(got, weights, sizes))
    yield row | {"shortfall_pct": 100 * max(0, short), "jain": jain(ratio),
                 "total_mb_s": sum(got) / seconds / 1e6, "kiops": ios / seconds / 1e3,
                 "alone_mb_s": {f"{s >> 10}k": r / 1e6 for s, r in rates.items()}}
