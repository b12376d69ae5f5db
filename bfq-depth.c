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
 * So each queue is entitled to tags as to service:
 *
 *	entitled(q) = nr_requests * product over levels (weight / sum of weights)
 *
 * computed whenever the queue is put in service, and the task that would go
 * beyond sleeps until one of the queue's own requests finishes.  That is done
 * only while tags are scarce, that is, while fewer than a quarter are free:
 * the quarter is what those who are below their due can always draw on.
 * A queue that has none is entitled to one, so its task always finds a request of its own to wait
 * for, and this can't lock up.
 *
 * Asynchronous requests, which come in floods and for which nobody waits, may
 * in all have three quarters of the tags.
 */
#include "bfq-iosched.h"

/* Tags are scarce when more than this part of them is in use; what asynchronous requests may have. */
#define BFQ_SCARCE_NUM		3
#define BFQ_SCARCE_DEN		4

/**
 * bfq_depth_entitle - work out how many tags a queue is entitled to
 * @bfqd: the device
 * @q: the queue, just put in service
 *
 * Context: bfqd->lock held.
 */
void bfq_depth_entitle(struct bfq_data *bfqd, struct bfq_queue *q)
{
	u64 share = bfqd->queue->nr_requests;
	struct wf2q_entity *e;

	lockdep_assert_held(&bfqd->lock);
	if (wf2q_alone(&q->entity)) {
		WRITE_ONCE(q->depth_limit, UINT_MAX);
		return;
	}

	for (e = &q->entity; e->parent; e = &e->parent->entity) {
		u64 sum = e->parent->tree[e->class].wsum;

		if (sum > e->weight)
			share = DIV64_U64_ROUND_UP(share * e->weight, sum);
	}
	WRITE_ONCE(q->depth_limit, max_t(u64, share, 1));
}

/* Must a task of this queue wait before it takes another tag? */
static bool bfq_depth_exceeded(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	/* one reference is the icq's, the others are the queue's requests */
	unsigned int held = refcount_read(&q->refs) - 1;
	unsigned int used;

	if (held < READ_ONCE(q->depth_limit))
		return false;
	used = READ_ONCE(bfqd->nr_waiting) + atomic_read(&bfqd->in_flight);
	return used * BFQ_SCARCE_DEN >= bfqd->queue->nr_requests * BFQ_SCARCE_NUM;
}

static void bfq_depth_wait(struct bfq_data *bfqd, struct bfq_queue *q)
{
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait_exclusive(&q->depth_wait, &wait, TASK_UNINTERRUPTIBLE);
		if (!bfq_depth_exceeded(bfqd, q))
			break;
		io_schedule();	/* submits what the task has plugged */
	}
	finish_wait(&q->depth_wait, &wait);
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
		bfq_limit_tags(data, data->q->nr_requests * BFQ_SCARCE_NUM / BFQ_SCARCE_DEN);
		return;
	}

	q = bfq_current_queue(data->q, false);
	if (!q || !bfq_depth_exceeded(bfqd, q))
		return;
	if (opf & REQ_NOWAIT)
		bfq_limit_tags(data, 1);	/* as good as none */
	else
		bfq_depth_wait(bfqd, q);
}

/**
 * bfq_depth_release - a request of a queue is finished
 * @bfqd: the device
 * @q: the queue, on which the request's reference is given up
 *
 * Context: any.
 */
void bfq_depth_release(struct bfq_data *bfqd, struct bfq_queue *q)
{
	rcu_read_lock();	/* keeps the memory of @q until we have looked for sleepers */
	bfq_queue_put(bfqd, q);
	if (wq_has_sleeper(&q->depth_wait))
		wake_up(&q->depth_wait);
	rcu_read_unlock();
}

/**
 * bfq_depth_updated - nr_requests has changed
 * @rqq: the device's request queue
 */
void bfq_depth_updated(struct request_queue *rqq)
{
	bfq_set_min_shallow_depth(rqq, 1);
}
