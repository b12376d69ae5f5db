// SPDX-License-Identifier: GPL-2.0
/*
 * Habits: what is known of a process from the requests it has made.
 *
 * Think time.  A process that reads synchronously asks for its next block when it has the last; how
 * long it takes for that says whether it is worth waiting for.  A sample is
 *
 *	think = when it asked - when its last request had completed
 *
 * and an average is kept over about BFQ_THINK_SAMPLES.  Two things would spoil it.  One long pause
 * (a player that is stopped) must not weigh more than a process that is slow all the time, or it
 * would be forgotten only after dozens of requests: a sample counts for no more than twice
 * slice_idle, which is just what a process has that is not worth waiting for.  And a process that
 * sleeps until it gets a tag does not think meanwhile: if it may have had to, the sample ends when
 * it asked for the tag and not when it had it.
 *
 * Seeks.  A bit for each of the last 32 requests says whether it was far from
 * where the one before had ended.
 *
 * Progress.  Each process is guaranteed that it gets at least share * alone: its share of what it
 * would make if it had the device to itself.  For a process that asks for one request after the
 * other this can be told from one request to the next:
 *
 *	alone	what the request would have taken alone, and the thinking behind it
 *	took	what both have taken, and the wait for a tag
 *	lag	+= share * took - alone
 *
 * Without moving parts also for one that asks for a few at a time, each of which counts for its
 * part of the time.  (Its share of all that the device moves it could not use, and to keep that
 * free for it is to waste it: beside one that read two blocks at a time, two readers that made
 * 514 MB/s had 39 of an SSD, and 3 if it paused for 2 ms in between.)
 *
 * A lag above zero says that it is behind its guarantee, below that others have cost it nothing
 * yet.  The lag is the integral of the error, so what it was short of before is made
 * up for; it is bounded, so that neither an old debt nor old luck is paid for long.
 *
 * What several processes of a group are guaranteed together may be more than that, and is kept in
 * the same way (bfq-mates.c).
 *
 * While a queue is to catch up the device is plugged for it, and of others only so much is let
 * in beside it (bfq-idle.c) as lets it keep up:
 *
 *	quota	*= 1 - ((share * took - alone) / alone + lag / BFQ_LAG_PULL) / BFQ_QUOTA_GAIN
 *
 * sectors for each of its requests, or while it thinks as much at a time.  That comes to rest where
 * it has just its guarantee and the device all else to do that it can.  (Without the lag it would
 * have its guarantee from then on only, and what it was short of before, 30 ms, say, would never be
 * made up for.)
 *
 * What a request takes alone is, on a disk with moving parts, the mean of its process's prices.  On
 * flash it is seen now and then: whenever a request found nobody else's in the device and nobody
 * else's was sent before it was back.  It is near what half of such samples are below, since some
 * of them meet work that others have left behind (a cache being programmed, a stream being read
 * ahead).  And it is of one kind of requests, since reads and writes, small and large ones, one
 * and several at a time take different times: the one of which a process makes most.  Of the others
 * less is held, what one was seen to take alone last, whoever had made it; if nobody has yet, it is
 * not judged by them.  (A program that starts reads 4 to 128 KiB at a time, and is through before
 * it could be seen what each takes it.  Judged by one kind alone it took 5 times as long as on an
 * idle SSD, beside a group of the same weight: tests/bench/run start-up.)  The device
 * is plugged for one queue or another now and then only to see that.  (On a disk such samples are
 * few while others are served, and seeks differ: one process took 4 ms alone, another 11.)
 *
 * Of what a process thinks that does not count which it waited for a processor (the kernel keeps
 * it, task_struct.sched_info): it does not want to go slower.  If it has slept otherwise than until
 * its request was back (nvcsw), it wanted to.  Else interrupts may have taken some of it, so a
 * pause of less than a ms counts for no more than what its task has run (se.sum_exec_runtime),
 * which is known a little later:
 *
 *	spare	+= ran - aside - own,	own = min(think - delay, spare)
 *
 * Who usually thinks for longer than slice_idle is not waited for (bfq-idle.c), so how it gets on
 * does not count.
 *
 * This room only notes; others draw the conclusions, and only read.
 */
#include "bfq-iosched.h"

/* Think time is averaged over about this many requests. */
#define BFQ_THINK_SAMPLES	8

/* A sample counts for no more than this many times slice_idle. */
#define BFQ_THINK_CAP		2

/* What is left out of a file that several read in stripes: 8 MiB are 128 stripes of 64 KiB. */
#define BFQ_GAP_MOST		(SZ_8M >> SECTOR_SHIFT)

/* More than this many of the last 32 requests left something out; random ones go forwards, too. */
#define BFQ_GAPS_OF_32		24

/*
 * Who has paused for so long is not kept from its share by what it was ahead before.  The pause is
 * not thinking, either, but puts it behind, so that it has its share soon; but for mates, and who
 * pauses before nearly every request.
 */
#define BFQ_PAUSE_NS		(100 * NSEC_PER_MSEC)

/* More than this many of the last 32 requests were far from the one before: a seeking queue. */
#define BFQ_SEEKS_OF_32		8

/*
 * The lag aims at a little more than the guarantee, by one in so many parts, since shares and times
 * are estimates and the guarantee is to hold from below.  Where all of the device's time is
 * claimed, who is due most gets that little less than it aims at, and nobody less than it is due.
 */
#define BFQ_AIM_PART		16

/*
 * But by no more than one in so many parts of what is due to others: who is due nine parts of ten,
 * and has half of one more, leaves them half of what they could do.
 */
#define BFQ_AIM_OF_OTHERS	4

/* What several at a time take varies by themselves, and what they take alone is known less well. */
#define BFQ_AIM_PART_FEW	32

/*
 * A queue that is behind by this time is to catch up until it is ahead by it.  Long enough for
 * a write cache to be filled in between, and emptied in between: switching to and fro with each
 * request, neither would be done.
 */
#define BFQ_LAG_TURN		(20 * (s32)NSEC_PER_MSEC)

/*
 * A lag counts for no more than this, a lead for twice BFQ_LAG_TURN.  Who comes to this
 * although the device is plugged for it does not profit from that: it is forgotten.  If it is short
 * of a processor, it is tried again when twice as much is missing as before, up to so many times in
 * a row.  When it is alone, pauses or catches up, that begins anew.  (A drive that empties its
 * write cache is slow, too, but not for ever.)
 */
#define BFQ_LAG_MOST		(200 * (s32)NSEC_PER_MSEC)
#define BFQ_VAIN_MOST		7

/*
 * On a disk it has a claim instead of the device, which takes nothing from the others that is
 * theirs; and what a disk's cache has taken, 64 MiB, say, may be in the way for a second or two.
 */
#define BFQ_LAG_MOST_SEEKS	(2000 * (s32)NSEC_PER_MSEC)

/*
 * Without moving parts so many requests in a row are a sample, since now and then one meets what
 * the device has read ahead, or what others have left to be done; and a sample moves the figure by
 * no more than this part of it, but where it is less than half; and by an eighth of what it is off,
 * since of several at a time each takes another time.
 */
#define BFQ_LONE_RUN		4
#define BFQ_LONE_SKIPPED	4
#define BFQ_LONE_RISE		64
#define BFQ_LONE_MEAN		8

/* The figure is of requests of one kind, until fewer than so many of the last 32 are of it. */
#define BFQ_USUAL_OF_32		4

/*
 * A kind of requests: the order of magnitude of their size, above it whether the process asks for
 * one at a time, two or three, or four and more, and above that whether they are writes.
 */
#define BFQ_KIND_SIZE		0x1f
#define BFQ_KIND_NR_SHIFT	5
#define BFQ_KIND_NR		3
#define BFQ_KIND_SEVERAL	(BFQ_KIND_NR << BFQ_KIND_NR_SHIFT)
#define BFQ_KIND_NR_MOST	2
#define BFQ_KIND_WRITES		0x80

/*
 * Who has the limit's fourth part in the device keeps that busy enough: four of 128 KiB at a time
 * make what an SSD can do, and its limit is a MiB and more.
 */
#define BFQ_FILLS_PART		4

/* On a disk the mean of about this many prices is taken. */
#define BFQ_PRICE_MEAN		16

/* What a process has run, and not thought yet, counts for no more than a lag is to change by. */
#define BFQ_SPARE_MOST		((u32)BFQ_LAG_TURN)

/*
 * This part of what it has run, and no more than so much, it needed to send its request and to be
 * woken when that was back, which is not thinking.
 */
#define BFQ_ASIDE_PART		4
#define BFQ_ASIDE_NS		(8 * (u32)NSEC_PER_USEC)

/* Interrupts take less of a pause than this. */
#define BFQ_INTERRUPTS_MOST	((u32)NSEC_PER_MSEC)

/*
 * The device is plugged in vain only to see what a queue does alone, for slice_idle each time, so
 * often: a process that waits for what another does never comes.
 */
#define BFQ_TRIALS_IN_VAIN	2

/*
 * And later on: until several in a row had it for themselves.  It costs less than one in a hundred
 * parts of the time: the next look is after the time of so many requests.
 */
#define BFQ_LOOKS		(2 * BFQ_LONE_RUN)
#define BFQ_LOOK_PART		1024

/* The first looks at a queue are sooner: a process that begins is often kept from asking. */
#define BFQ_LOOKS_SOON		2
#define BFQ_LOOK_SOONER		8

/*
 * What others may be served beside a queue that is to catch up, for each of its requests: from a
 * page now and then to 32 MiB, which no device does meanwhile.  A sixteenth of the error is made
 * up for with each request.  Few lose a lot and many win a little, so what one has met is not cut
 * off, but for what keeps the quota above nothing.  A lag of BFQ_LAG_PULL pulls as much as a
 * request that took twice what it should have: one of 20 ms is made up for in half a second.
 */
#define BFQ_QUOTA_SHIFT		8
#define BFQ_QUOTA_LEAST		(2 << BFQ_QUOTA_SHIFT)
#define BFQ_QUOTA_MOST		((SZ_32M >> SECTOR_SHIFT) << BFQ_QUOTA_SHIFT)
#define BFQ_QUOTA_GAIN		16
#define BFQ_LAG_PULL		(8LL * BFQ_LAG_TURN)

/* A request and what lies between it and the next: the time that each took, in ns. */
struct bfq_pace {
	u32 think;
	u32 own;		/* of that it did not wait for a processor */
	u32 took;
	u32 wait;		/* for the next one's tag */
	unsigned int nr;	/* requests that the process asks for at a time */
	u32 alone;		/* what the request takes alone; 0 if that is not known */
	u16 rest;		/* by how much bfq_habit.rest has grown meanwhile */
};

/* What a queue is behind with, or ahead, does not count any more. */
static inline void bfq_habit_forgive(struct bfq_data *bfqd, struct bfq_queue *q)
{
	q->habit.lag_ns = 0;
	if (q->habit.behind)
		bfq_active_behind(bfqd, q, false);
}

/**
 * bfq_habit_stayed_away - the device has been plugged for a queue in vain
 * @bfqd: the device
 * @q: the queue
 *
 * It does not want to go faster, or it waits for what another does: so it is not behind, and will
 * not be soon.
 *
 * Context: bfqd->lock held.
 */
void bfq_habit_stayed_away(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_habit *habit = &q->habit;

	if (habit->behind) {
		habit->lag_ns = -2 * BFQ_LAG_TURN;
		bfq_active_behind(bfqd, q, false);
	}
	if (bfqd->turn.plugged_for == BFQ_PLUG_LEARN)
		habit->trials = min(habit->trials + BFQ_TRIALS / BFQ_TRIALS_IN_VAIN, BFQ_TRIALS);
}

/* What a process's requests take alone is known to others; of its first ones less is held. */
static void bfq_habit_make_known(u32 *known_ns, const struct bfq_habit *habit)
{
	if (!*known_ns || habit->sure)
		*known_ns = habit->alone_ns;
	else
		*known_ns += ((s32)habit->alone_ns - (s32)*known_ns) / BFQ_LONE_MEAN;
}

/*
 * Without moving parts: the mean of some requests in a row is one sample.  Of several at a time the
 * first were sent when others may have been in the device still.
 */
static void bfq_habit_see_run(struct bfq_active *active, struct bfq_habit *habit, u32 took)
{
	s32 off, most = habit->alone_ns / BFQ_LONE_RISE;

	if (!habit->run)
		habit->run_ns = 0;
	if (habit->run < BFQ_LONE_SKIPPED && !(habit->last_kind & BFQ_KIND_SEVERAL))
		habit->run = BFQ_LONE_SKIPPED;
	if (++habit->run <= BFQ_LONE_SKIPPED)
		return;
	habit->run_ns += took / BFQ_LONE_RUN;
	if (habit->run < BFQ_LONE_SKIPPED + BFQ_LONE_RUN)
		return;
	habit->run = 0;
	habit->trials = BFQ_TRIALS;
	off = habit->run_ns - habit->alone_ns;
	if (habit->sure)
		off = -off > (s32)habit->alone_ns / 2 ? off / 2 :
		      clamp(off / BFQ_LONE_MEAN, -most, most);
	habit->alone_ns += off;
	bfq_habit_make_known(&active->known_ns[habit->kind], habit);
	habit->sure = true;
}

/* Of what kind is a request, where its process asks for @nr at a time? */
static u8 bfq_habit_kind(const struct request *rq, unsigned int nr)
{
	u8 kind = fls(blk_rq_sectors(rq)) & BFQ_KIND_SIZE;

	if (nr > 1)
		kind |= min(fls(nr) - 1, BFQ_KIND_NR_MOST) << BFQ_KIND_NR_SHIFT;
	return op_is_write(req_op(rq)) ? kind | BFQ_KIND_WRITES : kind;
}

/*
 * Without moving parts: was the last request of the kind of which it is known what it takes alone?
 * If that kind is hardly seen any more, or others are seen that take longer, which is where most of
 * its time goes, it is another one from now on; if that is to be learned, what it was behind with
 * does not count.
 */
static bool bfq_habit_usual(struct bfq_data *bfqd, struct bfq_queue *q, u32 took)
{
	struct bfq_habit *habit = &q->habit;
	bool usual = habit->last_kind == habit->kind, slower;

	if (!habit->alone_ns || (usual && habit->usual == U32_MAX))
		return true;
	habit->usual = (habit->usual << 1) | usual;
	slower = READ_ONCE(habit->lone) && took / 2 > habit->alone_ns &&
		 hweight32(~habit->usual) >= BFQ_USUAL_OF_32;
	if (usual || (!slower && hweight32(habit->usual) >= BFQ_USUAL_OF_32))
		return usual;
	habit->alone_ns = 0;
	habit->run = 0;
	habit->sure = false;
	if (bfqd->active.known_ns[habit->last_kind])
		return true;
	habit->looks = 0;
	habit->vain = 0;
	bfq_habit_forgive(bfqd, q);
	return true;
}

/* This is what the last request takes alone: so the process is judged by that kind from now on. */
static void bfq_habit_begin(struct bfq_habit *habit, u32 alone_ns)
{
	habit->alone_ns = alone_ns;
	habit->trials = BFQ_TRIALS;
	habit->kind = habit->last_kind;
	habit->usual = U32_MAX;
}

/*
 * Without moving parts it depends on the kind of a request, and hardly on who asks for it: what is
 * known of another process will do to begin with.  (Of several that never have the device for
 * themselves nothing else would be known for long.)
 */
static void bfq_habit_see_known(struct bfq_habit *habit, u32 known_ns)
{
	if (habit->alone_ns || !known_ns)
		return;
	bfq_habit_begin(habit, known_ns);
	habit->sure = true;
}

/* The last request had the device for itself, which has no moving parts. */
static void bfq_habit_see_alone(struct bfq_active *active, struct bfq_habit *habit, u32 took)
{
	if (!habit->alone_ns)
		bfq_habit_begin(habit, took);
	bfq_habit_see_run(active, habit, took);
}

/* It had, and its process makes more of another kind: of one that has been seen before, a mean. */
static void bfq_habit_see_other(u32 *known_ns, u32 took)
{
	s32 off = took - *known_ns, most = *known_ns / BFQ_LONE_MEAN;

	*known_ns += *known_ns ? clamp(off / BFQ_LONE_MEAN, -most, most) : off;
}

/* What does a request without moving parts tell?  Return what it takes alone, 0 if not known. */
static u32 bfq_habit_see_took(struct bfq_data *bfqd, struct bfq_queue *q, u32 took)
{
	bool usual = bfq_habit_usual(bfqd, q, took);
	struct bfq_habit *habit = &q->habit;
	u32 *known_ns = &bfqd->active.known_ns[habit->last_kind];

	bfq_habit_see_known(habit, *known_ns);
	if (!READ_ONCE(habit->lone))
		habit->run = 0;
	else if (usual)
		bfq_habit_see_alone(&bfqd->active, habit, took);
	else
		bfq_habit_see_other(known_ns, took);
	return usual ? habit->alone_ns : *known_ns;
}

/**
 * bfq_habit_see_place - a disk with moving parts is about to serve a request
 * @q: its queue, whose head still stands where the request before has ended
 * @rq: the request
 * @ns: what such a request takes it (bfq-price.c)
 *
 * Context: bfqd->lock held.
 */
void bfq_habit_see_place(struct bfq_queue *q, const struct request *rq, u32 ns)
{
	struct bfq_habit *habit = &q->habit;
	sector_t pos = blk_rq_pos(rq);
	bool step = pos > q->head && pos - q->head < BFQ_GAP_MOST;

	habit->gaps = (habit->gaps << 1) | step;
	habit->trials = BFQ_TRIALS;	/* there is nothing to be seen */
	habit->sure = false;
	habit->run = 0;
	if (habit->alone_ns)
		habit->alone_ns += ((s32)ns - (s32)habit->alone_ns) / BFQ_PRICE_MEAN;
	else
		habit->alone_ns = ns;
}

/**
 * bfq_habit_beside - what others may be served while the device is plugged for a queue
 * @bfqd: the device
 * @q: the queue
 *
 * Context: bfqd->lock held.
 * Return: the queue's own, or that which it has in common with its mates.
 */
struct bfq_beside *bfq_habit_beside(const struct bfq_data *bfqd, struct bfq_queue *q)
{
	return bfq_mates_judged(bfqd, q) ? &q->group->mates.beside : &q->habit.beside;
}

/* With its last request a queue fell back by so much: how much may others be served beside it? */
static void bfq_habit_steer(struct bfq_data *bfqd, struct bfq_queue *q, s64 slow)
{
	struct bfq_beside *beside = bfq_habit_beside(bfqd, q);
	s32 quota = beside->quota;
	s64 gain = BFQ_QUOTA_GAIN;
	s64 step;

	if (beside != &q->habit.beside)		/* each of so many steers it */
		gain *= q->group->nr_active;
	step = div64_s64(slow * quota, q->habit.alone_ns) +
	       div64_s64((s64)q->habit.lag_ns * quota, BFQ_LAG_PULL);
	step = div64_s64(step, gain) ?: (step > 0) - (step < 0);
	step = clamp_t(s64, step, -BFQ_QUOTA_MOST, quota - quota / 4);
	beside->quota = clamp(quota - (s32)step, BFQ_QUOTA_LEAST, BFQ_QUOTA_MOST);
	beside->room = min(beside->room, 0) + (beside->quota >> BFQ_QUOTA_SHIFT);
}

/**
 * bfq_habit_served_beside - another queue has been served while the device is plugged for this one
 * @bfqd: the device
 * @q: the queue in service
 * @load: what the request counts for, in sectors
 *
 * Context: bfqd->lock held.
 */
void bfq_habit_served_beside(const struct bfq_data *bfqd, struct bfq_queue *q, u32 load)
{
	struct bfq_beside *beside = bfq_habit_beside(bfqd, q);

	if (beside->room > 0)	/* else it was let in for what is in the device */
		beside->room -= load;
}

/**
 * bfq_habit_quota - how much of others can a queue do with beside each of its requests?
 * @bfqd: the device
 * @q: the queue in service, which is behind
 *
 * Context: bfqd->lock held.
 * Return: that load, in sectors.
 */
u32 bfq_habit_quota(const struct bfq_data *bfqd, struct bfq_queue *q)
{
	return bfq_habit_beside(bfqd, q)->quota >> BFQ_QUOTA_SHIFT;
}

/* Is all of a pause, in which it did not wait for a processor, the process's own? */
static bool bfq_habit_rests(const struct bfq_habit *habit, const struct bfq_pace *pace)
{
	if (pace->own >= BFQ_INTERRUPTS_MOST)
		return true;
	/* it sleeps until its request is back, or may for each of several, and for a tag */
	return pace->rest >= 2 * BFQ_SLEPT && !pace->wait &&
	       !(habit->last_kind & BFQ_KIND_SEVERAL);
}

/* How much of one is? */
static u32 bfq_habit_own(struct bfq_habit *habit, const struct bfq_pace *pace)
{
	u16 since = READ_ONCE(habit->ran) - habit->ran_seen;
	u32 spare, own, ran = since * BFQ_TASK_UNIT;

	habit->ran_seen += since;
	if (bfq_habit_rests(habit, pace))
		return pace->own;
	ran -= min(ran / BFQ_ASIDE_PART, BFQ_ASIDE_NS);
	spare = habit->spare_us * NSEC_PER_USEC + ran;
	spare = min(spare, BFQ_SPARE_MOST);
	own = min(pace->own, spare);
	habit->spare_us = (spare - own) / NSEC_PER_USEC;
	return own;
}

/*
 * By how much has a queue been slower than it is to be, with its last request and the thinking
 * behind it, of which @own counts as its own, if it is due @share of what it makes when a request
 * takes @alone?  One of which that is not known does not count, and of several at a time each
 * counts for its part of the time.
 */
static s64 bfq_habit_slow(const struct bfq_pace *pace, u32 share, u64 alone, u32 own)
{
	u32 more = share / (pace->nr > 1 ? BFQ_AIM_PART_FEW : BFQ_AIM_PART);
	u64 aim = share + min_t(u32, more, (BFQ_SHARE_ALL - share) / BFQ_AIM_OF_OTHERS);
	u64 due = (u64)(pace->took + pace->wait) * aim >> BFQ_SHARE_SHIFT;
	s64 slow = alone ? ((s64)due - (s64)alone) >> fls(pace->nr - 1) : 0;

	due = pace->think * aim >> BFQ_SHARE_SHIFT;
	return slow + (s64)due - own;
}

/*
 * And by its guarantee, or that of its group.  Where mates wait for a processor, too, that is the
 * greater part of what they think, and they wait for each other: it counts.
 */
static s64 bfq_habit_slower(const struct bfq_data *bfqd, struct bfq_queue *q,
			    const struct bfq_pace *pace)
{
	u64 alone = pace->alone;
	u32 share = q->share, own = 0;

	if (bfq_mates_judged(bfqd, q)) {
		share = q->group->mates.share;
		alone = bfq_mates_alone(q, pace->alone);
		own = pace->think;
	} else if (pace->nr == 1) {
		own = bfq_habit_own(&q->habit, pace);
	}
	return bfq_habit_slow(pace, share, alone, own);
}

/* Did a process wait for a processor for longer than two requests take? */
static bool bfq_habit_robbed(const struct bfq_habit *habit, const struct bfq_pace *pace)
{
	u32 delay = pace->think - min(pace->own, pace->think);

	return delay > 2 * max(pace->took, habit->alone_ns);
}

/*
 * A queue on flash stays behind.  If the device was plugged for it and it was @robbed of a
 * processor, that was in vain.
 */
static noinline void bfq_habit_in_vain(struct bfq_data *bfqd, struct bfq_queue *q, bool robbed)
{
	q->habit.lag_ns = -2 * BFQ_LAG_TURN;
	if (robbed && bfq_in_service(bfqd) == q && bfqd->turn.plugged_for == BFQ_PLUG_BEHIND)
		q->habit.vain += q->habit.vain < BFQ_VAIN_MOST;
	bfq_active_behind(bfqd, q, false);
}

/* By so much is a queue behind: is it to catch up, or has it? */
static void bfq_habit_lag(struct bfq_data *bfqd, struct bfq_queue *q, s64 lag)
{
	s64 most = bfqd->kind->seeks ? BFQ_LAG_MOST_SEEKS : BFQ_LAG_MOST;
	struct bfq_habit *habit = &q->habit;

	habit->lag_ns = clamp_t(s64, lag, -2 * BFQ_LAG_TURN, most);
	if (unlikely(habit->lag_ns > BFQ_LAG_TURN)) {
		bfq_active_behind(bfqd, q, true);
	} else if (habit->behind && habit->lag_ns < -BFQ_LAG_TURN) {
		bfq_active_behind(bfqd, q, false);
		habit->vain = 0;
	}
}

/*
 * A process has paused: how much of that is its own?  On flash what it was behind with before is
 * not added to what it falls back by from now on: at the end of that stands BFQ_LAG_MOST, where it
 * counts as not to be helped.
 */
static u32 bfq_habit_anew(const struct bfq_data *bfqd, struct bfq_queue *q, u32 think)
{
	struct bfq_habit *habit = &q->habit;

	habit->lag_ns = clamp(habit->lag_ns, 0,
			      bfqd->kind->seeks ? BFQ_LAG_MOST_SEEKS : BFQ_LAG_TURN);
	habit->vain = 0;
	return bfq_habit_pauses(bfqd, q) ? think : 0;
}

/*
 * A process has rested, and waited for a tag, and for a processor at any time of that: how much of
 * what it thought is its own, at most?
 */
static u32 bfq_habit_undelayed(const struct bfq_pace *pace, u32 rest)
{
	u32 delay = pace->rest % BFQ_SLEPT * BFQ_TASK_UNIT;
	u32 all = rest + pace->wait;

	if (likely(!delay))
		return pace->think;
	return min(pace->think, all - min(all, delay));
}

/* How does a queue get on?  It asked, has had what it asked for, and then none for @rest ns. */
static void bfq_habit_progress(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_pace *pace,
			       u64 rest)
{
	struct bfq_habit *habit = &q->habit;
	s64 slow, lag;

	pace->took = READ_ONCE(habit->took_ns);
	if (!pace->took && pace->nr > 1)	/* none has completed since the last arrival */
		return;
	pace->took = max(pace->took, 1U);	/* 0 means not known */
	if (rest < BFQ_PAUSE_NS)
		pace->own = bfq_habit_undelayed(pace, rest);
	WRITE_ONCE(habit->took_ns, 0);
	pace->alone = bfqd->kind->seeks ? habit->alone_ns : bfq_habit_see_took(bfqd, q, pace->took);
	if (bfqd->active.nr < 2) {
		habit->vain = 0;
		return;
	}
	if (!habit->alone_ns || !q->share)
		return;
	if (pace->alone && !bfqd->kind->seeks)
		bfq_mates_see(bfqd, q, pace->took + pace->wait, pace->alone);
	if (unlikely(bfq_habit_pauses(bfqd, q)) && !habit->behind) {
		habit->ran_seen = READ_ONCE(habit->ran);
		return;		/* however slow it is, nobody waits for it */
	}
	slow = bfq_habit_slower(bfqd, q, pace);
	if (slow <= 0 && habit->lag_ns == -2 * BFQ_LAG_TURN)
		return;		/* it is as far ahead as counts, as most are that pass */
	if (!habit->behind)
		slow >>= habit->vain;
	lag = habit->lag_ns + slow;
	if (habit->behind && !bfqd->kind->seeks) {	/* others are injected meanwhile */
		bfq_habit_steer(bfqd, q, slow);
		if (lag > BFQ_LAG_MOST) {
			bfq_habit_in_vain(bfqd, q, bfq_habit_robbed(habit, pace));
			return;
		}
	}
	bfq_habit_lag(bfqd, q, lag);
}

/**
 * bfq_habit_waited - a process has waited for a tag, and gets one now
 * @q: its queue
 * @since_ns: when it began to (ktime)
 *
 * That was neither thinking nor rest, also where a request of another of its threads has completed
 * meanwhile.
 *
 * Context: any, no lock needed.
 */
void bfq_habit_waited(struct bfq_queue *q, u64 since_ns)
{
	WRITE_ONCE(q->habit.asked_ns, max(since_ns, READ_ONCE(q->habit.completed_ns)));
}

/**
 * bfq_habit_rest - how long has a process had no request by now?
 * @q: its queue
 *
 * Context: bfqd->lock held.
 * Return: that time in ns, 0 if it has one; U64_MAX if it has never had any.
 */
u64 bfq_habit_rest(const struct bfq_queue *q)
{
	u64 completed, now = ktime_get_ns();

	if (q->nr_queued || atomic_read_acquire(&q->in_flight))
		return 0;
	completed = READ_ONCE(q->habit.completed_ns);
	return completed ? now - min(now, completed) : U64_MAX;
}

/* Is it known what a queue makes alone, and does that not matter, since the others are like it? */
static bool bfq_habit_of_equals(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return bfqd->active.alike && !bfqd->active.stale && q->habit.alone_ns;
}

/* The mean of so many thinks; where they are enough it takes no division. */
static inline void bfq_habit_see_think(struct bfq_habit *habit, u32 think)
{
	if (likely(habit->think_samples == BFQ_THINK_SAMPLES)) {
		habit->think_ns -= habit->think_ns / BFQ_THINK_SAMPLES;
		habit->think_ns += think / BFQ_THINK_SAMPLES;
		return;
	}
	habit->think_samples++;
	habit->think_ns += div_s64((s64)think - habit->think_ns, habit->think_samples);
}

/* An arrival: it asks for more than a few at a time, or for more tags than it is due. */
static inline void bfq_habit_not_few(struct bfq_data *bfqd, struct bfq_queue *q)
{
	bfq_mates_part(q);
	if (!q->habit.few)
		return;
	q->habit.few = 0;
	bfq_habit_forgive(bfqd, q);
}

/* It asks for a few.  Many at once are few, too, until the last is counted: was one back before? */
static inline void bfq_habit_see_few(struct bfq_habit *habit, unsigned int nr)
{
	if (likely(habit->few == BFQ_FEW_IN_A_ROW))
		return;
	if (nr - 1 <= habit->nr_before)
		habit->few++;
	habit->nr_before = nr - 1;
}

/* It used to think for long.  Does it, if one is back, and it asks before the others are? */
static noinline void bfq_habit_see_thinker(struct bfq_queue *q, unsigned int nr)
{
	struct bfq_habit *habit = &q->habit;

	if (nr > 1 && READ_ONCE(habit->took_ns))
		bfq_habit_see_think(habit, 0);
	if (!bfq_habit_few(q))
		WRITE_ONCE(habit->took_ns, 0);
}

/* It asks for one after the other.  Return how long it has had no request, U64_MAX: for ever. */
static inline u64 bfq_habit_see_next(struct bfq_data *bfqd, struct bfq_queue *q,
				     const struct request *rq, struct bfq_pace *pace)
{
	struct bfq_habit *habit = &q->habit;
	u64 completed = READ_ONCE(habit->completed_ns), asked = READ_ONCE(habit->asked_ns);
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);
	u64 rest;

	if (!completed)
		return U64_MAX;
	if (asked < completed || asked > rq->start_time_ns)
		asked = rq->start_time_ns;
	rest = asked > completed ? asked - completed : 0;
	pace->think = min3(rest, BFQ_THINK_CAP * slice_idle, (u64)BFQ_TOOK_MOST);
	pace->wait = min_t(u64, rq->start_time_ns - asked, BFQ_TOOK_MOST);
	if (unlikely(rest >= BFQ_PAUSE_NS))
		pace->own = bfq_habit_anew(bfqd, q, pace->think);
	bfq_habit_see_think(habit, pace->think);
	habit->thought = pace->think / BFQ_THOUGHT_UNIT;
	return rest;
}

/**
 * bfq_habit_arrival - note a process's think time, and how it got on
 * @bfqd: the device
 * @q: its queue
 * @rq: a new request, not in the queue yet
 * @nr: how many it has with that, no more than a few
 *
 * Only a request that the process made after all before it had completed tells how long it thinks.
 *
 * Context: bfqd->lock held.
 * Return: how long it has had no request, in ns; U64_MAX if this is its first.
 */
u64 bfq_habit_arrival(struct bfq_data *bfqd, struct bfq_queue *q, const struct request *rq, u32 nr)
{
	struct bfq_habit *habit = &q->habit;
	struct bfq_pace pace = { .nr = nr };
	u64 rest = 0;

	if (unlikely(!q->sync || q->prio.class != WF2Q_BE))
		bfq_mates_part(q);
	if (unlikely(READ_ONCE(habit->held))) {
		WRITE_ONCE(habit->held, false);
		bfq_habit_not_few(bfqd, q);
	} else {
		bfq_habit_see_few(habit, nr);
	}
	pace.rest = READ_ONCE(habit->rest) - habit->rest_seen;
	habit->rest_seen += pace.rest;
	if (nr == 1) {
		rest = bfq_habit_see_next(bfqd, q, rq, &pace);
		if (rest == U64_MAX)
			return rest;
	}
	if (unlikely(bfq_habit_pauses(bfqd, q)))
		bfq_habit_see_thinker(q, nr);
	if (q->sync && bfq_habit_few(q) && !bfq_habit_of_equals(bfqd, q))
		bfq_habit_progress(bfqd, q, &pace, rest);
	habit->last_kind = bfq_habit_kind(rq, nr);
	return rest;
}

/**
 * bfq_habit_arrival_of_many - the same of a process that has more than a few
 * @bfqd: the device
 * @q: its queue
 * @nr: how many it has
 *
 * Context: bfqd->lock held.
 */
void bfq_habit_arrival_of_many(struct bfq_data *bfqd, struct bfq_queue *q, u32 nr)
{
	bfq_habit_not_few(bfqd, q);
	if (unlikely(bfq_habit_pauses(bfqd, q)))
		bfq_habit_see_thinker(q, nr);
}

/**
 * bfq_habit_of_reads - is what a process makes alone known of reads, one at a time?
 * @q: its queue
 *
 * Context: bfqd->lock held.
 */
bool bfq_habit_of_reads(const struct bfq_queue *q)
{
	return q->habit.sure && q->habit.kind <= BFQ_KIND_SIZE;
}

/**
 * bfq_habit_fills - does a process that asks for few requests at a time keep the device busy?
 * @bfqd: the device
 * @q: its queue
 *
 * Then it can use what others are kept from, and little is lost.
 *
 * Context: bfqd->lock held.
 */
bool bfq_habit_fills(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u8 kind = q->habit.last_kind;
	u32 nr = 1 << (kind >> BFQ_KIND_NR_SHIFT & BFQ_KIND_NR);
	u32 load = (1U << (kind & BFQ_KIND_SIZE)) / 2 + bfqd->kind->overhead;

	return nr > 1 && nr * load >= bfqd->device.learned / BFQ_FILLS_PART;
}

/**
 * bfq_habit_seeks - does a process's I/O jump about?
 * @q: its queue
 *
 * Context: bfqd->lock held.
 */
bool bfq_habit_seeks(const struct bfq_queue *q)
{
	return hweight32(q->habit.seeks) > BFQ_SEEKS_OF_32;
}

/**
 * bfq_habit_gaps - does a process read along the disk, but leaves out what lies between?
 * @q: its queue
 *
 * Context: bfqd->lock held.
 */
bool bfq_habit_gaps(const struct bfq_queue *q)
{
	return hweight32(q->habit.gaps) > BFQ_GAPS_OF_32;
}

/**
 * bfq_habit_looks_at_mates - is it to be seen what a queue and its mates make, or only the queue?
 * @q: a queue for which the device is plugged to see something
 *
 * Each by turns, if it is known what it makes.
 *
 * Context: bfqd->lock held.
 */
bool bfq_habit_looks_at_mates(const struct bfq_queue *q)
{
	return (q->habit.looks & 1) && q->habit.alone_ns;
}

/* Does a process think for so long that it can't be behind, whatever its requests take? */
static bool bfq_habit_thinks(const struct bfq_queue *q)
{
	u64 think = q->habit.think_ns;
	u64 all = think + q->habit.alone_ns;

	return q->habit.alone_ns && all * bfq_mates_share(q) >> BFQ_SHARE_SHIFT < think;
}

/*
 * Of those that ask for few requests at a time: whose figure is the least certain?  NULL if nobody
 * can be kept from what it is guaranteed, since all are alike; that is noted, too.
 */
static struct bfq_queue *bfq_habit_unsure(struct bfq_active *active)
{
	struct bfq_queue *q, *found = NULL;
	bool alike = !active->claims_differ && !active->nr_behind;
	u8 looks, least = 0;
	u32 now = jiffies;
	u8 kind;

	kind = list_first_entry(&active->queues, struct bfq_queue, active)->habit.last_kind;
	alike &= !(kind & BFQ_KIND_SEVERAL);
	list_for_each_entry(q, &active->queues, active) {
		alike &= bfq_habit_few(q) && q->habit.last_kind == kind;
		if (!q->sync || !bfq_habit_few(q) || bfq_habit_thinks(q))
			continue;
		looks = min_t(u8, q->habit.looks, BFQ_LOOKS_SOON);
		if (!found || looks < least ||
		    (looks == least && now - q->habit.looked > now - found->habit.looked)) {
			found = q;
			least = looks;
		}
	}
	active->alike = alike;
	return alike ? NULL : found;
}

/*
 * It is time to see again what some queue does alone.  Where others are always served beside it, no
 * request of it ever has the device to itself, and what was seen in its first moments may be wrong.
 */
static void bfq_habit_look(struct bfq_data *bfqd)
{
	struct bfq_active *active = &bfqd->active;
	struct bfq_habit *habit;
	struct bfq_queue *q;
	bool soon;
	u64 wait;

	if (bfqd->kind->seeks || active->nr < 2) {
		active->alike = false;
		return;
	}
	if (jiffies - active->looked_at < active->look_wait)
		return;
	q = bfq_habit_unsure(active);
	if (!q)
		return;
	habit = &q->habit;
	soon = habit->looks < BFQ_LOOKS_SOON;
	habit->looks = soon ? habit->looks + 1 : habit->looks ^ 1;	/* odd: at its mates, too */
	if (bfq_habit_looks_at_mates(q) && bfq_mates_are(q, q))
		wait = bfq_mates_alone(q, habit->alone_ns);
	else
		wait = habit->alone_ns ?: NSEC_PER_MSEC;
	wait = (wait + habit->think_ns) * BFQ_LOOK_PART;
	if (soon)
		wait /= BFQ_LOOK_SOONER;
	habit->looked = jiffies;
	habit->run = 0;
	habit->trials = BFQ_TRIALS - BFQ_LOOKS;
	active->looked_at = jiffies;
	active->look_wait = 1 + nsecs_to_jiffies(wait);
}

/* Is a queue all that the others are, too: one of many that seek, one request at a time? */
static bool bfq_habit_one_of_many(const struct bfq_queue *q)
{
	return q->sync && bfq_habit_few(q) && bfq_habit_seeks(q);
}

/**
 * bfq_habit_refresh - forgive lags that no plug can make up for
 * @bfqd: the device
 *
 * If all are behind, to plug for one of them makes it worse for all.  And many equals that seek at
 * a disk get more from it together, since it sorts their requests by itself, than in turn; but
 * once the disk is kept for one, the others fall behind, and so on for ever.
 *
 * Looks at all active queues, so it is done when bfq_active_refresh() does.
 *
 * Context: bfqd->lock held.
 */
void bfq_habit_refresh(struct bfq_data *bfqd)
{
	struct bfq_active *active = &bfqd->active;
	struct bfq_queue *q;

	lockdep_assert_held(&bfqd->lock);
	bfq_habit_look(bfqd);
	if (!active->nr_behind)
		return;
	if (active->nr_behind < active->nr) {
		if (!bfqd->kind->seeks || active->claims_differ)
			return;
		list_for_each_entry(q, &active->queues, active)
			if (!bfq_habit_one_of_many(q))
				return;
	}
	list_for_each_entry(q, &active->queues, active)
		bfq_habit_forgive(bfqd, q);
}
