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
    Mutant("arms-company", "who read a file together have one request at a time in their arm, not in the disk",
           ("arms",),
           (("bfq-along.c", "	return !bfq_apart_rests(bfqd, served) && bfq_device_full(bfqd, true) &&\n"
             "	       !bfq_apart_rests(bfqd, served);\n",
             "	return bfq_device_full(bfqd, true);\n"),)),
    Mutant("arms-late", "what an arm passes over is served in time",
           ("arms",),
           (("bfq-apart.c", "	rq = bfq_queue_peek(bfqd, q);\n	if (blk_rq_pos(rq) >= begin && blk_rq_pos(rq) < arm->end)\n"
             "		return rq;\n", ""),)),
    Mutant("arms-among", "who is raised goes before others who seek at his arm",
           ("arms",),
           (("bfq-apart.c", "		return bfq_arm_free(bfqd, nr);\n",
             "		return bfq_arm_free(bfqd, nr) || bfq_habit_seeks(q);\n"),)),
    Mutant("arms-kept", "while the disk is kept for who is raised, an arm that he does not use works",
           ("arms",),
           (("bfq-turn.c", "	return bfq_turn_though_held(bfqd, next);\n", "	return NULL;\n"),)),
    Mutant("arms-held", "an arm that nobody raised uses is not kept for one",
           ("arms",),
           (("bfq-turn.c", "	return bfqd->arms.nr && bfqd->kind->seeks && bfq_arm_free(bfqd, nr);\n",
             "	return !bfqd->arms.nr && bfq_arm_free(bfqd, nr);\n"),
            ("bfq-turn.c", "	return bfq_turn_though_held(bfqd, next);\n", "	return NULL;\n"))),
)
