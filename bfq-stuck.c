// SPDX-License-Identifier: GPL-2.0
/*
 * Stuck: a request that the disk keeps while it serves others.
 *
 * A disk with moving parts serves what lies near first.  A request far away waits as long as others
 * nearer by go on coming, for seconds and more if the firmware sets no bound to it.  Its process
 * has had its turn, and nothing that a scheduler chooses for others later helps it; but that it
 * chooses nothing does: the disk works off what it has, and comes to this request.
 *
 *	guarded	 the one request in the device of a synchronous queue
 *	stuck	 it has been passed over by eight times as many requests as were in the device
 *		 when it was sent, which is eight times what it takes in order of arrival, and has
 *		 been there for BFQ_STUCK_LEAST_MS
 *	then	 the gate is closed (BFQ_GATE_STUCK) until it is back, for BFQ_STUCK_MOST_MS at
 *		 most, and once for a request
 *
 * What else is in the device ends meanwhile, other stuck requests among it.  It is looked for once
 * a tick.  A request that is kept for another reason (a bad sector) costs the others no more than
 * the bound.
 */
#include "bfq-iosched.h"

/* Passed over by so many times what was in the device: no order that serves all does that. */
#define BFQ_STUCK_PASSED	8

/* A seek, a turn and another turn to read again: until then a disk may just be slow. */
#define BFQ_STUCK_LEAST_MS	100

/* A disk works off 32 random requests in this time. */
#define BFQ_STUCK_MOST_MS	250

static u32 bfq_stuck_sends(const struct bfq_data *bfqd)
{
	return atomic64_read(&bfqd->device.inside) >> BFQ_SENDS_SHIFT;
}

/**
 * bfq_stuck_sends_one - a request is about to be sent to a disk with moving parts
 * @bfqd: the device
 * @q: its queue
 *
 * Context: bfqd->lock held.
 */
void bfq_stuck_sends_one(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	q->guard.on = q->sync && !atomic_read(&q->in_flight);
	q->guard.sends = bfq_stuck_sends(bfqd);
	q->guard.beside = clamp_t(int, atomic_read(&bfqd->in_flight), 1, U16_MAX);
	q->guard.since = jiffies;
}

/* Has the disk kept the one request of this queue while it has served others? */
static bool bfq_stuck_is(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u32 passed = bfq_stuck_sends(bfqd) - q->guard.sends - atomic_read(&bfqd->in_flight);

	return q->guard.on && atomic_read(&q->in_flight) == 1 &&
	       (s32)passed >= (s32)(q->guard.beside * BFQ_STUCK_PASSED) &&
	       (u32)jiffies - q->guard.since >= msecs_to_jiffies(BFQ_STUCK_LEAST_MS);
}

/* Send nothing until the request of this queue is back. */
static void bfq_stuck_begin(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_stuck *stuck = &bfqd->stuck;

	q->guard.on = false;
	WRITE_ONCE(stuck->awaited, q);
	bfq_gate_close(bfqd, BFQ_GATE_STUCK);
	set_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted);
	smp_mb__after_atomic();	/* pairs with bfq_device_done(): one of us sees the other */
	if (!atomic_read(&q->in_flight))
		clear_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted);
	stuck->times++;
	hrtimer_start(&stuck->timer, ms_to_ktime(BFQ_STUCK_MOST_MS), HRTIMER_MODE_REL);
}

/**
 * bfq_stuck_refresh - does the disk keep a request?
 * @bfqd: the device
 *
 * Looks at all active queues, so it is done when bfq_active_refresh() does.
 *
 * Context: bfqd->lock held.
 */
void bfq_stuck_refresh(struct bfq_data *bfqd)
{
	struct bfq_queue *q;

	lockdep_assert_held(&bfqd->lock);
	if (likely(!bfqd->kind->seeks) || (bfqd->gate & BFQ_GATE_STUCK))
		return;
	list_for_each_entry(q, &bfqd->active.queues, active)
		if (bfq_stuck_is(bfqd, q)) {
			bfq_stuck_begin(bfqd, q);
			return;
		}
}

/**
 * bfq_stuck_waits - is nothing to be sent for now?
 * @bfqd: the device, whose gate is closed for a stuck request
 *
 * Opens the gate if that is over.
 *
 * Context: bfqd->lock held.
 */
bool bfq_stuck_waits(struct bfq_data *bfqd)
{
	lockdep_assert_held(&bfqd->lock);
	if (test_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted))
		return true;
	bfq_gate_open(bfqd, BFQ_GATE_STUCK);
	return false;
}

/**
 * bfq_stuck_done - a request has completed while the gate is closed for a stuck one
 * @bfqd: the device
 * @q: its queue
 *
 * Context: any.
 * Return: whether it was that one; then the device is to be run.
 */
bool bfq_stuck_done(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return READ_ONCE(bfqd->stuck.awaited) == q &&
	       test_and_clear_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted);
}

static enum hrtimer_restart bfq_stuck_timer_fn(struct hrtimer *timer)
{
	struct bfq_data *bfqd = container_of(timer, struct bfq_data, stuck.timer);

	if (test_and_clear_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted))
		blk_mq_run_hw_queues(bfqd->queue, true);
	return HRTIMER_NORESTART;
}

/**
 * bfq_stuck_init - nothing is stuck yet
 * @bfqd: a new device
 */
void bfq_stuck_init(struct bfq_data *bfqd)
{
	hrtimer_setup(&bfqd->stuck.timer, bfq_stuck_timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
