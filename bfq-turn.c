// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: which queue is served, for how long, and why that ends.
 *
 * The engine picks the queue with the smallest virtual finish time among the
 * eligible; the queue then has the device to itself until
 *
 *	- it has no more requests, and is not worth waiting for (bfq-idle.c),
 *	- what is left of its budget does not cover its next request,
 *	- it has been served for timeout_sync, however little that was,
 *	- a higher class wants the device, that of the raised (bfq-raise.c) too: a queue of its own
 *	  group, or one beside a group that it is in (wf2q_outranks()),
 *	- it is held back for a raised one of another group, which goes first,
 *	- a queue arrives that would be chosen before it, because it has had less and needs less
 *	  (wf2q_precedes()); with moving parts only a raised one, and not if the device is plugged,
 *	- it moves to another group, or goes.
 *
 * The budget decides how long a turn is, never how much a queue gets in the end: B-WF2Q+ charges
 * what was really served (F = S + served / weight), so shares follow weights whatever the budgets
 * (P. Valente, M. Andreolini, "Improving Application Responsiveness with the BFQ Disk I/O
 * Scheduler", SYSTOR 2012, section 3).  Long turns give throughput where changing the queue costs a
 * seek; short ones give latency, and keep the deviation from the ideal share small, which is of the
 * order of one budget.  At most it is max_budget or, where that is 0, what the kind of device gets;
 * but a queue that asks for one request after the other and empties earlier gets what it has used,
 * and twice as much when that is used up (section 3.2 of the same: budget feedback).  So the finish
 * of who asks for little at a time is near, and it is served next.  A queue that is plugged for to
 * catch up (bfq-habit.c), or to see what it does alone, gets the most: its turn is about time.
 *
 * The plug.  A queue that runs empty and is worth it keeps its turn: the gate is closed
 * (BFQ_GATE_PLUG) until its next request arrives, or until slice_idle has gone by since its last
 * one completed.  (Or the turn ends and the queue keeps a claim, for which the device is plugged
 * when it is chosen: bfq-idle.c.)  The timer for that is lazy: arming and cancelling it for every
 * request would cost more than the request.  Once armed it is left to run; when it fires it looks
 * what became of the plug and, if that is a later one, runs on.
 *
 * Whose turn it is, the engine knows.  Rooms below take a queue that moves or goes
 * out of it, and open the gate; this room finds that out when it looks next, and
 * then notes that the turn has ended.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/*
 * A queue that has had timeout_sync is still waited for while its request is in the device: to drop
 * it then would forget what it is behind with, and a process with one large request at a time would
 * never get its share.  But a device that does not answer must not be kept for one queue for ever:
 * a second, or timeout_sync where that is longer.  (An ordinary disk answers in tens of ms.)
 */
#define BFQ_PLUG_MOST_MS	1000U

/* A budget is at least a page of 4 KiB. */
#define BFQ_BUDGET_LEAST	8

static u32 bfq_turn_budget(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u32 most = bfq_turn_most(bfqd);

	if (!q->budget || !bfq_habit_few(q) || q->habit.behind || !q->habit.alone_ns)
		return most;
	return min(q->budget, most);
}

/* What does a turn say of the queue's needs? */
static void bfq_turn_feed_back(const struct bfq_data *bfqd, struct bfq_queue *q, enum bfq_why why)
{
	u32 most = bfq_turn_most(bfqd);

	if (!bfqd->turn.sectors)	/* it had a claim, and nothing came of it */
		return;
	if (why == BFQ_WHY_EMPTY || why == BFQ_WHY_IDLE)
		q->budget = max_t(u32, bfqd->turn.charged, BFQ_BUDGET_LEAST);
	else if (why == BFQ_WHY_BUDGET && q->budget)
		q->budget = q->budget < most / 2 ? 2 * q->budget : 0;
}

/* Has the turn lasted for longer than this? */
static bool bfq_turn_longer(const struct bfq_turn *turn, unsigned int ms)
{
	return jiffies - turn->since > msecs_to_jiffies(ms);
}

static void bfq_turn_begin(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_turn *turn = &bfqd->turn;

	turn->open = true;
	turn->preempt = false;
	turn->since = jiffies;
	turn->sectors = 0;
	turn->charged = 0;
	turn->along = 0;
	turn->plugged_for = BFQ_PLUG_NOT;
	if (trace_bfq_turn_begin_enabled() || trace_bfq_turn_end_enabled()) {
		turn->since_ns = ktime_get_ns();
		turn->pid = q->pid;
		turn->cgroup = bfq_group_id(q->group);
		trace_bfq_turn_begin(bfqd, q);
	} else {
		turn->since_ns = 0;
	}
}

/* The turn is over, and the engine has been told. */
static inline void bfq_turn_note_end(struct bfq_data *bfqd, enum bfq_why why)
{
	struct bfq_turn *turn = &bfqd->turn;

	turn->open = false;
	turn->ended[why]++;
	if (trace_bfq_turn_end_enabled())
		trace_bfq_turn_end(bfqd, why, bfq_since(turn->since_ns));
}

/*
 * A timer that is armed does not notice that slice_idle has been lowered, so it is never
 * armed for longer than a second, however long the wait.
 */
static ktime_t bfq_look_after(u64 wait_ns)
{
	return ns_to_ktime(min_t(u64, wait_ns, BFQ_PLUG_MOST_MS * NSEC_PER_MSEC));
}

static void bfq_turn_plug(struct bfq_data *bfqd, struct bfq_queue *q, enum bfq_plug_for what)
{
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);
	struct bfq_turn *turn = &bfqd->turn;
	ktime_t wait;

	turn->plugged_for = what;
	WRITE_ONCE(turn->beside, false);
	bfq_gate_close(bfqd, BFQ_GATE_PLUG);
	if (what == BFQ_PLUG_LEARN)
		q->habit.trials++;
	turn->plug_ns = 0;
	if (bfqd->kind->seeks || trace_bfq_plug_enabled() || trace_bfq_unplug_enabled())
		turn->plug_ns = ktime_get_ns();
	trace_bfq_plug(bfqd, q, what);
	if (hrtimer_is_queued(&turn->timer) && !bfq_idle_claims_for(bfqd, q, what))
		return;
	/* for a claim less may be left than the timer is set to */
	wait = bfq_look_after(min(slice_idle, bfq_idle_left(bfqd, q)));
	if (!hrtimer_is_queued(&turn->timer) || hrtimer_get_remaining(&turn->timer) > wait)
		hrtimer_start(&turn->timer, wait, HRTIMER_MODE_REL);
}

/* The wait is over: the request is there (@why is negative), or the turn ends. */
static void bfq_turn_unplug(struct bfq_data *bfqd, struct bfq_queue *q, int why)
{
	u32 idle;

	if (!bfq_plugged(bfqd))
		return;
	idle = bfq_price_idle(bfqd, q);
	if (idle) {
		wf2q_charge(&q->entity, idle);
		bfqd->turn.charged += idle;
		bfqd->raise.passed += idle;
	}
	bfq_plug_over(bfqd);
	if (trace_bfq_unplug_enabled())
		trace_bfq_unplug(bfqd, q, why, bfq_since(bfqd->turn.plug_ns));
}

/**
 * bfq_turn_end - end the turn of the queue in service
 * @bfqd: the device
 * @why: for the statistics
 *
 * Context: bfqd->lock held, a queue in service.
 */
void bfq_turn_end(struct bfq_data *bfqd, enum bfq_why why)
{
	struct bfq_queue *q = bfq_in_service(bfqd);

	lockdep_assert_held(&bfqd->lock);
	bfq_turn_unplug(bfqd, q, why);
	bfq_turn_feed_back(bfqd, q, why);
	/* it goes on waiting without a request, too, if it has a claim */
	if (q->nr_queued || (why != BFQ_WHY_IDLE && bfq_idle_claims(bfqd, q)))
		wf2q_requeue(&q->entity, bfq_turn_budget(bfqd, q));
	else
		wf2q_leave(&q->entity);
	bfq_turn_note_end(bfqd, why);
}

/*
 * While the device is plugged without moving parts: what may be sent all the same?  If nothing, a
 * completion may say otherwise from the moment on when it was looked.
 */
static struct request *bfq_turn_injected(struct bfq_data *bfqd)
{
	struct request *rq;

	WRITE_ONCE(bfqd->turn.beside, false);
	rq = bfq_idle_inject(bfqd, bfq_in_service(bfqd));
	if (!rq || bfq_beside_raised(bfqd, bfq_rq_queue(rq)))
		return NULL;
	WRITE_ONCE(bfqd->turn.beside, true);
	return rq;
}

/* While the device is plugged: may requests of others be served? */
static void bfq_turn_look_along(struct bfq_data *bfqd)
{
	if (!bfq_plugged(bfqd))
		return;
	if (bfqd->kind->seeks)
		bfq_along_look(bfqd, bfq_in_service(bfqd));
	else
		bfq_turn_injected(bfqd);
}

/*
 * The device is plugged to keep lower classes out, and a queue has got a request that may do so as
 * well: is there another reason?  Return whether it stays plugged.
 */
static bool bfq_turn_stays_plugged(struct bfq_data *bfqd)
{
	struct bfq_queue *q = bfq_in_service(bfqd);
	enum bfq_plug_for what = bfq_idle_worth(bfqd, q);

	if (what == BFQ_PLUG_NOT || bfq_idle_claims_for(bfqd, q, what)) {
		bfq_turn_end(bfqd, BFQ_WHY_EMPTY);
		return false;
	}
	if (what == BFQ_PLUG_LEARN)
		q->habit.trials++;
	bfqd->turn.plugged_for = what;
	bfq_turn_look_along(bfqd);	/* beside who is behind others are served */
	return true;
}

/* Is a turn as many requests as tell what a queue does alone, whatever its budget? */
static bool bfq_turn_learns(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return bfqd->turn.plugged_for == BFQ_PLUG_LEARN && bfq_habit_trial(q);
}

/* A queue of no higher class than the one in service has got its first request. */
static void bfq_turn_arrival_beside(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	bfq_turn_look_along(bfqd);
	/* seeks are not to be multiplied, but for who has credit, which is soon used up */
	if (bfqd->kind->seeks && (!q->raised || bfq_plugged(bfqd)))
		return;
	if (!bfq_plugged(bfqd)) {
		if (wf2q_precedes(&q->entity))
			bfqd->turn.preempt = true;
		return;
	}
	if (bfqd->turn.plugged_for == BFQ_PLUG_CLASS && !bfq_turn_stays_plugged(bfqd))
		return;
	/* where it is for no claim, who comes first is not asked */
	if (bfqd->turn.plugged_for == BFQ_PLUG_SHARES &&
	    bfq_idle_claims(bfqd, bfq_in_service(bfqd)) && wf2q_precedes(&q->entity))
		bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
}

/* One that cuts the turn in service short need not do so if it wants another arm of the disk. */
static bool bfq_turn_beside_arm(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return unlikely(bfqd->arms.nr) && bfqd->kind->seeks &&
	       bfq_apart_is(bfqd, bfq_in_service(bfqd), q);
}

/**
 * bfq_turn_arrival - a queue has got its first waiting request
 * @bfqd: the device
 * @q: the queue; the request is in it
 *
 * Context: bfqd->lock held.
 */
void bfq_turn_arrival(struct bfq_data *bfqd, struct bfq_queue *q)
{
	bool ousts = false;

	lockdep_assert_held(&bfqd->lock);
	if (bfq_queue_serving(q)) {
		/* it was waited for; a new class shows when the service ends */
		if (q->entity.new_class != q->entity.class)
			bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
		else
			bfq_turn_unplug(bfqd, q, -1);
		return;
	}

	if (unlikely(bfqd->gate & BFQ_GATE_HELD))	/* it may be the one that is awaited */
		bfq_gate_open(bfqd, BFQ_GATE_HELD);
	if (!wf2q_backlogged(&q->entity)) {	/* else it has a claim */
		ousts = q->raised && bfq_raise_ousts(bfqd, q);
		/* among its equals the one that wants least is next */
		wf2q_enter(&q->entity, ousts ? BFQ_BUDGET_LEAST : bfq_turn_budget(bfqd, q));
	}
	if ((!ousts && !wf2q_outranks(&q->entity)) || bfq_turn_beside_arm(bfqd, q)) {
		bfq_turn_arrival_beside(bfqd, q);
		return;
	}
	/* while the device is plugged perhaps no dispatcher comes, so none would find the mark */
	if (bfq_plugged(bfqd))
		bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
	else
		bfqd->turn.preempt = true;
}

/* Has the queue in service had enough?  @rq is its next request. */
static bool bfq_turn_over(struct bfq_data *bfqd, const struct bfq_queue *q,
			  const struct request *rq, enum bfq_why *why)
{
	if (bfqd->turn.preempt) {
		*why = BFQ_WHY_PREEMPTED;
		return true;
	}
	if (!bfqd->turn.sectors)	/* a turn is one request at least, whatever its size */
		return false;
	if (bfq_rq_size(rq) + bfq_price_of_seek(bfqd, q, rq) > wf2q_remaining(&q->entity) &&
	    !bfq_turn_learns(bfqd, q)) {
		*why = BFQ_WHY_BUDGET;
		return true;
	}
	*why = BFQ_WHY_TIMEOUT;
	return bfq_turn_longer(&bfqd->turn, READ_ONCE(bfqd->tun.timeout_ms));
}

/**
 * bfq_turn_goes_on - would the turn in service go on with one more request of its queue?
 * @bfqd: the device
 *
 * With one as large as that has asked for on average.
 *
 * Context: bfqd->lock held.
 * Return: whether it would; false also when nothing is in service.
 */
bool bfq_turn_goes_on(const struct bfq_data *bfqd)
{
	const struct bfq_queue *q = bfq_in_service(bfqd);

	if (!q || bfqd->turn.preempt)
		return false;
	if (!bfqd->turn.sectors)
		return true;
	return q->served.sectors <= q->served.requests * wf2q_remaining(&q->entity) &&
	       !bfq_turn_longer(&bfqd->turn, READ_ONCE(bfqd->tun.timeout_ms));
}

/* How long the plug has to stay yet, in ns; 0 when the wait is over. */
static u64 bfq_plug_left(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	if (bfq_turn_longer(&bfqd->turn, max(READ_ONCE(bfqd->tun.timeout_ms), BFQ_PLUG_MOST_MS)))
		return 0;
	return bfq_idle_left(bfqd, q);
}

/*
 * Begin the turn of whom the engine chooses.  If that is a queue that has nothing but a claim,
 * the device is plugged for it; or the claim has lasted long enough, and another is chosen.  Each
 * claim that ends so was once a request, so of these there are no more than there were.
 */
static struct bfq_queue *bfq_turn_choose(struct bfq_data *bfqd)
{
	struct wf2q_entity *entity;
	enum bfq_plug_for what;
	struct bfq_queue *q;

	while ((entity = wf2q_select(&bfqd->root->node))) {
		q = bfq_entity_queue(entity);
		if (likely(q->nr_queued)) {
			bfq_turn_begin(bfqd, q);
			return q;
		}
		what = bfq_idle_worth(bfqd, q);
		if (bfq_idle_left(bfqd, q) && bfq_idle_claims_for(bfqd, q, what)) {
			bfq_turn_begin(bfqd, q);
			bfq_turn_plug(bfqd, q, what);
			return NULL;
		}
		wf2q_leave(entity);
	}
	return NULL;
}

/* The queue in service, while its turn is not over, or the next one. */
static struct bfq_queue *bfq_turn_select(struct bfq_data *bfqd, struct request **next)
{
	struct bfq_queue *q;
	enum bfq_why why;

	if (bfqd->turn.open) {
		q = bfq_in_service(bfqd);
		if (q) {
			*next = q->nr_queued ? bfq_queue_peek(bfqd, q) : NULL;
			if (!bfq_turn_over(bfqd, q, *next, &why))
				return q;
			bfq_turn_end(bfqd, why);
		} else {
			bfq_turn_note_end(bfqd, BFQ_WHY_GONE);
		}
	}

	q = bfq_turn_choose(bfqd);
	if (q)
		*next = bfq_queue_peek(bfqd, q);
	return q;
}

/* May a request be served whatever is raised, since it is for an arm that nobody raised uses? */
static bool bfq_turn_apart_from_raised(const struct bfq_data *bfqd, const struct request *rq)
{
	unsigned int nr = bfq_arm_of(&bfqd->arms, blk_rq_pos(rq));

	return bfqd->arms.nr && bfqd->kind->seeks && bfq_arm_free(bfqd, nr);
}

/* Others are held back for raised queues: is something served by an arm that none of these uses? */
static struct bfq_queue *bfq_turn_though_held(struct bfq_data *bfqd, struct request **next)
{
	unsigned long ready;

	if (likely(!bfqd->arms.nr))
		return NULL;
	ready = bfq_arm_ready(bfqd);
	*next = bfqd->kind->seeks ? bfq_apart_choose(bfqd, NULL, false) : NULL;
	if (!*next) {
		bfq_arm_want(bfqd, ready);
		return NULL;
	}
	WRITE_ONCE(bfqd->turn.beside, true);	/* there may be more */
	return bfq_rq_queue(*next);
}

/*
 * It is the turn of another than the raised queues: may it be served?  If not it is parked, for a
 * write, and the next one is looked at; or the gate has been closed.  Its turn ends, so that it is
 * not in the way of who comes.
 */
static bool bfq_turn_beside_raised(struct bfq_data *bfqd, struct bfq_queue *q, bool *again)
{
	*again = !q->sync && bfq_raise_parks(bfqd, q);
	if (*again || bfq_raise_holds(bfqd, q) || bfq_device_full(bfqd, true)) {
		bfqd->raise.kept_back = true;
		bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
		return false;
	}
	if (!q->sync)
		bfq_raise_writes(bfqd, q);
	return true;
}

/* Whose request is sent: that of the queue in service, or one that lies on the way to it. */
static struct bfq_queue *bfq_turn_along(struct bfq_data *bfqd, struct bfq_queue *q,
					struct request **next)
{
	if (likely(!bfqd->kind->seeks))
		return q;
	*next = bfq_along_choose(bfqd, q, *next);
	return *next ? bfq_rq_queue(*next) : NULL;
}

/*
 * Of those who read a file in turns, is it who is behind that would be served in the turn of
 * another? If it is the engine's next choice it has the turn for itself, and is waited for until it
 * has caught up.
 */
static bool bfq_turn_hands_over(const struct bfq_data *bfqd, const struct request *rq)
{
	struct bfq_queue *served = bfq_in_service(bfqd);
	struct wf2q_entity *second;

	if (!bfqd->kind->seeks || blk_rq_pos(rq) >= served->head)
		return false;
	second = wf2q_second(&bfqd->root->node);
	return second && bfq_entity_queue(second) == bfq_rq_queue(rq);
}

/* The device is plugged: whose request may be sent all the same? */
static struct bfq_queue *bfq_turn_while_plugged(struct bfq_data *bfqd, struct request **next)
{
	if (!READ_ONCE(bfqd->turn.beside))
		return NULL;
	*next = bfqd->kind->seeks ? bfq_along_choose(bfqd, bfq_in_service(bfqd), NULL) :
		bfq_turn_injected(bfqd);
	if (*next && bfq_turn_hands_over(bfqd, *next)) {
		bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
		return bfq_turn_select(bfqd, next);
	}
	if (*next)
		return bfq_rq_queue(*next);
	/* it may have been joined with another; while the disk is full it is looked at later */
	if (bfqd->kind->seeks && !(bfqd->gate & BFQ_GATE_FULL))
		bfq_turn_look_along(bfqd);
	return NULL;
}

/* Nobody is chosen.  If a disk is plugged for a claim now, what waits may lie on the way. */
static struct bfq_queue *bfq_turn_beside_claim(struct bfq_data *bfqd, struct request **next)
{
	if (!bfqd->kind->seeks || !bfq_plugged(bfqd))
		return NULL;
	bfq_turn_look_along(bfqd);
	return bfq_turn_while_plugged(bfqd, next);
}

/**
 * bfq_turn_next - the queue to be served now
 * @bfqd: the device
 * @next: gets the request of it that is to be served
 *
 * Context: bfqd->lock held.
 * Return: a queue with waiting requests, now in service, or with a request that is taken along;
 * NULL if there is none or the gate is closed.
 */
struct bfq_queue *bfq_turn_next(struct bfq_data *bfqd, struct request **next)
{
	struct bfq_queue *q;
	bool again;

	lockdep_assert_held(&bfqd->lock);
	bfqd->turn.little = 0;
	if (unlikely(bfqd->gate & (BFQ_GATE_PLUG | BFQ_GATE_HELD))) {
		bfq_gate_open(bfqd, BFQ_GATE_HELD);
		if (bfq_plugged(bfqd))
			return bfq_turn_while_plugged(bfqd, next);
	}
	do {
		q = bfq_turn_select(bfqd, next);
		if (!q)
			return bfq_turn_beside_claim(bfqd, next);
		if (likely(!bfq_beside_raised(bfqd, q)) || bfq_turn_apart_from_raised(bfqd, *next))
			return bfq_turn_along(bfqd, q, next);
		if (bfq_turn_beside_raised(bfqd, q, &again))
			return q;
	} while (again);
	return bfq_turn_though_held(bfqd, next);
}

/**
 * bfq_turn_though_full - as much is in the device as may be: does an arm of it rest all the same?
 * @bfqd: the device
 * @next: gets the request that is to be served
 *
 * Or without moving parts: is there a request of who asks for little?
 *
 * Context: bfqd->lock held.
 * Return: the queue of a request that is taken along; or NULL.
 */
struct bfq_queue *bfq_turn_though_full(struct bfq_data *bfqd, struct request **next)
{
	lockdep_assert_held(&bfqd->lock);
	if (likely(!bfqd->kind->seeks)) {
		*next = bfq_idle_little(bfqd);
		if (!*next)
			return NULL;
		bfqd->turn.little += bfq_rq_size(*next);
		return bfq_rq_queue(*next);
	}
	if (likely(!bfqd->arms.nr) || (bfqd->gate & BFQ_GATE_STUCK))
		return NULL;
	*next = bfq_apart_choose(bfqd, bfq_in_service(bfqd), true);
	if (!*next)
		return NULL;
	/* there may be another arm that rests: look once more */
	clear_bit(BFQ_WANTED_ROOM, &bfqd->device.wanted);
	return bfq_rq_queue(*next);
}

/*
 * On a disk that is said to have moving parts.  Return what the queue is charged for the request
 * beside its size.
 */
static noinline u32 bfq_turn_note_place(struct bfq_data *bfqd, struct bfq_queue *q,
					const struct request *rq)
{
	u32 seek = bfq_price_of_seek(bfqd, q, rq);

	bfqd->price.noted = bfq_parts_sent(bfqd, rq);
	if (!bfqd->kind->seeks) {
		q->guard.on = false;
		return 0;
	}
	bfq_habit_see_place(q, rq, bfq_price_time(bfqd, bfq_rq_size(rq) + seek));
	bfq_price_sent(bfqd, rq);
	bfqd->turn.head = bfq_rq_end(rq);
	if (unlikely(bfqd->arms.nr))
		bfq_arm_moves(bfqd, rq, bfq_habit_seeks(q));
	bfq_stuck_sends_one(bfqd, q);
	return seek;
}

/*
 * A request is chosen; its queue's head still stands where the one before has ended.  Return what
 * the queue is charged.
 */
static inline u32 bfq_turn_note_choice(struct bfq_data *bfqd, struct bfq_queue *q,
				       const struct request *rq, u32 sectors)
{
	trace_bfq_choose(bfqd, q, rq);
	if (unlikely(bfqd->device.said))
		sectors += bfq_turn_note_place(bfqd, q, rq);
	bfq_habit_passed(q, rq);
	return sectors;
}

/* A request of a queue is on its way to the device: account for it. */
static inline void bfq_serve(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq,
			     u32 sectors, u32 price)
{
	struct bfq_group *group;

	bfq_device_sent(bfqd, rq, sectors + bfqd->kind->overhead);
	bfqd->raise.charged += price;
	if (bfqd->raise.most && q->credit)
		q->spent += q->sync ? sectors : price;
	q->served.sectors += sectors;
	q->served.requests++;
	q->group->mates.sent++;
	for (group = q->group; group; group = bfq_group_parent(group)) {
		group->served.sectors += sectors;
		group->served.requests++;
	}
}

/* And it has waited, for so many ticks. */
static void bfq_count_waited(struct bfq_queue *q, unsigned long waited)
{
	struct bfq_group *group;

	q->served.waited += waited;
	for (group = q->group; group; group = bfq_group_parent(group))
		group->served.waited += waited;
}

/* Nothing for which the device could be plugged: to ask bfq-idle.c would take longer. */
static bool bfq_one_of_equals(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_active *active = &bfqd->active;

	return !(active->claims_differ | active->nr_behind | bfqd->kind->seeks) &&
	       !bfq_habit_trial(q);
}

/**
 * bfq_turn_pass - serve a request as it arrives
 * @bfqd: the device, for which nothing else waits but what has come together with it
 * @q: its queue
 * @rq: the request, not in the queue yet
 *
 * Where there is nothing to choose from this comes to the same as to let the request wait, begin a
 * turn of its queue, take the request and end the turn.
 *
 * Context: bfqd->lock held.
 * Return: whether it was served; if not it has to wait: there is no room for it, or the
 * device would be plugged after it, or others are raised.
 */
bool bfq_turn_pass(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	u32 sectors = bfq_rq_size(rq), price;

	lockdep_assert_held(&bfqd->lock);
	if (bfqd->turn.open || !q->sync || bfq_device_at_limit(bfqd))
		return false;
	if (wf2q_nr_backlogged(&bfqd->root->node))	/* by a claim */
		return false;
	if (bfq_beside_raised(bfqd, q) && !bfq_raise_lets_pass(bfqd, q))
		return false;
	/* who waits for the driver can be sorted; and a disk sorts what it has: choose late */
	if (atomic_read(&bfqd->in_flight) >= (bfqd->kind->seeks ? 1 : bfqd->room))
		return false;
	if (bfqd->active.nr > 1 && !bfq_one_of_equals(bfqd, q) &&
	    bfq_idle_worth(bfqd, q) != BFQ_PLUG_NOT)
		return false;

	bfq_rq_set_arrival(rq, jiffies);
	if (trace_bfq_turn_begin_enabled() || trace_bfq_turn_end_enabled())
		bfq_turn_begin(bfqd, q);
	bfqd->turn.sectors = sectors;
	price = bfq_turn_note_choice(bfqd, q, rq, sectors);
	q->head = bfq_rq_end(rq);
	q->budget = max_t(u32, price, BFQ_BUDGET_LEAST);
	wf2q_pass(&q->entity, price);
	bfq_serve(bfqd, q, rq, sectors, price);
	bfq_turn_note_end(bfqd, BFQ_WHY_EMPTY);
	return true;
}

/* A request of another queue than the one in service has been taken along. */
static void bfq_turn_took_along(struct bfq_data *bfqd, struct bfq_queue *q,
				const struct request *rq, u32 price)
{
	struct bfq_queue *served = bfq_in_service(bfqd);
	u32 charge = price;

	if (!bfq_apart_took(bfqd, served, q, &charge))
		bfqd->turn.along += price;
	wf2q_charge(&q->entity, charge);
	bfqd->turn.nr_along++;
	if (!bfqd->kind->seeks && bfq_plugged(bfqd))
		bfq_habit_served_beside(bfqd, served, bfq_rq_load(rq));
	if (!q->nr_queued && !bfq_idle_claims(bfqd, q))
		wf2q_leave(&q->entity);
	bfq_turn_look_along(bfqd);
}

/**
 * bfq_turn_take - take the next request of the queue in service, or take one along
 * @bfqd: the device
 * @q: its queue
 * @rq: the request, from bfq_turn_next(); charged on return, and counted as sent
 *
 * Plugs the device or ends the turn if it was the last one.
 *
 * Context: bfqd->lock held.
 */
void bfq_turn_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	unsigned long waited = jiffies - bfq_rq_arrival(rq);
	struct bfq_turn *turn = &bfqd->turn;
	u32 sectors = bfq_rq_size(rq), price;
	enum bfq_plug_for what;

	lockdep_assert_held(&bfqd->lock);
	price = bfq_turn_note_choice(bfqd, q, rq, sectors);
	bfq_queue_take(bfqd, q, rq);
	bfq_serve(bfqd, q, rq, sectors, price);
	if (waited)
		bfq_count_waited(q, waited);
	if (unlikely(!bfq_queue_serving(q))) {
		bfq_turn_took_along(bfqd, q, rq, price);
		return;
	}
	wf2q_charge(&q->entity, price);
	turn->sectors += sectors;
	turn->charged += price;
	if (q->nr_queued)
		return;

	if (turn->preempt) {
		bfq_turn_end(bfqd, BFQ_WHY_PREEMPTED);
		return;
	}
	what = bfq_idle_worth(bfqd, q);
	if (what == BFQ_PLUG_NOT || bfq_idle_claims_for(bfqd, q, what))
		bfq_turn_end(bfqd, BFQ_WHY_EMPTY);
	else
		bfq_turn_plug(bfqd, q, what);
	bfq_turn_look_along(bfqd);
}

static enum hrtimer_restart bfq_plug_timer_fn(struct hrtimer *timer)
{
	struct bfq_data *bfqd = container_of(timer, struct bfq_data, turn.timer);
	bool over = false;
	unsigned long flags;
	u64 left = 0;

	spin_lock_irqsave(&bfqd->lock, flags);
	/* queued again already: plugged anew while we waited for the lock */
	if (bfq_plugged(bfqd) && !hrtimer_is_queued(timer)) {
		left = bfq_plug_left(bfqd, bfq_in_service(bfqd));
		over = !left;
		if (over) {
			bfq_habit_stayed_away(bfqd, bfq_in_service(bfqd));
			bfq_turn_end(bfqd, BFQ_WHY_IDLE);
		} else {
			hrtimer_forward_now(timer, bfq_look_after(left));
		}
	}
	bfq_unlock(bfqd, flags);

	if (over)
		blk_mq_run_hw_queues(bfqd->queue, true);
	return left ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/**
 * bfq_turn_init - prepare the plug timer of a new device
 * @bfqd: the device
 */
void bfq_turn_init(struct bfq_data *bfqd)
{
	hrtimer_setup(&bfqd->turn.timer, bfq_plug_timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}

/**
 * bfq_turn_exit - stop the plug timer for good, and end the last turn and all claims
 * @bfqd: the device, which has no requests and gets none any more
 *
 * Context: may sleep; bfqd->lock not held.
 */
void bfq_turn_exit(struct bfq_data *bfqd)
{
	struct wf2q_entity *entity;
	unsigned long flags;

	hrtimer_cancel(&bfqd->turn.timer);
	spin_lock_irqsave(&bfqd->lock, flags);
	if (bfq_in_service(bfqd))
		bfq_turn_end(bfqd, BFQ_WHY_GONE);
	while ((entity = wf2q_select(&bfqd->root->node)))
		wf2q_leave(entity);
	bfq_unlock_nested(bfqd, flags);
}
