# SPDX-License-Identifier: GPL-2.0
"""Ways to be wrong about whether a device has moving parts."""

from table import Mutant

MUTANTS = (
    Mutant("parts-believed", "flash that says it has moving parts is served as flash",
           ("parts",),
           (("bfq-parts.c", "	return !parts->none;\n", "	return true;\n"),)),
    Mutant("parts-hasty", "a disk is not taken for flash because it is quick at times",
           ("parts",),
           (("bfq-parts.c", "#define BFQ_QUICK_NS		(2 * NSEC_PER_MSEC)\n",
             "#define BFQ_QUICK_NS		(20 * NSEC_PER_MSEC)\n"),)),
    Mutant("parts-cached", "nor because its cache has what it has read ahead",
           ("parts",),
           (("bfq-parts.c", "		    BFQ_PARTS_FAR)\n			break;\n", "		    0)\n			break;\n"),)),
    Mutant("parts-left", "however far that goes on",
           ("parts",),
           (("bfq-parts.c", "		parts->place[i] = bfq_rq_end(rq);\n", ""),)),
    Mutant("parts-forever", "and if it was, it is a disk again when it seeks",
           ("parts",),
           (("bfq-parts.c", "		parts->none = false;\n", "		;\n"),)),
    Mutant("parts-crowded", "flash is known beside readers of many blocks, too",
           ("parts",),
           (("bfq-parts.c", "	return parts->in_turn ? max(", "	return false ? max("),)),
    Mutant("parts-blamed", "flash that has much to do stays flash",
           ("parts",),
           (("bfq-parts.c", "(parts->none && inside > 1)", "(parts->none && inside > 1000)"),)),
    Mutant("parts-stale", "what has been noted of one request is not told of the next",
           ("parts",),
           (("bfq-turn.c", "	bfqd->price.noted = bfq_parts_sent(bfqd, rq);\n",
             "	bfqd->price.noted |= bfq_parts_sent(bfqd, rq);\n"),)),
)
