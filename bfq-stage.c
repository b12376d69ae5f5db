// SPDX-License-Identifier: GPL-2.0
/*
 * Arrivals, dispatch and completions: how many CPUs share one scheduler.
 *
 * Choosing the next request is serial by nature (bfq-lock.c).  What need not be
 * serial is everything before and after:
 *
 *	insert	 puts requests on a list of this CPU, the stage, and is done.
 *	dispatch only tries the lock.  A dispatcher that gets it empties all
 *		 stages, sorts the arrivals into their queues, chooses a batch,
 *		 and leaves it on a list, @ready, from which drivers fetch
 *		 without the lock.  One that does not leaves a mark, and goes.
 *	complete counts, with atomics.
 *
 * All this is for those who meet.  Where nothing else waits, there is nothing to choose from: an
 * insert that gets the lock at once lets its requests pass.  They are charged as if a turn had
 * begun and ended with each, and put where drivers fetch; the first into a slot without a lock.
 * Those whose insert did not get the lock are let through by the next dispatcher who does.
 * So a process that has the device to itself, and many that take turns at it, are spared
 * staging, sorting, choosing and the trees: 1,200 of the 1,900 instructions that an I/O
 * cost here beyond what any scheduler does (tests/bench/run cost).
 *
 * (J. Axboe tried the same on the in-tree schedulers, "mq-deadline and BFQ
 * scalability improvements", linux-block, January 2024.)
 *
 * From the moment a request is on a stage it may be dispatched and complete, and with
 * it may go what kept the device for the task that has inserted it.  So that task
 * touches nothing of ours after that, unless it holds a reference of its own.
 */
#include <trace/events/block.h>
#include "bfq-iosched.h"

/*
 * Sectors that may be chosen in a batch, or pass of a list, before the last request: 128 KiB, a
 * quarter of a millisecond at 500 MB/s.  What is chosen goes before whatever arrives meanwhile.
 */
#define BFQ_BATCH_SECTORS	256

/* Passing takes our locks without being preempted, which sleeping ones do not bear. */
#define BFQ_MAY_PASS		(!IS_ENABLED(CONFIG_PREEMPT_RT))

static struct bfq_data *bfq_hctx_data(struct blk_mq_hw_ctx *hctx)
{
	return hctx->queue->elevator->elevator_data;
}

static void bfq_deferred_fn(struct work_struct *work)
{
	struct bfq_data *bfqd = container_of(work, struct bfq_data, deferred_work);
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_owner_reap(bfqd);
	bfq_unlock(bfqd, flags);
	blk_mq_run_hw_queues(bfqd->queue, true);
}

/* Requests that need no choice: flushes, requeued ones, those that must be first. */
static void bfq_make_direct(struct bfq_data *bfqd, struct list_head *list, bool at_head)
{
	struct bfq_ready *ready = &bfqd->ready;
	unsigned long flags;

	spin_lock_irqsave(&ready->lock, flags);
	WRITE_ONCE(ready->nr_direct, ready->nr_direct + list_count_nodes(list));
	if (at_head)
		list_splice_init(list, &ready->direct);
	else
		list_splice_tail_init(list, &ready->direct);
	spin_unlock_irqrestore(&ready->lock, flags);
}

/* @nr requests that have been chosen behind the first of a batch, or that pass. */
static void bfq_make_ready(struct bfq_data *bfqd, struct list_head *list, unsigned int nr)
{
	struct bfq_ready *ready = &bfqd->ready;
	unsigned long flags;

	spin_lock_irqsave(&ready->lock, flags);
	list_splice_tail_init(list, &ready->chosen);
	WRITE_ONCE(ready->nr_chosen, ready->nr_chosen + nr);
	spin_unlock_irqrestore(&ready->lock, flags);
}

static noinline void bfq_make_ready_one(struct bfq_data *bfqd, struct request *rq)
{
	LIST_HEAD(list);

	list_add(&rq->queuelist, &list);
	bfq_make_ready(bfqd, &list, 1);
}

/* One that passes: into the slot, if that is empty. */
static void bfq_make_pass(struct bfq_data *bfqd, struct request *rq)
{
	if (cmpxchg(&bfqd->ready.slot, NULL, rq))
		bfq_make_ready_one(bfqd, rq);
}

/* Let a request change its queue, with its tag and its reference. */
static noinline void bfq_reassign(struct bfq_data *bfqd, struct request *rq, struct bfq_queue *to)
{
	struct bfq_queue *from = bfq_rq_queue(rq);

	refcount_inc(&to->refs);
	bfq_depth_moved(to);
	bfq_rq_set_queue(rq, to);
	if (!from)
		return;
	bfq_depth_given(from);
	bfq_owner_put(bfqd, from);
}

/* The queue of an arrival, which competes from now on. */
static inline struct bfq_queue *bfq_arrive(struct bfq_data *bfqd, struct request *rq)
{
	struct bfq_queue *q = bfq_owner_assign(bfqd, rq);

	if (unlikely(q != bfq_rq_queue(rq)))
		bfq_reassign(bfqd, rq, q);
	if (unlikely(!q->active_weight))
		bfq_active_note(bfqd, q);
	return q;
}

/* What does an arrival say of its process? */
static inline void bfq_take_note(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	/* none in flight: then the time of the last completion is there to be read, too */
	u32 nr = 1 + q->nr_queued + atomic_read_acquire(&q->in_flight);
	u64 rest_ns;

	if (nr > bfqd->kind->few) {
		bfq_habit_arrival_of_many(bfqd, q, nr);
		return;
	}
	rest_ns = bfq_habit_arrival(bfqd, q, rq, nr);
	if (unlikely(rest_ns >= BFQ_REST_NS)) {
		if (!q->lined)
			bfq_raise_arrival(bfqd, q, rest_ns, rq->start_time_ns);
		q->lined = false;
	}
}

/* The engine knows of a request now that may be one for which its task stood in line. */
static inline void bfq_line_came(struct bfq_queue *q)
{
	if (unlikely(q->entity.stands) && !q->in_line)
		wf2q_unstand(&q->entity);
}

static void bfq_wait(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	bfq_active_note(bfqd, q);
	bfq_queue_add(bfqd, q, rq);
	if (q->nr_queued == 1)
		bfq_turn_arrival(bfqd, q);
	bfq_line_came(q);
}

/* Sort one arrival into its queue.  Requests that were joined with others land in @free. */
static void bfq_admit(struct bfq_data *bfqd, struct request *rq, struct list_head *free)
{
	struct bfq_queue *q = bfq_arrive(bfqd, rq);

	if (bfq_queue_absorb(q, rq, free)) {
		bfq_line_came(q);
		return;
	}
	bfq_take_note(bfqd, q, rq);
	bfq_wait(bfqd, q, rq);
}

/*
 * May this request go to the driver without being chosen?  Those that we never saw allocated, those
 * that come back from the driver, and passthrough, which may be what unblocks the device.
 */
static bool bfq_bypasses(struct request *rq)
{
	return !bfq_rq_prepared(rq) || bfq_rq_state(rq) == BFQ_RQ_CHOSEN ||
	       blk_rq_is_passthrough(rq);
}

/* The next CPU whose stage is not empty. */
static unsigned int bfq_next_staged(const struct bfq_data *bfqd, int cpu)
{
	/* a bit that comes just now may be seen or not */
	return data_race(cpumask_next(cpu, bfqd->staged));
}

/* Empty all stages. */
static void bfq_collect(struct bfq_data *bfqd, struct list_head *arrived)
{
	unsigned int cpu;

	if (!READ_ONCE(bfqd->arrived))
		return;
	WRITE_ONCE(bfqd->arrived, false);
	smp_mb();	/* pairs with bfq_stage_add(): we see its CPU, or it sets @arrived anew */
	for (cpu = bfq_next_staged(bfqd, -1); cpu < nr_cpu_ids; cpu = bfq_next_staged(bfqd, cpu)) {
		struct bfq_stage *stage = &bfqd->stage[cpu];

		spin_lock(&stage->lock);
		list_splice_tail_init(&stage->list, arrived);
		cpumask_clear_cpu(cpu, bfqd->staged);
		spin_unlock(&stage->lock);
	}
}

/* May a request of a list be asked whether it passes? */
static inline bool bfq_may_pass(const struct bfq_data *bfqd, struct request *rq)
{
	return bfq_quiet(bfqd) && !bfq_bypasses(rq);
}

/*
 * A request passes, and stays in the list that it came in; or it leaves that to wait in its queue,
 * and then something waits (bfqd->nr_waiting).  Each I/O comes here: no call.
 */
static __always_inline bool bfq_pass(struct bfq_data *bfqd, struct request *rq)
{
	struct bfq_queue *q = bfq_arrive(bfqd, rq);

	bfq_take_note(bfqd, q, rq);
	if (likely(bfq_turn_pass(bfqd, q, rq))) {
		bfq_active_passed(q);
		bfq_line_came(q);
		return true;
	}
	list_del_init(&rq->queuelist);
	bfq_wait(bfqd, q, rq);
	return false;
}

/* The first request of a list passes and leaves the list; or waits, or bypasses us: NULL. */
static struct request *bfq_pass_first(struct bfq_data *bfqd, struct list_head *list)
{
	struct request *rq = list_first_entry(list, struct request, queuelist);

	if (!bfq_may_pass(bfqd, rq) || !bfq_pass(bfqd, rq))
		return NULL;
	if (likely(list_is_singular(list)))	/* shorter */
		INIT_LIST_HEAD(list);
	else
		list_del(&rq->queuelist);
	INIT_LIST_HEAD(&rq->queuelist);
	return rq;
}

/*
 * Those behind the first that passes, up to one that may not, or for which so many sectors are used
 * up; they go on together.
 */
static noinline void bfq_pass_others(struct bfq_data *bfqd, struct list_head *list, int left)
{
	struct list_head *last = NULL;
	struct request *rq, *next;
	unsigned int nr = 0;
	LIST_HEAD(passed);

	list_for_each_entry_safe(rq, next, list, queuelist) {
		if (left <= 0 || !bfq_may_pass(bfqd, rq) || !bfq_pass(bfqd, rq))
			break;
		left -= blk_rq_sectors(rq);
		last = &rq->queuelist;
		nr++;
	}
	if (!nr)
		return;
	list_cut_position(&passed, list, last);
	bfq_make_ready(bfqd, &passed, nr);
}

/*
 * Those at the head of a list pass: the first is returned, and those behind it are made ready as
 * long as @most sectors are not used up.
 */
static __always_inline struct request *bfq_pass_list(struct bfq_data *bfqd,
						     struct list_head *list, int most)
{
	struct request *first = bfq_pass_first(bfqd, list);

	if (first && !list_empty(list))
		bfq_pass_others(bfqd, list, most - (int)blk_rq_sectors(first));
	return first;
}

/*
 * Of several that come together, is it worth choosing, although nothing else waits?  A disk is to
 * get the nearest, and any drive the highest class first.  (Beside those that go first others pass
 * only as they would alone.)
 */
static bool bfq_worth_sorting(const struct bfq_data *bfqd)
{
	return bfqd->kind->seeks || bfqd->active.mixed;
}

/*
 * What has been collected passes, CPU by CPU, as it would have if its inserts had got the lock so:
 * the first goes to the dispatcher, who asks for one, those behind it are made ready.  No batch
 * bounds them but the driver's room and the limit: one that is sorted in would have all sorted that
 * come until it is chosen, of many CPUs for ever.
 */
static struct request *bfq_pass_arrived(struct bfq_data *bfqd, struct list_head *arrived)
{
	if (list_empty(arrived) || (bfq_worth_sorting(bfqd) && !list_is_singular(arrived)))
		return NULL;
	return bfq_pass_list(bfqd, arrived, INT_MAX);
}

/*
 * Empty all stages: the holder of the lock is a dispatcher from here on.  One who asks for a
 * request lets pass what may; what remains is sorted into the queues.
 */
static void bfq_drain(struct bfq_data *bfqd, struct list_head *free, struct request **passed)
{
	struct request *rq, *next;
	LIST_HEAD(arrived);
	LIST_HEAD(direct);

	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->dispatching, true);
	bfq_collect(bfqd, &arrived);
	if (passed)
		*passed = bfq_pass_arrived(bfqd, &arrived);
	list_for_each_entry_safe(rq, next, &arrived, queuelist) {
		list_del_init(&rq->queuelist);
		if (bfq_bypasses(rq))
			list_add_tail(&rq->queuelist, &direct);
		else
			bfq_admit(bfqd, rq, free);
	}
	if (!list_empty(&direct))
		bfq_make_direct(bfqd, &direct, false);
	bfq_owner_reap(bfqd);
	if (bfq_active_refresh(bfqd)) {
		bfq_depth_refresh(bfqd);
		bfq_device_refresh(bfqd);
		bfq_price_refresh(bfqd);
		bfq_habit_refresh(bfqd);
		bfq_raise_refresh(bfqd);
		bfq_stuck_refresh(bfqd);
	}
	bfq_depth_check_plug(bfqd);
	if (unlikely(bfqd->nr_parked))
		bfq_raise_release(bfqd);
}

static void bfq_stage_add(struct bfq_data *bfqd, struct list_head *list)
{
	int cpu = raw_smp_processor_id();	/* any stage will do, this one is probably cached */
	struct bfq_stage *stage = &bfqd->stage[cpu];
	unsigned long flags;

	spin_lock_irqsave(&stage->lock, flags);
	list_splice_tail_init(list, &stage->list);
	if (!cpumask_test_cpu(cpu, bfqd->staged)) {
		cpumask_set_cpu(cpu, bfqd->staged);
		smp_mb__after_atomic();	/* pairs with bfq_collect() */
		if (!READ_ONCE(bfqd->arrived))
			WRITE_ONCE(bfqd->arrived, true);
	}
	spin_unlock_irqrestore(&stage->lock, flags);
	bfq_test_point("inserted");
}

/* Look at once whether new requests end the plug, if that costs no waiting. */
static noinline void bfq_stage_look(struct bfq_data *bfqd)
{
	unsigned long flags;
	LIST_HEAD(free);

	if (!spin_trylock_irqsave(&bfqd->lock, flags))
		return;
	bfq_drain(bfqd, &free, NULL);
	bfq_arm_look(bfqd);
	bfq_unlock(bfqd, flags);
	bfq_free_requests(&free);
}

/*
 * Let requests pass, as long as nothing waits: they need not be staged, sorted in, chosen and taken
 * out again.  Until it is in the slot, the first of them keeps the device for us; and since it
 * counts as in the device, and no driver can have it yet, we must not be preempted before.
 *
 * Return whether the list is empty now.
 */
static bool bfq_stage_pass(struct bfq_data *bfqd, struct list_head *list)
{
	struct request_queue *rqq = bfqd->queue;
	struct request *first;
	unsigned long flags;
	bool waits;

	preempt_disable();
	if (!spin_trylock_irqsave(&bfqd->lock, flags)) {
		preempt_enable();
		return false;
	}
	first = bfq_pass_list(bfqd, list, BFQ_BATCH_SECTORS);
	waits = !first && bfqd->nr_waiting;	/* ours, perhaps */
	if (unlikely(waits))
		percpu_ref_get(&rqq->q_usage_counter);
	bfq_unlock(bfqd, flags);
	if (unlikely(waits))
		percpu_ref_put(&rqq->q_usage_counter);
	if (likely(first))
		bfq_make_pass(bfqd, first);
	preempt_enable();
	return list_empty(list);
}

/* Would a new request have to wait, or overtake one that is staged?  A hint, without the lock. */
static inline bool bfq_waits_ahead(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->nr_waiting) | READ_ONCE(bfqd->gate) | READ_ONCE(bfqd->arrived);
}

/**
 * bfq_insert_requests - take requests from the block layer
 * @hctx: the hardware queue they are meant for
 * @list: the requests; empty on return
 * @flags: whether they must be served before all others
 *
 * While the device is plugged no dispatcher comes, so the lock is most likely free, and a
 * look saves the hardware queue a run in vain.  Until the look is over the task keeps the
 * device by a reference on its usage counter, beside those of the requests.
 *
 * Context: process context, no lock held.
 */
void bfq_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list, blk_insert_t flags)
{
	struct bfq_data *bfqd = bfq_hctx_data(hctx);
	struct request_queue *rqq = hctx->queue;
	struct request *rq;

	if (trace_block_rq_insert_enabled())
		list_for_each_entry(rq, list, queuelist)
			trace_block_rq_insert(rq);

	if (flags & BLK_MQ_INSERT_AT_HEAD) {
		bfq_make_direct(bfqd, list, true);
		return;
	}
	if (BFQ_MAY_PASS && !bfq_waits_ahead(bfqd) && bfq_stage_pass(bfqd, list))
		return;
	if (!bfq_plugged(bfqd)) {
		bfq_stage_add(bfqd, list);
		return;
	}
	percpu_ref_get(&rqq->q_usage_counter);
	bfq_stage_add(bfqd, list);
	if (bfq_plugged(bfqd))
		bfq_stage_look(bfqd);
	percpu_ref_put(&rqq->q_usage_counter);
}

/* Try to join a bio with a request on this CPU's stage. */
static noinline bool bfq_join_staged(struct bfq_data *bfqd, struct bio *bio, unsigned int nr_segs)
{
	struct bfq_stage *stage = &bfqd->stage[raw_smp_processor_id()];
	unsigned long flags;
	bool joined;

	/* a guess: to be wrong costs a merge, or a look in vain */
	if (data_race(list_empty_careful(&stage->list)))
		return false;
	spin_lock_irqsave(&stage->lock, flags);
	joined = blk_bio_list_merge(bfqd->queue, &stage->list, bio, nr_segs);
	spin_unlock_irqrestore(&stage->lock, flags);
	return joined;
}

/* Try to join a bio with a request in a queue, if the queues' lock is free at once. */
static noinline bool bfq_join_waiting(struct bfq_data *bfqd, struct bio *bio, unsigned int nr_segs)
{
	unsigned long flags;
	bool joined;
	LIST_HEAD(free);

	if (!spin_trylock_irqsave(&bfqd->lock, flags))
		return false;
	joined = bfq_queue_join(bfqd, bio, nr_segs, &free);
	bfq_unlock(bfqd, flags);
	bfq_free_requests(&free);
	return joined;
}

/**
 * bfq_bio_merge - try to join a bio with a request that we hold
 * @rqq: the device's request queue
 * @bio: the bio
 * @nr_segs: its segments
 *
 * Looks at what this CPU has staged, and at the queues only if their lock is
 * free at once.  Of all hooks before a request has its tag this alone knows the bio, and so
 * the group for which a kernel thread writes.
 *
 * Context: process context, no lock held; a flusher may sleep (bfq_depth_admit()).
 * Return: whether it was joined.
 */
bool bfq_bio_merge(struct request_queue *rqq, struct bio *bio, unsigned int nr_segs)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;

	if (READ_ONCE(bfqd->arrived) && bfq_join_staged(bfqd, bio, nr_segs))
		return true;
	if (READ_ONCE(bfqd->nr_waiting) && bfq_join_waiting(bfqd, bio, nr_segs))
		return true;
	if (unlikely(!op_is_sync(bio->bi_opf)))
		bfq_depth_admit(bfqd, bio);
	return false;
}

/* The first request of one of the ready lists leaves it. */
static struct request *bfq_leave_ready(struct list_head *list, unsigned int *nr)
{
	struct request *rq = list_first_entry_or_null(list, struct request, queuelist);

	if (!rq)
		return NULL;
	list_del_init(&rq->queuelist);
	WRITE_ONCE(*nr, *nr - 1);
	return rq;
}

/*
 * A request from one of the lists.  One that needed no choice comes first, and is counted if it
 * has a queue and is not counted already; then a chosen one, but with strict_guarantees not
 * while another is in the device.
 */
static noinline struct request *bfq_fetch_listed(struct bfq_data *bfqd)
{
	struct bfq_ready *ready = &bfqd->ready;
	struct request *rq;
	unsigned long flags;

	spin_lock_irqsave(&ready->lock, flags);
	rq = bfq_leave_ready(&ready->direct, &ready->nr_direct);
	if (!rq && !(READ_ONCE(bfqd->tun.strict_guarantees) && bfq_device_holds_one(bfqd)))
		rq = bfq_leave_ready(&ready->chosen, &ready->nr_chosen);
	spin_unlock_irqrestore(&ready->lock, flags);

	if (rq && bfq_rq_prepared(rq) && bfq_rq_queue(rq) && bfq_rq_state(rq) != BFQ_RQ_CHOSEN)
		bfq_device_sent(bfqd, rq, 0);
	return rq;
}

/* A request that waits for nothing but a driver. */
static struct request *bfq_fetch_ready(struct bfq_data *bfqd)
{
	struct request *rq = READ_ONCE(bfqd->ready.slot) ? xchg(&bfqd->ready.slot, NULL) : NULL;

	return rq ?: bfq_fetch_listed(bfqd);
}

static unsigned int bfq_batch_size(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->tun.strict_guarantees) ? 1 : min(bfqd->kind->batch, bfqd->room);
}

/*
 * Nothing was chosen.  If the device is plugged for a claim, its tasks may sleep for tags: one is
 * to look again; and if others have them all the claim has ended, and the choice is another.
 */
static bool bfq_claim_in_vain(struct bfq_data *bfqd)
{
	if (!bfq_plugged(bfqd) || !bfq_idle_claims(bfqd, bfq_in_service(bfqd)))
		return false;
	bfq_depth_invite(bfq_in_service(bfqd));
	bfq_depth_check_plug(bfqd);
	return !bfq_plugged(bfqd);
}

/* Choose the next requests: the first is returned, the others are made ready. */
static struct request *bfq_choose(struct bfq_data *bfqd)
{
	unsigned int most = bfq_batch_size(bfqd);
	struct request *first = NULL;
	unsigned int sectors = 0;
	unsigned int nr = 0;
	LIST_HEAD(others);

	lockdep_assert_held(&bfqd->lock);
	while (nr < most && sectors < BFQ_BATCH_SECTORS) {
		bool begins, full = bfq_device_full(bfqd, false);
		struct bfq_queue *q;
		struct request *rq;

		q = unlikely(full) ? bfq_turn_though_full(bfqd, &rq) : bfq_turn_next(bfqd, &rq);

		if (!q) {
			if (!full && bfq_claim_in_vain(bfqd))
				continue;
			break;
		}
		begins = !bfqd->turn.sectors;
		bfq_turn_take(bfqd, q, rq);
		if (begins || (bfq_plugged(bfqd) && bfq_queue_serving(q)))
			bfq_depth_invite(q);
		sectors += blk_rq_sectors(rq);
		if (nr++)
			list_add_tail(&rq->queuelist, &others);
		else
			first = rq;
	}
	if (nr > 1)
		bfq_make_ready(bfqd, &others, nr - 1);
	return first;
}

/*
 * Take the lock, if that is possible at once, let what has arrived pass or sort it in, and choose
 * if nothing has passed.
 */
static noinline struct request *bfq_dispatch_locked(struct bfq_data *bfqd)
{
	struct request *rq = NULL;
	unsigned long flags;
	LIST_HEAD(free);

	if (!spin_trylock_irqsave(&bfqd->lock, flags)) {
		bfq_leave_mark(bfqd);
		if (!spin_trylock_irqsave(&bfqd->lock, flags))
			return NULL;
	}

	bfq_drain(bfqd, &free, &rq);
	if (!rq && bfq_has_ready(bfqd))	/* something that bypasses, or since we looked */
		rq = bfq_fetch_ready(bfqd);
	if (!rq)
		rq = bfq_choose(bfqd);
	bfq_unlock(bfqd, flags);

	bfq_free_requests(&free);
	return rq;
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
	struct request *rq = bfq_has_ready(bfqd) ? bfq_fetch_ready(bfqd) : NULL;

	return rq ?: bfq_dispatch_locked(bfqd);
}

/* Something waits: is it for us? */
static noinline bool bfq_has_work_waiting(struct bfq_data *bfqd)
{
	if (READ_ONCE(bfqd->dispatching)) {
		bfq_leave_mark(bfqd);
		if (READ_ONCE(bfqd->dispatching))
			return false;
	}
	return bfq_has_waiting(bfqd);
}

/**
 * bfq_has_work - would dispatch find a request?
 * @hctx: the hardware queue that asks
 *
 * While another dispatcher holds the lock it does the work: it is told that we
 * were here, and the answer is no, which saves a dispatch in vain.
 *
 * Context: any.
 */
bool bfq_has_work(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = bfq_hctx_data(hctx);

	if (bfq_has_ready(bfqd))
		return true;
	if (!READ_ONCE(bfqd->arrived) && !bfq_any_choosable(bfqd))
		return false;
	return bfq_has_work_waiting(bfqd);
}

/*
 * Who runs has got a request: how often has it slept so far, and for how long waited for
 * processors, and run?  What tasks do that share its queue (CLONE_IO, the workers of io_uring) is
 * not to be compared with that: it is not known, so they count as having slept.
 */
static inline void bfq_note_rest(struct bfq_queue *q)
{
	u16 rest;

	if (data_race(q->habit.few == 0))	/* it asks for many at a time */
		return;
	if (q->pid != current->pid) {
		WRITE_ONCE(q->habit.rest, (u16)(READ_ONCE(q->habit.rest) + 2 * BFQ_SLEPT));
		return;
	}
	rest = current->nvcsw * BFQ_SLEPT;
#ifdef CONFIG_SCHED_INFO
	rest += current->sched_info.run_delay / BFQ_TASK_UNIT;
#endif
	WRITE_ONCE(q->habit.rest, rest);
	WRITE_ONCE(q->habit.ran, (u16)(READ_ONCE(current->se.sum_exec_runtime) / BFQ_TASK_UNIT));
}

/**
 * bfq_prepare_request - a request has been allocated
 * @rq: the request; its bio is not known yet
 *
 * Context: process context, no lock held.
 */
void bfq_prepare_request(struct request *rq)
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;
	struct bfq_queue *q = bfq_owner_current(rq->q, op_is_sync(rq->cmd_flags));

	if (q) {
		refcount_inc(&q->refs);
		bfq_depth_taken(q, rq);
		bfq_note_rest(q);
	}
	bfq_rq_set_queue(rq, q);
	bfq_rq_begin(rq, bfq_line_taken(&bfqd->line, rq));
}

/**
 * bfq_finish_request - a request is about to be freed
 * @rq: the request: completed, joined with another, or never used
 *
 * Context: any.
 */
void bfq_finish_request(struct request *rq)
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;
	struct bfq_queue *q = bfq_rq_queue(rq);

	if (q) {
		bfq_rq_set_queue(rq, NULL);
		bfq_depth_given(q);
		bfq_owner_put(bfqd, q);
	}
	bfq_line_given(&bfqd->line, rq);
	if (unlikely(READ_ONCE(bfqd->line.nr)))
		bfq_line_moves(bfqd);
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
	 * No percpu memory: the device is frozen, and any other allocation of
	 * percpu memory holds a mutex while reclaim may wait for the device.
	 */
	bfqd->stage = kcalloc_node(nr_cpu_ids, sizeof(*bfqd->stage), GFP_NOIO, bfqd->queue->node);
	if (!bfqd->stage) {
		free_cpumask_var(bfqd->staged);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		spin_lock_init(&bfqd->stage[cpu].lock);
		INIT_LIST_HEAD(&bfqd->stage[cpu].list);
	}
	INIT_LIST_HEAD(&bfqd->line.waiters[false]);
	INIT_LIST_HEAD(&bfqd->line.waiters[true]);
	spin_lock_init(&bfqd->ready.lock);
	INIT_LIST_HEAD(&bfqd->ready.direct);
	INIT_LIST_HEAD(&bfqd->ready.chosen);
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
	WARN_ON_ONCE(!cpumask_empty(bfqd->staged) || bfqd->ready.slot ||
		     !list_empty(&bfqd->ready.direct) || !list_empty(&bfqd->ready.chosen));
	kfree(bfqd->stage);
	free_cpumask_var(bfqd->staged);
}
