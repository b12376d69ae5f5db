// SPDX-License-Identifier: GPL-2.0
/*
 * Raised: who has been served little of late goes first.
 *
 * A program that starts reads some megabytes, one after the other, while somebody waits for it;
 * a film wants a little, now and then, and in time.  A backup wants all that there is, and nobody
 * waits.  Their weights are the same, and rightly so.  What differs is how much they have had, and
 * that alone is what is looked at:
 *
 *	credit	 of each process: BFQ_CREDIT sectors when it is new; what it is served, also
 *		 alone, is taken off, as is the time in which it has requests, so that it lasts
 *		 for no longer than twice what a large program takes to start alone: on a disk
 *		 .raise_ms, on flash two times BFQ_CREDIT / 16 KiB reads, one after the other,
 *		 as they are seen to take, or .raise_ms if that is more.  Rest gives it back, all
 *		 in BFQ_CREDIT_FILLS_NS.  The same, on a disk, of a group's writes through the
 *		 page cache, but less, and what is taken off is their price, seeks and all
 *	kin	 what a process is served while it is young, is taken off the credit with which
 *		 its parent's other children begin, and the young of them go on: a crowd of new
 *		 processes (make -j) has together what one has.  In time that is forgotten, as
 *		 fast as rest gives credit back
 *	raised	 a process with credit, none of the others having more than BFQ_CREDIT_SLACK more,
 *		 or what a fast device does in BFQ_SLACK_MS (cards and sticks:
 *		 BFQ_CREDIT_SLACK_SLOW), and none that asks now and then
 *		 BFQ_CREDIT_SELDOM more than that; and with it its kin that have credit, on a disk
 *		 BFQ_CREDIT_KIN less at most, and BFQ_KIN_PATIENCE more for each ms that a request
 *		 of it has waited.  Once none has more credit than equals may be apart it is only
 *		 who thinks, since who has just used it up would wait for the others
 *
 * So a starting program is raised from its first read, a film forever, and a greedy process for a
 * moment: until its credit is used up, or somebody comes who has used less (which is the rule
 * "least attained service first": L. Kleinrock, Queueing Systems II, 1976, section 4.7).  Nobody
 * gets more by it in the long run than the credit.  Cf. P. Valente and M. Andreolini, SYSTOR
 * 2012, section 3.3, who raise for a time instead, which greedy processes use just as well.
 *
 * The raised ones are a class of their own in the engine, above best effort and below real time,
 * within their group: a group as a whole has its share whatever happens in it.  So they are served
 * before the others of it, and cut their turns short (bfq-turn.c), also if these were raised until
 * they came.
 *
 * Among groups, who has been served little goes first because the engine lets a group that rests
 * keep what it is due meanwhile, its share of the last .rest_ms (wf2q_set_credit()): when it comes
 * back it is behind, and chosen before the others until it has caught up.  That changes the order
 * only: over a few seconds each group gets its share.
 *
 * That does not help against what others have in the device already, or put there while a raised
 * process thinks.  So as long as one goes
 *
 *	first	 it is raised, and all who compete are of its group; where there are no moving
 *		 parts, and many requests are done at a time, only if it begins something: it is
 *		 new, or has rested, no longer ago than credit lasts (BFQ_BEGINS).  Or it is in a
 *		 group, and each group that it is in has nobody beside it, or has been served less
 *		 than it is due, and others have been held back for it less than its share of the
 *		 time, or without moving parts next to nothing of that (.first_part), since they
 *		 and it could be served together; its share of .rest_ms is saved up at first, on
 *		 flash that of a second at most, since while it rests it saves all of its share;
 *		 and it asks at once when it has got something, or to hold back others would cost
 *		 them much and gain it little
 *
 * what the others may do is bounded:
 *
 *	limit	 while others are served, no more than .beside_raised of the kind is in the device
 *	hold	 none of them is served while a request of who goes first is in the device, or
 *		 has been there less than .raise_think_ms ago (a read, or a write that somebody
 *		 waits for).  Some are spared: who has credit and asks now and then (that costs
 *		 little, and who goes first may wait for it: a journal, or who writes what that
 *		 has read); without moving parts also who is due to be raised, too (perhaps
 *		 another process of the same program)
 *	release	 after .raise_hold_ms of that they are let through for a tenth of this time, so
 *		 that they are never starved; on a disk, altogether once the raised have little
 *		 credit left
 *	park	 a write for which nobody waits is let through when 31 times as long as the
 *		 last one took has gone by.  While the device's cache has room, it takes next to no
 *		 time; when it has not, what is written delays every read
 *
 * Who is alone is not raised; and if all who compete are, it is as if nobody were.
 */
#include <linux/hash.h>

#include "bfq-iosched.h"

/* What is read by a large program that starts: 128 MiB. */
#define BFQ_CREDIT		(SZ_128M >> SECTOR_SHIFT)

/*
 * Writes through the page cache have a quarter of it at most: a second of a disk's time.  It is
 * enough to unpack an archive, less than any program that starts has, and what greedy readers can
 * do without.
 */
#define BFQ_CREDIT_ASYNC	(BFQ_CREDIT / 4)

/*
 * On a disk, with less than this left, others are held back no more, but let in one at a time: a
 * process that reads a little without end would have a disk for most of a minute.  So it has it
 * for less than half of one, and for half of the time from then on.
 */
#define BFQ_CREDIT_HOLDS	(BFQ_CREDIT / 2)

/*
 * Of those that begin together, each family may have this much before who wants less is told from
 * who wants more: 60 ms of a disk, and no read of a program waits for much longer.
 */
#define BFQ_CREDIT_SLACK	((u32)SZ_2M >> SECTOR_SHIFT)

/*
 * Where the device is fast, equals are as far apart as the CPUs let them be, of which each serves
 * one for some ms and then another: by what the device does in 8 ms, if that is more.
 */
#define BFQ_SLACK_MS		8

/*
 * A device that answers a small read in less than 20 us is no flash, which takes three times as
 * long: it may do more than has been seen yet.  32 MiB are what such a device does in 20 ms.
 */
#define BFQ_READ_QUICK_NS	(20 * NSEC_PER_USEC)
#define BFQ_CREDIT_SLACK_MOST	((u32)SZ_32M >> SECTOR_SHIFT)

/*
 * Where it takes longer than this, and the driver takes no more than a card's, it is a card or a
 * stick, which does one request at a time.  (A volume on a network takes as long, and many.)
 */
#define BFQ_READ_SLOW_NS	(500 * NSEC_PER_USEC)
#define BFQ_ROOM_SLOW		64

/*
 * There nothing is lost if equals take turns more often: two of the largest requests.  As much as
 * on a disk is a sixth of a second, for each of those that begin beside a program.
 */
#define BFQ_CREDIT_SLACK_SLOW	((u32)SZ_256K >> SECTOR_SHIFT)

/*
 * On a disk, of one family each may have this much more.  A program goes on faster with one of its
 * threads at a time, each in its own place on the disk, but small ones are not to wait for that.
 */
#define BFQ_CREDIT_KIN		(SZ_4M >> SECTOR_SHIFT)

/*
 * But for one of its threads a program is not to stand still for seconds while another, newer one
 * reads: so many sectors for each ms, 21 MiB a second.
 */
#define BFQ_KIN_PATIENCE	43

/*
 * Who has been served less than this is young: more than the processes of a crowd want, each; and
 * little enough that who starts a copy in the background is not without credit in the foreground.
 */
#define BFQ_YOUNG		(SZ_16M >> SECTOR_SHIFT)

/*
 * They owe no more than half of all: a new process goes before who has used up its credit, and
 * before writes that nobody waits for.
 */
#define BFQ_KIN_DEBT_MOST	(BFQ_CREDIT / 2)

/* Half a minute of rest fills it again: a film of 2 MB/s that rests half the time gets by. */
#define BFQ_CREDIT_FILLS_NS	(32ULL * NSEC_PER_SEC)

/* The weight of a process whose credit is as said: the default level's. */
#define BFQ_CREDIT_WEIGHT	((BFQ_LEVELS - IOPRIO_BE_NORM) * BFQ_WEIGHT_PER_LEVEL)

/*
 * A large program reads all of its credit in pieces of 16 KiB, and beside others it takes twice as
 * long as alone: so many reads.  On flash what one takes is seen (bfq_raise_see_read()); for this
 * time the credit lasts, but at least for .raise_ms, and no longer than on a disk.
 */
#define BFQ_LARGE_READS		(2ULL * (SZ_128M / SZ_16K))

/*
 * Until it has been seen, so long where the device takes a few requests at a time: these are
 * sticks, and cards in readers.  On a faster one credit is used up by what is served all the same.
 */
#define BFQ_READ_FEW_NS		(1000 * NSEC_PER_USEC)

/* Not who reads more at a time, on average: a copy, which reads ahead.  48 KiB. */
#define BFQ_READ_SMALL		((SZ_32K + SZ_16K) >> SECTOR_SHIFT)

/* The mean of about so many looks at queues of which it is known. */
#define BFQ_READ_MEAN		16

/*
 * So much time between two looks is taken off at most: when there was nothing to do nobody looked,
 * and who comes then has not competed all that time.
 */
#define BFQ_LOOK_MOST_MS	100U

/*
 * Who usually thinks for longer than one in so many parts of .raise_think_ms asks now and then: to
 * be served next is enough for it, and nobody is held back for it among groups.
 */
#define BFQ_RARE_PART		4

/*
 * Who is new begins something, and somebody waits for all of it: for so long as its credit lasts,
 * which is counted in so many parts.  From then on it is enough to be served next, which costs
 * nothing.  Who rests for a second or more may begin something else, and has all of that time again
 * when it has rested for eight.
 */
#define BFQ_BEGINS_NS		((u64)NSEC_PER_SEC)
#define BFQ_BEGINS_FILLS_NS	(8ULL * NSEC_PER_SEC)
#define BFQ_BEGINS		64

/*
 * Others are let through for one in so many parts of the time for which they were held back: a
 * program that never thinks may take a fifth longer than alone, and what they have inside then and
 * a write now and then take some of that.  What was due to them so many times .raise_hold_ms ago
 * is forgotten.
 */
#define BFQ_RELEASE_PART	10
#define BFQ_HOLD_STALE		4

/*
 * A group that rests saves all of its share of the time, also where it is a part of that for which
 * others are held back for it, up to its share of so much.
 */
#define BFQ_SAVES_MS		1000U

/*
 * A write takes one in so many parts of the time at most, as much as the engine leaves to a lower
 * class (WF2Q_THIN_PACE), and waits no longer than a second.
 */
#define BFQ_WRITE_PART		(WF2Q_THIN_PACE + 1)
#define BFQ_WRITE_MOST_NS	((u64)NSEC_PER_SEC)

/*
 * So much more may one have that asks now and then: a film has all of its credit for ever, and a
 * program that starts beside it has used up BFQ_CREDIT_SLACK in a twentieth of a second.  Half of
 * it is what a large program needs.
 */
#define BFQ_CREDIT_SELDOM		(BFQ_CREDIT / 2)

/*
 * Who thinks for longer, on average, has all the time some credit that its rest gives back: a film
 * that plays in bursts of some requests.  Greedy ones only when another has their processor.
 */
#define BFQ_THINKS_NS			(250 * (u32)NSEC_PER_USEC)

/* Does the device do one request at a time, as cards and sticks do? */
static bool bfq_raise_slow(const struct bfq_data *bfqd)
{
	return bfqd->raise.read_ns > BFQ_READ_SLOW_NS && bfqd->room <= BFQ_ROOM_SLOW;
}

/* How much less credit may one have than another of its family, on a disk? */
static u32 bfq_raise_slack_kin(const struct bfq_queue *q)
{
	const struct request *oldest;
	unsigned int waited;

	if (list_empty(&q->fifo))
		return BFQ_CREDIT_KIN;
	oldest = list_first_entry(&q->fifo, struct request, queuelist);
	waited = jiffies_to_msecs(jiffies - bfq_rq_arrival(oldest));
	return BFQ_CREDIT_KIN + BFQ_KIN_PATIENCE * min(waited, BFQ_RAISE_MOST_MS);
}

/* And than one of another? */
static u32 bfq_raise_slack(const struct bfq_data *bfqd)
{
	const struct bfq_raise *raise = &bfqd->raise;

	if (bfqd->kind->seeks)
		return BFQ_CREDIT_SLACK;
	if (unlikely(bfq_raise_slow(bfqd)))
		return BFQ_CREDIT_SLACK_SLOW;
	if (unlikely(raise->read_ns && raise->read_ns < BFQ_READ_QUICK_NS))
		return BFQ_CREDIT_SLACK_MOST;
	return clamp(raise->pace, BFQ_CREDIT_SLACK, BFQ_CREDIT_SLACK_MOST);
}

static inline bool bfq_raise_due(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_raise *raise = &bfqd->raise;
	u32 slack = bfq_raise_slack(bfqd);

	if (raise->most <= slack && q->habit.think_ns <= BFQ_THINKS_NS)
		return false;
	if (q->family && q->family == raise->family)
		slack = bfqd->kind->seeks ? bfq_raise_slack_kin(q) : BFQ_CREDIT;
	return q->credit && q->credit + slack >= raise->mark;
}

/*
 * What a group has saved is counted by a clock that is an hour ahead of the kernel's, so that it is
 * later than all that can have been saved.
 */
#define BFQ_CLOCK_AHEAD_NS	(3600ULL * NSEC_PER_SEC)

static u64 bfq_raise_clock_ns(void)
{
	return ktime_get_ns() + BFQ_CLOCK_AHEAD_NS;
}

/*
 * Is each group of a queue behind, and have others been held back for it for less than its share?
 * That is counted by one time: so far from now as that lies ahead it has had too much.
 */
static noinline bool bfq_raise_lags(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_group *group, *parent;

	for (group = q->group; (parent = bfq_group_parent(group)); group = parent) {
		if (parent->active_sum == group->active_weight)
			continue;
		if (!wf2q_lags(&group->node.entity) || group->first_ns > bfq_raise_clock_ns())
			return false;
	}
	return true;
}

/* For how long does it think, usually and the last time? */
static u32 bfq_raise_thinks_ns(const struct bfq_queue *q)
{
	return min_t(u32, q->habit.think_ns, q->habit.thought * BFQ_THOUGHT_UNIT);
}

/* Does it ask now and then only? */
static bool bfq_raise_rare(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return bfq_raise_thinks_ns(q) >
	       bfqd->kind->raise_think_ms * (u32)NSEC_PER_MSEC / BFQ_RARE_PART;
}

/* For longer than anybody is held back for it? */
static bool bfq_raise_seldom(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return bfq_raise_thinks_ns(q) > bfqd->kind->raise_think_ms * (u32)NSEC_PER_MSEC;
}

/*
 * Does it cost little to hold others back for who asks now and then?  With moving parts they would
 * cost it more, and what does one request at a time is no faster for many.
 */
static bool bfq_raise_costs_little(const struct bfq_data *bfqd)
{
	return bfqd->kind->seeks || bfq_raise_slow(bfqd);
}

/* Are others held back for a raised queue, whatever their group? */
static inline bool bfq_raise_first(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	/* what is parked waits for who is first */
	if (!q->raised || q->parked)
		return false;
	if (q->group->nr_active == bfqd->active.nr)
		return q->begins || bfq_raise_costs_little(bfqd);
	if (q->group == bfqd->root)	/* it is of no group that could be behind */
		return false;
	return !bfq_raise_rare(bfqd, q) && bfq_raise_lags(bfqd, q);
}

/* Is it not held back for those that go first?  See the top. */
static bool bfq_raise_spares(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	if (!bfqd->kind->seeks && bfq_raise_due(bfqd, q))
		return true;
	return q->sync && q->credit && bfq_raise_rare(bfqd, q);
}

/*
 * So far in the past lies the first_ns of a group at first; and so far at most, however long it has
 * rested, or has not needed it.
 */
static u64 bfq_raise_saved(const struct bfq_kind *kind)
{
	return kind->rest_ms * NSEC_PER_MSEC * kind->first_part;
}

static u64 bfq_raise_saved_most(const struct bfq_kind *kind)
{
	return bfq_raise_saved(kind) + BFQ_SAVES_MS * NSEC_PER_MSEC * (kind->first_part - 1);
}

/*
 * The groups of a queue: who has rested has saved all of its share of that time.  A part it has by
 * the clock alone.
 */
static void bfq_raise_rested(const struct bfq_data *bfqd, const struct bfq_queue *q, u64 now)
{
	const struct bfq_kind *kind = bfqd->kind;
	struct bfq_group *group;
	u64 from, rest;

	for (group = q->group; bfq_group_parent(group); group = bfq_group_parent(group)) {
		if (likely(group->first_ns && !group->rested))
			continue;
		from = group->first_ns ?: now - bfq_raise_saved(kind);
		rest = (u64)jiffies_to_nsecs(group->rested) * (kind->first_part - 1);
		group->first_ns = max(from - min(from, rest), now - bfq_raise_saved_most(kind));
		group->rested = 0;
	}
}

/* Others have been held back for a queue for so long. */
static void bfq_raise_held_back(const struct bfq_data *bfqd, const struct bfq_queue *q, u64 ns)
{
	u64 now = bfq_raise_clock_ns(), saved = bfq_raise_saved_most(bfqd->kind);
	struct bfq_group *group, *parent;

	ns *= bfqd->kind->first_part;
	for (group = q->group; (parent = bfq_group_parent(group)); group = parent) {
		/* once a look, however many of its queues go first */
		if (parent->active_sum == group->active_weight || group->first_seen == (u32)jiffies)
			continue;
		group->first_seen = jiffies;
		/* not for longer than it saves: its weight may rise, and others may go */
		group->first_ns = min(max(group->first_ns, now - saved) +
				      div_u64(ns * parent->active_sum, group->active_weight),
				      now + saved);
	}
}

/*
 * Has this one the most?  Those of other classes are never raised.  Who asks now and then has all
 * of it for ever, and may have so much more than the others have of theirs.  But not a program
 * that starts and has just thought: what it uses up is seen.
 */
static inline void bfq_raise_compare(struct bfq_data *bfqd, const struct bfq_queue *q, u32 full)
{
	struct bfq_raise *raise = &bfqd->raise;
	u32 credit = q->credit;

	if (credit <= raise->mark || q->prio.class != WF2Q_BE)	/* and the mark <= the most */
		return;
	raise->most = max(raise->most, credit);
	if ((!q->begins || credit + BFQ_CREDIT_SLACK >= full) &&
	    bfq_raise_seldom(bfqd, q))
		credit -= min(credit, BFQ_CREDIT_SELDOM);
	if (credit <= raise->mark)
		return;
	raise->mark = credit;
	raise->family = q->family;
}

/* The part of a full credit that so many jiffies are of those that are worth all of it. */
static u32 bfq_raise_part(unsigned long ticks, unsigned long all)
{
	return div_u64((u64)BFQ_CREDIT * ticks, all);
}

static bool bfq_raise_young(const struct bfq_queue *q)
{
	return q->family && q->served.sectors < BFQ_YOUNG;
}

/* A young queue's family; if that is not remembered, the one in its place is forgotten. */
static struct bfq_kin *bfq_raise_kin(struct bfq_raise *raise, const struct bfq_queue *q)
{
	struct bfq_kin *kin = &raise->kin[hash_32(q->family, BFQ_KIN_BITS)];
	const unsigned long fills = msecs_to_jiffies(BFQ_CREDIT_FILLS_NS / NSEC_PER_MSEC);
	unsigned long ticks = jiffies - kin->seen;

	if (kin->family != q->family) {
		kin->family = q->family;
		kin->debt = 0;
	}
	if (ticks) {
		kin->debt -= min(kin->debt, bfq_raise_part(min(ticks, fills), fills));
		kin->seen += ticks;
	}
	return kin;
}

/*
 * Take what a queue has been served since the last look off its credit.  Return the most that it
 * can have now.
 */
static inline u32 bfq_raise_settle(struct bfq_raise *raise, struct bfq_queue *q)
{
	struct bfq_kin *kin;
	/* by weight: who is due twice as much goes first for twice as much */
	u64 cost = (u64)q->spent * BFQ_CREDIT_WEIGHT * q->entity.inverse >> WF2Q_SHIFT;

	q->credit -= min_t(u64, q->credit, cost);
	q->spent = 0;
	if (!q->sync)
		return BFQ_CREDIT_ASYNC;
	if (!bfq_raise_young(q))
		return BFQ_CREDIT;
	kin = bfq_raise_kin(raise, q);
	kin->debt = min_t(u64, kin->debt + cost, BFQ_KIN_DEBT_MOST);
	return BFQ_CREDIT - kin->debt;
}

/* After a rest of so long: does a queue begin something, or is that over for so much longer? */
static void bfq_raise_begins(const struct bfq_data *bfqd, struct bfq_queue *q, u64 rest_ns)
{
	u64 part;

	if (rest_ns < BFQ_BEGINS_NS) {
		if (!q->begins)
			return;
		part = bfq_raise_lasts_ms(bfqd) * (NSEC_PER_MSEC / BFQ_BEGINS);
		q->begins -= min_t(u64, q->begins, div64_u64(rest_ns, part));
		return;
	}
	q->begins = min_t(u64, BFQ_BEGINS, q->begins +
				  div_u64(min(rest_ns, BFQ_BEGINS_FILLS_NS),
					  BFQ_BEGINS_FILLS_NS / BFQ_BEGINS));
}

/**
 * bfq_raise_lasts_ms - for how long does a credit last if nothing else is taken off?
 * @bfqd: the device
 *
 * Context: any.
 * Return: in ms; on a disk always the same.
 */
u32 bfq_raise_lasts_ms(const struct bfq_data *bfqd)
{
	u64 ms = div_u64(READ_ONCE(bfqd->raise.read_ns) * BFQ_LARGE_READS, NSEC_PER_MSEC);

	return clamp_t(u64, ms, READ_ONCE(bfqd->kind)->raise_ms, BFQ_RAISE_MOST_MS);
}

/* On a disk, have all who are raised little credit left?  Then nobody is held back for them. */
static bool bfq_raise_tires(const struct bfq_data *bfqd)
{
	return bfqd->kind->seeks && bfqd->raise.most < BFQ_CREDIT_HOLDS;
}

/* For how long are others held back for who goes first, when it has no request? */
static u64 bfq_raise_waits_ns(const struct bfq_data *bfqd)
{
	return min_t(u64, bfqd->kind->raise_think_ms * NSEC_PER_MSEC,
		     READ_ONCE(bfqd->tun.slice_idle_ns));
}

/*
 * A queue has rested: that gives credit back.  Not so far as others were held back for it, which
 * costs them as much as if it had been served.  (Where they are for who begins something only, that
 * comes to its end anyhow.)
 */
static void bfq_raise_fill(const struct bfq_data *bfqd, struct bfq_queue *q, u64 rest_ns, u32 full)
{
	u64 held_ns;
	u32 cost;

	if (q->first && q->sync && bfq_raise_costs_little(bfqd) && !bfq_raise_tires(bfqd)) {
		held_ns = min(rest_ns, bfq_raise_waits_ns(bfqd));
		cost = div_u64(div_u64(held_ns, NSEC_PER_USEC) * BFQ_CREDIT,
			       bfq_raise_lasts_ms(bfqd) * USEC_PER_MSEC);
		q->credit -= min(q->credit, cost);
		rest_ns -= held_ns;
	}
	q->credit = min_t(u64, full,
			  q->credit + div_u64(rest_ns, BFQ_CREDIT_FILLS_NS / BFQ_CREDIT));
}

/**
 * bfq_raise_arrival - a request has arrived: does its queue go first?
 * @bfqd: the device
 * @q: the queue; the request is not in it yet
 * @rest_ns: how long it has had no request (bfq_habit_arrival()); at least BFQ_REST_NS
 * @now: when it got this one (ktime, in ns)
 *
 * Context: bfqd->lock held.
 */
void bfq_raise_arrival(struct bfq_data *bfqd, struct bfq_queue *q, u64 rest_ns, u64 now)
{
	bool first;
	u32 full;

	lockdep_assert_held(&bfqd->lock);
	bfq_raise_rested(bfqd, q, now + BFQ_CLOCK_AHEAD_NS);
	/* what no process owns has none, but for writes through the page cache on disks */
	if ((q->sync ? !q->pid : !bfqd->kind->seeks) || !READ_ONCE(bfqd->tun.low_latency))
		return;
	full = bfq_raise_settle(&bfqd->raise, q);
	bfq_raise_fill(bfqd, q, rest_ns, full);
	bfq_raise_begins(bfqd, q, rest_ns);
	bfq_raise_compare(bfqd, q, full);
	if (!q->raised && bfqd->active.nr > 1 && bfq_raise_due(bfqd, q))
		bfq_active_raise(bfqd, q, true);
	first = bfq_raise_first(bfqd, q);
	if (unlikely(first != q->first))
		bfq_active_first(bfqd, q, first);
}

/* What it costs a process not to have rested for so many jiffies. */
static u32 bfq_raise_cost(const struct bfq_data *bfqd, unsigned long ticks)
{
	unsigned long lasts = msecs_to_jiffies(bfq_raise_lasts_ms(bfqd));

	return bfq_raise_part(min(ticks, lasts), lasts);
}

/* How many parts of a beginning are over after so many jiffies, with what was left before? */
static u32 bfq_raise_begun(struct bfq_data *bfqd, unsigned long ticks)
{
	struct bfq_raise *raise = &bfqd->raise;
	unsigned long part = msecs_to_jiffies(bfq_raise_lasts_ms(bfqd) / BFQ_BEGINS);
	u32 parts;

	raise->begun += ticks;
	parts = raise->begun / part;
	raise->begun %= part;
	return parts;
}

/* On flash, what does a small read take alone?  That is seen of a process that has been alone. */
static void bfq_raise_see_read(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct bfq_raise *raise = &bfqd->raise;
	u32 ns = q->habit.alone_ns;

	if (!bfq_habit_of_reads(q) || q->served.sectors > BFQ_READ_SMALL * q->served.requests ||
	    bfqd->kind->seeks)
		return;
	if (raise->read_ns)
		ns = raise->read_ns + ((s32)ns - (s32)raise->read_ns) / BFQ_READ_MEAN;
	WRITE_ONCE(raise->read_ns, ns);
}

/* Has it a request, or does it wait for a tag for one? */
static bool bfq_raise_wants(const struct bfq_queue *q)
{
	return wf2q_backlogged(&q->entity) || atomic_read(&q->in_flight) || q->in_line ||
	       atomic_read(&q->asking);
}

/*
 * So many jiffies have gone by since the last look: what has that cost those with credit, and who
 * has the most now?
 */
static void bfq_raise_spend(struct bfq_data *bfqd, unsigned long ticks)
{
	u32 cost = bfq_raise_cost(bfqd, ticks);
	struct bfq_raise *raise = &bfqd->raise;
	u32 parts = bfq_raise_begun(bfqd, ticks);
	struct bfq_queue *q;

	raise->most = 0;
	raise->mark = 0;
	list_for_each_entry(q, &bfqd->active.queues, active) {
		u32 full = bfq_raise_settle(raise, q);

		q->credit = min(q->credit, full);
		q->begins -= min_t(u32, q->begins, parts);
		if (bfq_raise_wants(q)) {
			q->credit -= min(q->credit, cost);
			bfq_raise_see_read(bfqd, q);
		}
		if (q->first && raise->kept_back)
			bfq_raise_held_back(bfqd, q, jiffies_to_nsecs(ticks));
		bfq_raise_compare(bfqd, q, full);
	}
	raise->kept_back = false;
}

/* A group that rests for long must not seem to be ahead when virtual time has gone half round. */
static void bfq_raise_keep_near(struct bfq_data *bfqd)
{
	struct bfq_group *group;

	list_for_each_entry(group, &bfqd->groups, link)
		if (group != bfqd->root)
			wf2q_keep_near(&group->node.entity);
}

/* What is served in BFQ_SLACK_MS: a mean, over about as long. */
static u32 bfq_raise_pace(const struct bfq_raise *raise, unsigned long ticks)
{
	return div_u64((raise->pace + raise->charged) * BFQ_SLACK_MS,
		       BFQ_SLACK_MS + jiffies_to_msecs(ticks));
}

/* How much has been served in the last .rest_ms? */
static void bfq_raise_recall(struct bfq_data *bfqd, unsigned long ticks)
{
	unsigned long rest = msecs_to_jiffies(bfqd->kind->rest_ms);
	struct bfq_raise *raise = &bfqd->raise;

	raise->recent -= div_u64(raise->recent * min(ticks, rest), rest);
	raise->recent += raise->charged;
	raise->pace = bfq_raise_pace(raise, min(ticks, rest));
	raise->passed += raise->charged;
	raise->charged = 0;
	if (unlikely(raise->passed >= WF2Q_EIGHTH)) {
		raise->passed = 0;
		bfq_raise_keep_near(bfqd);
	}
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
	unsigned long ticks = jiffies - raise->looked;
	struct bfq_queue *q;
	bool first;

	lockdep_assert_held(&bfqd->lock);
	bfq_raise_recall(bfqd, ticks);
	wf2q_set_credit(&bfqd->root->node, wanted ? raise->recent : 0);
	raise->looked = jiffies;
	if (likely(!raise->most))
		return;
	bfq_raise_spend(bfqd, min(ticks, msecs_to_jiffies(BFQ_LOOK_MOST_MS)));
	if (!wanted) {
		raise->most = 0;
		raise->mark = 0;
	}
	wanted = wanted && active->nr > 1;
	list_for_each_entry(q, &active->queues, active) {
		/* there may be thousands, of which few change: no calls for the others */
		if (q->raised != (wanted && bfq_raise_due(bfqd, q)))
			bfq_active_raise(bfqd, q, !q->raised);
		first = bfq_raise_first(bfqd, q);
		if (unlikely(first != q->first))
			bfq_active_first(bfqd, q, first);
	}
}

/*
 * Are others let through now, since they have been held back for so long?  Where nothing can be
 * sent beside a request that takes long, nobody may have looked in time: unless that was long ago
 * it is made up for.  If not, and it is over, they are held back anew.
 */
static bool bfq_raise_lets_through(struct bfq_raise *raise, u64 hold, u64 now)
{
	u64 past = now - raise->since_ns;

	if (past < hold)
		return false;
	if (past < hold + div_u64(hold, BFQ_RELEASE_PART) ||
	    (!raise->released && past < BFQ_HOLD_STALE * hold)) {
		raise->released = true;
		return true;
	}
	raise->since_ns = now;
	raise->released = false;
	return false;
}

/**
 * bfq_raise_ousts - is a queue to be served before the one in service?
 * @bfqd: the device
 * @q: a raised queue; it has got its first request
 *
 * To the engine both may be of the same class, that one perhaps to the end of its turn only: its
 * credit was the most until this one came.  Its kin may be in service for its patience, which is
 * over as soon as it is served: that is no reason.
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_ousts(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct bfq_queue *served = bfq_in_service(bfqd);

	lockdep_assert_held(&bfqd->lock);
	if (!served || served->group != q->group || served->prio.class != WF2Q_BE ||
	    (q->family && q->family == served->family) ||
	    served->credit + bfq_raise_slack(bfqd) >= q->credit)
		return false;
	if (!bfq_raise_due(bfqd, served))
		bfq_active_raise(bfqd, served, false);
	return true;
}

/**
 * bfq_raise_holds - is another queue held back for those that go first?
 * @bfqd: the device
 * @q: the queue; it is its turn
 *
 * If so the gate is closed, and a timer opens it again.  They are not while a request of theirs
 * waits: the engine has seen it, and it is the turn of the others all the same (of another group,
 * or for the thin share of their class).
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_holds(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct bfq_raise *raise = &bfqd->raise;
	u64 wait = bfq_raise_waits_ns(bfqd);
	u64 hold = bfqd->kind->raise_hold_ms * NSEC_PER_MSEC;
	u64 now = ktime_get_ns(), until = now + max_t(u64, wait, NSEC_PER_MSEC);

	lockdep_assert_held(&bfqd->lock);
	if (bfqd->active.first_waiting)
		return false;
	if (bfq_raise_tires(bfqd) || bfq_raise_spares(bfqd, q))
		return false;
	if (!wait)
		return false;
	if (!atomic_read_acquire(&raise->inside))	/* before its seen_ns */
		until = READ_ONCE(raise->seen_ns) + wait;
	if (until <= now)
		return false;
	if (bfq_raise_lets_through(raise, hold, now))
		return false;
	bfq_gate_close(bfqd, BFQ_GATE_HELD);
	until = min(until, raise->since_ns + hold);
	hrtimer_start(&raise->hold_timer, ns_to_ktime(until - now), HRTIMER_MODE_REL);
	return true;
}

/**
 * bfq_raise_lets_pass - may a request pass though its queue is not one of those that go first?
 * @bfqd: the device, for which nothing waits
 * @q: the queue
 *
 * Only if it would be seen at its turn that it is not held back (bfq_raise_holds()) and that the
 * device has room (bfq_device_full()).
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_lets_pass(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return !bfqd->kind->seeks && bfq_raise_spares(bfqd, q) &&
	       bfq_device_load(&bfqd->device) < bfqd->kind->beside_raised;
}

/**
 * bfq_raise_writes_wait - do writes wait for which nobody does?
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 * Return: whether somebody goes first, and it is too early for the next one.
 */
bool bfq_raise_writes_wait(const struct bfq_data *bfqd)
{
	return bfqd->active.nr_first &&
	       ktime_get_ns() < (u64)atomic64_read(&bfqd->raise.write_after);
}

/*
 * And so it is left in the scheduler?  Not where it and others like it have all the tags, as they
 * may where there are two, and the device has nothing to do: who goes first could have none (cf.
 * bfq_depth_check_plug()).
 */
static bool bfq_raise_keeps_writes(const struct bfq_data *bfqd)
{
	if (!bfq_raise_writes_wait(bfqd))
		return false;
	return bfqd->active.first_waiting || !bfqd->one_map || atomic_read(&bfqd->in_flight) ||
	       bfqd->nr_waiting < bfqd->tags;
}

/**
 * bfq_raise_parks - is a write to wait?
 * @bfqd: the device; somebody goes first
 * @q: a queue of writes for which nobody waits, whose turn it is
 *
 * If so its queue is parked until bfq_raise_release().
 *
 * Context: bfqd->lock held.
 */
bool bfq_raise_parks(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	if (!bfq_raise_keeps_writes(bfqd))
		return false;
	bfq_queue_park(bfqd, q, true);
	list_add_tail(&q->home, &bfqd->raise.held);
	return true;
}

/**
 * bfq_raise_writes - a write is let through, and none after it for some time
 * @bfqd: the device; somebody goes first
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
 * @q: its queue: one that goes first, or that of the write that is let through
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
	struct bfq_queue *q, *next;

	lockdep_assert_held(&bfqd->lock);
	if (bfq_raise_keeps_writes(bfqd))
		return;
	list_for_each_entry_safe(q, next, &bfqd->raise.held, home) {
		list_del_init(&q->home);
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
 * bfq_raise_guess - how long does a read take on this device?
 * @bfqd: a new device
 * @few: it takes a few requests at a time
 */
void bfq_raise_guess(struct bfq_data *bfqd, bool few)
{
	bfqd->raise.read_ns = few ? BFQ_READ_FEW_NS : 0;
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
