# SPDX-License-Identifier: GPL-2.0
"""Ways to break what is done for disks with several arms."""

from table import Mutant

MUTANTS = (
    Mutant("arms-unseen", "a disk's arms work at the same time",
           ("arms",),
           (("bfq-arm.c", "	if (nr < 2)\n		return;\n", "	if (nr)\n		return;\n"),)),
    Mutant("arms-no-stint", "two at an arm are kept apart there, whoever's turn it is",
           ("arms",),
           (("bfq-apart.c", "if (!over && q->stint == arm->stint &&", "if (!over && !q->sync &&"),)),
    Mutant("arms-paid", "who uses an arm that rests is not made to pay for it",
           ("arms",),
           (("bfq-apart.c", "	if (wf2q_leads(&q->entity, bfq_turn_most(bfqd)))\n		*sectors = 0;\n",
             ""),)),
    Mutant("arms-full", "however full the device is, an arm does not rest",
           ("arms",),
           (("bfq-turn.c", "	if (likely(!bfqd->arms.nr) || (bfqd->gate & BFQ_GATE_STUCK))\n"
             "		return NULL;\n	*next",
             "	if (bfqd->kind)\n		return NULL;\n	*next"),)),
    Mutant("arms-held", "an arm that nobody raised uses is not kept for one",
           ("arms",),
           (("bfq-turn.c", "	return bfqd->arms.nr && bfqd->kind->seeks && !bfq_arm_raised(bfqd, nr) &&\n",
             "	return !bfqd->arms.nr && !bfq_arm_raised(bfqd, nr) &&\n"),)),
)
