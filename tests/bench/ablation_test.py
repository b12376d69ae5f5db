# SPDX-License-Identifier: GPL-2.0
"""Known answers for tests/bench/ablate, without a machine: sources, numbers, tables and bounds."""

import os

import ablated
import ablation
import ablation_page
import constants
import copies
import tap
from tap import result

REPO = copies.REPO
SOURCE = """\
#ifndef BFQ_FAKE_H
#define BFQ_FAKE_H
#define BFQ_PLAIN_ONE	25		/* ms */
#define BFQ_ONE		1
#define BFQ_UNSIGNED	1000U
#define BFQ_TIME_NS	(20 * (s32)NSEC_PER_MSEC)
#define BFQ_STEP(ns)	((ns) / 8)
#define BFQ_LONG	(BFQ_TIME_NS + \\
			 7)
# define BFQ_FEW_BITS	6
#define BFQ_ASKS	(!IS_ENABLED(CONFIG_X))
#define BFQ_CALLS(q)	bfq_call(q)
#define BFQ_TEXT	"25"
enum bfq_word {
	BFQ_WORD_ONE	= BIT(1),
	BFQ_WORD_NEXT,
};
static const struct bfq_kind bfq_moving = {
	.seeks = true,
	.limit = 8192,
	.budget = 0,
};
static const struct bfq_kind bfq_solid = {
	.limit = 2048,
};
#endif
"""
# name: what it becomes, halved and doubled
SCALED = {
    "BFQ_PLAIN_ONE": ("12", "50"),
    "BFQ_ONE": (None, "2"),
    "BFQ_UNSIGNED": ("500U", "2000U"),
    "BFQ_TIME_NS": ("((20 * (s32)NSEC_PER_MSEC) / 2)", "(2 * (20 * (s32)NSEC_PER_MSEC))"),
    "BFQ_STEP": ("(((ns) / 8) / 2)", "(2 * ((ns) / 8))"),
    "BFQ_LONG": ("((BFQ_TIME_NS + \\\n\t\t\t 7) / 2)", "(2 * (BFQ_TIME_NS + \\\n\t\t\t 7))"),
    "BFQ_FEW_BITS": ("5", "7"),
    "BFQ_WORD_ONE": ("((BIT(1)) / 2)", "(2 * (BIT(1)))"),
    "moving.limit": ("4096", "16384"),
    "moving.budget": (None, None),
    "solid.limit": ("1024", "4096"),
}
FIGURES = (ablation.Figure("a", "target", "target", "due", least=98),
           ablation.Figure("a", "of none", "total", ablation.NONE, least=95),
           ablation.Figure("a", "late", "late_us", most=1000),
           ablation.Figure("a", "dropped", "dropped", most=0, least_move=1))
CASE = ablation.Case("fake", ablation.FLASH, ("fake",), FIGURES)


def check_constants():
    found = constants.in_text("bfq-fake.h", SOURCE)
    got = {c.name: tuple(c.scaled(way) for way in constants.WAYS) for c in found}
    result(got == SCALED, "each form of a constant is found, halved and doubled",
           f"expected {SCALED}", f"seen {got}")
    result(all(SOURCE.count(c.before + c.value) == 1 for c in found),
           "the text of each stands once in its file", *(c.name for c in found))
    edit = next(c for c in found if c.name == "solid.limit").edit(constants.HALF)
    changed = SOURCE.replace(edit[1], edit[2])
    result(".limit = 1024" in changed and ".limit = 8192" in changed,
           "a kind's field is changed in that kind alone", changed)


def refused(found, excluded):
    try:
        constants.varied(found, excluded)
    except ValueError as e:
        return str(e)
    return ""


def check_excluded():
    found = constants.in_text("bfq-fake.h", SOURCE)
    names = [c.name for c in constants.varied(found, {"BFQ_ONE": "why"})]
    result("BFQ_ONE" not in names and len(names) == len(found) - 1,
           "what is excluded is not varied", f"{names}")
    said = refused(found, {"BFQ_ONE": "why", "BFQ_GONE": "why"})
    result("BFQ_GONE" in said and "BFQ_ONE" not in said,
           "an exclusion of what is not there is refused", said)
    said = refused([*found, found[0]], {})
    result(found[0].name in said, "a constant that is defined twice is refused", said)


def check_tree():
    """The tables fit the module as it is."""
    found = constants.in_tree(REPO)
    said = refused(found, ablation.NO_HEURISTIC)
    result(not said, "every exclusion is there", said)
    variants = ablated.all_variants([c for c in found if c.name not in ablation.NO_HEURISTIC])
    wrong = []
    for variant in variants:
        try:
            texts = copies.broken(variant)
            wrong += [f"{variant.name} changes nothing in {name}" for name, text in texts.items()
                      if text == copies.read(name)]
        except copies.MutantError as e:
            wrong.append(f"{variant.name}: {e}")
    result(not wrong, "the text of every variant stands once in its file", *wrong)
    names = [v.name for v in variants]
    result(len(names) == len(set(names)), "each variant has a name of its own")
    top = os.path.join(REPO, "tests/bench/experiments")
    lost = [c.name for c in ablation.CASES if not os.path.exists(f"{top}/{c.experiment}.py")]
    result(not lost, "every case is of an experiment", *lost)


def base_row(**figures):
    """Of several seeds: figures as (least, median, largest)."""
    row = {"case": "a", "due": 10}
    for key, (low, value, high) in figures.items():
        row |= {key: value, key + "_min": low, key + "_max": high}
    return {"a": row}


def check_moves():
    base = base_row(target=(9.9, 10.0, 10.1), total=(480, 490, 500), late_us=(900, 950, 980),
                    dropped=(0, 0, 0))
    none = {"a": {"total": 500}}
    same = {"target": 10.0, "total": 490, "late_us": 950, "dropped": 0}

    def moved(**figures):
        rows = {"a": {"due": 10, **same, **figures}}
        return [(m.figure.title, m.broken) for m in ablated.moves(CASE, base, rows, none)]

    for what, figures, expected in (
            ("what is as it was has not moved", {}, []),
            ("a bound that is missed by more than chance is broken", {"target": 9.7},
             [("target", True)]),
            ("even where that is less than 3 %", {"late_us": 1030}, [("late", True)]),
            ("but not within chance", {"late_us": 1010}, []),
            ("what is better has moved, and breaks nothing", {"late_us": 500}, [("late", False)]),
            ("what is away by less than 3 % has not moved", {"target": 10.25}, []),
            ("in percent of what none makes", {"total": 450}, [("of none", True)]),
            ("where the figure was 0, one is enough", {"dropped": 1}, [("dropped", True)])):
        got = moved(**figures)
        result(got == expected, what, f"expected {expected}", f"seen {got}")
    less = tuple(ablated.moves(CASE, base, {"a": {"due": 10, **same, "target": 9.0}}, none))
    marks = [str(m) for m in less]
    result(marks == ["fake target 100.0 -> 90.0 BREAKS at least 98"], "a broken bound is marked",
           *marks)
    cell = ablation_page.cell(ablated.Verdict(ablated.BREAKS, less))
    result("**breaks**" in cell, "and so it is on the page", cell)
    named = ablated.lacking(CASE, [{"case": "a", **same}])
    result(named == ["due of a"], "a figure that the rows do not have is named", *named)
    missed = base_row(target=(9.0, 9.0, 9.0))
    got = [m.broken for m in ablated.moves(CASE, missed, {"a": {"due": 10, "target": 8.0}})]
    result(got == [False], "a bound that the unchanged module misses is not broken", f"seen {got}")


def run():
    check_constants()
    check_excluded()
    check_tree()
    check_moves()
    return tap.finish()
