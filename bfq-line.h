/* SPDX-License-Identifier: GPL-2.0 */
/* What a device has for those who stand in line for a tag: see bfq-line.c. */
#ifndef BFQ_LINE_H
#define BFQ_LINE_H

#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/types.h>

#include "bfq-request.h"

struct bfq_data;
struct bfq_queue;

/**
 * struct bfq_line - tasks that stand in line for a tag
 * @waiters: struct bfq_waiter, those that go first and then by the time when they came
 * @nr: how many they are.  Read without the lock
 * @grants: how many have been let go so far
 * @granted: those that have been let go and have not got their tag yet; a guess, which changes
 *	without the lock
 * @granted_at: jiffies when one was let go last
 * @writes: tags that requests have for which nobody waits.  Changes without the lock
 *
 * All but @writes stays as it is where tags are not few.
 */
struct bfq_line {
	struct list_head waiters;
	unsigned int nr;
	unsigned int grants;
	atomic_t granted;
	unsigned long granted_at;
	atomic_t writes;
};

/* Percent of the tags that asynchronous requests may have, unless the administrator says it. */
#define BFQ_ASYNC_PERCENT	75

/*
 * A request has got its tag. Return what it has to remember: BFQ_RQ_COUNTED or 0. A read is known
 * by one bit. Context: any.
 */
static inline unsigned long bfq_line_taken(struct bfq_line *line, const struct request *rq)
{
	if (unlikely(atomic_read(&line->granted)))
		atomic_dec_if_positive(&line->granted);
	if (likely(!op_is_write(rq->cmd_flags)) || op_is_sync(rq->cmd_flags))
		return 0;
	atomic_inc(&line->writes);
	return BFQ_RQ_COUNTED;
}

/* A request gives its tag back. Context: any. */
static inline void bfq_line_given(struct bfq_line *line, const struct request *rq)
{
	if (unlikely(bfq_rq_noted(rq, BFQ_RQ_COUNTED)))
		atomic_dec(&line->writes);
}

/* bfq-line.c */
bool bfq_line_few(const struct bfq_data *bfqd);
bool bfq_line_forms(struct bfq_data *bfqd, const struct bfq_queue *q);
void bfq_line_wait(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_line_moves(struct bfq_data *bfqd);

#endif /* BFQ_LINE_H */
