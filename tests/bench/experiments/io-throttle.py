# SPDX-License-Identifier: GPL-2.0
"""How predictable is a group's rate: two groups that do what iozone does.

After Andrea Righi's report on the io-throttle controller (linux-kernel, June 2008): iozone
-I -a -i0..-i5 -y 1024 -q 8192 -n 8m -g 32m, one in the group foo and one or four in bar. These
sizes of records are in KiB, so records were of 1 to 8 MiB, not the 1 to 8 KiB of his text.
cells.c does the same with files of 8 and 16 MiB, parts of the hdd of tests/diskmodel (files of
32 MiB would take more time than all others), nine ways of reading and writing them, O_DIRECT.
Each process goes round until the last one has been through once, so foo never has the disk for
itself because bar is done, or the other way.

A group's rate is sampled cell by cell, as he did: of the ways he names (write, rewrite, read,
reread, random read, random write); of bar's four the rates of the same cell are added. Given are
mean, standard deviation, and percentage error, which is his word for the deviation in
percent of the mean.

  1, 2      no limits, foo against one and against four in bar
  3 to 6    limits in MB/s: 8/8 and 8/16 against one, 8/8 and 4/8 against four

Today's controller with limits is io.max; it takes reads and writes apart and has no limit for
both together, so both get the limit. Who has weights (io.cost with a fitted
model, tests/bench/iocost.py, among them) gets them in the ratio of the limits, 100
for the lower, and is judged by the same measure: it has no fixed rate to offer, but the disk's
time that limits leave unused (total). The other schedulers know neither: only in 1 and 2.
"""

import collections
import statistics

import iocost
import tools
from bench import KIB, OURS, PEERS, BenchError, Boot, Column
from plot import bars

SCHEDULERS = (*PEERS, "io.max", iocost.NAME)
COLUMNS = [Column("foo_expected_kb_s", "foo: expected, KB/s", "{:,.0f}"),
           Column("foo_avg_kb_s", "average, KB/s", "{:,.0f}"),
           Column("foo_deviation_kb_s", "deviation, KB/s", "{:,.0f}"),
           Column("foo_rate_error_pct", "percentage error"),
           Column("bar_expected_kb_s", "bar: expected, KB/s", "{:,.0f}"),
           Column("bar_avg_kb_s", "average, KB/s", "{:,.0f}"),
           Column("bar_deviation_kb_s", "deviation, KB/s", "{:,.0f}"),
           Column("bar_rate_error_pct", "percentage error"),
           Column("foo_share_pct", "foo of all bytes, %"),
           Column("total_mb_s", "total, MB/s")]
# name: processes in bar, limits in KiB/s or None
CASES = {"1 no limit, 1:1": (1, None), "2 no limit, 1:4": (4, None),
         "3 8/8, 1:1": (1, (8192, 8192)), "4 8/16, 1:1": (1, (8192, 16384)),
         "5 8/8, 1:4": (4, (8192, 8192)), "6 4/8, 1:4": (4, (4096, 8192))}
QUICK = ("1 no limit, 1:1", "4 8/16, 1:1")
WEIGHTED = ("bfq", iocost.NAME, OURS)
WEIGHT = 100            # of the lower limit
# Expected and average in KB/s of 1,024 bytes, percentage error; of foo and of bar.
HIS = {
    "1 no limit, 1:1": ("cfq", (None, 15869.72, 50.43), (None, 14404.63, 42.68)),
    "2 no limit, 1:4": ("cfq", (None, 7139.43, 62.81), (None, 26161.22, 34.78)),
    "3 8/8, 1:1": ("io-throttle", (8192, 8339.79, 8.81), (8192, 8242.14, 10.88)),
    "4 8/16, 1:1": ("io-throttle", (8192, 7978.03, 12.89), (16384, 14117.72, 17.56)),
    "5 8/8, 1:4": ("io-throttle", (8192, 7873.29, 12.12), (8192, 8831.25, 13.49)),
    "6 4/8, 1:4": ("io-throttle", (4096, 4166.57, 11.69), (8192, 8770.42, 11.26))}
COUNTED = ("write", "rewrite", "read", "reread", "randread", "randwrite")


def published(case, controller, foo, bar):
    row = {"case": case, "scheduler": "2008 " + controller}
    for prefix, (expected, average, error) in (("foo", foo), ("bar", bar)):
        if expected:
            row[prefix + "_expected_kb_s"] = expected * KIB
        row |= {prefix + "_avg_kb_s": average * KIB, prefix + "_rate_error_pct": error}
    return row


PUBLISHED = [published(case, *his) for case, his in HIS.items()]


def boots(options):
    for name, (processes, limits) in CASES.items():
        foo, bar = limits or (0, 0)
        lower = min(foo, bar) or 1
        args = {"bar_processes": processes, "foo_kib": foo, "bar_kib": bar,
                "foo_weight": WEIGHT * foo // lower or WEIGHT,
                "bar_weight": WEIGHT * bar // lower or WEIGHT}
        for s in options.schedulers:
            shown = s in WEIGHTED or (s == "io.max" if limits else s != "io.max")
            if shown and (not options.quick or name in QUICK):
                yield Boot(s, name, args | iocost.settings(s, "hdd"), disk=True,
                           files=(tools.program("cells"),))


def read_cells(text):
    """For each process KB/s by cell; a cell is its pass, way, file and record."""
    found = collections.defaultdict(dict)
    for line in text.splitlines():
        process, _pass, way, file, record, ns = line.split()
        if way in COUNTED:
            found[int(process)][_pass, way, file, record] = int(file) * 1024e6 / int(ns)
    return found


def group(prefix, members):
    """Mean and deviation of the rates in those cells that all members have been through."""
    common = [c for c in members[0] if all(c in m for m in members)]
    rates = [sum(m[c] for m in members) for c in common]
    mean, deviation = statistics.fmean(rates), statistics.stdev(rates)
    return {prefix + "_avg_kb_s": mean, prefix + "_deviation_kb_s": deviation,
            prefix + "_rate_error_pct": 100 * deviation / mean}


def rows(boot, out):
    cells = read_cells(out.text("cells"))
    if len(cells) != boot.args["bar_processes"] + 1:
        raise BenchError(f"figures of {len(cells)} processes")
    w = out.window()
    row = {"case": boot.case, **group("foo", [cells[0]]),
           **group("bar", [c for n, c in sorted(cells.items()) if n]),
           "foo_share_pct": 100 * w.parts[1].bytes / w.disk.bytes, "total_mb_s": w.disk.mb_s,
           "seconds": w.seconds}
    if boot.scheduler == "io.max":
        row |= {"foo_expected_kb_s": boot.args["foo_kib"] * KIB,
                "bar_expected_kb_s": boot.args["bar_kib"] * KIB}
    yield row


def plot(figure, data):
    for axes, who in zip(figure.subplots(2, 1), ("foo", "bar")):
        bars(axes, data["rows"], {"figure": who + "_rate_error_pct",
                                  "ylabel": f"{who}: percentage error"})
        if who == "bar":
            axes.get_legend().remove()
