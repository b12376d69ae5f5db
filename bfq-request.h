/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the scheduler notes in a request: whose it is, where it is, and what it counts for.
 *
 * The block layer leaves an elevator two pointers in each request, and fifo_time while it waits.
 * Everything that is kept there is written and read by the words of this page alone.
 */
#ifndef BFQ_REQUEST_H
#define BFQ_REQUEST_H

#include "compat/bfq-compat.h"

struct bfq_queue;

/*
 * What a request carries: elv.priv[0] is its queue, on which it holds a
 * reference, from prepare or insertion to finish; elv.priv[1] says where it
 * is.  Only requests that were prepared (bfq_rq_prepared()) may carry this.
 */
enum bfq_rq_state {
	BFQ_RQ_NEW,		/* allocated, in a task's list, staged, or completed */
	BFQ_RQ_QUEUED,		/* sorted into its queue */
	BFQ_RQ_CHOSEN,		/* counted as in flight, until it completes */
};

/* Has bfq_prepare_request() seen it?  The others bypass us, and their elv fields are not ours. */
static inline bool bfq_rq_prepared(const struct request *rq)
{
	return rq->rq_flags & RQF_USE_SCHED;
}

static inline struct bfq_queue *bfq_rq_queue(const struct request *rq)
{
	return rq->elv.priv[0];
}

static inline void bfq_rq_set_queue(struct request *rq, struct bfq_queue *q)
{
	rq->elv.priv[0] = q;
}

/*
 * The state stands in the lowest bits, above it whether it was counted as a write when it got its
 * tag, which its flags don't say for ever: a task takes tags for several requests with the flags of
 * the first. While chosen, who wants to know of its completion, and what it counts for in the
 * device, above that.
 */
#define BFQ_RQ_STATE_BITS	2
#define BFQ_RQ_COUNTED		BIT(BFQ_RQ_STATE_BITS)		/* bfq-state.h */
#define BFQ_RQ_WATCHED		BIT(BFQ_RQ_STATE_BITS + 1)	/* bfq-raise.c */
#define BFQ_RQ_PRICED		BIT(BFQ_RQ_STATE_BITS + 2)	/* bfq-price.c */
#define BFQ_RQ_FAR		BIT(BFQ_RQ_STATE_BITS + 3)	/* it is a seek for the device */
#define BFQ_RQ_ASKS		BIT(BFQ_RQ_STATE_BITS + 4)	/* bfq-parts.c */
#define BFQ_RQ_ARMED		BIT(BFQ_RQ_STATE_BITS + 5)	/* bfq-arm.c; and its arm */
#define BFQ_RQ_ARM_SHIFT	(BFQ_RQ_STATE_BITS + 6)
#define BFQ_RQ_ARM_BITS		3	/* BFQ_ARMS_MOST */
#define BFQ_RQ_LOAD_SHIFT	(BFQ_RQ_ARM_SHIFT + BFQ_RQ_ARM_BITS)

static inline enum bfq_rq_state bfq_rq_state(const struct request *rq)
{
	return (unsigned long)rq->elv.priv[1] & (BIT(BFQ_RQ_STATE_BITS) - 1);
}

static inline u32 bfq_rq_load(const struct request *rq)
{
	return (unsigned long)rq->elv.priv[1] >> BFQ_RQ_LOAD_SHIFT;
}

static inline unsigned int bfq_rq_arm(const struct request *rq)
{
	return (unsigned long)rq->elv.priv[1] >> BFQ_RQ_ARM_SHIFT & (BIT(BFQ_RQ_ARM_BITS) - 1);
}

/* Those of the given BFQ_RQ_ bits that were noted when it was sent. */
static inline unsigned long bfq_rq_noted(const struct request *rq, unsigned long bits)
{
	return (unsigned long)rq->elv.priv[1] & bits;
}

static inline void bfq_rq_set_sent(struct request *rq, u32 load, unsigned long bits)
{
	rq->elv.priv[1] = (void *)((unsigned long)load << BFQ_RQ_LOAD_SHIFT | bits |
				   bfq_rq_noted(rq, BFQ_RQ_COUNTED) | BFQ_RQ_CHOSEN);
}

static inline void bfq_rq_set_state(struct request *rq, enum bfq_rq_state state)
{
	rq->elv.priv[1] = (void *)(bfq_rq_noted(rq, BFQ_RQ_COUNTED) | state);
}

/* It is new; what its fields hold is from another request. @bits: 0 or BFQ_RQ_COUNTED. */
static inline void bfq_rq_begin(struct request *rq, unsigned long bits)
{
	rq->elv.priv[1] = (void *)(bits | BFQ_RQ_NEW);
}

/*
 * Sectors charged for a request that moves no data (discard, write zeroes),
 * however large its range: what one small write costs.
 */
#define BFQ_PRICE_NO_DATA	8

/* What a request counts for as such, in sectors; charged is bfq_price_of_seek() beside it. */
static inline u32 bfq_rq_size(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
	case REQ_OP_WRITE_ZEROES:
		return BFQ_PRICE_NO_DATA;
	default:
		return max(blk_rq_sectors(rq), 1U);
	}
}

/* The sector after its last. */
static inline sector_t bfq_rq_end(const struct request *rq)
{
	return blk_rq_pos(rq) + blk_rq_sectors(rq);
}

/* When it was sorted into its queue, or passed, in jiffies. */
static inline void bfq_rq_set_arrival(struct request *rq, unsigned long when)
{
	rq->fifo_time = when;
}

static inline unsigned long bfq_rq_arrival(const struct request *rq)
{
	return (unsigned long)rq->fifo_time;
}

#endif /* BFQ_REQUEST_H */
