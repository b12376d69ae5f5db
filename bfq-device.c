// SPDX-License-Identifier: GPL-2.0
/*
 * The device: what kind it is, what is in it, and how much may be.
 *
 * Once a request is in the device, no scheduler decides about it.  So what is in there is counted,
 * from the moment a request is chosen (charged to its queue; it may stand on the ready list for a
 * moment) until it completes: in all, and for each queue.  bfq_device_sent() and
 * bfq_completed_request() are the only two places where the counts change.
 *
 * The limit.  Beyond what keeps the device busy, more in it buys no throughput and costs everybody
 * latency.  While queues compete, no more is let in than the limit: a load in sectors, where each
 * request weighs its data and an overhead.  What the device needs to stay busy depends on the
 * device and on what is asked of it (reads that wait for flash to be programmed need four times
 * what reads alone do), so it is not computed from a model but tried out, all the time:
 *
 *	window	 of some ms, in which the limit has kept requests back
 *	base	 a window with the limit: rate r = load completed / time
 *	up	 the next with 5/4 of it: rate r'
 *	base	 and another one: so what changes meanwhile counts for neither side
 *	gain	 (r' - r) / r, of the up window over the mean of its neighbours
 *
 * Each gain moves the limit by an eighth at most, up if it is more than half a percent, else down.
 * So the limit comes to rest where a quarter more would bring no more than that; where rates vary
 * by chance, they push it up as often as down.  (The idea is that of N. Cardwell et al., "BBR:
 * Congestion-Based Congestion Control", ACM Queue 2016: probe the rate upwards, keep what helps;
 * and for what is seen at once, of the kernel's byte queue limits: when the device has run empty
 * while requests were kept back, the limit is raised without asking further.)  Windows end at
 * completions, and by completions' times, so that a late dispatcher is not taken for a slow device;
 * a window in which nothing was kept back says nothing, and is thrown away, and so is one in which
 * others were held back for who goes first (bfq-raise.c): that, and not the limit, is what its rate
 * is of.  Nor may a window begin while the device fills up again, for the next one would seem to be
 * a gain.
 *
 * A reader alone is not limited: it has the device as under no scheduler.
 *
 * strict_guarantees is a limit of one request.  Whatever the limit is, who would go
 * beyond it closes the gate (bfq-lock.c); the completion that makes room again, a
 * quarter of the limit, runs the device, and only that one does; while the device is plugged, the
 * one that leaves no more in it than may be beside whom it is plugged for.
 *
 * What follows from the kind of device stands in one table here.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/*
 * Where there are moving parts, where a request lies decides what it costs.  Each choice is made as
 * late as possible; and a turn is what the disk moves in timeout_sync, so that seeking between
 * turns (about 10 ms) costs less than a tenth (bfq-price.c).  A request's overhead is a seek, too.
 *
 * Beside a raised queue (bfq-raise.c) one request of others is let in at a time, which is what the
 * smallest limit does.  Its credit lasts for as long as a large program may take to start, which
 * is twice what it takes alone.  Others are held back until it has thought for as long as a seek
 * takes, which is what they would cost it; after 400 ms they are let through for six seeks.
 *
 * A group that rests keeps its share of the last two seconds: five equal groups each 0.4 s, in
 * which a shell starts or a hundred blocks are read.
 */
static const struct bfq_kind bfq_moving = {
	.seeks = true,
	.few = 1,
	.batch = 1,
	.budget = 0,
	.overhead = 512,
	.limit = 8192,
	.beside_raised = 256,
	.raise_ms = BFQ_RAISE_MOST_MS,
	.raise_hold_ms = 400,
	.raise_think_ms = 8,
	.rest_ms = 2000,
	.first_part = 1,
};

/*
 * Without moving parts another queue costs nothing, and a turn of 512 KiB, 1 ms at 500 MB/s, keeps
 * shares exact over short times.  Eight requests chosen at a time are enough to spread the price of
 * the lock, and too few to be noticed by what arrives just behind them.  Nor do as many at a time
 * keep a drive busy that does dozens.  Overhead: at its peak a drive does as many requests of 4 KiB
 * as would fill half of its bandwidth.  The limit begins with 1 MiB, which gives an ordinary NVMe
 * drive its full rate.  Beside a raised queue all is ten times as fast as on a disk, or a little
 * less; its credit lasts for longer where reads are seen to take longer.  Others are held back for
 * a group for what it has saved while it rested, and next to nothing of its share of the time from
 * then on: a reader of little at a time is never served what it is due in bytes, and four of them
 * cost a stream beside them 5 % of its rate with a quarter of that, 13 with all of it
 * (tests/bench/run lwn-random).  Who falls behind its guarantee is waited for instead.
 */
static const struct bfq_kind bfq_solid = {
	.seeks = false,
	.few = 8,
	.batch = 8,
	.budget = 1024,
	.overhead = 8,
	.limit = 2048,
	.beside_raised = 256,
	.raise_ms = 3000,
	.raise_hold_ms = 40,
	.raise_think_ms = 1,
	.rest_ms = 250,
	.first_part = 64,
};

/* The limit stays within these, in sectors: a large request, and what no device needs. */
#define BFQ_LIMIT_LEAST		256
#define BFQ_LIMIT_MOST		(SZ_64M >> SECTOR_SHIFT)

/* A window lasts this long at least, and until this many times the limit has been completed. */
#define BFQ_WINDOW_NS		(12 * NSEC_PER_MSEC)
#define BFQ_WINDOW_LIMITS	8

/*
 * In 1/1024: the gain at which the limit rests, half a percent; by how much more it moves than a
 * gain is away from that, so that without any it halves in a quarter of a second; and at most.
 */
#define BFQ_GAIN_REST		5
#define BFQ_GAIN_WEIGHT		16
#define BFQ_GAIN_MOST		128

/**
 * bfq_device_init - nothing is known of the device yet
 * @bfqd: a new device
 */
void bfq_device_init(struct bfq_data *bfqd)
{
	bfq_device_refresh(bfqd);
	bfqd->device.learned = bfqd->kind->limit;
	bfqd->device.limit = bfqd->kind->limit;
}

static void bfq_window_begin(struct bfq_device *dev, bool up)
{
	dev->up = up;
	dev->kept_back = 0;
	dev->since_ns = READ_ONCE(dev->done_ns);
	dev->since_done = dev->chosen - bfq_device_load(dev);
}

static void bfq_limit_set(struct bfq_data *bfqd, u32 limit)
{
	struct bfq_device *dev = &bfqd->device;

	limit = clamp(limit, BFQ_LIMIT_LEAST, BFQ_LIMIT_MOST);
	if (limit == dev->learned)
		return;
	dev->learned = limit;
	trace_bfq_limit(bfqd, limit);
}

/* What has the larger limit brought, between two windows of such a rate? */
static void bfq_limit_judge(struct bfq_data *bfqd, u64 rate)
{
	struct bfq_device *dev = &bfqd->device;
	s64 gain = div64_s64(((s64)dev->up_rate - (s64)rate) * 1024, rate);
	s64 step = clamp_t(s64, (gain - BFQ_GAIN_REST) * BFQ_GAIN_WEIGHT,
			   -BFQ_GAIN_MOST, BFQ_GAIN_MOST);

	bfq_limit_set(bfqd, dev->learned + (int)(dev->learned * step / 1024));
}

/* A window is over. */
static void bfq_window_end(struct bfq_data *bfqd, u64 rate)
{
	struct bfq_device *dev = &bfqd->device;

	if (dev->up) {
		dev->up_rate = rate;
		bfq_window_begin(dev, false);
		return;
	}
	if (dev->up_rate)
		bfq_limit_judge(bfqd, (dev->rate + rate) / 2);
	dev->up_rate = 0;
	dev->rate = rate;
	bfq_window_begin(dev, true);
}

/* What has been seen since the last base window says nothing, nor does the window that began. */
static void bfq_window_drop(struct bfq_device *dev)
{
	dev->up_rate = 0;
	bfq_window_begin(dev, false);
}

/* Look at the window, if it is over. */
static void bfq_limit_learn(struct bfq_data *bfqd)
{
	struct bfq_device *dev = &bfqd->device;
	u64 ns = READ_ONCE(dev->done_ns) - dev->since_ns;
	u64 done = dev->chosen - bfq_device_load(dev) - dev->since_done;
	bool held = bfqd->raise.kept_back, dry = READ_ONCE(dev->dry);

	if (held || dry || dev->unsettled) {
		dev->unsettled = held || dry;
		WRITE_ONCE(dev->dry, false);
		if (dry && !held)
			bfq_limit_set(bfqd, dev->learned + dev->learned / 4);
		bfq_window_drop(dev);
		return;
	}
	if (ns < BFQ_WINDOW_NS || done < (u64)dev->learned * BFQ_WINDOW_LIMITS)
		return;
	/* a window is one in which it has been held down at least once for each time it was full */
	if (dev->kept_back < BFQ_WINDOW_LIMITS || ns > NSEC_PER_SEC * 2)
		bfq_window_drop(dev);
	else
		bfq_window_end(bfqd, max(div64_u64(done << BFQ_RATE_SHIFT, ns), 1ULL));
}

/* The limit in force: what the administrator says, or has learned to be enough. */
static u32 bfq_limit_now(const struct bfq_data *bfqd)
{
	u32 set = READ_ONCE(bfqd->tun.device_limit);

	if (!set)
		return U32_MAX;
	if (set != BFQ_LIMIT_AUTO)
		return set;
	return bfqd->device.up ? bfqd->device.learned + bfqd->device.learned / 4 :
	       bfqd->device.learned;
}

/**
 * bfq_device_limited - does the limit hold at the moment?
 * @bfqd: the device
 *
 * Who reads alone has the device as under no scheduler.  Writers for whom nobody waits have not:
 * the device's cache takes what they have, and what it does not take delays who comes next.
 *
 * Context: bfqd->lock held.
 * Return: whether it does, as far as it depends on who competes.
 */
bool bfq_device_limited(const struct bfq_data *bfqd)
{
	const struct bfq_active *active = &bfqd->active;

	if (active->nr != 1)
		return active->nr;
	return !list_first_entry(&active->queues, struct bfq_queue, active)->sync;
}

/* What has been learned of a device of another kind does not hold. */
static void bfq_device_changed(struct bfq_data *bfqd)
{
	struct bfq_device *dev = &bfqd->device;

	dev->learned = bfqd->kind->limit;
	dev->rate = 0;
	bfq_window_drop(dev);
	memset(bfqd->active.known_ns, 0, sizeof(bfqd->active.known_ns));
	bfq_price_changed(bfqd);
	trace_bfq_kind(bfqd);
}

static void bfq_device_see_kind(struct bfq_data *bfqd)
{
	const struct bfq_kind *was = bfqd->kind;
	bool says = blk_queue_rot(bfqd->queue);

	WRITE_ONCE(bfqd->kind, says && bfq_parts_move(bfqd) ? &bfq_moving : &bfq_solid);
	bfqd->device.said = says;
	if (was && was != bfqd->kind)
		bfq_device_changed(bfqd);
}

/**
 * bfq_device_refresh - see what kind the device is, and how much it needs
 * @bfqd: the device
 *
 * The administrator may say otherwise at any time (queue/rotational), and so may what is seen of
 * the device (bfq-parts.c); so this is done at birth and once a tick.
 *
 * Context: bfqd->lock held, or the device is being set up.
 */
void bfq_device_refresh(struct bfq_data *bfqd)
{
	bfq_device_see_kind(bfqd);
	if (!bfq_device_limited(bfqd))
		return;
	if (READ_ONCE(bfqd->tun.device_limit) == BFQ_LIMIT_AUTO)
		bfq_limit_learn(bfqd);
	WRITE_ONCE(bfqd->device.limit, bfq_limit_now(bfqd));
}

/**
 * bfq_device_sent - a request is as good as in the device, until it completes
 * @bfqd: the device
 * @rq: the request; it has a queue
 * @load: what it counts for against the limit, in sectors; 0 if it was not chosen
 *
 * Context: any; with a load, bfqd->lock held.
 */
void bfq_device_sent(struct bfq_data *bfqd, struct request *rq, u32 load)
{
	struct bfq_device *dev = &bfqd->device;
	struct bfq_queue *q = bfq_rq_queue(rq);
	unsigned long noted = 0;
	int own, all;
	u64 inside;

	if (unlikely(load && dev->said)) {
		noted = bfqd->price.noted;
		if (unlikely(bfqd->arms.nr))
			noted |= bfq_arm_sent(bfqd, rq);
	}
	if (unlikely(READ_ONCE(q->watched))) {
		noted |= BFQ_RQ_WATCHED;
		bfq_raise_sent(bfqd, q);
	}
	bfq_rq_set_sent(rq, load, noted);
	all = atomic_inc_return(&bfqd->in_flight);
	own = atomic_inc_return(&q->in_flight);		/* last: one that completes makes it less */
	inside = atomic64_add_return(BFQ_ONE_SEND + load, &dev->inside);
	/* alone in the device, until somebody else is sent */
	bfq_habit_sent(q, own == all ? inside >> BFQ_SENDS_SHIFT : 0);
	if (load)
		dev->chosen += load;
}

/* Room has been made: run the device if a request waits for just this. */
static void bfq_device_room(struct bfq_data *bfqd, u32 left)
{
	struct bfq_device *dev = &bfqd->device;
	u32 limit = bfq_device_bound(bfqd);

	if (READ_ONCE(bfqd->tun.strict_guarantees)) {
		if (bfq_device_holds_one(bfqd))
			return;
	} else {
		if (left > limit - limit / 4)
			return;
		if (!left && !READ_ONCE(dev->beside) && !READ_ONCE(dev->dry))
			WRITE_ONCE(dev->dry, true);
	}
	if (test_and_clear_bit(BFQ_WANTED_ROOM, &dev->wanted))
		blk_mq_run_hw_queues(bfqd->queue, true);
}

/* Who asked to be told of it is. */
static noinline void bfq_device_tell(struct bfq_data *bfqd, struct request *rq, u64 now)
{
	if (bfq_rq_noted(rq, BFQ_RQ_WATCHED))
		bfq_raise_done(bfqd, bfq_rq_queue(rq), now);
	if (bfq_rq_noted(rq, BFQ_RQ_PRICED))
		bfq_price_done(bfqd, rq);
	if (bfq_rq_noted(rq, BFQ_RQ_ASKS))
		bfq_parts_done(bfqd, now);
	if (bfq_rq_noted(rq, BFQ_RQ_ARMED) && bfq_arm_done(bfqd, rq, now))
		blk_mq_run_hw_queues(bfqd->queue, true);
}

/* The device is plugged: if no more is in it than somebody waits for, more may be taken along. */
static void bfq_device_at_level(struct bfq_data *bfqd)
{
	struct bfq_device *dev = &bfqd->device;

	if (!test_bit(BFQ_WANTED_LEVEL, &dev->wanted) ||
	    bfq_device_load(dev) > READ_ONCE(dev->level) ||
	    !test_and_clear_bit(BFQ_WANTED_LEVEL, &dev->wanted))
		return;
	WRITE_ONCE(bfqd->turn.beside, true);
	blk_mq_run_hw_queues(bfqd->queue, true);
}

/* A request has completed while the gate is closed: for what is in the device, or by a plug. */
static noinline void bfq_device_open(struct bfq_data *bfqd, const struct bfq_queue *q, u32 left)
{
	unsigned int gate = READ_ONCE(bfqd->gate);

	if ((gate & BFQ_GATE_STUCK) && bfq_stuck_done(bfqd, q))
		blk_mq_run_hw_queues(bfqd->queue, true);
	if (gate & BFQ_GATE_FULL)
		bfq_device_room(bfqd, left);
	if (gate & BFQ_GATE_PLUG)
		bfq_device_at_level(bfqd);
}

/* It leaves the device. */
static inline void bfq_device_done(struct bfq_data *bfqd, struct request *rq, u64 now)
{
	struct bfq_device *dev = &bfqd->device;
	struct bfq_queue *q = bfq_rq_queue(rq);
	u64 inside = atomic64_sub_return(bfq_rq_load(rq), &dev->inside);

	if (bfq_rq_noted(rq, BFQ_RQ_WATCHED | BFQ_RQ_PRICED | BFQ_RQ_ASKS | BFQ_RQ_ARMED))
		bfq_device_tell(bfqd, rq, now);
	bfq_rq_set_state(rq, BFQ_RQ_NEW);
	bfq_habit_completed(q, rq, now, inside >> BFQ_SENDS_SHIFT);
	WRITE_ONCE(dev->done_ns, now);
	smp_mb__before_atomic();	/* pairs with the acquires in bfq-habit.c and bfq-turn.c */
	atomic_dec(&q->in_flight);
	/* full barrier, pairs with bfq_device_full() and bfq_device_down_to() */
	atomic_dec_return(&bfqd->in_flight);
	if (unlikely(READ_ONCE(bfqd->gate) & (BFQ_GATE_FULL | BFQ_GATE_STUCK | BFQ_GATE_PLUG)))
		bfq_device_open(bfqd, q, inside);
}

/**
 * bfq_completed_request - the device has completed a request
 * @rq: the request
 * @now: ktime in ns
 *
 * Runs the device if another request waits for just this.  One that the driver gave back
 * to be sent again is not completed: it stays counted, and bypasses everything on its second way.
 *
 * Context: any, mostly interrupts.
 */
void bfq_completed_request(struct request *rq, u64 now)
{
	/* a flush without data completes without us */
	if (bfq_rq_prepared(rq) && bfq_rq_state(rq) == BFQ_RQ_CHOSEN)
		bfq_device_done(rq->q->elevator->elevator_data, rq, now);
}

/**
 * bfq_device_full - may no request more be sent just now?
 * @bfqd: the device
 * @beside: it is the turn of another than a raised queue
 *
 * If so the gate is closed, and the completion that makes room runs the device.
 *
 * Context: bfqd->lock held.
 * Return: whether nothing is to be chosen; also if nothing waits and the device is full.
 */
bool bfq_device_full(struct bfq_data *bfqd, bool beside)
{
	struct bfq_device *dev = &bfqd->device;

	lockdep_assert_held(&bfqd->lock);
	if (unlikely(dev->beside != beside))
		WRITE_ONCE(dev->beside, beside);
	if (unlikely(bfqd->gate & (BFQ_GATE_FULL | BFQ_GATE_STUCK))) {
		bfq_gate_open(bfqd, BFQ_GATE_FULL);
		if ((bfqd->gate & BFQ_GATE_STUCK) && bfq_stuck_waits(bfqd))
			return true;
	}
	if (!bfq_device_at_limit(bfqd))
		return false;
	if (!READ_ONCE(bfqd->tun.strict_guarantees)) {
		if (!bfq_device_limited(bfqd))
			return false;
		if (!bfq_any_choosable(bfqd))
			return true;	/* and nobody to run the device for */
	}

	if (!beside)
		dev->kept_back++;
	bfq_gate_close(bfqd, BFQ_GATE_FULL);
	set_bit(BFQ_WANTED_ROOM, &dev->wanted);
	smp_mb__after_atomic();	/* pairs with bfq_device_done(): one of us sees the other */
	if (bfq_device_at_limit(bfqd))
		return true;
	bfq_gate_open(bfqd, BFQ_GATE_FULL);
	return false;
}

/**
 * bfq_device_down_to - the device is plugged: is no more in it than this, and nothing of a queue?
 * @bfqd: the device
 * @q: the queue
 * @level: a load, in sectors
 *
 * If there is, a completion that makes it so says that in turn.beside, and runs the device.  (So do
 * some while a request of the queue is in there: the next look asks again.)
 *
 * Context: bfqd->lock held; turn.beside has been cleared, and not been set since.
 * Return: whether it is.
 */
bool bfq_device_down_to(struct bfq_data *bfqd, const struct bfq_queue *q, u32 level)
{
	struct bfq_device *dev = &bfqd->device;

	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(dev->level, level);
	smp_mb__before_atomic();	/* who sees that sets turn.beside later */
	set_bit(BFQ_WANTED_LEVEL, &dev->wanted);
	smp_mb__after_atomic();	/* as in bfq_device_full() */
	return bfq_device_load(dev) <= level && !atomic_read(&q->in_flight);
}
