# SPDX-License-Identifier: GPL-2.0
"""How results of tests/bench/ablate are shown: its tables, and Documentation/ablation.md."""

import os

import ablation
import bench
import constants
import copies
from ablated import FAILS, MOVED_PCT, NO_BUILD, REPO, SAME, UNTRIED, all_variants, figure_of
from bench import BenchError

PAGE = os.path.join(REPO, "Documentation", "ablation.md")
IDEAS_HEAD = ["idea", "what is off", "what that does"]
CONSTANTS_HEAD = ["constant", "file", "value", "halved", "doubled"]
BASE_HEAD = ["figure", "unchanged", "by seeds", "bound", "where that is from"]
PAGE_HEAD = """\
<!-- SPDX-License-Identifier: GPL-2.0 -->
# What each idea and each constant does

Made by `tests/bench/ablate --publish`, from what `make ablate` has measured: each idea off, each
constant halved and doubled, one at a time. A cell says what has moved by more than {pct} % and more
than chance (`tests/bench/ablate --help`), from the unchanged module's figure to the variant's;
**breaks** is a bound that the unchanged module keeps and the variant does not.

"""


def base_lines(judge):
    """Cells of each figure of the unchanged module."""
    for case in ablation.CASES:
        base, none = judge.base(case), judge.none(case)
        for figure in case.figures if base and none is not None else ():
            found = [figure_of(figure, base, none, end) for end in ("", "_min", "_max")]
            if found[0] is None:
                continue
            value, low, high = (figure.form.format(x) for x in found)
            missed = ", missed" if figure.misses(found[0]) else ""
            yield [f"{case.name} {figure.title}", value, f"{low}-{high}", figure.bound() + missed,
                   figure.source]


def base_table(judge):
    return bench.markdown(BASE_HEAD, list(base_lines(judge)), left=len(BASE_HEAD))


def cell(verdict):
    if verdict.state in (UNTRIED, SAME):
        return "not tried" if verdict.state == UNTRIED else "nothing"
    said = [str(m).replace("BREAKS", "**breaks**") for m in verdict.moves]
    if verdict.state == NO_BUILD:
        said = [f"does not build: {verdict.why}"]
    if verdict.state == FAILS:
        said = [f"**fails**: {verdict.why}"]
    return "; ".join(said).replace("|", "/")


def constant_lines(varied, verdicts):
    for c in varied:
        cells = [cell(verdicts[f"{c.name}-{way}"]) if f"{c.name}-{way}" in verdicts else "none"
                 for way in constants.WAYS]
        yield [c.name, c.file, f"`{c.value.replace('|', '/')}`", *cells]


def publish(judge, varied, excluded):
    """Write the page from results that are there; return what was done."""
    variants = all_variants(varied)
    verdicts = {v.name: judge.verdict(v) for v in variants}
    tried = sum(v.state != UNTRIED for v in verdicts.values())
    if not tried:
        raise BenchError("nothing is known of the module as it is: run tests/bench/ablate first")
    ideas = [[i.name, i.off, cell(verdicts[i.name])] for i in ablation.IDEAS]
    parts = [PAGE_HEAD.format(pct=MOVED_PCT), f"{tried} of {len(variants)} variants were tried, "
             f"on the module as it is since {copies.module_since()}.\n",
             "\n## The unchanged module\n\n", base_table(judge),
             "\n## Ideas off\n\n", bench.markdown(IDEAS_HEAD, ideas, left=len(IDEAS_HEAD)),
             "\n## Constants\n\n\"none\": the number has no half, or no double.\n\n",
             bench.markdown(CONSTANTS_HEAD, list(constant_lines(varied, verdicts)),
                            left=len(CONSTANTS_HEAD)),
             "\n## Not varied\n\n", *(f"- {name}: {why}\n" for name, why in excluded.items())]
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write("".join(parts))
    return f"wrote {os.path.relpath(PAGE, REPO)}: {tried} of {len(variants)} variants"
