# SPDX-License-Identifier: GPL-2.0
"""Does a random reader get its part beside sequential ones, with equal weights?

Paolo Valente's mails to Tejun Heo about io.cost's first version (linux-block, August and September
2019): one target that reads 4k at random, one at a time, against four (first mail) or seven
sequential readers, each in a group with weight 100, on a SATA SSD. Readers, device and measuring
are those of lwn-sequential, whose head explains them.

io.cost is shown with the parameter sets that the mails try, rlat and wlat being twice each
other, and with one that its documentation asks for, but the mails do not try:

  io.cost             enabled, nothing else
  io.cost-50-400      rlat=10 ms, speed between 50 and 400 % of the model's
  io.cost-10ms, -2.5ms, -1ms    rlat only, p95
  io.cost-model       rlat=2.5 ms, and the device's own figures as cost model

The guarantee is an equal part of the device's time: the target's speed alone divided by the
number of readers. The ideal total is the target at its guarantee, and the others at their
own speed in the rest of the time. bfq has low_latency=0: the question is one of weights.

io.cost changes its speed by a few percent a period and needs seconds to settle: the window of
3 s begins after 4 s.
"""

import iocost
import target
from bench import PEERS

# To io.cost.qos. The mails' second and third set say enable=1; the first did so, too.
QOS = {
    "io.cost": "enable=1",
    "io.cost-50-400": "enable=1 rpct=95 rlat=10000 wpct=95 wlat=20000 min=50 max=400",
    "io.cost-10ms": "enable=1 rpct=95 rlat=10000 wpct=95 wlat=20000",
    "io.cost-2.5ms": "enable=1 rpct=95 rlat=2500 wpct=95 wlat=5000",
    "io.cost-1ms": "enable=1 rpct=95 rlat=1000 wpct=95 wlat=2000",
}
SCHEDULERS = (*PEERS, *QOS, iocost.NAME)
SCRIPT = target.SCRIPT
COLUMNS = [target.TARGET, target.GUARANTEE, target.TOTAL, target.IDEAL]
COUNTS = (4, 7)
SECONDS = {"warmup": 4, "window": 3}
READER, INTERFERER = "random-reader", "seq-reader"


def boots(options):
    runs = [(READER, INTERFERER, n) for n in (COUNTS[:1] if options.quick else COUNTS)]
    yield target.alone(runs)
    for s in options.schedulers:
        yield target.boot(s, "all", runs, inactive=0, weights="100 100 100",
                          **{"qos": QOS.get(s, ""), "model": ""} | iocost.settings(s, "sata-ssd"),
                          **SECONDS)


rows = target.rows
finish = target.finish
plot = target.plot
