# SPDX-License-Identifier: GPL-2.0
"""What tests/bench/ablate varies, what it measures, and the bounds: all of it is tables.

  NO_HEURISTIC  constants that are not varied, each with its reason
  IDEAS         what can be switched off: by tunables, or by texts that stand once in their file
  CASES         what is run, which figures count, and the bound of each with where it is from
  REACH         which kinds of cases what is varied can matter for, where that is not USUAL
"""

import fnmatch
from typing import NamedTuple

LAYOUT, UNIT, ENGINE = "how a word or an array is laid out", "a unit", "the engine's arithmetic"
ABI, TUNABLE = "users know it", "a tunable's default: users set it"
WEIGHTS = "the relation of weights that users know"

NO_HEURISTIC = {
    "BFQ_ARMS_MOST": LAYOUT,
    "BFQ_LINE_MAX": "the size of a buffer for a file's text",
    "BFQ_MOST_LINES": "how much a file of debugfs shows",
    "BFQ_KIB": UNIT,
    "BFQ_NEVER_HELD": "a set of flags",
    "moving.budget": "0 says that timeout_sync decides",
    "BFQ_QUOTA_SHIFT": LAYOUT,
    "BFQ_LEVELS": ABI,
    "BFQ_WEIGHT_PER_LEVEL": WEIGHTS,
    "BFQ_WEIGHT_MIN": ABI,
    "BFQ_WEIGHT_MAX": ABI,
    "BFQ_WEIGHT_DEFAULT": ABI,
    "BFQ_SHARED_RT": LAYOUT,
    "BFQ_SHARED_BE": LAYOUT,
    "BFQ_SHARED_IDLE": LAYOUT,
    "BFQ_NR_SHARED": LAYOUT,
    "BFQ_LIMIT_AUTO": "a value that stands for a word",
    "BFQ_GATE_PLUG": LAYOUT,
    "BFQ_GATE_FULL": LAYOUT,
    "BFQ_GATE_HELD": LAYOUT,
    "BFQ_GATE_STUCK": LAYOUT,
    "BFQ_SENDS_SHIFT": LAYOUT,
    "BFQ_ONE_SEND": LAYOUT,
    "BFQ_RATE_SHIFT": LAYOUT,
    "BFQ_KIND_SIZE": LAYOUT,
    "BFQ_KIND_NR_SHIFT": LAYOUT,
    "BFQ_KIND_NR": LAYOUT,
    "BFQ_KIND_SEVERAL": LAYOUT,
    "BFQ_KIND_WRITES": LAYOUT,
    "BFQ_SHARE_SHIFT": LAYOUT,
    "BFQ_TOOK_MOST": "what fits into 32 bits",
    "BFQ_CONTENDED": LAYOUT,
    "BFQ_PRICE_UNIT": UNIT,
    "BFQ_CREDIT_WEIGHT": WEIGHTS,
    "BFQ_RQ_STATE_BITS": LAYOUT,
    "BFQ_RQ_WATCHED": LAYOUT,
    "BFQ_RQ_PRICED": LAYOUT,
    "BFQ_RQ_FAR": LAYOUT,
    "BFQ_RQ_ARMED": LAYOUT,
    "BFQ_RQ_ARM_SHIFT": LAYOUT,
    "BFQ_RQ_ARM_BITS": LAYOUT,
    "BFQ_RQ_LOAD_SHIFT": LAYOUT,
    "BFQ_FIFO_EXPIRE_ASYNC_MS": TUNABLE,
    "BFQ_FIFO_EXPIRE_SYNC_MS": TUNABLE,
    "BFQ_BACK_SEEK_MAX_KIB": TUNABLE,
    "BFQ_BACK_SEEK_PENALTY": TUNABLE,
    "BFQ_SLICE_IDLE_MS": TUNABLE,
    "BFQ_TIMEOUT_MS": TUNABLE,
    "BFQ_TIME_MAX_MS": ABI,
    "BFQ_TIME_MAX_US": ABI,
    "BFQ_LIMIT_MAX_KIB": ABI,
    "BFQ_PLAIN": UNIT,
    "BFQ_IN_KIB": UNIT,
    "BFQ_IN_MS": UNIT,
    "BFQ_IN_US": UNIT,
    "BFQ_TEST_NAME": "the size of a test's buffer",
    "TRACE_SYSTEM": "a name",
    "WF2Q_SHIFT": ENGINE,
    "WF2Q_MAX_BUDGET": ENGINE,
    "WF2Q_NOTHING": ENGINE,
    "WF2Q_MAX_WEIGHT": ENGINE,
}

# Kinds of cases. Most of the module matters for disks with and without moving parts, the rest for
# devices of few tags, disks with two arms, readers of stripes and disks that keep a request.
FLASH, DISK, LINE, ARMS, STRIPES, STUCK = "flash", "disk", "line", "arms", "stripes", "stuck"
USUAL = (FLASH, DISK)
REACH = (       # (glob of a name or a file, kinds): the first that fits
    ("moving.*", (DISK,)), ("solid.*", (FLASH,)),
    ("BFQ_GAP*", (DISK, STRIPES)), ("bfq-along.c", (DISK, STRIPES)),
    ("BFQ_LITTLE*", (FLASH,)), ("bfq-price.c", (DISK,)), ("bfq-parts.c", (DISK,)),
    ("bfq-apart.c", (ARMS,)), ("bfq-line.c", (LINE,)), ("bfq-stuck.c", (DISK, STUCK)),
)


def reach(name, files):
    """Kinds of cases that it can matter for."""
    for pattern, kinds in REACH:
        if fnmatch.fnmatchcase(name, pattern) or all(f == pattern for f in files):
            return kinds
    return USUAL


class Idea(NamedTuple):
    """What is missing when it is off; edits, or tunables (as for run --set) that switch it off."""
    name: str
    off: str
    edits: tuple = ()           # of (file, text, replacement)
    kinds: tuple = ()           # of cases, if not those of reach()
    tunables: tuple = ()


def always(file, condition):
    """The edit that makes a condition hold whatever it says; it stands in one if of the file."""
    return file, f"if ({condition})\n", f"if (true || ({condition}))\n"


def never(file, condition):
    return file, f"if ({condition})\n", f"if (false && ({condition}))\n"


def idea(name, off, *edits, kinds=()):
    return Idea(name, off, edits, kinds)


IDEAS = (
    Idea("low-latency", "nobody goes first", tunables=("low_latency=0",)),
    Idea("device-limit", "as much is in the device as it takes", tunables=("device_limit=off",)),
    Idea("idling", "the device is never kept for anybody; no claims", tunables=("slice_idle=0",)),
    idea("injection", "nothing is served while flash is plugged",
         ("bfq-idle.c", "	return behind && !op_is_write", "	return false && !op_is_write"), kinds=(FLASH,)),
    idea("plug-behind", "the device is not plugged for who is behind its guarantee",
         never("bfq-idle.c", "q->habit.behind && bfqd->active.nr_behind < bfqd->active.nr")),
    idea("plug-learn", "the device is not plugged to see what a queue does alone",
         ("bfq-idle.c", "	return bfq_habit_trial(q) ? BFQ_PLUG_LEARN : BFQ_PLUG_NOT;\n",
          "	return BFQ_PLUG_NOT;\n"), kinds=(FLASH,)),
    idea("plug-locality", "a disk is not plugged for who reads along it",
         never("bfq-idle.c", "bfqd->kind->seeks && !bfq_habit_seeks(q)"), kinds=(DISK,)),
    idea("claims", "the device is plugged where a queue would keep a claim",
         always("bfq-idle.c",
                "what != BFQ_PLUG_SHARES && (what != BFQ_PLUG_BEHIND || !bfqd->kind->seeks)")),
    idea("little", "who asks for little waits for room like all",
         ("bfq-idle.c", "	if (!crawls && !bfqd->raise.most)	", "	if (true)	"),
         kinds=(FLASH,)),
    idea("look-again", "what a queue does alone is not looked at again",
         ("bfq-habit.c", "	q = bfq_habit_unsure(active);\n	if (!q)\n",
          "	q = bfq_habit_unsure(active);\n	if (true)\n"), kinds=(FLASH,)),
    idea("lag-pull", "the quota follows the last request alone, not the lag",
         ("bfq-habit.c", "	       div64_s64((s64)q->habit.lag_ns * quota,",
          "	       0 * div64_s64((s64)q->habit.lag_ns * quota,"), kinds=(FLASH,)),
    idea("aim-above", "the lag aims at the guarantee and no more",
         ("bfq-habit.c", "share + min_t(u32, more,", "share + 0 * min_t(u32, more,")),
    idea("mates-judged", "a group of several has no guarantee of its own",
         ("bfq-mates.c", "	if (!mates->nr || ", "	if (1 || "), kinds=(FLASH,)),
    idea("kinds-known", "what a request takes alone is not known of other processes",
         always("bfq-habit.c", "habit->alone_ns || !known_ns"), kinds=(FLASH,)),
    idea("few-judged", "who asks for more than one at a time is not judged, and has a claim",
         ("bfq-device.c", ".few = 8,", ".few = 1,"), kinds=(FLASH,)),
    idea("kinds-apart", "a process is judged by all of its requests",
         ("bfq-habit.c", "bool usual = habit->last_kind == habit->kind, slower;", "bool usual = true, slower;"), kinds=(FLASH,)),
    idea("equals-passed", "who is like all others is judged all the same",
         ("bfq-habit.c", "active->alike = alike;", "active->alike = false;"), kinds=(FLASH,)),
    idea("forgive-lags", "lags that no plug can make up for are kept",
         always("bfq-habit.c", "!active->nr_behind")),
    idea("limit-learned", "the limit stays what it begins with",
         never("bfq-device.c", "READ_ONCE(bfqd->tun.device_limit) == BFQ_LIMIT_AUTO")),
    idea("limit-dry", "a device that has run empty does not raise the limit at once",
         never("bfq-device.c", "dry && !held")),
    idea("price-seek", "a disk's seek is charged to nobody",
         ("bfq-iosched.h", "	return bfqd->price.seek;\n", "	return 0;\n"), kinds=(DISK,)),
    idea("price-idle", "time in which a disk is kept empty for a queue is charged to nobody",
         always("bfq-price.c", "since == BFQ_AT_WORK")),
    idea("price-learned", "the price of a seek stays what it begins with",
         ("bfq-price.c", "	if (busy < (s64)NSEC_PER_SEC &&\n",
          "	if (false && busy < (s64)NSEC_PER_SEC &&\n")),
    idea("along", "nothing is taken along on a disk",
         ("bfq-along.c", "	return bfqd->turn.along >= bfq_turn_most(bfqd) ||",
          "	return true || bfqd->turn.along >= bfq_turn_most(bfqd) ||")),
    idea("apart", "an arm that rests is given nothing",
         always("bfq-apart.c",
                "likely(!bfqd->arms.nr) || READ_ONCE(bfqd->tun.strict_guarantees)")),
    idea("stuck", "a disk that keeps a request is sent others",
         always("bfq-stuck.c", "likely(!bfqd->kind->seeks) || (bfqd->gate & BFQ_GATE_STUCK)")),
    idea("line", "nobody stands in line for a tag where there are few",
         ("bfq-line.c", "	WRITE_ONCE(line->forms, few || line->crowd);", "	WRITE_ONCE(line->forms, line->crowd);")),
    idea("crowd", "nobody stands in line where more compete than there are tags",
         ("bfq-line.c", "	WRITE_ONCE(line->forms, few || line->crowd);", "	WRITE_ONCE(line->forms, few);")),
    idea("tag-shares", "tags are not shared out",
         ("bfq-depth.c", "	return have >= bfq_depth_limit(bfqd, q);\n", "	return false;\n")),
    idea("pass", "a request that finds nothing waiting is staged all the same",
         always("bfq-turn.c", "bfqd->turn.open || !q->sync || bfq_device_at_limit(bfqd)")),
    idea("budget-feedback", "each turn has the largest budget",
         ("bfq-turn.c", "	return min(q->budget, most);\n", "	return most;\n")),
    idea("preempt-nearer", "an arrival with a nearer finish waits for the end of the turn",
         never("bfq-turn.c", "wf2q_precedes(&q->entity)"), kinds=(FLASH,)),
    idea("hold", "others are not held back while who goes first thinks",
         always("bfq-raise.c", "bfqd->active.first_waiting")),
    idea("release", "others are held back without end for who goes first",
         ("bfq-raise.c", "	if (past < hold + div_u64(hold, BFQ_RELEASE_PART) ||\n",
          "	if (0 && past < hold + div_u64(hold, BFQ_RELEASE_PART) ||\n"),
         ("bfq-raise.c", "	    (!raise->released && past < BFQ_HOLD_STALE * hold)) {\n",
          "	    (0 && past < BFQ_HOLD_STALE * hold)) {\n")),
    idea("first-of-groups", "nobody is held back for who goes first in another group",
         ("bfq-raise.c", "	return !bfq_raise_rare(bfqd, q) && bfq_raise_lags(bfqd, q);\n",
          "	return false;\n")),
    idea("begins", "nobody is held back for who begins something in the same group",
         ("bfq-raise.c", "		return q->begins || bfq_raise_costs_little(bfqd);\n",
          "		return bfq_raise_costs_little(bfqd);\n"), kinds=(FLASH,)),
    idea("raise-lasts", "credit lasts no longer where reads take longer",
         ("bfq-raise.c", "	return clamp_t(u64, ms, ", "	return clamp_t(u64, 0 * ms, "),
         kinds=(FLASH,)),
    idea("spare-credit", "who has credit is not held back",
         ("bfq-raise.c", "	return q->sync && q->credit && bfq_raise_rare(bfqd, q);\n",
          "	return q->sync && q->credit;\n")),
    idea("spare-rare", "who has credit and asks now and then is held back",
         ("bfq-raise.c", "	return q->sync && q->credit && bfq_raise_rare(bfqd, q);\n",
          "	return false;\n")),
    idea("first-part", "others are held back for a group however long that has been",
         ("bfq-raise.c", " || group->first_ns > bfq_raise_clock_ns())\n", ")\n")),
    idea("park", "writes that nobody waits for go on beside who goes first",
         always("bfq-raise.c", "!bfq_raise_writes_wait(bfqd)")),
    idea("kin", "each new process has a credit of its own",
         ("bfq-raise.c", "	return q->family && q->served.sectors < BFQ_YOUNG;\n",
          "	return false;\n")),
    idea("rest-of-groups", "a group that has rested keeps nothing",
         ("bfq-raise.c", "wanted ? raise->recent : 0);\n", "0);\n")),
)


NONE = "none"


class Figure(NamedTuple):
    """A field of the row of a case.

    of: in percent of that field of the row; if it is NONE, of the same field under none.
    least_move: by how much it has moved at least, however much that is in percent.
    """
    row: str
    title: str
    key: str
    of: str = ""
    least: float | None = None
    most: float | None = None
    source: str = ""
    least_move: float = 0
    form: str = "{:,.1f}"

    def misses(self, value):
        return (self.least is not None and value < self.least) or \
            (self.most is not None and value > self.most)

    def bound(self):
        if self.least is None and self.most is None:
            return ""
        return f"at least {self.least:g}" if self.most is None else f"at most {self.most:g}"


class Case(NamedTuple):
    """Boots of an experiment (words for tests/bench/run), and the figures that count of them."""
    name: str
    kind: str
    words: tuple
    figures: tuple

    @property
    def experiment(self):
        return self.words[0]

    @property
    def beside_none(self):
        return any(f.of == NONE for f in self.figures)


# Where bounds are from.
LWN = "the article: its guarantee within 2 %, 95 % of the ideal"
HELD_OUT = "tests/bench/held-out"
CHECK = "tests/bench/check"
IDLE = "so many times what it takes on an idle disk"
BURSTS = "Documentation/experiments.md, with a little room"
FILM = "a film plays smoothly"
ARMS_WORK = "two arms work at a time"
STRIPED = "the experiment: no less than the one"


def guarded(row, title):
    """A target with a guarantee, and all together."""
    return (Figure(row, f"{title}: target, % of guarantee", "target_mb_s", "guarantee_mb_s",
                   least=98, source=LWN),
            Figure(row, f"{title}: total, % of ideal", "total_mb_s", "ideal_total_mb_s",
                   least=95, source=LWN))


def isolated(row, p99_us):
    return (Figure(row, f"{row}: P50, us", "p50_us", most=500, source=HELD_OUT, form="{:,.0f}"),
            Figure(row, f"{row}: P99, us", "p99_us", most=p99_us, source=HELD_OUT, form="{:,.0f}"),
            Figure(row, f"{row}: total, % of none", "total_mb_s", NONE, least=95, source=HELD_OUT))


def started(disk, kind, most=None):
    """xterm on an idle and on a busy disk; most is how many times as long that may take."""
    source = IDLE if most else ""
    return Case(f"start-up {disk}", kind, ("start-up", "--case", f"xterm {disk}"),
                (Figure(f"xterm {disk} idle", "idle: seconds", "seconds", form="{:.2f}"),
                 Figure(f"xterm {disk} loaded", "loaded: times idle", "ratio_to_idle", most=most,
                        source=source, form="{:.2f}"),
                 Figure(f"xterm {disk} loaded", "loaded: total, MB/s", "total_mb_s")))


ZOCCOLO = "1 seq, 1 random reader"
BURST = "sata-ssd random 4r"

CASES = (
    Case("lwn-sequential", FLASH, ("lwn-sequential", "--case", "al*"),
         (*guarded("random-reader/4 seq-readers", "random/readers"),
          *guarded("random-reader/4 seq-writers", "random/writers"),
          *guarded("seq-reader/4 seq-readers", "seq/readers"),
          *guarded("seq-reader/4 seq-writers", "seq/writers"))),
    Case("io-cost", FLASH, ("io-cost", "--quick"),
         guarded("random-reader/4 seq-readers", "random/4 readers")),
    Case("isolation", FLASH, ("isolation", "--case", "4[rw]"),
         (*isolated("4r", 1000), *isolated("4w", 3000))),
    Case("burst", FLASH, ("burst", "--case", BURST),
         (Figure(BURST, "random 4r: times idle", "ratio_to_idle", most=2, source=BURSTS,
                 form="{:.2f}"),
          Figure(BURST, "random 4r: total, MB/s", "total_mb_s"))),
    started("hdd", DISK, 1.4),
    started("sata-ssd", FLASH, 1.2),
    Case("zoccolo", DISK, ("zoccolo", "--case", ZOCCOLO),
         (Figure(ZOCCOLO, "1 seq, 1 random: random, KB/s", "read_kb_s"),
          Figure(ZOCCOLO, "1 seq, 1 random: sequential, KB/s", "seq_read_kb_s"))),
    Case("video", DISK, ("video", "--case", "hdd 10r"),
         (Figure("hdd 10r", "hdd 10r: frames dropped", "frames_dropped", most=0, source=FILM,
                 least_move=1, form="{:.0f}"),
          Figure("hdd 10r", "hdd 10r: longest wait, ms", "longest_ms"),
          Figure("hdd 10r", "hdd 10r: total, MB/s", "total_mb_s"))),
    Case("fairness", FLASH, ("fairness", "--case", "long 10"),
         (Figure("long 10", "long 10: largest error, %", "share_error_pct", most=1, source=CHECK,
                 least_move=0.1, form="{:.2f}"),
          Figure("long 10", "long 10: total, % of none", "total_mb_s", NONE, least=90,
                 source=CHECK))),
    started("usb-stick", LINE),
    Case("two-actuator", ARMS, ("two-actuator", "--quick"),
         (Figure("seq/seq", "seq/seq: times one reader", "of_one", least=1.9, source=ARMS_WORK,
                 form="{:.2f}"),
          Figure("seq/rand", "seq/rand: times one reader", "of_one", least=0.95, source=ARMS_WORK,
                 form="{:.2f}"))),
    Case("cooperation", STRIPES, ("cooperation", "--case", "4 +1"),
         (Figure("4 +1", "4 +1: stripes, % of the other", "stripes_mb_s", "other_mb_s", least=95,
                 source=STRIPED),
          Figure("4 +1", "4 +1: total, MB/s", "total_mb_s"))),
    Case("misbehave", STUCK, ("misbehave", "--case", "starve"),
         (Figure("starve", "starve: longest read, us", "max_us", form="{:,.0f}"),
          Figure("starve", "starve: total, MB/s", "total_mb_s", form="{:,.2f}"))),
)
