# SPDX-License-Identifier: GPL-2.0
"""What does a reader's guarantee cost, against four random readers?

Paolo Valente's article (LWN.net, August 2018; lwn-sequential), its second group of workloads, "the one for which prop-bfq performs worst": a random
or sequential reader as the target, and four active interferers that read 4k at random, one at
a time. Everything else is as in lwn-sequential, whose head says how it is measured.

With none, all five are served at once and the SSD works at depth five. What plugs the device
for one reader, so that it gets its share, lets it work at depth one: 23 MB/s.
"""

import iocost
import target
from bench import PEERS

SCHEDULERS = (*PEERS, "io.max", iocost.NAME)
SCRIPT = target.SCRIPT
COLUMNS = [target.TARGET, target.GUARANTEE, target.INTERFERERS, target.TOTAL, target.IDEAL]
PAIRS = [("random-reader", "random-reader"), ("seq-reader", "random-reader")]


def boots(options):
    return target.lwn_boots(options, PAIRS[:1] if options.quick else PAIRS)


rows = target.rows
finish = target.lwn_finish
plot = target.plot
