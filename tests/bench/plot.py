#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draw a result of tests/bench/run: build/results/NAME.json becomes NAME.svg and NAME.png.

An experiment draws with its plot(figure, data), or declares PLOT, a dictionary:
  figure   the field that is drawn as bars, cases along, one colour for each scheduler
  ylabel   what is on the axis
  cases    glob of the cases to draw (all)
  log      True for a logarithmic axis
  marks    field drawn as a line across each bar that has it, such as what was due
  done     field that is 0 where measuring was ended before: the bar is hatched

Needs matplotlib (tools/setup --for bench). The same result gives the same files.
"""

import argparse
import fnmatch
import importlib.util
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

# One colour for each, the same in all plots; ours is the one that stands out.
COLOURS = {"none": "#9e9e9e", "mq-deadline": "#e0a030", "kyber": "#7fb069", "bfq": "#5b84b1",
           "bfqx": "#c0392b"}
OTHERS = ("#8e6bb0", "#4fb3bf", "#a1745b", "#d98cb3", "#4b6043", "#c9b458")
SVG_SALT = "bfq"        # else every drawing has names of its own in it


def load(name):
    path = os.path.join(HERE, "experiments", name + ".py")
    spec = importlib.util.spec_from_file_location("experiment_" + name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def colour(scheduler, order):
    if scheduler in COLOURS:
        return COLOURS[scheduler]
    others = [s for s in order if s not in COLOURS]
    return OTHERS[others.index(scheduler) % len(OTHERS)]


def bars(axes, rows, spec):
    """Groups of bars; with several seeds, thin lines show minimum and maximum."""
    key = spec["figure"]
    rows = [r for r in rows if r.get(key) is not None]
    # of a part of the experiment, whatever there is
    rows = [r for r in rows if fnmatch.fnmatch(r["case"], spec.get("cases", "*"))] or rows
    cases = list(dict.fromkeys(r["case"] for r in rows))
    order = list(dict.fromkeys(r["scheduler"] for r in rows))
    width = 0.8 / max(1, len(order))
    for i, scheduler in enumerate(order):
        mine = [r for r in rows if r["scheduler"] == scheduler]
        x = [cases.index(r["case"]) + (i - (len(order) - 1) / 2) * width for r in mine]
        y = [r[key] for r in mine]
        spread = [[v - r.get(key + "_min", v) for v, r in zip(y, mine)],
                  [r.get(key + "_max", v) - v for v, r in zip(y, mine)]]
        drawn = axes.bar(x, y, width * 0.94, label=scheduler, color=colour(scheduler, order))
        for bar, r in zip(drawn, mine):
            if not r.get(spec.get("done"), 1):
                bar.set(hatch="///", edgecolor="white")
        if any(map(any, spread)):
            axes.errorbar(x, y, spread, fmt="none", ecolor="black", elinewidth=0.7)
        for v, r in zip(x, mine):
            if spec.get("marks") in r:
                axes.hlines(r[spec["marks"]], v - width / 2, v + width / 2, colors="black",
                            linewidth=1.2)
    axes.set_xticks(range(len(cases)))
    turned = sum(map(len, cases)) > 90
    axes.set_xticklabels(cases, rotation=30 if turned else 0, ha="right" if turned else "center")
    axes.set_ylabel(spec.get("ylabel", key))
    if spec.get("log"):
        axes.set_yscale("log")
    axes.legend(frameon=False, fontsize=8, ncols=min(5, len(order)), loc="lower center",
                bbox_to_anchor=(0.5, 1.0))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("result", metavar="NAME.json")
    args = p.parse_args()
    try:
        import matplotlib
    except ImportError:
        print("plot: this Python has no matplotlib: run tools/setup --for bench", file=sys.stderr)
        return 1
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": SVG_SALT, "font.size": 9})
    from matplotlib.figure import Figure
    with open(args.result, encoding="utf-8") as f:
        data = json.load(f)
    experiment = load(data["name"])
    figure = Figure(figsize=(9, 4.2))
    if hasattr(experiment, "plot"):
        experiment.plot(figure, data)
    elif hasattr(experiment, "PLOT"):
        bars(figure.subplots(), data["rows"], experiment.PLOT)
    else:
        return 0
    stem = os.path.splitext(args.result)[0]
    figure.savefig(stem + ".svg", bbox_inches="tight", metadata={"Date": None})
    figure.savefig(stem + ".png", bbox_inches="tight", dpi=130, metadata={"Software": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
