/* SPDX-License-Identifier: GPL-2.0 */
/* What a request costs a disk with moving parts: what bfq-price.c remembers. */
#ifndef BFQ_PRICE_H
#define BFQ_PRICE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_queue;
struct request;

/**
 * struct bfq_price - what requests cost a disk with moving parts (bfq-price.c)
 * @seek: sectors that a request is charged beside its own if it is far from the one before
 * @turn: sectors that the device moves in timeout_sync
 * @noted: BFQ_RQ_ bits for the request that is about to be sent
 * @seek_ns: what it takes the device to get there
 * @data_ns: and to move a number of sectors, see BFQ_PRICE_UNIT
 * @since_ns: completion with which the window began
 * @idle_ns: how long the device has been empty in the window
 * @had_sectors, @had_seeks: what had been done when it began
 * @sectors: data moved so far, in sectors; counted on completion, without a lock
 * @seeks: requests done so far that were far from the one sent before; likewise
 * @wrote: something has been written in the window; set without a lock
 * @written: jiffies when a window ended in which something was
 */
struct bfq_price {
	u32 seek;
	u32 turn;
	u32 noted;
	u32 seek_ns;
	u32 data_ns;
	u64 since_ns;
	u64 idle_ns;
	u64 had_sectors;
	u32 had_seeks;
	atomic64_t sectors;
	atomic_t seeks;
	bool wrote;
	unsigned long written;
};

void bfq_price_init(struct bfq_data *bfqd);
void bfq_price_changed(struct bfq_data *bfqd);
u32 bfq_price_idle(const struct bfq_data *bfqd, const struct bfq_queue *q);
u32 bfq_price_time(const struct bfq_data *bfqd, u32 price);
void bfq_price_sent(struct bfq_data *bfqd, const struct request *rq);
void bfq_price_done(struct bfq_data *bfqd, const struct request *rq);
void bfq_price_refresh(struct bfq_data *bfqd);

#endif /* BFQ_PRICE_H */
