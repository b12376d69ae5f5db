# SPDX-License-Identifier: GPL-2.0
"""Ways to break the line in which tasks wait for a tag."""

from table import Mutant

MUTANTS = (
    Mutant("line-never", "where tags are few, they are given to whom the scheduler would serve next",
           ("line",),
           (("bfq-line.c", "	return READ_ONCE(bfqd->tags) <= BFQ_LINE_TAGS &&", "	return false && READ_ONCE(bfqd->tags) <= BFQ_LINE_TAGS &&"),)),
    Mutant("line-unkept", "who goes first does not wait for the tags of others",
           ("line",),
           (("bfq-line.c", "	return data_race((bool)q->first) || READ_ONCE(q->prio.class) == WF2Q_RT;\n", "	return false;\n"),)),
    Mutant("line-absent", "who waits for a tag competes",
           ("line",),
           (("bfq-line.c", "		bfq_active_note(bfqd, waiter->q);\n", ""),
            ("bfq-line.c", "	bfq_active_note(bfqd, q);\n	if (rest_ns", "	if (rest_ns"))),
    Mutant("line-writes", "writes for which nobody waits have three quarters of the tags, where these are few, too",
           ("async-tags",),
           (("bfq-line.c", "	return !q->sync && atomic_read(&bfqd->line.writes) >=", "	return false && atomic_read(&bfqd->line.writes) >="),)),
    Mutant("line-miscounted", "what is counted when a tag is taken is given back, whatever the request is used for",
           ("nowait",),
           (("bfq-line.h", "	if (unlikely(bfq_rq_noted(rq, BFQ_RQ_COUNTED)))\n",
             "	if (unlikely(op_is_write(rq->cmd_flags)) && !op_is_sync(rq->cmd_flags))\n"),)),
    Mutant("line-longest", "who has waited in line for longest has its turn beside any number that goes first",
           ("line",),
           (("bfq-line.c", "(oldest ? waiter->began < best->began :", "(oldest ? false :"),)),
    Mutant("word-longer", "buffered writes leave a quarter of the tags to others when there are fewer than before",
           ("async-tags",),
           (("compat/bfq-compat.h", "	unsigned int word = min(1U << tags->sb.shift, tags->sb.depth);\n",
             "	unsigned int word = 1U << tags->sb.shift;\n"),),
           "6.1"),
)
