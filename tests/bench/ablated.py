# SPDX-License-Identifier: GPL-2.0
"""Variants of the module, what is known of each (build/ablate/results), and what has moved in it.

tests/bench/ablate says what that is for.
"""

import fnmatch
import hashlib
import json
import os
from typing import NamedTuple

import ablation
import bench
import constants
import depends
import kept

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(REPO, "build", "ablate")
RESULTS = os.path.join(BUILD, "results")
MOVED_PCT = 3
# Of a variant.
STATES = ("same", "moves", "BREAKS", "no build", "FAILS", "untried")
SAME, MOVES, BREAKS, NO_BUILD, FAILS, UNTRIED = STATES


class Variant(NamedTuple):
    """A change of the module; of is the constant that it changes, if it does."""
    name: str
    what: str
    edits: tuple = ()
    tunables: tuple = ()
    kinds: tuple = ablation.USUAL
    of: str = ""

    def named_by(self, pattern):
        return fnmatch.fnmatchcase(self.name, pattern) or fnmatch.fnmatchcase(self.of, pattern)

    def cases(self):
        return [c for c in ablation.CASES if c.kind in self.kinds]


UNCHANGED = Variant("unchanged", "", kinds=tuple(dict.fromkeys(c.kind for c in ablation.CASES)))


def of_constant(constant):
    for way in constants.WAYS:
        new = constant.scaled(way)
        if new is not None:
            yield Variant(f"{constant.name}-{way}", f"{constant.value} becomes {new}",
                          (constant.edit(way),), of=constant.name,
                          kinds=ablation.reach(constant.name, [constant.file]))


def of_idea(idea):
    kinds = idea.kinds or ablation.reach(idea.name, [e[0] for e in idea.edits] or [""])
    return Variant(idea.name, idea.off, idea.edits, idea.tunables, kinds)


def all_variants(varied):
    return [of_idea(i) for i in ablation.IDEAS] + [v for c in varied for v in of_constant(c)]


def digest(parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Known(kept.Kept):
    """Results of variants."""

    def __init__(self):
        super().__init__(RESULTS)
        self.experiments = {}
        self.module = depends.module(depends.Tree())

    def experiment(self, name):
        if name not in self.experiments:
            found = depends.now(name)
            self.experiments[name] = [found["experiment"], found["lab"]]
        return self.experiments[name]

    def build_key(self, variant):
        return digest(["build", self.module, variant.edits])

    def key(self, variant, case, scheduler, seeds):
        """Everything a result depends on, as one word; none has nothing of the module in it."""
        ours = [self.module, variant.edits, variant.tunables] if scheduler == bench.OURS else []
        return digest([ours, case.words, scheduler, seeds, self.experiment(case.experiment)])

    def find(self, key):
        return super().find(key) or {}

    def rows(self, variant, case, seeds, scheduler=bench.OURS):
        """Rows by case, or None."""
        rows = self.find(self.key(variant, case, scheduler, seeds)).get("rows")
        return rows and {r["case"]: r for r in rows if r["scheduler"] == scheduler}


class Move(NamedTuple):
    """A figure that is not what it was."""
    case: str
    figure: ablation.Figure
    was: float
    now: float
    broken: bool

    def __str__(self):
        was, now = (self.figure.form.format(x) for x in (self.was, self.now))
        end = f" BREAKS {self.figure.bound()}" if self.broken else ""
        return f"{self.case} {self.figure.title} {was} -> {now}{end}"


def figure_of(figure, rows, none, end=""):
    """A figure of rows by case, or None where there is none."""
    row = rows.get(figure.row, {})
    got = row.get(figure.key + end, row.get(figure.key))
    if not figure.of or got is None:
        return got
    whole = (none or {}).get(figure.row, {}).get(figure.key) if figure.of == ablation.NONE else \
        row.get(figure.of)
    return 100 * got / whole if whole else None


def lacking(case, rows):
    """Fields that the figures of a case are made of, and that are not in its rows."""
    have = {(r["case"], key) for r in rows for key in r}
    wanted = [(f.row, key) for f in case.figures for key in (f.key, f.of)
              if key not in ("", ablation.NONE)]
    return [f"{key} of {row}" for row, key in wanted if (row, key) not in have]


def moves(case, base, rows, none=None):
    """What has moved from the base's rows, which are of several seeds, to these."""
    for figure in case.figures:
        was, now = figure_of(figure, base, none), figure_of(figure, rows, none)
        if was is None or now is None:
            continue
        low, high = (figure_of(figure, base, none, end) for end in ("_min", "_max"))
        chance = (high - low) / 2
        if low - chance <= now <= high + chance:
            continue
        broken = figure.misses(now) and not figure.misses(was)
        if broken or abs(now - was) > max(abs(was) * MOVED_PCT / 100, figure.least_move):
            yield Move(case.name, figure, was, now, broken)


class Verdict(NamedTuple):
    state: str
    moves: tuple = ()
    why: str = ""


class Judge:
    """Says of a variant what is known."""

    def __init__(self, known, options):
        self.known, self.options = known, options

    def cases(self, variant):
        return [c for c in variant.cases()
                if not self.options.case or fnmatch.fnmatchcase(c.name, self.options.case)]

    def base(self, case):
        return self.known.rows(UNCHANGED, case, self.options.base_seeds)

    def none(self, case):
        return self.known.rows(UNCHANGED, case, 1, ablation.NONE) if case.beside_none else {}

    def moved(self, variant, case, seeds):
        """Moves with so many seeds; None if they are not known."""
        base, none, rows = self.base(case), self.none(case), self.known.rows(variant, case, seeds)
        if base is None or none is None or rows is None:
            return None
        return list(moves(case, base, rows, none))

    def next_seeds(self, variant, case):
        """With how many seeds it is to be measured next; 0 if it is known what moves."""
        first = self.moved(variant, case, self.options.seeds)
        if first is None:
            return self.options.seeds
        sure = max(self.options.confirm, self.options.seeds)
        return sure if first and self.moved(variant, case, sure) is None else 0

    def settled(self, variant, case):
        """Moves, once nothing is to be measured any more."""
        first = self.moved(variant, case, self.options.seeds)
        return first and self.moved(variant, case, max(self.options.confirm, self.options.seeds))

    def verdict(self, variant):
        why = self.known.find(self.known.build_key(variant)).get("no_build")
        if why:
            return Verdict(NO_BUILD, why=why)
        found, untried = [], not self.cases(variant)
        for case in self.cases(variant):
            seeds = self.next_seeds(variant, case)
            if not seeds:
                found += self.settled(variant, case)
                continue
            failed = self.known.find(self.known.key(variant, case, bench.OURS, seeds)).get("failed")
            why = why or (failed and f"{case.name}: {failed}")
            untried |= not failed
        broken = any(m.broken for m in found)
        state = UNTRIED if untried else FAILS if why else BREAKS if broken else \
            MOVES if found else SAME
        return Verdict(state, tuple(found), why or "")
