# SPDX-License-Identifier: GPL-2.0
"""What does a reader's guarantee cost, against four sequential readers or writers?

Paolo Valente, "Measuring (and fixing) I/O-controller throughput loss" (LWN.net, August 2018), its first
group of workloads: a target (weight 300) that reads 4k at random or in sequence, one at a
time, against four active interferers (weight 100 each), sequential readers or writers, with
five inactive groups (weight 200 each) beside. Wanted: the target has its 10 MB/s, and the
total is near the ideal (tests/bench/target.py).

Each process is in a cgroup of its own and has a region of its own on the modelled SATA SSD.
The article's readers of files are direct readers here: of 4k at random, and of 128k in
sequence, which is what the kernel's read-ahead makes of 4k in sequence, two at a time. The last
case shows the first with readers through the page cache instead. Writers overwrite files of
64 MiB on ext4 through the page cache, of which 64 MiB may be dirty, so that it is the disk that
holds them back; with the memory controller on, so that writeback is the writer's group's (the
article had cgroups v1, where all buffered writes are the root's).

Peers: those without weights as they are; bfq with low_latency=0, which the article does not say,
but the question is one of weights, and else it raises those of who has just begun; io.max with
the limits of the article's own scripts, 10 MB/s for the target, 15 for each active and 30 for each
inactive interferer; io.cost with a fitted model (tests/bench/iocost.py), after 4 s, since it changes its
speed by a few percent a period. io.low, the throttling that the article shows, is no longer in the kernel.

A window of 3 s after one second (two where there are writers, for the disk's cache to be full): with longer warm-ups, of 2 and 10 s, the in-tree scheduler's
target differed by 3 % and its total by 10 %.
"""

import iocost
import target
from bench import PEERS

SCHEDULERS = (*PEERS, "io.max", iocost.NAME)
SCRIPT = target.SCRIPT
COLUMNS = [target.TARGET, target.GUARANTEE, target.INTERFERERS, target.TOTAL, target.IDEAL]
PAIRS = [("random-reader", "seq-reader"), ("random-reader", "seq-writer"),
         ("seq-reader", "seq-reader"), ("seq-reader", "seq-writer")]
CHECK = ("random-reader", "buffered-reader")    # the first by another way


def boots(options):
    yield from target.lwn_boots(options, PAIRS[:1] if options.quick else PAIRS)
    for s in PEERS:
        if s in options.schedulers and not options.quick:
            yield target.boot(s, "buffered", [(*CHECK, target.ACTIVE)], inactive=target.INACTIVE,
                              weights=target.WEIGHTS, **target.SECONDS)


rows = target.rows
finish = target.lwn_finish
plot = target.plot
