// SPDX-License-Identifier: GPL-2.0
/*
 * Arrivals, dispatch and completions: how many CPUs share one scheduler.
 *
 * Choosing the next request is serial by nature: there is one order, and one
 * lock, bfq_data.lock, around the structures that it is made from.  What need
 * not be serial is everything before and after:
 *
 *	insert	 puts requests on a list of this CPU, the stage, and is done.
 *	dispatch only tries the lock.  Who gets it empties all stages, sorts
 *		 the arrivals into their queues, chooses a batch, and leaves
 *		 it on a list, @ready, from which drivers fetch without the
 *		 lock.  Who does not get it leaves a mark, and goes.
 *	complete counts, with atomics.
 *
 * (J. Axboe tried the same on the in-tree schedulers, "mq-deadline and BFQ
 * scalability improvements", linux-block, January 2024.)
 *
 * No wake-up may be lost.  A dispatcher that goes away trusts the holder of
 * the lock to do its work, but the holder may just have looked at the stages
 * for the last time.  So:
 *
 *	dispatcher:	set mark; smp_mb(); look again if the lock is free
 *	holder:		unlock; smp_mb(); test mark -> run the hardware queues
 *
 * Either the second look finds it free or the holder sees the mark (the pattern of
 * two flags, Dekker's).  bfq_unlock() is therefore the only way to release
 * bfq_data.lock.
 *
 * Locks: the order stands at the top of bfq-iosched.h.  bfq_data.lock guards
 * all that is sorted; a stage's lock its list; ready_lock the ready list.
 */
#include <trace/events/block.h>
#include "bfq-iosched.h"

/*
 * Requests chosen under one hold of the lock.  Enough to spread its price,
 * too few to be noticed by whoever arrives just behind them; a disk with
 * moving parts wants each choice as late as possible and gets 1.
 */
#define BFQ_BATCH		8

#define BFQ_CONTENDED		0	/* bit in bfq_data.contended */

static struct bfq_data *bfq_hctx_data(struct blk_mq_hw_ctx *hctx)
{
	return hctx->queue->elevator->elevator_data;
}

/* Is there anything that a dispatch would find? */
static bool bfq_pending(struct bfq_data *bfqd)
{
	if (!list_empty_careful(&bfqd->ready) || !cpumask_empty(bfqd->staged))
		return true;
	if (!READ_ONCE(bfqd->nr_waiting) || READ_ONCE(bfqd->plugged))
		return false;
	return !READ_ONCE(bfqd->strict_wait) || !atomic_read(&bfqd->in_flight);
}

/* Did somebody find the lock taken since it was last released? */
static bool bfq_was_contended(struct bfq_data *bfqd)
{
	smp_mb();	/* pairs with bfq_leave_mark() */
	return test_bit(BFQ_CONTENDED, &bfqd->contended) &&
	       test_and_clear_bit(BFQ_CONTENDED, &bfqd->contended);
}

static void bfq_release(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	if (bfqd->dispatching)
		WRITE_ONCE(bfqd->dispatching, false);
	spin_unlock_irqrestore(&bfqd->lock, flags);
}

/**
 * bfq_unlock - release bfq_data.lock
 * @bfqd: the device
 * @flags: from spin_lock_irqsave()
 *
 * Runs the hardware queues if a dispatcher went away because of us.
 *
 * Context: any, but without queue_lock, which that may take.
 */
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	bfq_release(bfqd, flags);
	if (bfq_was_contended(bfqd) && bfq_pending(bfqd))
		blk_mq_run_hw_queues(bfqd->queue, true);
}

/**
 * bfq_unlock_nested - release bfq_data.lock inside locks of the block layer
 * @bfqd: the device
 * @flags: from spin_lock_irqsave()
 *
 * The same as bfq_unlock(), from a work item.
 *
 * Context: any, also with queue_lock or ioc->lock held.
 */
void bfq_unlock_nested(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	bfq_release(bfqd, flags);
	/* without a mark too: we may have ended a plug */
	if (bfq_was_contended(bfqd) || bfq_pending(bfqd))
		kblockd_schedule_work(&bfqd->deferred_work);
}

static void bfq_deferred_fn(struct work_struct *work)
{
	struct bfq_data *bfqd = container_of(work, struct bfq_data, deferred_work);
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_queue_reap(bfqd);
	bfq_unlock(bfqd, flags);
	blk_mq_run_hw_queues(bfqd->queue, true);
}

/* Requests that need no choice: flushes, requeued ones, those that must be first. */
static void bfq_make_ready(struct bfq_data *bfqd, struct list_head *list, bool at_head)
{
	unsigned long flags;

	spin_lock_irqsave(&bfqd->ready_lock, flags);
	if (at_head)
		list_splice_init(list, &bfqd->ready);
	else
		list_splice_tail_init(list, &bfqd->ready);
	spin_unlock_irqrestore(&bfqd->ready_lock, flags);
}

/* Sort one arrival into its queue.  Requests that were joined with others land in @free. */
static void bfq_admit(struct bfq_data *bfqd, struct request *rq, struct list_head *free)
{
	struct bfq_queue *q = bfq_queue_for(bfqd, rq);

	bfq_active_note(bfqd, q);
	if (bfq_queue_absorb(bfqd, q, rq, free))
		return;
	bfq_idle_arrival(q, rq);
	bfq_queue_add(bfqd, q, rq);
	if (q->nr_queued == 1)
		bfq_queue_backlogged(bfqd, q);
}

/*
 * May this request go to the driver without being chosen?  Those that we never
 * saw allocated, those that come back from the driver, and passthrough, which
 * may be what unblocks the device.
 */
static bool bfq_bypasses(struct request *rq)
{
	return !bfq_rq_prepared(rq) || bfq_rq_state(rq) == BFQ_RQ_CHOSEN ||
	       blk_rq_is_passthrough(rq);
}

/* Empty all stages into the queues: the holder of the lock is a dispatcher from here on. */
static void bfq_drain(struct bfq_data *bfqd, struct list_head *free)
{
	struct request *rq, *next;
	LIST_HEAD(arrived);
	LIST_HEAD(direct);
	unsigned int cpu;

	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->dispatching, true);
	for_each_cpu(cpu, bfqd->staged) {
		struct bfq_stage *stage = &bfqd->stage[cpu];

		spin_lock(&stage->lock);
		list_splice_tail_init(&stage->list, &arrived);
		cpumask_clear_cpu(cpu, bfqd->staged);
		spin_unlock(&stage->lock);
	}

	list_for_each_entry_safe(rq, next, &arrived, queuelist) {
		list_del_init(&rq->queuelist);
		if (bfq_bypasses(rq))
			list_add_tail(&rq->queuelist, &direct);
		else
			bfq_admit(bfqd, rq, free);
	}
	if (!list_empty(&direct))
		bfq_make_ready(bfqd, &direct, false);
	bfq_queue_reap(bfqd);
	bfq_active_refresh(bfqd);
	bfq_idle_recheck(bfqd);
}

/**
 * bfq_insert_requests - take requests from the block layer
 * @hctx: the hardware queue they are meant for
 * @list: the requests; empty on return
 * @flags: whether they must be served before all others
 *
 * Context: process context, no lock held.
 */
void bfq_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			 bfq_insert_flags_t flags)
{
	struct bfq_data *bfqd = bfq_hctx_data(hctx);
	struct bfq_stage *stage;
	unsigned long irqflags;
	struct request *rq;
	LIST_HEAD(free);
	int cpu;

	list_for_each_entry(rq, list, queuelist)
		trace_block_rq_insert(rq);

	if (bfq_insert_at_head(flags)) {
		bfq_make_ready(bfqd, list, true);
		return;
	}

	cpu = raw_smp_processor_id();	/* any stage will do, this one is probably cached */
	stage = &bfqd->stage[cpu];
	spin_lock_irqsave(&stage->lock, irqflags);
	list_splice_tail_init(list, &stage->list);
	if (!cpumask_test_cpu(cpu, bfqd->staged))
		cpumask_set_cpu(cpu, bfqd->staged);
	spin_unlock_irqrestore(&stage->lock, irqflags);

	/*
	 * While the device is plugged, nobody dispatches, so the lock is free,
	 * and to look at once whether this ends the plug saves the hardware
	 * queue a run in vain.
	 */
	if (READ_ONCE(bfqd->plugged) && spin_trylock_irqsave(&bfqd->lock, irqflags)) {
		bfq_drain(bfqd, &free);
		bfq_unlock(bfqd, irqflags);
		bfq_free_requests(&free);
	}
}

/**
 * bfq_bio_merge - try to join a bio with a request that we hold
 * @rqq: the device's request queue
 * @bio: the bio
 * @nr_segs: its segments
 *
 * Looks at what this CPU has staged, and at the queues only if their lock is
 * free at once.
 *
 * Context: process context, no lock held.
 * Return: whether it was joined.
 */
bool bfq_bio_merge(struct request_queue *rqq, struct bio *bio, unsigned int nr_segs)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;
	struct bfq_stage *stage = &bfqd->stage[raw_smp_processor_id()];
	struct request *free = NULL;
	unsigned long flags;
	bool joined = false;

	if (!list_empty_careful(&stage->list)) {
		spin_lock_irqsave(&stage->lock, flags);
		joined = blk_bio_list_merge(rqq, &stage->list, bio, nr_segs);
		spin_unlock_irqrestore(&stage->lock, flags);
	}
	if (joined || !READ_ONCE(bfqd->nr_waiting) || !spin_trylock_irqsave(&bfqd->lock, flags))
		return joined;

	joined = blk_mq_sched_try_merge(rqq, bio, nr_segs, &free);
	bfq_unhash_merged(rqq);
	bfq_unlock(bfqd, flags);
	if (free)
		blk_mq_free_request(free);
	return joined;
}

/* Count a request that was not chosen (see bfq_serve() for those that were). */
static struct request *bfq_to_driver(struct bfq_data *bfqd, struct request *rq)
{
	if (bfq_rq_prepared(rq) && bfq_rq_queue(rq) && bfq_rq_state(rq) != BFQ_RQ_CHOSEN)
		bfq_rq_count(bfqd, rq);
	return rq;
}

static struct request *bfq_fetch_ready(struct bfq_data *bfqd)
{
	struct request *rq;
	unsigned long flags;

	if (list_empty_careful(&bfqd->ready))
		return NULL;
	spin_lock_irqsave(&bfqd->ready_lock, flags);
	rq = list_first_entry_or_null(&bfqd->ready, struct request, queuelist);
	if (rq)
		list_del_init(&rq->queuelist);
	spin_unlock_irqrestore(&bfqd->ready_lock, flags);
	return rq;
}

/* strict_guarantees: one request in the device at a time. */
static bool bfq_must_hold_back(struct bfq_data *bfqd)
{
	if (!READ_ONCE(bfqd->tun.strict_guarantees) || !atomic_read(&bfqd->in_flight))
		return false;
	WRITE_ONCE(bfqd->strict_wait, true);
	smp_mb();	/* pairs with bfq_completed_request(): one of us sees the other */
	return atomic_read(&bfqd->in_flight);
}

static unsigned int bfq_batch_size(const struct bfq_data *bfqd)
{
	if (READ_ONCE(bfqd->tun.strict_guarantees) || bfq_rotational(bfqd->queue))
		return 1;
	return BFQ_BATCH;
}

/* Choose the next requests: the first is returned, the others are made ready. */
static struct request *bfq_choose(struct bfq_data *bfqd)
{
	unsigned int left = bfq_batch_size(bfqd);
	struct request *first = NULL;
	LIST_HEAD(others);

	lockdep_assert_held(&bfqd->lock);
	if (bfq_must_hold_back(bfqd))
		return NULL;

	while (left--) {
		struct bfq_queue *q = bfq_next_queue(bfqd);
		struct request *rq;

		if (!q)
			break;
		rq = bfq_queue_peek(bfqd, q);
		bfq_serve(bfqd, q, rq);
		if (first)
			list_add_tail(&rq->queuelist, &others);
		else
			first = rq;
	}
	if (!list_empty(&others))
		bfq_make_ready(bfqd, &others, false);
	return first;
}

/* Tell the holder of the lock that we were here.  Look again after that whether he still is. */
static void bfq_leave_mark(struct bfq_data *bfqd)
{
	set_bit(BFQ_CONTENDED, &bfqd->contended);
	smp_mb();	/* pairs with bfq_was_contended() */
}

/**
 * bfq_dispatch_request - give the block layer a request for the driver
 * @hctx: the hardware queue that asks; the request may be meant for another,
 *	which the block layer sorts out
 *
 * Context: no lock held.
 * Return: a request or NULL.
 */
struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = bfq_hctx_data(hctx);
	struct request *rq = bfq_fetch_ready(bfqd);
	unsigned long flags;
	LIST_HEAD(free);

	if (rq)
		return bfq_to_driver(bfqd, rq);
	if (!spin_trylock_irqsave(&bfqd->lock, flags)) {
		bfq_leave_mark(bfqd);
		if (!spin_trylock_irqsave(&bfqd->lock, flags))
			return NULL;
	}

	bfq_drain(bfqd, &free);
	rq = bfq_fetch_ready(bfqd) ?: bfq_choose(bfqd);
	bfq_unlock(bfqd, flags);

	bfq_free_requests(&free);
	return rq ? bfq_to_driver(bfqd, rq) : NULL;
}

/**
 * bfq_has_work - would dispatch find a request?
 * @hctx: the hardware queue that asks
 *
 * While somebody else dispatches, that is his business: he is told that we
 * were here, and the answer is no, which saves a dispatch in vain.
 *
 * Context: any.
 */
bool bfq_has_work(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = bfq_hctx_data(hctx);

	if (!list_empty_careful(&bfqd->ready))
		return true;
	if (READ_ONCE(bfqd->dispatching)) {
		bfq_leave_mark(bfqd);
		if (READ_ONCE(bfqd->dispatching))
			return false;
	}
	return bfq_pending(bfqd);
}

/**
 * bfq_prepare_request - a request has been allocated
 * @rq: the request; its bio is not known yet
 *
 * Context: process context, no lock held.
 */
void bfq_prepare_request(struct request *rq)
{
	struct bfq_queue *q = bfq_current_queue(rq->q, op_is_sync(rq->cmd_flags));

	if (q) {
		refcount_inc(&q->refs);
		bfq_depth_taken(q, rq->cmd_flags);
	}
	bfq_rq_set_queue(rq, q);
	bfq_rq_set_state(rq, BFQ_RQ_NEW);
}

/**
 * bfq_completed_request - the device has completed a request
 * @rq: the request
 * @now: ktime in ns
 *
 * One that the driver gave back to be sent again is not completed: it stays
 * counted, and bypasses everything on its second way.
 *
 * Context: any, mostly interrupts.
 */
void bfq_completed_request(struct request *rq, u64 now)
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;
	struct bfq_queue *q;

	if (!bfq_rq_prepared(rq) || bfq_rq_state(rq) != BFQ_RQ_CHOSEN)
		return;		/* a flush without data completes without us */

	q = bfq_rq_queue(rq);
	bfq_rq_set_state(rq, BFQ_RQ_NEW);
	WRITE_ONCE(q->completed_ns, now);
	atomic_dec(&q->in_flight);
	if (!atomic_dec_and_test(&bfqd->in_flight))	/* full barrier, see bfq_must_hold_back() */
		return;
	if (READ_ONCE(bfqd->strict_wait)) {
		WRITE_ONCE(bfqd->strict_wait, false);
		blk_mq_run_hw_queues(bfqd->queue, true);
	}
}

/**
 * bfq_finish_request - a request is about to be freed
 * @rq: the request: completed, joined with another, or never used
 *
 * Context: any.
 */
void bfq_finish_request(struct request *rq)
{
	struct bfq_queue *q = bfq_rq_queue(rq);

	if (!q)
		return;
	bfq_rq_set_queue(rq, NULL);
	bfq_queue_put(rq->q->elevator->elevator_data, q);
}

/**
 * bfq_stage_init - prepare a device's stages, ready list and deferred work
 * @bfqd: the device
 *
 * Context: the queue is frozen.
 * Return: 0 or -ENOMEM.
 */
int bfq_stage_init(struct bfq_data *bfqd)
{
	int cpu;

	if (!zalloc_cpumask_var(&bfqd->staged, GFP_NOIO))
		return -ENOMEM;
	/*
	 * No percpu memory: the device is frozen, and whoever else allocates
	 * percpu memory holds a mutex while reclaim may wait for the device.
	 */
	bfqd->stage = kcalloc_node(nr_cpu_ids, sizeof(*bfqd->stage), GFP_NOIO,
				   bfqd->queue->node);
	if (!bfqd->stage) {
		free_cpumask_var(bfqd->staged);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		spin_lock_init(&bfqd->stage[cpu].lock);
		INIT_LIST_HEAD(&bfqd->stage[cpu].list);
	}
	spin_lock_init(&bfqd->ready_lock);
	INIT_LIST_HEAD(&bfqd->ready);
	init_llist_head(&bfqd->reap);
	INIT_WORK(&bfqd->deferred_work, bfq_deferred_fn);
	return 0;
}

/**
 * bfq_stage_exit - undo bfq_stage_init()
 * @bfqd: the device, which has no requests and gets none any more
 *
 * Context: may sleep; no lock held.
 */
void bfq_stage_exit(struct bfq_data *bfqd)
{
	cancel_work_sync(&bfqd->deferred_work);
	WARN_ON_ONCE(!cpumask_empty(bfqd->staged) || !list_empty(&bfqd->ready));
	kfree(bfqd->stage);
	free_cpumask_var(bfqd->staged);
}
