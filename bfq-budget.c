// SPDX-License-Identifier: GPL-2.0
/*
 * Budgets: how much a queue may be served before it is another's turn.
 *
 * The engine picks the queue with the smallest virtual finish time among the
 * eligible; the queue then has the device to itself until
 *
 *	- it has no more requests, and is not worth waiting for (bfq-idle.c),
 *	- what is left of its budget does not cover its next request,
 *	- it has been served for timeout_sync, however little that was,
 *	- a queue of a higher class in its own group has a request.
 *
 * The budget decides how long a turn is, never how much a queue gets in the
 * end: B-WF2Q+ charges what was really served (F = S + served / weight), so
 * shares follow weights whatever the budgets (P. Valente, M. Andreolini,
 * "Improving Application Responsiveness with the BFQ Disk I/O Scheduler",
 * SYSTOR 2012, section 3).  Long turns give throughput where changing the
 * queue costs a seek; short ones give latency, and keep the deviation from
 * the ideal share small, which is of the order of one budget.
 *
 * The rule is a constant for now: one budget for everyone, from the tunable
 * max_budget or, where that is 0, from the kind of device.
 */
#include "bfq-iosched.h"

/*
 * Sectors in a turn on a device with moving parts: 8 MiB, 80 ms of a 100 MB/s
 * disk, so that seeking between turns (about 10 ms) costs little over a tenth.
 */
#define BFQ_BUDGET_ROTATIONAL	16384

/*
 * And on one without: 512 KiB.  Changing the queue costs nothing there, and a
 * turn of 1 ms at 500 MB/s keeps shares exact over short times.
 */
#define BFQ_BUDGET_FLASH	1024

/*
 * Sectors charged for a request that moves no data (discard, write zeroes),
 * however large its range: what one small write costs.
 */
#define BFQ_SERVICE_NO_DATA	8

/**
 * bfq_budget - sectors that a queue may be served in one turn
 * @bfqd: the device
 */
u32 bfq_budget(const struct bfq_data *bfqd)
{
	unsigned int set = READ_ONCE(bfqd->tun.max_budget);

	if (set)
		return set;
	return bfq_rotational(bfqd->queue) ? BFQ_BUDGET_ROTATIONAL : BFQ_BUDGET_FLASH;
}

/**
 * bfq_rq_service - what a request is charged, in sectors
 * @rq: the request
 */
u32 bfq_rq_service(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
	case REQ_OP_WRITE_ZEROES:
		return BFQ_SERVICE_NO_DATA;
	default:
		return max(blk_rq_sectors(rq), 1U);
	}
}

/**
 * bfq_queue_backlogged - a queue has got its first waiting request
 * @bfqd: the device
 * @q: the queue; the request is in it
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_backlogged(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_queue *served = bfqd->in_service;

	lockdep_assert_held(&bfqd->lock);
	if (q == served) {
		bfq_idle_unplug(bfqd);
		return;
	}

	wf2q_activate(&q->entity, bfq_budget(bfqd));

	if (!served || served->group != q->group || q->prio.class >= served->prio.class)
		return;
	/* while plugged nobody dispatches, so nobody would find the mark */
	if (bfqd->plugged)
		bfq_expire(bfqd, BFQ_EXPIRE_PREEMPTED);
	else
		bfqd->preempt = true;
}

/**
 * bfq_expire - end the turn of the queue in service
 * @bfqd: the device, with a queue in service
 * @why: for the statistics
 *
 * Context: bfqd->lock held.
 */
void bfq_expire(struct bfq_data *bfqd, enum bfq_expire why)
{
	struct bfq_queue *q = bfqd->in_service;

	lockdep_assert_held(&bfqd->lock);
	bfq_idle_unplug(bfqd);
	WRITE_ONCE(bfqd->in_service, NULL);
	bfqd->preempt = false;
	bfqd->expired[why]++;

	if (q->nr_queued)
		wf2q_requeue(&q->entity, bfq_budget(bfqd));
	else
		wf2q_deactivate(&q->entity);
}

/* Has the queue in service had enough?  It has waiting requests. */
static bool bfq_turn_over(struct bfq_data *bfqd, struct bfq_queue *q, enum bfq_expire *why)
{
	if (bfqd->preempt) {
		*why = BFQ_EXPIRE_PREEMPTED;
		return true;
	}
	if (bfqd->turn_start)	/* a turn is one request at least, whatever its size */
		return false;
	if (bfq_rq_service(bfq_queue_peek(bfqd, q)) > wf2q_remaining(&q->entity)) {
		*why = BFQ_EXPIRE_BUDGET;
		return true;
	}
	*why = BFQ_EXPIRE_TIMEOUT;
	return bfq_served_for(bfqd, READ_ONCE(bfqd->tun.timeout_ms));
}

/**
 * bfq_next_queue - the queue to be served now
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 * Return: a queue with waiting requests, now in service; NULL if there is
 * none or the device is plugged.
 */
struct bfq_queue *bfq_next_queue(struct bfq_data *bfqd)
{
	struct bfq_queue *q = bfqd->in_service;
	struct wf2q_entity *entity;
	enum bfq_expire why;

	lockdep_assert_held(&bfqd->lock);
	if (bfqd->plugged)
		return NULL;
	if (q && !bfq_turn_over(bfqd, q, &why))
		return q;
	if (q)
		bfq_expire(bfqd, why);

	entity = wf2q_select(&bfqd->root->node);
	if (!entity)
		return NULL;

	q = bfq_entity_queue(entity);
	WRITE_ONCE(bfqd->in_service, q);
	bfq_depth_turn(q);
	bfqd->served_since = jiffies;
	bfqd->turn_start = true;
	return q;
}

/**
 * bfq_serve - take a request of the queue in service and charge for it
 * @bfqd: the device
 * @q: the queue in service
 * @rq: its request to be dispatched
 *
 * Context: bfqd->lock held.
 */
void bfq_serve(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	lockdep_assert_held(&bfqd->lock);
	bfq_queue_passed(q, rq);
	bfq_queue_del(bfqd, q, rq);
	wf2q_charge(&q->entity, bfq_rq_service(rq));
	bfqd->turn_start = false;
	bfq_rq_count(bfqd, rq);

	if (q->nr_queued)
		return;
	if (bfqd->preempt)
		bfq_expire(bfqd, BFQ_EXPIRE_PREEMPTED);
	else if (!bfq_idle_plug(bfqd, q))
		bfq_expire(bfqd, BFQ_EXPIRE_EMPTY);
}
