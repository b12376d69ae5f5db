# SPDX-License-Identifier: GPL-2.0
"""Ways to break what processors share without a lock; the race kernel's KCSAN has to notice."""

from table import Mutant

MUTANTS = (
    Mutant("gate-plain", "what is read without the lock is marked as such: the gate",
           ("stress-depth",),
           (("bfq-iosched.h", "	return READ_ONCE(bfqd->gate) & BFQ_GATE_PLUG;\n", "	return bfqd->gate & BFQ_GATE_PLUG;\n"),),
           "race"),
    Mutant("arrived-plain", "and that something has arrived",
           ("stress-depth",),
           (("bfq-stage.c", "		if (!READ_ONCE(bfqd->arrived))\n			WRITE_ONCE(bfqd->arrived, true);\n",
             "		bfqd->arrived = true;\n"),),
           "race"),
    Mutant("ready-unlocked", "the lists of ready requests change under their lock",
           ("stress-depth",),
           (("bfq-stage.c",
             "	spin_lock_irqsave(&ready->lock, flags);\n	list_splice_tail_init(list, &ready->chosen);\n"
             "	WRITE_ONCE(ready->nr_chosen, ready->nr_chosen + nr);\n	spin_unlock_irqrestore(&ready->lock, flags);\n",
             "	local_irq_save(flags);\n	list_splice_tail_init(list, &ready->chosen);\n"
             "	WRITE_ONCE(ready->nr_chosen, ready->nr_chosen + nr);\n	local_irq_restore(flags);\n"),),
           "race"),
)
