/* SPDX-License-Identifier: GPL-2.0 */
/* Who goes first: what bfq-raise.c remembers of a device. */
#ifndef BFQ_RAISE_H
#define BFQ_RAISE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_queue;

/* Families that are remembered; few have new children at a time. */
#define BFQ_KIN_BITS		6

/* No credit lasts for longer than on a disk with moving parts: see bfq-device.c. */
#define BFQ_RAISE_MOST_MS	48000U

/**
 * struct bfq_kin - the children of one process, while they are young (bfq-raise.c)
 * @family: that process
 * @debt: what they have been served lately, in sectors
 * @seen: jiffies of the last look
 */
struct bfq_kin {
	pid_t family;
	u32 debt;
	unsigned long seen;
};

/**
 * struct bfq_raise - what it takes to let some go first (bfq-raise.c)
 * @most: the largest credit of an active queue, as of the last look
 * @mark: the same, of one that asks now and then so much less (BFQ_CREDIT_SELDOM): who has less
 *	is not raised
 * @family: of that one
 * @looked: jiffies of the last look
 * @read_ns: what a small read takes alone, without moving parts; 0: not seen yet.  Written under
 *	the lock, read without
 * @kept_back: others have been held back since the last look
 * @released: and have been let through since @since_ns
 * @begun: jiffies of looks that are less than a part of a beginning
 * @held: writers' queues that are parked
 * @recent: what queues were charged lately, in sectors, as of that
 * @charged: and since
 * @passed: and since idle groups' starts were last looked at
 * @inside: synchronous requests in the device of queues that go first.  Changes without a lock
 * @seen_ns: when one of them completed last; written without a lock
 * @since_ns: when others were first held back in this go
 * @write_ns: when the last write was let through
 * @write_after: ktime in ns before which no other is; S64_MAX while that one is in the device.
 *	Changes without a lock
 * @hold_timer: ends the holding back
 * @write_timer: looks at the writers again
 * @kin: what families owe, each in the place that its number leads to
 */
struct bfq_raise {
	u32 most;
	u32 mark;
	pid_t family;
	unsigned long looked;
	u32 read_ns;
	bool kept_back;
	bool released;
	u32 begun;
	struct list_head held;
	u64 recent;
	u64 charged;
	u64 passed;
	atomic_t inside;
	u64 seen_ns;
	u64 since_ns;
	u64 write_ns;
	atomic64_t write_after;
	struct hrtimer hold_timer;
	struct hrtimer write_timer;
	struct bfq_kin kin[1 << BFQ_KIN_BITS];
};

#endif /* BFQ_RAISE_H */
