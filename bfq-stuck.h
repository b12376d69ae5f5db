/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that a disk keeps: what bfq-stuck.c remembers. */
#ifndef BFQ_STUCK_H
#define BFQ_STUCK_H

#include <linux/hrtimer.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_queue;

/**
 * struct bfq_guard - what is known of a queue's one request in the device (bfq-stuck.c)
 * @sends: number of the device's send before it
 * @since: jiffies then, their low half
 * @beside: how many were in the device then, 1 at least
 * @on: it is to be looked after
 */
struct bfq_guard {
	u32 sends;
	u32 since;
	u16 beside;
	bool on;
};

/**
 * struct bfq_stuck - the wait for a request that the disk keeps (bfq-stuck.c)
 * @timer: ends it
 * @awaited: the queue of the last one.  To be compared with, no more: it may be gone
 * @times: how often there was one so far
 */
struct bfq_stuck {
	struct hrtimer timer;
	const struct bfq_queue *awaited;
	unsigned long times;
};

void bfq_stuck_init(struct bfq_data *bfqd);
void bfq_stuck_sends_one(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_stuck_refresh(struct bfq_data *bfqd);
bool bfq_stuck_waits(struct bfq_data *bfqd);
bool bfq_stuck_done(struct bfq_data *bfqd, const struct bfq_queue *q);

#endif /* BFQ_STUCK_H */
