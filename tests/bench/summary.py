# SPDX-License-Identifier: GPL-2.0
"""The table on Documentation/experiments.md: a row an experiment, made of the published results.

For each experiment it shows one case, and counts over all of them. Rivals are compared with this
module by medians: who is better, or neither where the ranges of the seeds touch.
"""

import dataclasses
import fnmatch

from bench import OURS, BenchError, Column, cell, markdown

IN_TREE = "bfq"
ENOUGH = 0.99           # of a guarantee: the windows end somewhere
MORE, LESS, NEAR = "more", "less", "near"


@dataclasses.dataclass
class Summary:
    asks: str
    case: str                   # the one that is shown
    figure: str                 # what is compared
    unit: str
    better: str                 # MORE, LESS, or NEAR to the ideal
    form: str = "{:,.1f}"
    cases: tuple = ("*",)       # those that are counted
    ideal: object = None        # figure of the row, number, or (scheduler, case, figure) of another
                                # row: "{case}" is this one's, "{idle}" and "{alone}" without load
    need: tuple = ()            # figure, figure: the first is to be as large as the second
    done: str = ""              # figure that is 0 where measuring was ended before
    no_rivals: tuple = ()       # who is compared with nobody, and why not


GUARANTEE = ("target_mb_s", "guarantee_mb_s")
SUMMARIES = {
    "memory": Summary("What does a process take of the kernel's memory?", "process",
                      "bytes_per_queue", "bytes", LESS, "{:,.0f}", ("process",), 0),
    "cost": Summary("How many instructions does an I/O cost more than under none?",
                    "randread-qd1-x1", "added_insn_per_io", "instructions", LESS, "{:,.0f}",
                    ideal=0, no_rivals=("none",)),
    "scale": Summary("What does an I/O cost at native speed, two processes reading at once?",
                     "t2/d16/p4/random/same", "cpu_ns_per_io", "ns", LESS, "{:,.0f}",
                     ideal=("none", "{case}", "cpu_ns_per_io"), no_rivals=("none",)),
    "fairness": Summary("Does each of many groups get the share that its weight says?",
                        "deep 10", "share_error_pct", "largest error, %", LESS, ideal=0),
    "lwn-sequential": Summary("What does the device lose when a random reader gets a guarantee "
                              "beside sequential ones?", "random-reader/4 seq-readers",
                              "total_mb_s", "total, MB/s", MORE, cases=("*-reader/4 seq-*",),
                              ideal="ideal_total_mb_s", need=GUARANTEE),
    "lwn-random": Summary("The same beside random readers?", "random-reader/4 random-readers",
                          "total_mb_s", "total, MB/s", MORE, ideal="ideal_total_mb_s",
                          need=GUARANTEE),
    "io-cost": Summary("The same with equal weights, against io.cost?",
                       "random-reader/4 seq-readers", "total_mb_s", "total, MB/s", MORE,
                       ideal="ideal_total_mb_s", need=GUARANTEE),
    "io-throttle": Summary("Can a group count on its rate, on a disk with moving parts?",
                           "4 8/16, 1:1", "foo_rate_error_pct", "deviation, % of the mean", LESS,
                           ideal=0),
    "zoccolo": Summary("What does a process that seeks get beside one that streams?",
                       "1 seq, 1 random reader", "read_kb_s", "KB/s", MORE, "{:,.0f}"),
    "two-actuator": Summary("Does each arm of a disk with two work while the other does?",
                            "seq/seq", "total_mb_s", "total, MB/s", MORE,
                            ideal=("none", "{case}", "total_mb_s")),
    "video": Summary("Does a film play smoothly beside ten readers of a disk?", "hdd 10r",
                     "frames_dropped", "frames of 500 lost", LESS, "{:,.0f}", ideal=0),
    "cooperation": Summary("Do processes that read one file in turns get what one reader gets?", "4",
                           "stripes_mb_s", "MB/s", MORE, cases=("[1248]", "[1248] +1"),
                           ideal=("none", "1", "stripes_mb_s")),
    "isolation": Summary("What do greedy neighbours cost who asks for little?", "4r", "p99_us",
                         "P99, us", LESS, "{:,.0f}", ("4r", "4w", "2r2w"), ("none", "alone", "p99_us")),
    "one-group": Summary("The same if all are in one group, and the neighbours are to lose nothing?",
                         "nvme 4r", "p99_us", "P99, us", LESS, "{:,.0f}",
                         need=("total_mb_s", "alone_mb_s")),
    "equal": Summary("What do equal weights cost those who are all alike?", "nvme rand mixed x1",
                     "total_mb_s", "total, MB/s", MORE, ideal=("none", "{case}", "total_mb_s")),
    "pareto": Summary("How long does a reader wait, if its neighbours are to keep their throughput?",
                      "nvme read 128k x16", "p99_us", "P99, us", LESS, "{:,.0f}",
                      ideal=("none", "nvme alone", "p99_us"),
                      need=("neighbours_mb_s", "floor_mb_s")),
    "burst": Summary("How long does a short burst take of a group that rests otherwise?",
                     "sata-ssd random 4r", "seconds", "seconds", LESS, "{:.3f}",
                     ideal="idle_seconds"),
    "settle": Summary("How soon has everybody what he is going to have?", "sata-ssd weights",
                      "settle_s", "seconds until the rates stay", LESS, ideal=0),
    "fsync": Summary("How long does it take to make 4 KiB safe beside greedy writers?",
                     "sata-ssd fsync 4w", "p99_us", "P99, us", LESS, "{:,.0f}"),
    "misbehave": Summary("How long does a reader wait on a disk that misbehaves, if throughput is "
                         "to be kept?", "gc", "p99_us", "P99, us", LESS, "{:,.0f}",
                         need=("total_mb_s", "floor_mb_s")),
    "start-up": Summary("How long does a program take to start on a busy disk?",
                        "xterm hdd loaded", "seconds", "seconds", LESS,
                        cases=("*loaded", "*together", "*crowd", "*groups"),
                        ideal=("none", "{idle}", "seconds"), done="started"),
    "desktop": Summary("Does a backup make a desktop unpleasant?", "hdd gnome-terminal",
                       "ratio_to_idle", "times as long as on an idle disk", LESS, ideal=1,
                       done="started"),
}


def holds(row, s):
    """Does it give what it has to, whatever it gives besides?"""
    return not s.need or row[s.need[0]] >= ENOUGH * row[s.need[1]]


def ideal_of(data, case, s):
    rows = [r for r in data["rows"] if r["case"] == case]
    if isinstance(s.ideal, tuple):
        scheduler, where, figure = s.ideal
        where = where.format(case=case, idle=case.replace("loaded", "idle"),
                             alone=" ".join([*case.split()[:-1], "alone"]))
        rows = [r for r in data["rows"] if (r["scheduler"], r["case"]) == (scheduler, where)]
        return rows[0].get(figure) if rows else None
    if isinstance(s.ideal, str):
        return next((r[s.ideal] for r in rows if s.ideal in r), None)
    return s.ideal


def ahead(mine, theirs, s, ideal):
    """1 if mine is better, -1 if theirs is, 0 where that cannot be said."""
    if holds(mine, s) != holds(theirs, s):
        return 1 if holds(mine, s) else -1
    figure, more = (s.figure, s.better == MORE) if holds(mine, s) else (s.need[0], True)
    if s.done and mine[s.done] != theirs[s.done]:
        return 1 if mine[s.done] else -1
    if s.done and not mine[s.done]:
        return 0
    a, b = mine[figure], theirs[figure]
    if s.better == NEAR and holds(mine, s):
        return (abs(b - ideal) > abs(a - ideal)) - (abs(b - ideal) < abs(a - ideal))
    high, low = (mine, theirs) if a > b else (theirs, mine)
    if low.get(figure + "_max", min(a, b)) >= high.get(figure + "_min", max(a, b)):
        return 0
    return 1 if (a > b) == more else -1


def better(a, b, s, ideal):
    """The better of two by their medians."""
    if holds(a, s) != holds(b, s):
        return a if holds(a, s) else b
    figure, more = (s.figure, s.better == MORE) if holds(a, s) else (s.need[0], True)
    if s.better == NEAR and holds(a, s):
        return a if abs(a[figure] - ideal) <= abs(b[figure] - ideal) else b
    return a if (a[figure] >= b[figure] if more else a[figure] <= b[figure]) else b


def is_in_tree(name):
    """Also with another setting: bfq-ll0 has low_latency=0."""
    return name == IN_TREE or name.startswith(IN_TREE + "-")


def best(rows, s, ideal):
    found = None
    for row in rows:
        found = row if found is None else better(found, row, s, ideal)
    return found


def best_in_tree(rows, s, ideal):
    return best([r for name, r in rows.items() if is_in_tree(name)], s, ideal)


def best_other(rows, s, ideal):
    return best([r for name, r in rows.items()
                 if name not in (OURS, *s.no_rivals) and not is_in_tree(name)], s, ideal)


def by_case(data, s):
    """Rows by scheduler of each case that has ours, and the figures."""
    found = {}
    for row in data["rows"]:
        has = all(row.get(figure) is not None for figure in (s.figure, *s.need))
        if has and any(fnmatch.fnmatch(row["case"], c) for c in s.cases):
            found.setdefault(row["case"], {})[row["scheduler"]] = row
    return {case: rows for case, rows in found.items() if OURS in rows}


def count(data, s, rival):
    """How often this module is ahead of a rival, "won 3, lost 1"; rival: of a case's rows."""
    said = {1: 0, 0: 0, -1: 0}
    for case, rows in by_case(data, s).items():
        ideal = ideal_of(data, case, s)
        theirs = rival(rows, ideal)
        if theirs:
            said[ahead(rows[OURS], theirs, s, ideal)] += 1
    words = zip(("won", "even", "lost"), said.values())
    return ", ".join(f"{word} {n}" for word, n in words if n) or "none there"


def show(row, s):
    if not row:
        return ""
    text = cell(row, Column(s.figure, "", s.form, s.done)).partition(" (")[0]
    if not holds(row, s):
        text += f", gives {row[s.need[0]]:.1f} of {row[s.need[1]]:.1f}"
    return text


def named(row, s, usual=None):
    """The figure, and whose it is."""
    if not row:
        return ""
    return show(row, s) if row["scheduler"] == usual else f"{show(row, s)} ({row['scheduler']})"


def line(name, data):
    s = SUMMARIES[name]
    cases = by_case(data, s)
    if s.case not in cases:
        raise BenchError(f"{name}: the published result has no case {s.case} with {OURS} in it")
    rows, ideal = cases[s.case], ideal_of(data, s.case, s)
    return [f"[{name}](results/{name}.md)", s.asks, f"{s.case}: {s.unit}", show(rows[OURS], s),
            named(best_in_tree(rows, s, ideal), s, IN_TREE), named(best_other(rows, s, ideal), s),
            "" if ideal is None else s.form.format(ideal),
            count(data, s, lambda rows, ideal: best_in_tree(rows, s, ideal)),
            count(data, s, lambda rows, ideal: best_other(rows, s, ideal))]


HEAD = ["experiment", "what it asks", "shown: case and figure", "this module", "in-tree bfq",
        "best other", "ideal", "against in-tree, all cases", "against the best other"]


def table(published):
    """Of the published results by name, in the order above."""
    unknown = sorted(set(published) - set(SUMMARIES))
    if unknown:
        raise BenchError(f"{unknown[0]} is published, but tests/bench/summary.py has no Summary of it")
    return markdown(HEAD, [line(name, published[name]) for name in SUMMARIES if name in published], left=3)
