# SPDX-License-Identifier: GPL-2.0
"""What a process and a cgroup cost: bytes of kernel memory that the scheduler takes for each.

Counted in a kernel that keeps caches apart (slab_nomerge) as objects in use times their size,
over all caches of /proc/slabinfo, with 100 and with 1,100 processes that have done one read
and live on; a thousandth of the difference, less the same under none, is what a process costs.
With a cgroup for each process it is process and group; a group is the difference of the two.
(Queues are counted in groups of their own, because the in-tree scheduler merges those of processes of
one group that start together, and gives back what the queues took.)
So everything is in it that the scheduler makes the kernel allocate (its own caches,
kmalloc, memory of each CPU on this machine with one CPU), and nothing that is there anyhow.
by_cache says where.
"""

import re

import tools
from bench import Boot, Column

COLUMNS = [Column("bytes_per_queue", "bytes per process", "{:,.0f}"),
           Column("bytes_per_group", "bytes per group", "{:,.0f}"),
           Column("by_cache", "where", "{:.0f}")]
FEW, MORE = 100, 1000
NOISE = 0.4             # objects for each process: less is what happens to be partly used
NOISE_PERCPU = 16       # bytes for each; it is counted in pages
OF_A_PROCESS = re.compile(r"_queue$|_io_cq$")


def plot(figure, data):
    import plot as drawing
    left, right = figure.subplots(1, 2)
    drawing.bars(left, data["rows"], {"figure": "bytes_per_queue", "ylabel": "bytes"})
    drawing.bars(right, data["rows"], {"figure": "bytes_per_group", "ylabel": "bytes"})


def boots(options):
    return [Boot(s, what, {"what": what, "few": FEW, "more": MORE}, mem="2G",
                 append="slab_nomerge", files=(tools.load(),))
            for what in ("processes", "groups")
            for s in dict.fromkeys(["none", *options.schedulers])]


def in_use(out, name):
    """Objects and their size, by cache."""
    found = {}
    for line in out.text(name).splitlines()[2:]:
        cache, active, _, size, *_ = line.split()
        found[cache] = (int(active), int(size))
    percpu = re.search(r"Percpu:\s+(\d+) kB", out.text(name + "-percpu"))
    found["percpu"] = (int(percpu.group(1)) * 1024, 1)
    return found


def rows(boot, out):
    few, more = in_use(out, "few"), in_use(out, "more")
    yield {"case": boot.case,
           "caches": {c: ((n - few.get(c, (0, 0))[0]) / MORE, size)
                      for c, (n, size) in more.items()}}


def above(mine, base):
    """Bytes that one has more than the other, by cache."""
    found = {}
    for cache, (count, size) in mine.items():
        count -= base.get(cache, (0, 0))[0]
        if abs(count) >= (NOISE_PERCPU if cache == "percpu" else NOISE):
            found[cache] = count * size
    return found


def finish(rows):
    at = {(r["case"], r["scheduler"]): r["caches"] for r in rows}
    result = []
    for s in dict.fromkeys(r["scheduler"] for r in rows if r["scheduler"] != "none"):
        alone, both = (above(at[what, s], at[what, "none"]) for what in ("processes", "groups"))
        process = {c: (both if OF_A_PROCESS.search(c) else alone).get(c, 0)
                   for c in {*alone, *both}}
        group = {c: n - process[c] for c, n in both.items() if n != process[c]}
        process = {c: n for c, n in process.items() if n}
        result.append({"scheduler": s, "case": "process", "bytes_per_queue": sum(process.values()),
                       "by_cache": process})
        result.append({"scheduler": s, "case": "group", "bytes_per_group": sum(group.values()),
                       "by_cache": group})
    return result
