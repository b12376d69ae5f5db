// SPDX-License-Identifier: GPL-2.0
/*
 * Price: what a request costs a disk with moving parts.
 *
 * A process that seeks moves a hundredth of the bytes of one that streams in the same time.  To
 * share bytes between the two would leave the second next to nothing; what is scarce is the
 * device's time.  So each request is charged what such a request costs the device, in sectors that
 * the device could have moved meanwhile:
 *
 *	price	 its sectors, and a seek, where it does not lie near the queue's last one or is
 *		 a write that nobody waits for
 *	seek	 seek_ns / data_ns, in sectors
 *
 * A price depends on what a request is, never on how long this one happened to take: of equal
 * requests each costs the same, and their shares are those of bytes.  And a request is near or far
 * from what its own queue asked for last, not from where others have left the disk's head: the way
 * back from them is not its owner's choice.
 *
 * The two times are learned from the device while it is busy:
 *
 *	busy	 the time of a window in which some request was in the device
 *	busy	~ seeks * seek_ns + sectors * data_ns
 *
 * seeks being those that the device saw, whoever caused them.  What the right side is wrong by is
 * made up for by each of the two times as far as it has contributed, so that a window of nothing
 * but seeks corrects seek_ns, one of a stream data_ns, and prices add up to the time that the
 * device was busy.  (io.cost, the kernel's controller by cost, has shown that such a linear
 * model serves at large; its coefficients are fixed: T. Heo et al., "IOCost: Block IO Control for
 * Containers in Datacenters", ASPLOS 2022, section 3.2.)  Nothing is learned while somebody writes,
 * and for some time after: a write is done when it is in the disk's cache, and keeps the arm
 * busy later.  It is charged as a read of its place and size would be; but for a write that
 * nobody waits for the arm comes in between others' reads, and goes back, wherever it lies.
 *
 * While the device is plugged for a queue and empty, that costs the others the same time: it is
 * charged at the rate at which the device moves data.  The time in which it still works off what
 * others have left there is not.
 *
 * Each arm of a disk that has several is busy, and far or near, by itself.
 *
 * What follows from the rate, too, is how much the device moves in timeout_sync: the largest turn.
 *
 * Without moving parts a request is charged its sectors.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/* Times of data are kept for so many sectors: ns of one are too coarse. */
#define BFQ_PRICE_UNIT		1024U

/*
 * Until it is known: a usual disk of 100 MB/s, whose arm needs half a turn of 120 a second and a
 * move.
 */
#define BFQ_SEEK_NS		(8 * (u32)NSEC_PER_MSEC)
#define BFQ_DATA_NS		(16 * (u32)NSEC_PER_MSEC)

/* No arm is faster or slower than this; an SSD that says it has one (a USB bridge may) is. */
#define BFQ_SEEK_NS_LEAST	(20 * (u32)NSEC_PER_USEC)
#define BFQ_SEEK_NS_MOST	(50 * (u32)NSEC_PER_MSEC)

/* 1 MB/s to 10 GB/s. */
#define BFQ_DATA_NS_LEAST	(50 * (u32)NSEC_PER_USEC)
#define BFQ_DATA_NS_MOST	(500 * (u32)NSEC_PER_MSEC)

/*
 * A window is this long: a dozen seeks, of which the mean is good enough, since each window makes
 * up for no more than a part of the error; and shorter than a turn, so that windows
 * differ, and tell the two times apart.
 */
#define BFQ_PRICE_WINDOW_NS	(80 * NSEC_PER_MSEC)
#define BFQ_PRICE_GAIN		4

/* What has been written is on the platters after this time, as a rule. */
#define BFQ_SETTLE_MS		2000U

/* A turn is 2 MiB at least, or seeks between turns would take most of the time; and 64 at most. */
#define BFQ_TURN_LEAST		(SZ_2M >> SECTOR_SHIFT)
#define BFQ_TURN_MOST		(SZ_64M >> SECTOR_SHIFT)

/* Later than any time: what is asked for is not at rest. */
#define BFQ_AT_WORK		((u64)S64_MAX)

/* So many sectors take the device as long as this. */
static u32 bfq_price_of_time(const struct bfq_price *price, u64 ns)
{
	return min_t(u64, div_u64(ns * BFQ_PRICE_UNIT, price->data_ns), BFQ_TURN_MOST);
}

static void bfq_price_window(struct bfq_data *bfqd)
{
	struct bfq_price *price = &bfqd->price;

	price->since_ns = READ_ONCE(bfqd->device.done_ns);
	price->idle_ns = 0;
	price->had_seeks = atomic_read(&price->seeks);
	price->had_sectors = atomic64_read(&price->sectors);
	WRITE_ONCE(price->wrote, false);
}

/* What follows from the two times. */
static void bfq_price_follow(struct bfq_data *bfqd)
{
	u64 turn_ns = (u64)READ_ONCE(bfqd->tun.timeout_ms) * NSEC_PER_MSEC;
	struct bfq_price *price = &bfqd->price;

	price->seek = bfq_price_of_time(price, price->seek_ns);
	price->turn = max(bfq_price_of_time(price, turn_ns), BFQ_TURN_LEAST);
}

/**
 * bfq_price_init - nothing is known of the device yet
 * @bfqd: a new device
 */
void bfq_price_init(struct bfq_data *bfqd)
{
	struct bfq_price *price = &bfqd->price;

	price->seek_ns = BFQ_SEEK_NS;
	price->data_ns = BFQ_DATA_NS;
	bfq_price_follow(bfqd);
	price->written = jiffies - msecs_to_jiffies(BFQ_SETTLE_MS);
}

/**
 * bfq_price_changed - the device is of another kind from now on
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 */
void bfq_price_changed(struct bfq_data *bfqd)
{
	lockdep_assert_held(&bfqd->lock);
	bfq_price_window(bfqd);
	bfqd->price.written = jiffies;		/* nobody has looked whether something was */
}

/**
 * bfq_price_time - how long does it take the disk to do what is charged so?
 * @bfqd: the device
 * @price: sectors
 *
 * Context: bfqd->lock held.
 * Return: ns, a second at most.
 */
u32 bfq_price_time(const struct bfq_data *bfqd, u32 price)
{
	return min_t(u64, (u64)price * bfqd->price.data_ns / BFQ_PRICE_UNIT, NSEC_PER_SEC);
}

/*
 * Since when is that at rest which serves a sector, the device or an arm of it?  The acquires:
 * before its done_ns.
 */
static u64 bfq_price_at_rest(const struct bfq_data *bfqd, sector_t pos)
{
	const struct bfq_arm *arm;

	if (likely(!bfqd->arms.nr))
		return atomic_read_acquire(&bfqd->in_flight) ? BFQ_AT_WORK :
		       READ_ONCE(bfqd->device.done_ns);
	arm = &bfqd->arms.arm[bfq_arm_of(&bfqd->arms, pos)];
	return atomic_read_acquire(&arm->inside) ? BFQ_AT_WORK : READ_ONCE(arm->done_ns);
}

/**
 * bfq_price_idle - the device was empty, because it was plugged for a queue
 * @bfqd: the device, which is still plugged
 * @q: the queue
 *
 * Context: bfqd->lock held.
 * Return: what the queue owes for that, in sectors; 0 if the device was not empty, or has no
 * moving parts.
 */
u32 bfq_price_idle(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u64 now, since;

	if (!bfqd->kind->seeks)
		return 0;
	since = bfq_price_at_rest(bfqd, bfq_queue_last(q));
	if (since == BFQ_AT_WORK)
		return 0;
	now = ktime_get_ns();
	since = max(bfqd->turn.plug_ns, since);
	return since < now ? bfq_price_of_time(&bfqd->price, now - since) : 0;
}

/**
 * bfq_price_sent - a request is about to be sent to a disk with moving parts
 * @bfqd: the device
 * @rq: the request; nothing has been noted of where it sends the disk
 *
 * Context: bfqd->lock held.
 */
void bfq_price_sent(struct bfq_data *bfqd, const struct request *rq)
{
	const struct bfq_arms *arms = &bfqd->arms;
	struct bfq_price *price = &bfqd->price;
	sector_t pos = blk_rq_pos(rq);
	u64 since = bfq_price_at_rest(bfqd, pos);

	if (since != BFQ_AT_WORK) {
		u64 now = ktime_get_ns();

		price->idle_ns += now - min(now, max(since, price->since_ns));
	}
	price->noted |= BFQ_RQ_PRICED;
	if (bfq_far(pos, arms->nr ? arms->arm[bfq_arm_of(arms, pos)].head : bfqd->turn.head))
		price->noted |= BFQ_RQ_FAR;
}

/**
 * bfq_price_done - and has completed
 * @bfqd: the device
 * @rq: the request
 *
 * Context: any.
 */
void bfq_price_done(struct bfq_data *bfqd, const struct request *rq)
{
	struct bfq_price *price = &bfqd->price;
	u32 load = bfq_rq_load(rq);

	if (op_is_write(req_op(rq)) && !READ_ONCE(price->wrote))
		WRITE_ONCE(price->wrote, true);
	/* the request itself has forgotten its size; the kind of device may be another by now */
	atomic64_add(load - min(load, READ_ONCE(bfqd->kind)->overhead), &price->sectors);
	if (bfq_rq_noted(rq, BFQ_RQ_FAR))
		atomic_inc(&price->seeks);
}

/* One of the two times takes its part of what both together were wrong by. */
static u32 bfq_price_corrected(u32 time, u64 part, u64 whole, s64 error, u32 least, u32 most)
{
	/* all three in us: a window is less than a minute, so products fit */
	s64 step = div64_s64(error * (s64)part, (s64)whole);

	step = div64_s64(step * (s64)time, (s64)whole * BFQ_PRICE_GAIN);
	return clamp_t(s64, time + clamp_t(s64, step, -(s64)time / 2, time), least, most);
}

/* A window is over, in which the device was busy for this time. */
static void bfq_price_correct(struct bfq_data *bfqd, u64 busy_ns)
{
	struct bfq_price *price = &bfqd->price;
	u64 sectors = atomic64_read(&price->sectors) - price->had_sectors;
	u32 nr_seeks = atomic_read(&price->seeks) - price->had_seeks;
	u64 seeks = div_u64((u64)nr_seeks * price->seek_ns, NSEC_PER_USEC);
	u64 data = div_u64(sectors * price->data_ns, BFQ_PRICE_UNIT * NSEC_PER_USEC);
	u64 all = max(seeks + data, 1ULL);
	s64 error = (s64)div_u64(busy_ns, NSEC_PER_USEC) - (s64)all;

	price->seek_ns = bfq_price_corrected(price->seek_ns, seeks, all, error,
					     BFQ_SEEK_NS_LEAST, BFQ_SEEK_NS_MOST);
	price->data_ns = bfq_price_corrected(price->data_ns, data, all, error,
					     BFQ_DATA_NS_LEAST, BFQ_DATA_NS_MOST);
	trace_bfq_price(bfqd);
}

/* How long has the device been busy in the window, or each of its arms? */
static s64 bfq_price_busy(const struct bfq_data *bfqd, u64 end)
{
	const struct bfq_price *price = &bfqd->price;
	s64 ns = end - price->since_ns, busy = 0;
	unsigned int nr;

	if (likely(!bfqd->arms.nr))
		return ns - price->idle_ns;
	for (nr = 0; nr < bfqd->arms.nr; nr++) {
		u64 since = bfq_price_at_rest(bfqd, bfqd->arms.arm[nr].end - 1);

		busy += clamp_t(s64, since - price->since_ns, 0, ns);
	}
	return busy - price->idle_ns;
}

/**
 * bfq_price_refresh - look at the window, if it is over
 * @bfqd: the device
 *
 * Done once a tick.
 *
 * Context: bfqd->lock held.
 */
void bfq_price_refresh(struct bfq_data *bfqd)
{
	struct bfq_price *price = &bfqd->price;
	s64 busy;

	lockdep_assert_held(&bfqd->lock);
	if (!bfqd->kind->seeks)
		return;
	busy = bfq_price_busy(bfqd, READ_ONCE(bfqd->device.done_ns));
	if (busy < (s64)BFQ_PRICE_WINDOW_NS)
		return;
	if (READ_ONCE(price->wrote))
		price->written = jiffies;
	if (busy < (s64)NSEC_PER_SEC &&
	    jiffies - price->written > msecs_to_jiffies(BFQ_SETTLE_MS))
		bfq_price_correct(bfqd, busy);
	bfq_price_follow(bfqd);		/* timeout_sync may have changed, too */
	bfq_price_window(bfqd);
}
