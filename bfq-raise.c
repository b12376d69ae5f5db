// SPDX-License-Identifier: GPL-2.0
/*
 * Raised: who has been served little of late goes first.
 *
 * A program that starts reads some megabytes, one after the other, while somebody waits for it;
 * a film wants a little, now and then, and in time.  A backup wants all that there is, and nobody
 * waits.  Their weights are the same, and rightly so.  What differs is how much they have had, and
 * that alone is what is looked at:
 *
 *	credit	 of each process: BFQ_CREDIT sectors when it is new; what it is served beside others
 *		 is taken off, as is the time in which it has requests, so that it lasts for
 *		 .raise_ms of the kind of device at most; and rest gives it back, all in
 *		 BFQ_CREDIT_FILLS_NS
 *	raised	 a process with credit, none of the others having more than BFQ_CREDIT_SLACK more;
 *		 and with it all threads of its program that have credit
 *
 * So a starting program is raised from its first read, a film forever, and a greedy process for a
 * moment: until its credit is used up, or somebody comes who has used less (which is the rule
 * "least attained service first": L. Kleinrock, Queueing Systems II, 1976, section 4.7).  Nobody
 * gets more by it in the long run than the credit.  Cf. P. Valente and M. Andreolini, SYSTOR
 * 2012, section 3.3, who raise for a time instead, which greedy processes use just as well.
 *
 * The raised ones are a class of their own in the engine, above best effort and below real time,
 * within their group: a group as a whole has its share whatever happens in it.  So they are served
 * before the others of it, and cut their turns short (bfq-turn.c).  That does not help against
 * what these have in the device already, or put there while a raised process thinks.  So, as long
 * as all who compete are of one group:
 *
 *	limit	 while others are served, no more than .beside_raised of the kind is in the device
 *	hold	 none of them is served while a raised request is in the device, or has been
 *		 there less than .raise_think_ms ago; without moving parts, none without credit:
 *		 one that has it is perhaps another process of the same program, and costs less
 *	release	 after .raise_hold_ms of that they are let through for a quarter of this time, so
 *		 that they are never starved; on a disk, altogether once the raised have little
 *		 credit left
 *	park	 a write for which nobody waits is let through when fifteen times as long as the
 *		 last one took has gone by.  While the device's cache has room, it takes next to no
 *		 time; when it has not, what is written delays every read
 *
 * Who is alone is not raised; and if all who compete are, it is as if nobody were.
 */
#include "bfq-iosched.h"

/* What is read by a large program that starts: 128 MiB. */
#define BFQ_CREDIT		(SZ_128M >> SECTOR_SHIFT)

/*
 * On a disk, with less than this left, others are held back no more, but let in one at a time: a
 * process that reads a little without end would have a disk for most of a minute.  So it has it
 * for a quarter of one, and for half of the time from then on.
 */
#define BFQ_CREDIT_HOLDS	(BFQ_CREDIT / 8 * 5)

/*
 * Of those that begin together, each may have this much before who wants less is told from who
 * wants more; a small program is through with it.
 */
#define BFQ_CREDIT_SLACK	(SZ_4M >> SECTOR_SHIFT)

/* Half a minute of rest fills it again: a film of 2 MB/s that rests half the time gets by. */
#define BFQ_CREDIT_FILLS_NS	(32ULL * NSEC_PER_SEC)

/* The weight of a process whose credit is as said: the default level's. */
#define BFQ_CREDIT_WEIGHT	((BFQ_LEVELS - IOPRIO_BE_NORM) * BFQ_WEIGHT_PER_LEVEL)

/* Others are let through for one in so many parts of the time for which they were held back. */
#define BFQ_RELEASE_PART	4

/* A write takes one in so many parts of the time at most, and waits no longer than a second. */
#define BFQ_WRITE_PART		16
#define BFQ_WRITE_MOST_NS	((u64)NSEC_PER_SEC)

static bool bfq_raise_due(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_raise *raise = &bfqd->raise;

	return q->credit && (q->tgid == raise->tgid || q->credit + BFQ_CREDIT_SLACK >= raise->most);
}

/* Has this one the most? */
static void bfq_raise_compare(struct bfq_raise *raise, const struct bfq_queue *q)
{
	if (q->credit <= raise->most)
		return;
	raise->most = q->credit;
	raise->tgid = q->tgid;
}

/* Take what a queue has been served beside others since the last look off its credit. */
static void bfq_raise_settle(struct bfq_queue *q)
{
	/* by weight: who is due twice as much goes first for twice as much */
	u64 cost = (u64)q->spent * BFQ_CREDIT_WEIGHT * q->entity.inverse >> WF2Q_SHIFT;

	q->credit -= min_t(u64, q->credit, cost);
	q->spent = 0;
}

/**
 * bfq_raise_arrival - a request has arrived: does its queue go first?
 * @bfqd: the device
 * @q: the queue; the request is not in it yet
 * @rest_ns: how long it has had no request (bfq_habit_arrival()); at least BFQ_REST_NS
 *
 * Context: bfqd->lock held.
 */
void bfq_raise_arrival(struct bfq_data *bfqd, struct bfq_queue *q, u64 rest_ns)
{
	struct bfq_raise *raise = &bfqd->raise;

	lockdep_assert_held(&bfqd->lock);
	/* those that no process owns have no credit */
	if (!q->sync || !q->pid || !READ_ONCE(bfqd->tun.low_latency))
		return;
	bfq_raise_settle(q);
	if (rest_ns >= BFQ_CREDIT_FILLS_NS)
		q->credit = BFQ_CREDIT;
	else
		q->credit = min_t(u64, BFQ_CREDIT, q->credit +
				  div_u64(rest_ns, BFQ_CREDIT_FILLS_NS / BFQ_CREDIT));
	if (!raise->most)
		raise->looked = jiffies;
	bfq_raise_compare(raise, q);
	if (!q->raised && bfqd->active.nr > 1 && bfq_raise_due(bfqd, q))
		bfq_active_raise(bfqd, q, true);
}

/* What it costs a process not to have rested for so many jiffies. */
static u32 bfq_raise_cost(const struct bfq_data *bfqd, unsigned long ticks)
{
	unsigned long lasts = msecs_to_jiffies(bfqd->kind->raise_ms);

	return BFQ_CREDIT / lasts * min(ticks, lasts);
}

/**
 * bfq_raise_refresh - see who goes first
 * @bfqd: the device
 *
 * Looks at all active queues, so it is done when bfq_active_refresh() does; and not at all once
 * nobody has credit left.
 *
 * Context: bfqd->lock held.
 */
void bfq_raise_refresh(struct bfq_data *bfqd)
{
	struct bfq_active *active = &bfqd->active;
	bool wanted = READ_ONCE(bfqd->tun.low_latency);
	struct bfq_raise *raise = &bfqd->raise;
	struct bfq_queue *q;
	u32 cost;

	lockdep_assert_held(&bfqd->lock);
	if (likely(!raise->most))
		return;
	cost = bfq_raise_cost(bfqd, jiffies - raise->looked);
	raise->looked = jiffies;
	raise->most = 0;
	list_for_each_entry(q, &active->queues, active) {
		if (q->spent)
			bfq_raise_settle(q);
		if (wf2q_backlogged(&q->entity) || atomic_read(&q->in_flight))
			q->credit -= min(q->credit, cost);
		if (wanted)
			bfq_raise_compare(raise, q);
	}
	wanted = wanted && active->nr > 1;
	list_for_each_entry(q, &active->queues, active)
		if (q->raised != (wanted && bfq_raise_due(bfqd, q)))
			bfq_active_raise(bfqd, q, !q->raised);
}

/**
 * bfq_raise_holds - is another queue held back for the raised ones?
 * @bfqd: the device
 * @q: the queue; it is its turn
 *
 * If so the gate is closed, and a timer opens it again.  They are not while a raised request
 * waits: the engine has seen it, and it is the turn of the others all the same (of another group,
 * or for the thin share of their class).
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_holds(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct bfq_raise *raise = &bfqd->raise;
	u64 wait = min_t(u64, bfqd->kind->raise_think_ms * NSEC_PER_MSEC,
			 READ_ONCE(bfqd->tun.slice_idle_ns));
	u64 hold = bfqd->kind->raise_hold_ms * NSEC_PER_MSEC;
	u64 now = ktime_get_ns(), until = now + max_t(u64, wait, NSEC_PER_MSEC);

	lockdep_assert_held(&bfqd->lock);
	if (bfqd->active.raised_waiting)
		return false;
	if (bfqd->kind->seeks ? raise->most < BFQ_CREDIT_HOLDS : q->credit)
		return false;
	if (!wait)
		return false;
	if (!atomic_read_acquire(&raise->inside))	/* before its seen_ns */
		until = READ_ONCE(raise->seen_ns) + wait;
	if (until <= now)
		return false;
	if (now - raise->since_ns >= hold + hold / BFQ_RELEASE_PART)
		raise->since_ns = now;
	if (now - raise->since_ns >= hold)
		return false;
	bfq_gate_close(bfqd, BFQ_GATE_HELD);
	until = min(until, raise->since_ns + hold);
	hrtimer_start(&raise->hold_timer, ns_to_ktime(until - now), HRTIMER_MODE_REL);
	return true;
}

/**
 * bfq_raise_parks - is a write to wait?
 * @bfqd: the device; somebody is raised
 * @q: a queue of writes for which nobody waits, whose turn it is
 *
 * If so its queue is parked until bfq_raise_release().
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_parks(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	if (ktime_get_ns() >= (u64)atomic64_read(&bfqd->raise.write_after))
		return false;
	bfq_queue_park(bfqd, q, true);
	list_add_tail(&q->held, &bfqd->raise.held);
	return true;
}

/**
 * bfq_raise_writes - a write is let through, and none after it for some time
 * @bfqd: the device; somebody is raised
 * @q: the write's queue; it is sent before the lock is released
 *
 * Context: bfqd->lock held.
 */
void bfq_raise_writes(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->raise.write_ns, ktime_get_ns());
	atomic64_set(&bfqd->raise.write_after, S64_MAX);
	WRITE_ONCE(q->watched, true);
}

/**
 * bfq_raise_sent - a request is sent that is to be watched
 * @bfqd: the device
 * @q: its queue: a raised one, or that of the write that is let through
 *
 * Context: any; for a write, bfqd->lock held.
 */
void bfq_raise_sent(struct bfq_data *bfqd, struct bfq_queue *q)
{
	if (q->sync)
		atomic_inc(&bfqd->raise.inside);
	else
		WRITE_ONCE(q->watched, false);
}

/* The write is done: when may the next one go? */
static void bfq_raise_wrote(struct bfq_raise *raise, u64 now)
{
	u64 took = now - min(now, READ_ONCE(raise->write_ns));
	u64 wait = min((BFQ_WRITE_PART - 1) * took, BFQ_WRITE_MOST_NS);

	atomic64_set(&raise->write_after, now + wait);
	hrtimer_start(&raise->write_timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
}

/**
 * bfq_raise_done - and has completed
 * @bfqd: the device
 * @q: its queue
 * @now: ktime in ns
 *
 * Context: any.
 */
void bfq_raise_done(struct bfq_data *bfqd, const struct bfq_queue *q, u64 now)
{
	struct bfq_raise *raise = &bfqd->raise;

	if (!q->sync) {
		bfq_raise_wrote(raise, now);
		return;
	}
	WRITE_ONCE(raise->seen_ns, now);
	smp_mb__before_atomic();	/* pairs with bfq_raise_holds() */
	atomic_dec(&raise->inside);
}

/**
 * bfq_raise_release - let parked writers go, if it is time
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 */
void bfq_raise_release(struct bfq_data *bfqd)
{
	struct bfq_raise *raise = &bfqd->raise;
	struct bfq_queue *q, *next;

	lockdep_assert_held(&bfqd->lock);
	if (bfqd->active.nr_raised && ktime_get_ns() < (u64)atomic64_read(&raise->write_after))
		return;
	list_for_each_entry_safe(q, next, &raise->held, held) {
		list_del_init(&q->held);
		bfq_queue_park(bfqd, q, false);
	}
}

/* What was held back is looked at again. */
static enum hrtimer_restart bfq_raise_look(struct bfq_data *bfqd)
{
	struct bfq_raise *raise = &bfqd->raise;
	unsigned long flags;
	u64 now, after;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_gate_open(bfqd, BFQ_GATE_HELD);
	bfq_raise_release(bfqd);
	after = atomic64_read(&raise->write_after);
	/* it may have been too early; while a write is in the device, that will set the timer */
	if (!list_empty(&raise->held) && after != S64_MAX) {
		now = ktime_get_ns();
		hrtimer_start(&raise->write_timer, ns_to_ktime(after - min(after, now)),
			      HRTIMER_MODE_REL);
	}
	bfq_unlock(bfqd, flags);
	blk_mq_run_hw_queues(bfqd->queue, true);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart bfq_hold_timer_fn(struct hrtimer *timer)
{
	return bfq_raise_look(container_of(timer, struct bfq_data, raise.hold_timer));
}

static enum hrtimer_restart bfq_write_timer_fn(struct hrtimer *timer)
{
	return bfq_raise_look(container_of(timer, struct bfq_data, raise.write_timer));
}

/**
 * bfq_raise_init - nobody goes first yet
 * @bfqd: a new device
 */
void bfq_raise_init(struct bfq_data *bfqd)
{
	struct bfq_raise *raise = &bfqd->raise;

	INIT_LIST_HEAD(&raise->held);
	hrtimer_setup(&raise->hold_timer, bfq_hold_timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_setup(&raise->write_timer, bfq_write_timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}

/**
 * bfq_raise_exit - stop the timers for good
 * @bfqd: the device, which has no requests and gets none any more
 *
 * Context: may sleep; bfqd->lock not held.
 */
void bfq_raise_exit(struct bfq_data *bfqd)
{
	hrtimer_cancel(&bfqd->raise.hold_timer);
	hrtimer_cancel(&bfqd->raise.write_timer);
}
