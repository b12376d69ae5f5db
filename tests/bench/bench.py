# SPDX-License-Identifier: GPL-2.0
"""What an experiment is written with, and what becomes of its figures.

An experiment is a module experiments/NAME.py. Its docstring says what it shows, where it
is from and how it is measured. It declares

    SCRIPT      guest script beside it, sourced by guest.sh (default NAME.sh)
    SCHEDULERS  the peers, default PEERS; controllers (io.cost, io.max) are named like one
    COLUMNS     list of Column: the figures, in the order of the table
    boots(options) -> Boots: which virtual machines are to run
    rows(boot, out) -> dicts: "case" and figures, from what a boot left behind (an Output)
    finish(rows)    optional: figures that need more than one boot (ratios), from the rows of
                    one seed; returns rows
    plot(figure, data)  optional: draws into a matplotlib figure; else PLOT, see plot.py
    PUBLISHED   optional: rows of the source, shown in the table (not with PIVOT)
    PIVOT       optional: True for one table per figure, cases down and schedulers across

options has schedulers (those asked for, in our order), quick, kernel. Figures keep to the
field names of the project: their unit is in the name, and one thing is one word.

One boot is one scheduler with one seed: so no figure depends on what ran before it, nor on
which other schedulers were asked for, nor, for the peers, on our module, which is not
loaded there. A boot may measure several cases where that cannot matter, and say so.
"""

import dataclasses
import json
import os
import re
import statistics

OURS = "bfqx"
PEERS = ("none", "mq-deadline", "kyber", "bfq", OURS)
# A kernel module each scheduler needs; none is built in, ours is brought by the runner.
NEEDS = {**dict.fromkeys(("bfq", "bfq-ll0", "bfq-ll1"), ["bfq"]),
         "kyber": ["kyber-iosched"], "mq-deadline": ["mq-deadline"]}
KIB = 1.024             # KB of 1,000 bytes
DIGITS = 6              # significant ones of a figure in the result
LEAST_IDLE_PCT = 5      # of the guest's CPU, or what is measured is the CPU


class BenchError(Exception):
    """Something that the user has to know, in one sentence."""


@dataclasses.dataclass
class Column:
    key: str                    # field of the row
    title: str                  # head in the table, with the unit
    form: str = "{:,.1f}"
    done: str = ""              # field that is 0 where measuring was ended before: ">"


@dataclasses.dataclass
class Boot:
    """One virtual machine: a scheduler, a case, and the arguments of the script."""
    scheduler: str
    case: str
    args: dict = dataclasses.field(default_factory=dict)    # become shell variables
    mem: str = "1G"
    disk: bool = False          # needs the modelled disk
    modules: tuple = ()         # more of the kernel's modules
    files: tuple = ()           # more files for /lab
    programs: tuple = ()        # more programs
    append: str = ""            # for the kernel's command line
    script: str = ""            # guest script beside the experiment, if not the experiment's own
    plugin: str = ""            # of QEMU; {out} is replaced by the boot's directory
    kernel: str = ""            # if not that of the command line
    timeout: int = 900
    early: bool = False         # among the longest: begins before the others, so as not to end alone
    seed: int = 1               # set by the runner

    @property
    def label(self):
        kernel = f"-{self.kernel}" if self.kernel else ""
        return re.sub(r"[^\w.=-]+", "-", f"{self.case}-{self.scheduler}{kernel}-{self.seed}")


class Window:
    """The difference of two snapshots of guest.sh."""

    def __init__(self, before, after):
        a, b = _snapshot(before), _snapshot(after)
        self.seconds = (b["ns"] - a["ns"]) / 1e9
        ticks = [y - x for x, y in zip(a["cpu"], b["cpu"])]
        self.idle_pct = 100 * (ticks[3] + ticks[4]) / max(1, sum(ticks[:8]))
        if self.seconds <= 0:
            raise BenchError("the window has no length")
        self.parts = {n: Counted(a["parts"][n], b["parts"][n], self.seconds) for n in b["parts"]}
        self.disk = Counted(a["disk"], b["disk"], self.seconds)

    def need_idle(self):
        """Refuse a window whose processor, and not its disk, is what was shared."""
        if self.idle_pct < LEAST_IDLE_PCT:
            raise BenchError(f"the guest's CPU idles only {self.idle_pct:.1f} % of the time, expected "
                             f"at least {LEAST_IDLE_PCT}: it and not the disk is what is shared")


class Counted:
    """What was completed on a partition or disk (Documentation/block/stat.rst of the kernel)."""

    def __init__(self, before, after, seconds):
        d = [y - x for x, y in zip(before, after)]
        self.read_ios, self.write_ios = d[0], d[4]
        self.read_bytes, self.write_bytes = d[2] * 512, d[6] * 512
        self.ios = self.read_ios + self.write_ios
        self.bytes = self.read_bytes + self.write_bytes
        self.mb_s = self.bytes / seconds / 1e6
        self.read_kb_s = self.read_bytes / seconds / 1e3
        self.write_kb_s = self.write_bytes / seconds / 1e3
        self.iops = self.ios / seconds


def _snapshot(text):
    found = {"parts": {}}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if name == "/proc/timer_list":
            if words[:2] == ["now", "at"]:
                found["ns"] = int(words[2])
        elif name == "/proc/stat":
            found["cpu"] = [int(w) for w in words[1:]]
        elif name.endswith("/stat"):
            part = re.search(r"p(\d+)/stat$", name)
            if part:
                found["parts"][int(part.group(1))] = [int(w) for w in words]
            else:
                found["disk"] = [int(w) for w in words]
    if not {"ns", "cpu", "disk"} <= set(found):
        raise BenchError("a snapshot is incomplete")
    return found


class Output:
    """The files that a boot left behind."""

    def __init__(self, path):
        self.path = path

    def text(self, name):
        try:
            with open(os.path.join(self.path, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            raise BenchError(f"the guest left no {name} in {self.path}") from None

    def words(self, name):
        """KEY VALUE lines as a dictionary."""
        return dict(line.partition(" ")[::2] for line in self.text(name).splitlines())

    def window(self, before="before", after="after"):
        return Window(self.text(before), self.text(after))

    def fio(self, name):
        """The one job of $OUT/NAME.json."""
        text = self.text(name + ".json")
        return json.loads(text[text.index("{"):])["jobs"][0]

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))


def jain(values):
    """Jain's index of fairness: 1 if all are equal, 1/n if one has everything."""
    values = list(values)
    squares = sum(v * v for v in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0.0


def each(options, cases, **kwargs):
    """A boot for every case and scheduler; cases maps a name to the script's arguments."""
    return [Boot(s, case, dict(args), **kwargs) for case, args in cases.items()
            for s in options.schedulers]


def significant(value):
    if isinstance(value, dict):
        return {k: significant(v) for k, v in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return value


def is_figure(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def spread(row, key, values):
    """Put the median of several measurements into the row, and minimum and maximum beside."""
    row[key] = significant(statistics.median(values))
    row[key + "_min"] = significant(min(values))
    row[key + "_max"] = significant(max(values))


def merged(rows):
    """Rows of one case and scheduler become one."""
    if len(rows) == 1:
        return {k: significant(v) for k, v in rows[0].items()}
    row = {}
    for key, first in rows[0].items():
        values = [r[key] for r in rows if r.get(key) is not None]
        if is_figure(first):
            spread(row, key, values)
        elif isinstance(first, dict):
            row[key] = {k: significant(statistics.median(v.get(k, 0) for v in values))
                        for k in dict.fromkeys(k for v in values for k in v)}
        else:
            row[key] = first
    return row


def over_seeds(seeds):
    """The rows of several seeds become one for each case and scheduler."""
    groups = {}
    for rows in seeds:
        for row in rows:
            groups.setdefault((row["case"], row["scheduler"]), []).append(row)
    return [merged(g) for g in groups.values()]


def cell(row, column):
    value = row.get(column.key)
    if value is None:
        return ""

    # Who was not done has the largest figure, so the least of several is of those who were.
    def said(figure, end=""):
        done = row.get(column.done + end, row.get(column.done, 1))
        return ("" if done else ">") + column.form.format(figure)

    if isinstance(value, dict):
        return ", ".join(f"{k} {column.form.format(n)}"
                         for k, n in sorted(value.items(), key=lambda x: -x[1]) if n)
    text = said(value) if is_figure(value) else str(value)
    low, high = row.get(column.key + "_min"), row.get(column.key + "_max")
    if low is not None and said(low, "_max") != said(high, "_min"):
        text += f" ({said(low, '_max')}-{said(high, '_min')})"
    return text


def markdown(head, lines, left=1):
    """A table that is easy to read as it is, too; so many columns have words, the others figures."""
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]

    def row(cells):
        inner = " | ".join(c.ljust(w) if i < left else c.rjust(w)
                           for i, (c, w) in enumerate(zip(cells, widths)))
        return f"| {inner} |"
    rule = "|" + "|".join(("-" * (w + 1) + ("-" if i < left else ":"))
                          for i, w in enumerate(widths)) + "|"
    return "\n".join([row(head), rule, *map(row, lines)]) + "\n"


def table(experiment, rows):
    """The rows as Markdown, and before those of a case what was published for it."""
    published = getattr(experiment, "PUBLISHED", [])
    rows = [r for case in dict.fromkeys(r["case"] for r in rows)
            for r in [*published, *rows] if r["case"] == case]
    columns = [c for c in experiment.COLUMNS if any(c.key in r for r in rows)]
    if not getattr(experiment, "PIVOT", False):
        return markdown(["case", "scheduler", *(c.title for c in columns)],
                        [[r["case"], r["scheduler"], *(cell(r, c) for c in columns)]
                         for r in rows])
    cases = list(dict.fromkeys(r["case"] for r in rows))
    across = list(dict.fromkeys(r["scheduler"] for r in rows))
    at = {(r["case"], r["scheduler"]): r for r in rows}
    parts = []
    for c in columns:
        lines = [[case, *(cell(at.get((case, s), {}), c) for s in across)] for case in cases
                 if any(at.get((case, s), {}).get(c.key) is not None for s in across)]
        parts.append(f"{c.title}:\n\n" + markdown(["case", *across], lines))
    return "\n".join(parts)
