// SPDX-License-Identifier: GPL-2.0
/*
 * What are this kernel's headers like?  Questions in the manner of the other
 * probe.c, in compat/, whose script asks them.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>

/* Two questions with known answers, so that a broken probe is noticed. */
#line 1 "BFQ_HAVE_A_COMPILER"
_Static_assert(1, "");
#line 1 "BFQ_HAVE_THE_IMPOSSIBLE"
_Static_assert(0, "");

/* Are limits and features given when the disk is made, or set afterwards? */
#line 1 "BFQ_HAVE_ALLOC_LIMITS"
static const typeof(((struct queue_limits *)0)->features) probe_alloc_limits = BLK_FEAT_ROTATIONAL;

#line 1 "BFQ_HAVE_HRTIMER_SETUP"
static typeof(&hrtimer_setup) probe_hrtimer_setup;

/* Must a driver say that its requests may be merged? */
#line 1 "BFQ_HAVE_SHOULD_MERGE"
static const int probe_should_merge = BLK_MQ_F_SHOULD_MERGE;
