/* SPDX-License-Identifier: GPL-2.0 */
/* Disks with several arms: what bfq-arm.c knows of them, and what bfq-apart.c makes of that. */
#ifndef BFQ_ARM_H
#define BFQ_ARM_H

#include <linux/atomic.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_queue;
struct request;

/* Real disks have two. */
#define BFQ_ARMS_MOST		8

/**
 * struct bfq_arm - a part of a disk that moves on its own
 * @end: the sector after its last; it begins where the one before ends
 * @head: where it has been sent last
 * @seeks: the queue of the last one seeks, so the disk may have several to choose from.  Written
 *	under the lock, read without
 * @inside: requests that it has in the device.  Changes without a lock
 * @done_ns: when one completed there last; written without a lock
 * @raised_ns: when one of a raised queue did; likewise
 * @stint: number of the stint in which one queue is taken along there (bfq-apart.c)
 * @sectors: served in that
 * @since: jiffies when it began
 */
struct bfq_arm {
	sector_t end;
	sector_t head;
	bool seeks;
	atomic_t inside;
	u64 done_ns;
	u64 raised_ns;
	u32 stint;
	u32 sectors;
	unsigned long since;
};

/**
 * struct bfq_arms - and all of them
 * @nr: how many; 0 where nothing moves, or all at once.  Fixed when the device is set up
 * @stints: number of the last stint in any of them
 * @arm: they, by sector
 */
struct bfq_arms {
	unsigned int nr;
	u32 stints;
	struct bfq_arm arm[BFQ_ARMS_MOST];
};

static inline bool bfq_arm_rests(const struct bfq_arm *arm)
{
	return !atomic_read(&arm->inside);
}

/* Which arm is a sector's? */
static inline unsigned int bfq_arm_of(const struct bfq_arms *arms, sector_t pos)
{
	unsigned int nr = 0;

	while (nr + 1 < arms->nr && pos >= arms->arm[nr].end)
		nr++;
	return nr;
}

/* bfq-apart.c */
bool bfq_apart_rests(const struct bfq_data *bfqd, const struct bfq_queue *served);
sector_t bfq_apart_head(const struct bfq_data *bfqd, const struct bfq_queue *served);
bool bfq_apart_is(const struct bfq_data *bfqd, const struct bfq_queue *served,
		  const struct bfq_queue *q);
struct request *bfq_apart_choose(const struct bfq_data *bfqd, const struct bfq_queue *served,
				 bool full);
bool bfq_apart_took(struct bfq_data *bfqd, const struct bfq_queue *served, struct bfq_queue *q,
		    u32 *sectors);

/* bfq-arm.c */
void bfq_arm_init(struct bfq_data *bfqd);
unsigned long bfq_arm_sent(struct bfq_data *bfqd, const struct request *rq);
bool bfq_arm_done(struct bfq_data *bfqd, const struct request *rq, u64 now);
void bfq_arm_look(struct bfq_data *bfqd);
bool bfq_arm_free(const struct bfq_data *bfqd, unsigned int nr);
void bfq_arm_moves(struct bfq_data *bfqd, const struct request *rq, bool seeks);
unsigned long bfq_arm_ready(const struct bfq_data *bfqd);
void bfq_arm_want(struct bfq_data *bfqd, unsigned long ready);

#endif /* BFQ_ARM_H */
