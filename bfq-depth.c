// SPDX-License-Identifier: GPL-2.0
/*
 * Depth: who may hold how many of the scheduler's tags.
 *
 * Every request that the scheduler knows holds one of nr_requests tags, from
 * before it is inserted until it completes.  The engine can share out the
 * device only among those who have a request waiting; so when tags are few,
 * they are what is really shared.  Let two processes keep 16 requests each at
 * a device with 8 tags: whoever frees a tag may find it taken by the other,
 * tags end up where requests complete slowly, that is, with the light one,
 * and the heavy one has nothing waiting when its turn comes.
 *
 * So each queue is entitled to its share of the tags as it is of service
 * (bfq-active.c), and the task that would go beyond sleeps until one of the
 * queue's own requests finishes.  That is done only while at least half of the
 * tags are in use.  nr_requests is twice what the driver takes, unless the
 * administrator has changed it, so nobody is held back before the driver has
 * all it can take; and the other half is what those who are below their due
 * can always draw on.  The first request of a queue is never held back, so a task
 * that waits has a request of its own to wait for, and this can't lock up.
 *
 * While a queue is in service and all its requests are in the driver it may have
 * another tag, if any is free: the device is its own then, and its share of the
 * tags may be far less than what keeps the device busy.  But it must not hoard:
 * what it has not been served at the end of its turn holds tags until the next.
 *
 * Several tasks may share a queue (io_uring's workers do), and all find it below
 * its due before the first has its tag: those that are about to take one, or
 * sleep for one in the block layer, count as well (@asking).
 *
 * Asynchronous requests, which come in floods and for which nobody waits, may
 * in all have three quarters of the tags; or what queue/async_depth says, where
 * the kernel has that file.
 */
#include "bfq-iosched.h"

/* Tags are scarce when one in this many is in use. */
#define BFQ_SCARCE		2

/*
 * @asking may be too high.  Where the queue has no request whose end would wake
 * us, this is how long we believe it.
 */
#define BFQ_PATIENCE_MS		20

/* Percent of the tags that asynchronous requests may have, unless the administrator says it. */
#define BFQ_ASYNC_PERCENT	75

bool bfq_word_shallow __ro_after_init;

/* Requests that the queue has now. */
static unsigned int bfq_depth_held(const struct bfq_queue *q)
{
	return refcount_read(&q->refs) - 1;	/* one reference is the icq's */
}

/*
 * Must a task of this queue wait before it takes another tag?  Not while it is
 * the queue's turn and the device would have nothing else to do.
 */
static bool bfq_depth_exceeded(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	unsigned int asking = atomic_read(&q->asking);
	unsigned int have = bfq_depth_held(q) + asking;

	if (!have || have < READ_ONCE(q->depth_limit))
		return false;
	if (READ_ONCE(bfqd->in_service) == q && !READ_ONCE(q->nr_queued) && !asking)
		return false;
	return bfq_tags_used(bfqd) * BFQ_SCARCE >= bfq_all_tags(bfqd->queue);
}

static void bfq_depth_wait(struct bfq_data *bfqd, struct bfq_queue *q)
{
	DEFINE_WAIT(wait);

	for (;;) {
		long left;

		prepare_to_wait_exclusive(&q->depth_wait, &wait, TASK_UNINTERRUPTIBLE);
		if (!bfq_depth_exceeded(bfqd, q))
			break;
		/* submits what the task has plugged */
		left = io_schedule_timeout(msecs_to_jiffies(BFQ_PATIENCE_MS));
		if (!left && !bfq_depth_held(q))
			break;
	}
	finish_wait(&q->depth_wait, &wait);
	/*
	 * A finished request wakes one sleeper, who may be one that would have
	 * gone on anyway, and tags may have become plenty since: pass it on.
	 */
	if (wq_has_sleeper(&q->depth_wait) && !bfq_depth_exceeded(bfqd, q))
		wake_up(&q->depth_wait);
}

/**
 * bfq_limit_depth - before a tag is taken: may it be?
 * @opf: operation and flags of the request to be
 * @data: the allocation
 *
 * Context: process context, no lock held; sleeps unless REQ_NOWAIT.
 */
void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct bfq_data *bfqd = data->q->elevator->elevator_data;
	struct bfq_queue *q;

	if (!op_is_sync(opf)) {
		bfq_limit_tags(data, bfq_async_depth(data->q, BFQ_ASYNC_PERCENT));
		return;
	}

	/* a driver stacked on us wants a clone: nobody is there to hear EAGAIN, or to sleep */
	if ((data->flags & BLK_MQ_REQ_NOWAIT) && !(opf & REQ_NOWAIT))
		return;

	q = bfq_current_queue(data->q, false);
	if (!q)
		return;
	if (opf & REQ_NOWAIT) {
		if (bfq_depth_exceeded(bfqd, q))
			bfq_limit_tags(data, 1);	/* as good as none */
		return;
	}
	if (bfq_depth_exceeded(bfqd, q))
		bfq_depth_wait(bfqd, q);
	atomic_inc(&q->asking);
}

/**
 * bfq_depth_taken - a queue's task has got its tag
 * @q: the queue; the new request holds its reference already
 * @opf: operation and flags of the request
 *
 * Those that must not sleep have not asked; nor have some others, and not
 * everybody who has asked gets one (the block layer may start over on another
 * CPU), so the count is a guess that is never below zero and is forgotten when
 * the queue has no request left (bfq_queue_put()).
 */
void bfq_depth_taken(struct bfq_queue *q, blk_opf_t opf)
{
	if (op_is_sync(opf) && !(opf & REQ_NOWAIT) && atomic_read(&q->asking))
		atomic_dec_if_positive(&q->asking);
}

/**
 * bfq_depth_turn - a queue is put in service
 * @q: the queue
 *
 * Context: bfqd->lock held.
 */
void bfq_depth_turn(struct bfq_queue *q)
{
	if (wq_has_sleeper(&q->depth_wait))
		wake_up(&q->depth_wait);	/* who wakes up wakes the next */
}

/**
 * bfq_depth_init - at the start of a device
 * @rqq: the device's request queue, frozen
 */
void bfq_depth_init(struct request_queue *rqq)
{
	bfq_start_async_depth(rqq, BFQ_ASYNC_PERCENT);
	bfq_depth_updated(rqq);
}

/**
 * bfq_depth_updated - nr_requests has changed
 * @rqq: the device's request queue
 */
void bfq_depth_updated(struct request_queue *rqq)
{
	bfq_set_min_shallow_depth(rqq, 1);
}
