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
)
