# SPDX-License-Identifier: GPL-2.0
"""What this module promises, and what the published results say of it: Documentation/promises.md.

A promise is a bound of a figure in some cases of an experiment. In its row are the worst of these
cases and how many of them keep it. A figure is that of the row, or in percent, or times, of another
one: of the same row, of a rival's or of another case's. Nothing is measured here.

A promise that is broken has a reason beside it (`why`); publish --check fails where there is none.
"""

import dataclasses
import fnmatch

from bench import OURS, markdown

AT_LEAST, AT_MOST = "at least", "at most"
SOME = 3                # cases that are named, and not only counted


@dataclasses.dataclass
class Promise:
    experiment: str
    what: str
    cases: tuple                # globs
    figure: str
    way: str                    # AT_LEAST or AT_MOST
    bound: float
    unit: str = ""
    form: str = "{:,.1f}"
    of: object = None           # a figure of the row; or (scheduler, case), whose figure it is
                                # divided by: "{case}" is this one's
    factor: float = 1           # 100: of is in percent
    why: str = ""               # where it is broken: what stands in the way

    def keeps(self, value):
        return value >= self.bound if self.way == AT_LEAST else value <= self.bound

    def worst(self, found):
        """(case, value) of the case that is farthest from the bound."""
        return (min if self.way == AT_LEAST else max)(found, key=lambda pair: pair[1])

    def bound_in_words(self):
        return f"{self.way} {self.bound:g}{self.unit and ' ' + self.unit}"

    def value(self, row, rows):
        """The figure of a row, or what it is of another one; None where there is none."""
        got, whole = row.get(self.figure), 1
        if isinstance(got, dict):       # by scheduler: how many, but for what is no difference
            got = sum(value >= 1 for value in got.values())
        if isinstance(self.of, str):
            whole = row.get(self.of)
        elif self.of:
            scheduler, case = self.of
            other = rows.get((scheduler, case.format(case=row["case"])), {})
            whole = other.get(self.figure)
        if got is None or not whole:
            return None
        return self.factor * got / whole

    def found(self, data):
        """(case, value) of each case of this module."""
        rows = {(r["scheduler"], r["case"]): r for r in data["rows"]}
        pairs = [(case, self.value(row, rows)) for (scheduler, case), row in rows.items()
                 if scheduler == OURS and any(fnmatch.fnmatchcase(case, c) for c in self.cases)]
        return [(case, value) for case, value in pairs if value is not None]


def of_guarantee(experiment, cases, **kwargs):
    return Promise(experiment, "who has a guarantee gets it", cases, "target_mb_s", AT_LEAST, 100,
                   "%", of="guarantee_mb_s", factor=100, **kwargs)


def of_ideal(experiment, cases, **kwargs):
    return Promise(experiment, "and the device does as much as if that cost nothing", cases,
                   "total_mb_s", AT_LEAST, 95, "% of the ideal", of="ideal_total_mb_s", factor=100,
                   **kwargs)


def of_none(experiment, what, cases, percent, **kwargs):
    return Promise(experiment, what, cases, "total_mb_s", AT_LEAST, percent, "% of none's",
                   of=("none", "{case}"), factor=100, **kwargs)


def of_other(experiment, what, cases, figure, way, times, scheduler, **kwargs):
    """Times what another scheduler has in the same case."""
    return Promise(experiment, what, cases, figure, way, times, f"times {scheduler}'s", "{:.2f}",
                   of=(scheduler, "{case}"), **kwargs)


def most(experiment, what, cases, figure, bound, unit, form="{:,.0f}", **kwargs):
    return Promise(experiment, what, cases, figure, AT_MOST, bound, unit, form, **kwargs)


def started(what, cases, bound, figure="ratio_to_idle"):
    return most("start-up", what, cases, figure, bound, "times its idle time", "{:.2f}")


SEEKS = ("1 seq, 1 random reader",)
MANY_SEEK = ("32 random readers, 1 writer*",)
ALL = ("*",)
BESIDE = ("4r", "4w", "2r2w")
LOADED, CROWDED = ("* loaded",), ("* together", "* crowd", "* groups")
FLASH_LOADED = ("* sata-ssd loaded", "* sd-card loaded", "* usb-stick loaded")
# One processor; of 10,000 groups and of 2,000 processes something else is promised.
USUAL_COST = ("dd", "read*", "write*", "rand*-x1", "rand*-x8", "rand*-x64", "rand*-[01]", "groups-1",
              "groups-100", "6.1 *")

PROMISES = (
    of_guarantee("lwn-sequential", ("*-reader/4 seq-*",),
                 why="beside writers 1 to 4 % less, by seed: while the SSD programs what its cache has taken "
                     "a read takes longer, whatever is kept out"),
    of_ideal("lwn-sequential", ("*-reader/4 seq-*",)),
    of_guarantee("lwn-random", ALL),
    of_none("lwn-random", "and the device does as much as without a scheduler", ALL, 95),
    of_guarantee("io-cost", ALL),
    of_ideal("io-cost", ALL),
    most("isolation", "who asks for little waits little, also beside those who keep the device full",
         BESIDE, "p50_us", 500, "us, half of the reads",
         why="the drive programs what its cache has taken; with less in the device its link rests"),
    most("isolation", "and seldom long beside readers", ("4r",), "p99_us", 1000, "us, 99 of 100"),
    most("isolation", "and seldom long beside writers", ("4w", "2r2w"), "p99_us", 3000, "us, 99 of 100"),
    of_none("isolation", "and costs the others little", BESIDE, 95),
    most("pareto", "nobody else gives a reader a shorter wait and his neighbours more",
         ("* read *", "* write *"), "beaten_by_pct", 0, "schedulers that do",
         why="the reader is new in each window of half a second, and others are held back for it, for a "
             "quarter of its share, also where that is of no use: 1 to 5 % of the neighbours' rate, "
             "8 to 12 beside four or more writes of 64 or 128 KiB at once on the SSD"),
    most("fairness", "nobody of 2 or 10 groups is below its part of what it makes alone",
         ("[sdu]* 2", "[sdu]* 10"), "shortfall_pct", 2, "% below", "{:.1f}"),
    most("fairness", "nobody of 100 groups", ("[sdu]* 100",), "shortfall_pct", 5, "% below", "{:.1f}"),
    of_none("fairness", "and ten together make as much as without a scheduler", ("sync 10", "write 10"), 90),
    most("fairness", "who asks for much has what his weight says: 2 and 10 groups", ("deep 2", "long 10"),
         "share_error_pct", 2, "% off", "{:.1f}"),
    most("fairness", "who asks for much: 100 groups", ("deep 100",), "share_error_pct", 5, "% off",
         "{:.1f}"),
    most("fairness", "with exact_shares=1 also who asks for one at a time: 2 and 10 groups",
         ("exact 2", "exact 10"), "share_error_pct", 2, "% off", "{:.1f}"),
    most("fairness", "with exact_shares=1: 100 groups", ("exact 100",), "share_error_pct", 5,
         "% off", "{:.1f}"),
    most("fairness", "with requests of other sizes by the device's time: 2 and 10 groups",
         ("unequal 2", "unequal 10"), "time_error_pct", 5, "% off", "{:.1f}"),
    most("fairness", "who writes through the page cache: 2 and 10 groups", ("write 2", "write 10"),
         "share_error_pct", 10, "% off", "{:.1f}",
         why="8 MiB may be dirty in all where there are two, ten requests, which the SSD takes at once: "
             "nothing waits from which a scheduler could choose"),
    of_none("equal", "equals lose nothing", ALL, 98),
    Promise("zoccolo", "two sequential readers have a disk's full speed", ("2 seq readers",),
            "read_kb_s", AT_LEAST, 95, "% of one", of=(OURS, "1 seq reader"), factor=100),
    Promise("zoccolo", "beside one who reads in sequence, one who seeks has what cfq gave him in 2009",
            SEEKS, "read_kb_s", AT_LEAST, 196, "KB/s", "{:,.0f}"),
    Promise("zoccolo", "and who reads in sequence has what cfq gave him", SEEKS, "seq_read_kb_s",
            AT_LEAST, 13000, "KB/s", "{:,.0f}",
            why="who is new and asks for little goes first, for 24 s at most, as a program does that "
                "starts; with `--set low_latency=0` 16,321 and 230"),
    of_other("zoccolo", "32 seekers beside a writer read as much as with in-tree bfq", MANY_SEEK,
             "read_kb_s", AT_LEAST, 1, "bfq"),
    of_other("zoccolo", "and wait no longer than with in-tree bfq", MANY_SEEK, "max_latency_ms",
             AT_MOST, 1, "bfq"),
    Promise("two-actuator", "two arms work at a time", ("seq/seq", "2 seq/2 seq", "2 seq/seq"), "of_one",
            AT_LEAST, 1.9, "times one reader", "{:.2f}",
            why="two readers at one arm make 0.94 of what one makes, since the arm moves to and fro (none 0.65)"),
    Promise("misbehave", "a disk that misbehaves does as much", ALL, "of_none_pct", AT_LEAST, 95,
            "% of none's",
            why="on the card and the stick who reads 4 KiB has his fifth of the time, in which he moves little (1,873 reads, "
                "under none 834); with the CPU stolen it is the same part of what moves, 395 MB/s, as with io.cost, and under "
                "none 471, since two writers have 292 of it and nobody his share; on the disk that starves none keeps the "
                "reader waiting for 20 s, we for 0.4"),
    Promise("misbehave", "and nothing is left of it a second later", ALL, "recovered_pct", AT_LEAST, 90,
            "% of none's"),
    most("settle", "everybody soon has what he is going to have: flash", ("sata-ssd *", "nvme *"),
         "settle_s", 0.3, "s", "{:.2f}",
         why="beside four deep writers the reader has the SSD to itself until their data has been programmed, "
             "three times a second, so rates of a second differ by 14 to 22 % all the time (in-tree bfq 30): the "
             "figure says that they do, not when it began; what would keep them even has not been looked for"),
    most("settle", "everybody soon has what he is going to have: disk", ("hdd *",), "settle_s", 3, "s", "{:.2f}"),
    started("a program starts on a busy device as on an idle one: flash", FLASH_LOADED, 1.2),
    started("a program starts on a busy device as on an idle one: disk", ("* hdd loaded",), 1.4),
    started("a program starts on a busy device as on an idle one: at any seed", LOADED, 1.6, "ratio_to_idle_max"),
    started("a program beside ten that begin with it, in a crowd, beside another group", CROWDED, 2),
    of_other("start-up", "it is through no later than with in-tree bfq", LOADED, "seconds", AT_MOST, 1, "bfq"),
    of_other("start-up", "and the others have no less meanwhile than with in-tree bfq", LOADED,
             "total_mb_s", AT_LEAST, 1, "bfq",
             why="on the disk: a program is through in 0.47 to 0.81 of the time, and has the disk for more "
                 "of it"),
    most("start-up", "none of its reads waits long: disk", ("* hdd loaded",), "longest_ms", 150, "ms",
         why="one of a program's four threads reads on where it is while the others wait: all of them in "
             "turn and the program takes a third longer (in-tree 11 s)"),
    most("start-up", "none of its reads waits long: SSD", ("* sata-ssd loaded",), "longest_ms", 20, "ms"),
    most("video", "a film drops no frame beside ten readers", ("* 10r",), "frames_dropped", 0,
         "of 500"),
    most("video", "and few frames beside five readers and five writers", ("* 5r5w",), "frames_dropped",
         5, "of 500",
         why="a write that the disk's cache has taken delays a read, whatever a scheduler does (in-tree "
             "362)"),
    of_other("video", "and the others have no less than with in-tree bfq", ("* 10r", "* 5r5w"),
             "total_mb_s", AT_LEAST, 1, "bfq",
             why="2 % less on the SSD, 0.2 % less on the disk beside ten readers"),
    Promise("cooperation", "who read a file in turns read as fast as one", ("2", "4", "8"),
            "stripes_mb_s", AT_LEAST, 95, "% of one", of=(OURS, "1"), factor=100),
    of_other("cooperation", "a database's commit beside readers takes half as long as with in-tree bfq",
             ("commit * 4r",), "p99_us", AT_MOST, 0.5, "bfq"),
    of_other("cooperation", "and half as long as without a scheduler", ("commit * 4r",), "p99_us",
             AT_MOST, 0.5, "none",
             why="on the disk: three steps that wait for each other, each behind what it is reading (24 ms "
                 "alone, 107 beside readers, in-tree 224)"),
    most("desktop", "beside a backup nothing takes twice its time", ALL, "ratio_to_idle", 2,
         "times its idle time", "{:.2f}",
         why="by seed 1.98 to 2.17 (in-tree 2.57, none 3.31)"),
    of_other("cost", "an I/O costs no more than with mq-deadline", USUAL_COST, "added_insn_per_io", AT_MOST, 1,
             "mq-deadline",
             why="32 sequential requests at once become two: the scheduler's part is 12 to 23 "
                 "instructions of 5,000 ([performance](performance.md))"),
    of_other("cost", "with 2,000 processes that take turns a tenth more", ("rand*-x2000",), "added_insn_per_io",
             AT_MOST, 1.1, "mq-deadline"),
    Promise("cost", "one of 10,000 groups costs little more than a sole one", ("groups-10000",),
            "added_insn_per_io", AT_MOST, 1.1, "times one's", "{:.2f}", of=(OURS, "groups-1"),
            why="what none has varies by more from boot to boot"),
    most("scale", "at native speed mq-deadline does no more I/Os", ALL, "ratio_to_mq_deadline", 1,
         "times mq-deadline's time", "{:.2f}",
         why="0.78 to 0.87 of its I/Os in five with four processes in one group, where equals wait for each "
             "other as credit ends; 0.96 to 0.99 in four"),
    most("memory", "a process takes little memory", ("process",), "bytes_per_queue", 500, "bytes"),
    most("memory", "a group takes little memory", ("group",), "bytes_per_group", 1300, "bytes"),
)

HEAD = ["experiment", "promised", "bound", "kept in", "worst case", "seen"]


def broken(promise, published):
    """Cases in which it is."""
    data = published.get(promise.experiment)
    return [case for case, value in promise.found(data) if not promise.keeps(value)] if data else []


def line(promise, published):
    p, data = promise, published.get(promise.experiment)
    words = [f"[{p.experiment}](results/{p.experiment}.md)" if data else p.experiment, p.what,
             p.bound_in_words()]
    if not data:
        return [*words, "not published", "", ""]
    found = p.found(data)
    if not found:
        return [*words, "published before", "", ""]
    case, value = p.worst(found)
    kept = sum(p.keeps(value) for _, value in found)
    return [*words, f"{kept} of {len(found)}", case, p.form.format(value)]


def some(cases):
    return ", ".join(cases) if len(cases) <= SOME else f"{len(cases)} cases"


def table(published):
    """Of the published results by name, and beneath it why a promise is broken where one is."""
    reasons = [f"- {p.experiment}, {p.what} ({some(cases)}): {p.why}"
               for p in PROMISES if (cases := broken(p, published))]
    return markdown(HEAD, [line(p, published) for p in PROMISES], left=3) + \
        ("\nWhere they are broken:\n\n" + "\n".join(reasons) + "\n" if reasons else "")


def unexplained(published, promised=PROMISES):
    """Promises that are broken, and nothing says why."""
    return [f'{p.experiment}: "{p.what}" is broken ({", ".join(cases)}), and tests/bench/promises.py '
            "does not say why"
            for p in promised if not p.why and (cases := broken(p, published))]
