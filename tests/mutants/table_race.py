# SPDX-License-Identifier: GPL-2.0
"""Ways to break what processors share without a lock; tests/orders has to notice, in every order."""

from table import Mutant

MUTANTS = (
    Mutant("gate-plain", "what is read without the lock is marked as such: the gate",
           ("orders",),
           (("bfq-iosched.h", "	return READ_ONCE(bfqd->gate) & BFQ_GATE_PLUG;\n", "	return bfqd->gate & BFQ_GATE_PLUG;\n"),)),
    Mutant("arrived-plain", "and that something has arrived",
           ("orders",),
           (("bfq-stage.c", "		if (!READ_ONCE(bfqd->arrived))\n			WRITE_ONCE(bfqd->arrived, true);\n",
             "		bfqd->arrived = true;\n"),)),
    Mutant("ready-unlocked", "the lists of ready requests change under their lock",
           ("orders",),
           (("bfq-stage.c",
             "	spin_lock_irqsave(&ready->lock, flags);\n	list_splice_tail_init(list, &ready->chosen);\n"
             "	WRITE_ONCE(ready->nr_chosen, ready->nr_chosen + nr);\n	spin_unlock_irqrestore(&ready->lock, flags);\n",
             "	local_irq_save(flags);\n	list_splice_tail_init(list, &ready->chosen);\n"
             "	WRITE_ONCE(ready->nr_chosen, ready->nr_chosen + nr);\n	local_irq_restore(flags);\n"),)),
)
