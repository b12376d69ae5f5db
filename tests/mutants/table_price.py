# SPDX-License-Identifier: GPL-2.0
"""Ways to break what a request is charged on a disk with moving parts."""

from table import Mutant

MUTANTS = (
    Mutant("price-bytes", "a disk's time is shared, not bytes",
           ("device-time",),
           (("bfq-price.c", "	price->seek = bfq_price_of_time(price, price->seek_ns);\n",
             "	price->seek = 0;\n"),)),
    Mutant("price-fixed", "what a seek costs is learned",
           ("device-time",),
           (("bfq-price.c", "	price->seek_ns = bfq_price_corrected(", "	(void)bfq_price_corrected("),
            ("bfq-price.c", "	price->data_ns = bfq_price_corrected(", "	(void)bfq_price_corrected("))),
    Mutant("price-one-sided", "what moving data costs is learned, too",
           ("device-time",),
           (("bfq-price.c", "	price->data_ns = bfq_price_corrected(", "	(void)bfq_price_corrected("),)),
    Mutant("price-plug-free", "who has the device kept empty for it pays for that",
           ("device-time",),
           (("bfq-turn.c", "	idle = bfq_price_idle(bfqd, q);\n", "	idle = 0;\n"),)),
    Mutant("price-everything-far", "who reads along pays for no seeks",
           ("device-time",),
           (("bfq-iosched.h",
             " || (q->sync && !bfq_far(blk_rq_pos(rq), q->head)))", ")"),)),
    Mutant("price-alone", "what a process makes alone follows from its prices",
           ("device-time",),
           (("bfq-habit.c", "		habit->alone_ns += ((s32)ns - (s32)habit->alone_ns) / BFQ_PRICE_MEAN;\n",
             "		habit->alone_ns = 2 * ns;\n"),)),
    Mutant("claim-not-behind", "a writer has no more of a disk than its share beside readers",
           ("device-time",),
           (("bfq-idle.c",
             "	if (what != BFQ_PLUG_SHARES && (what != BFQ_PLUG_BEHIND || !bfqd->kind->seeks))\n",
             "	if (what != BFQ_PLUG_SHARES)\n"),)),
)
