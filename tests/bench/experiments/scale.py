# SPDX-License-Identifier: GPL-2.0
"""What does a request cost at native speed, and do CPUs get in each other's way?

A case is tTHREADS/dDEPTH/pPLUG/ORDER/GROUPS: so many processes, each with so many reads
of 4 KiB in flight, submitted so many at a time, at random or each its own stream, in one
cgroup or in one for each. The device is null_blk without delay, so what is measured is
the block layer with the scheduler and little else. See tests/bench/scale.
"""
import fnmatch
import types

from bench import Column, markdown, table
from plot import bars

PROGRAM = "tests/bench/scale"
COLUMNS = [Column("cpu_ns_per_io", "processor time per I/O, ns", "{:,.0f}"),
           Column("kiops", "thousand I/Os per second", "{:,.0f}"),
           Column("cpu_ratio_to_none", "processor time per I/O against none", "{:.2f}"),
           Column("cpu_ratio_to_mq_deadline", "processor time per I/O against mq-deadline",
                  "{:.2f}"),
           Column("lock_hold_ns_per_io", "main lock held per I/O, ns (kernel that counts locks)",
                  "{:,.0f}"),
           Column("lock_wait_ns_per_io", "main lock waited for per I/O, ns (the same kernel)",
                  "{:,.0f}")]

# ns per I/O that the lab had on an idle machine before this experiment existed, the range of
# four rounds: 4 plugged random reads, 16 in flight, Linux 7.2, one and two processes,
# with system calls for disabling interrupts.
LAB = {"t1/d16/p4/random/same": {"none": (2050, 2450), "mq-deadline": (2840, 3420),
                                 "kyber": (2640, 3160), "bfq": (6200, 6900)},
       "t2/d16/p4/random/same": {"none": (1150, 1760), "mq-deadline": (1420, 2370),
                                 "kyber": (1370, 1790), "bfq": (3310, 5700)}}

# What a document has room for: one at a time, some plugged, the most plugged.
IN_DOCUMENT = ("t?/d1/p1/random/same", "t?/d16/p4/*", "t?/d64/p32/random/same")
NOT_IN_DOCUMENT = "cpu_ratio_to_none"


def beside_lab(rows):
    """The figures that were measured before, and how far those of today are from them."""
    lines = []
    none = {r["case"]: r["ns_per_io"] for r in rows if r["scheduler"] == "none"}
    for row in rows:
        low, high = LAB.get(row["case"], {}).get(row["scheduler"], (0, 0))
        if not high:
            continue
        ns = row["ns_per_io"]
        off = ns / low - 1 if ns < low else ns / high - 1 if ns > high else 0
        then = (low + high) / 2 - sum(LAB[row["case"]]["none"]) / 2
        more = f"{ns - none[row['case']]:+,.0f}" if row["case"] in none else ""
        lines.append([row["case"], row["scheduler"], f"{low:,}-{high:,}", f"{ns:,.0f}",
                      f"{100 * off:+.0f} %" if off else "within",
                      f"{then:+,.0f}", more])
    if not lines:
        return ""
    return "\nns per I/O beside those of the lab, both with system calls for disabling " \
        "interrupts:\n\n" + \
        markdown(["case", "scheduler", "lab", "now", "outside by", "to none, lab",
                  "to none, now"], lines)


def figures(data, rows, columns):
    return table(types.SimpleNamespace(COLUMNS=columns, PIVOT=True), rows) + \
        beside_lab(data["rows_without_lazy_ipi"])


def to_publish(data):
    """What goes into the document, as Markdown; tables() is in build/results/scale.md."""
    rows = [r for r in data["rows"] if any(fnmatch.fnmatch(r["case"], p) for p in IN_DOCUMENT)]
    return figures(data, rows, [c for c in COLUMNS if c.key != NOT_IN_DOCUMENT])


def tables(data):
    """All of it as Markdown."""
    share = data.get("host_pct")
    note = "" if share is None else \
        f"\nA single process had {share:.0f} % of a processor; with much under 100 % only " \
        "the figures of processor time mean anything.\n"
    return figures(data, data["rows"], COLUMNS) + note


def plot(figure, data):
    left, right = figure.subplots(1, 2)
    for axes, key, label in ((left, "cpu_ns_per_io", "ns of processor time per I/O"),
                             (right, "kiops", "thousand I/Os per second")):
        rows = [dict(r, case=r["case"].split("/")[0][1:]) for r in data["rows"]
                if fnmatch.fnmatch(r["case"], "*/d16/p4/random/same")]
        bars(axes, rows, {"figure": key, "ylabel": label})
        if axes is left:
            axes.legend(frameon=False, fontsize=8)
        else:
            axes.get_legend().remove()
        axes.set_xlabel("processes; random reads, 16 in flight, 4 at a time")
