# SPDX-License-Identifier: GPL-2.0
"""A peer whose own code ends its machine: a result to be published, and no failure of the experiment.

Only where the kernel log says that the instruction which ended the machine is in the peer's module, or in the
kernel itself, called by that module before any other (it freed what it had freed already, say). Whatever else
ends one, and whatever ends one of ours, has failed: the experiment is not complete.
"""

import re

from bench import NEEDS, BenchError

# "Oops: divide error: 0000 [#1] ...", "BUG: kernel NULL pointer dereference, address: ...", "kernel BUG at mm/slub.c:550!"
CAUSE = re.compile(r"\] (?:Oops: |BUG: |kernel (?=BUG at ))([\w ./:]+)")
# The first is where it was, a module's in brackets; then those that called it, but for what is marked as a guess.
PLACE = re.compile(r"\] RIP: \w+:(\S+?)\+0x\S+(?: \[(\w+)\])?$", re.M)
CALLER = re.compile(r"\]  (\w\S*?)\+0x\S+ \[(\w+)\]$", re.M)


def of(boot, out):
    """"divide error in f" of a machine that ended so, or None; boot and what it left (bench.Boot, Output)."""
    try:
        log = out.text("dmesg.txt")
    except BenchError:
        return None
    cause, place = CAUSE.search(log), PLACE.search(log)
    modules = [name.replace("-", "_") for name in NEEDS.get(boot.scheduler, ())]
    if "Kernel panic" not in log or not cause or not place:
        return None
    culprit = place if place[2] else CALLER.search(log, place.end())
    if not culprit or culprit[2] not in modules:
        return None
    what = re.sub(r": \d+$", "", cause[1].strip())
    return f"{what} {'in' if place[2] else 'under'} {culprit[1]} [{culprit[2]}]"


def entry(boot, what):
    """What a result has of it."""
    return {"case": boot.case, "scheduler": boot.scheduler, "seed": boot.seed, "what": what}


def in_words(data):
    """Lines for whoever reads the table; none where no machine ended so."""
    found = {}
    for one in data.get("crashed", ()):
        found.setdefault((one["case"], one["scheduler"], one["what"]), []).append(str(one["seed"]))
    return "".join(f"\nUnder {scheduler} the kernel crashed in {len(seeds)} of {data['seeds']} runs of `{case}` ({what}); "
                   "the figures are those of the others.\n"
                   for (case, scheduler, what), seeds in found.items())
