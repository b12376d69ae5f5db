# SPDX-License-Identifier: GPL-2.0
"""What the experiments with one target and several interferers have in common.

Their guest script is experiments/target.sh. A boot measures all cases of its scheduler, one
after the other; nothing is left from one to the next but the kernel, since each has a disk
and groups of its own.

The ideal, after Paolo Valente's article (LWN.net, August 2018; lwn-sequential): the target gets exactly its guarantee, which takes it the share
guarantee / (its speed alone) of the device's time, and the interferers have the rest of the
time at the speed that they have without it. Both speeds are measured on the same device, under
none. (The article rounds the first workload's share, 10 of 23 MB/s, to a half: (500 + 23) / 2.)
"""

import iocost
import plot as drawing
from bench import Boot, Column

SCRIPT = "target.sh"
TARGET = Column("target_mb_s", "target, MB/s", "{:.2f}")
GUARANTEE = Column("guarantee_mb_s", "its guarantee", "{:.2f}")
INTERFERERS = Column("interferers_mb_s", "interferers")
TOTAL = Column("total_mb_s", "total")
IDEAL = Column("ideal_total_mb_s", "ideal total")
ALONE = "alone"         # the boot that measures what each can do without the others
NOBODY = "-"
MACHINE = {"disk": True, "programs": ("mkfs.ext4",), "modules": ("ext4", "crc32c_generic")}

# The article: its tables of parameters, and for io.max the settings that its author published with
# the scripts. For target, active and inactive interferers.
ACTIVE, INACTIVE = 4, 5
WEIGHTS = "300 100 200"
MAX = "10000000 15000000 30000000"
GUARANTEE_MB_S = 10.0
SECONDS = {"warmup": 1, "window": 3}
SETTLE = {"warmup": 4}      # of io.cost


def boot(scheduler, name, runs, **args):
    """Measure the runs (target, interferer, their number) of a scheduler."""
    return Boot(scheduler, name, {"runs": " ".join(f"{t}/{i}/{n}" for t, i, n in runs), **args},
                **MACHINE)


def alone(runs):
    """Measure each target and each number of interferers of these runs by itself."""
    targets = sorted({(t, NOBODY, 0) for t, _, _ in runs})
    interferers = sorted({(NOBODY, i, n) for _, i, n in runs})
    return boot("none", ALONE, targets + interferers, inactive=0, weights="100 100 100",
                **SECONDS)


def measured(from_boot, out):
    """Each run's (target, interferer, number) and window."""
    for run in from_boot.args["runs"].split():
        target, interferer, n = run.split("/")
        stem = f"-{target}-{interferer}-{n}"
        yield (target, interferer, int(n)), out.window("before" + stem, "after" + stem)


def rows(from_boot, out):
    """Rows; what is alone becomes one, whose case no other has."""
    if from_boot.case == ALONE:
        yield {"case": ALONE, **{str(run): w.disk.mb_s for run, w in measured(from_boot, out)}}
        return
    for (target, interferer, n), w in measured(from_boot, out):
        got = w.parts[1].mb_s           # the target has the first partition
        yield {"case": case(target, interferer, n), "run": f"{target}/{interferer}/{n}",
               "target_mb_s": got, "interferers_mb_s": w.disk.mb_s - got,
               "total_mb_s": w.disk.mb_s, "idle_pct": w.idle_pct}


def case(target, interferer, n):
    return f"{target}/{n} {interferer}s"


def finish(found, guarantee=None):
    """Put guarantee and ideal into the rows. Without a guarantee, it is an equal part of time."""
    speeds = next((r for r in found if r["case"] == ALONE), {})
    kept = [r for r in found if r["case"] != ALONE]
    for r in kept:
        target, interferer, n = r.pop("run").split("/")
        mine = speeds.get(str((target, NOBODY, 0)))
        theirs = speeds.get(str((NOBODY, interferer, int(n))))
        if not (mine and theirs):
            continue
        r["guarantee_mb_s"] = guarantee or mine / (int(n) + 1)
        r["target_alone_mb_s"], r["interferers_alone_mb_s"] = mine, theirs
        r["ideal_total_mb_s"] = r["guarantee_mb_s"] + (1 - r["guarantee_mb_s"] / mine) * theirs
    return kept or found


def lwn_boots(options, pairs):
    """Of the two workloads of the article."""
    runs = [(t, i, ACTIVE) for t, i in pairs]
    yield alone(runs)
    for s in options.schedulers:
        yield boot(s, "all", runs, inactive=INACTIVE, weights=WEIGHTS, max=MAX,
                   **SECONDS | (SETTLE if s == iocost.NAME else {}),
                   **iocost.settings(s, "sata-ssd"))


def lwn_finish(found):
    return finish(found, GUARANTEE_MB_S)


def plot(figure, data):
    """Total above, target below; lines are the ideal and the guarantee."""
    found = [r for r in data["rows"] if "total_mb_s" in r]
    if not found:
        return
    upper, lower = figure.subplots(2, 1, sharex=True)
    for axes, key, mark, log in ((upper, "total_mb_s", "ideal_total_mb_s", False),
                                 (lower, "target_mb_s", "guarantee_mb_s", True)):
        drawing.bars(axes, found, {"figure": key, "ylabel": key.split("_")[0] + ", MB/s",
                                   "log": log, "marks": mark})
    lower.get_legend().remove()
    figure.set_size_inches(9, 6)
