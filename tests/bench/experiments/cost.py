# SPDX-License-Identifier: GPL-2.0
"""What does a request cost: instructions executed for each I/O.

On null_blk that takes no time (irqmode=0, one queue), one CPU, mitigations off, so that
everything is CPU. Instructions are counted exactly, by a plugin of QEMU's emulation
(insn.c), between two marks that the guest executes; user space is in it. The same figure comes
of virtual time, where an instruction is a nanosecond, if the CPU never idles: idle_pct (in the
JSON) is the difference, time in which nothing was executed (a scheduler may keep the device waiting).

  dd          busybox dd of direct 4k reads, the difference of 12,000 and 2,000 of them, so that its
              start is not in it
  io          4k random and sequential reads and writes by load.c, one at a time or 32 by
              io_submit, from 1, 8 and 64 processes, which then let the next one run
              (sched_yield): instructions and I/Os in a window of 100 ms
  many        the same from 2,000 processes that take turns, one at a time
  iostats     with the block layer's own statistics on and off
  groups      one process in each of 1, 100 and 10,000 cgroups, one 4k random read at a time,
              and then it is the next one's turn (sched_yield), until each had three on average

In-tree bfq has its default, low_latency=1, and as bfq-ll0 not. The table has what is added to none, too, and "6.1" before a case is on that kernel.
"""

import re

import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = (*PEERS, "bfq-ll0")
PIVOT = True
COLUMNS = [Column("insn_per_io", "instructions per I/O", "{:,.0f}"),
           Column("added_insn_per_io", "instructions per I/O more than none", "{:,.0f}")]
PLOT = {"figure": "insn_per_io", "ylabel": "instructions per I/O", "cases": "*qd*-x1"}
DD_COUNTS = (2000, 12000)
# What runs in one boot, each with the memory it needs. Nothing of an earlier measurement
# shows in a later one by more than the few instructions that a longer list costs.
PARTS = {
    "dd": ({"part": "dd", "counts": " ".join(map(str, DD_COUNTS))}, "1G"),
    "io": ({"part": "io", "depths": "1 32", "counts": "1 8 64"}, "1G"),
    "many": ({"part": "io", "depths": "1", "counts": "2000"}, "2G"),
    "iostats": ({"part": "stats"}, "1G"),
    "groups": ({"part": "groups", "counts": "1 100 10000"}, "4G"),
}
QUICK = {part: PARTS[part] for part in ("dd", "io", "many", "groups")}
OLD = {"dd": PARTS["dd"], "io": ({"part": "io", "depths": "1 32", "counts": "1"}, "1G")}        # on 6.1
WINDOW_MS, WARMUP_MS = 100, 30


def boots(options):
    plan = [("", name, part) for name, part in (QUICK if options.quick else PARTS).items()]
    if not options.quick and options.kernel == "6.12":
        plan += [("6.1", name, part) for name, part in OLD.items()]
    return [Boot(s, name, {**args, "window_ms": WINDOW_MS, "warmup_ms": WARMUP_MS}, mem=mem,
                 files=(tools.load(),), plugin=tools.plugin("insn"), kernel=kernel)
            for kernel, name, (args, mem) in plan for s in options.schedulers]


def marks(out):
    """Instructions executed up to each mark."""
    found = re.findall(r"^mark \d+ kernel (\d+) user (\d+)", out.text("insn"), re.M)
    return [int(k) + int(u) for k, u in found]


def measurements(out):
    """(name, instructions, ns, I/Os) in the order in which they were made."""
    names, at = out.text("order").split(), marks(out)
    if len(at) != 2 * len(names):
        raise BenchError(f"{len(at)} marks for {len(names)} measurements")
    for i, name in enumerate(names):
        text = out.text(name)
        ns = int(re.search(r"^window (\d+)", text).group(1))
        by_process = [int(n) for n in re.findall(r"^process \d+ (\d+)", text, re.M)]
        ios = sum(by_process)
        if not name.startswith("dd") and not all(by_process):
            raise BenchError(f"{name}: {by_process.count(0)} of {len(by_process)} processes did no I/O")
        yield name, at[2 * i + 1] - at[2 * i], ns, ios


def row(kernel, case, insn, ns, ios):
    return {"case": f"{kernel} {case}".lstrip(), "insn_per_io": insn / ios,
            "idle_pct": 100 * (1 - insn / ns), "ios": ios}


def rows(boot, out):
    found = list(measurements(out))
    if boot.case != "dd":
        for name, insn, ns, ios in found:
            yield row(boot.kernel, name, insn, ns, ios)
        return
    (_, insn1, ns1, _), (_, insn2, ns2, _) = found
    yield row(boot.kernel, "dd", insn2 - insn1, ns2 - ns1, DD_COUNTS[1] - DD_COUNTS[0])


def finish(rows):
    """What a scheduler adds to none, case by case."""
    base = {r["case"]: r["insn_per_io"] for r in rows if r["scheduler"] == "none"}
    for r in rows:
        if r["case"] in base and r["scheduler"] != "none":
            r["added_insn_per_io"] = r["insn_per_io"] - base[r["case"]]
    return rows
