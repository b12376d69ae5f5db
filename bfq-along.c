// SPDX-License-Identifier: GPL-2.0
/*
 * Along: requests of others that lie on the way, on a disk with moving parts.
 *
 * The disk is given to one queue at a time because the way to another's requests is long.  Where
 * it is not, that reason is gone: what lies close behind the last request of the queue in service,
 * and before its next, is taken along.  It is charged to its own queue, and so changes the
 * order of service and nobody's share.  (What is for another arm is in nobody's way: bfq-apart.c.)
 *
 * Processes that read one file together need more than that: with N of them, each reads a stripe,
 * leaves out N - 1, and reads the next.  Side by side they are one sequential read; but once one
 * has got ahead, in a turn of its own, say, each of them is a reader with gaps, all the way through
 * the file, and the disk makes an Nth of what it could.  (The kernel's own scheduler merges their
 * queues for that, which has to be found out, undone in time, and taken apart when one exits.  Here
 * the queues stay as they are.)
 *
 *	gaps	 a queue most of whose requests are a step ahead of where the one before has ended,
 *		 by no more than BFQ_GAP_MOST (bfq-habit.c)
 *	company	 queues with gaps that are at most BFQ_SPAN apart, of one group and class
 *	rule	 whose turn it is of a company, the request that lies first is served, and one
 *		 request is in the disk at a time, since it would take them in another order;
 *		 while it has none, only what begins where the disk has got to, or before: or who
 *		 is ahead would be served while who is behind takes up what it has got
 *
 * So who is behind catches up, and from then on they go side by side: each finds its stripe
 * read ahead by the disk.
 */
#include "bfq-iosched.h"

/*
 * Who is further apart than 64 MiB does not read together any more: a second or two until it has
 * caught up.
 */
#define BFQ_SPAN		(SZ_64M >> SECTOR_SHIFT)

/* So many active queues are looked at for a request; a disk makes a few hundred a second. */
#define BFQ_LOOK_ALONG		32

/**
 * struct bfq_way - what lies on the way of the queue in service
 * @rq: the first request there that is another queue's, or NULL
 * @company: others read together with the queue
 */
struct bfq_way {
	struct request *rq;
	bool company;
};

static bool bfq_reads_with(const struct bfq_queue *q, const struct bfq_queue *served)
{
	sector_t apart = q->head > served->head ? q->head - served->head : served->head - q->head;

	return bfq_habit_gaps(q) && bfq_habit_gaps(served) && apart < BFQ_SPAN;
}

/* Of a company one request is in the disk, or in the arm that they use, at a time. */
static bool bfq_company_full(struct bfq_data *bfqd, const struct bfq_queue *served)
{
	/* asked again, since it may have come to rest before the gate was closed */
	return !bfq_apart_rests(bfqd, served) && bfq_device_full(bfqd, true) &&
	       !bfq_apart_rests(bfqd, served);
}

/* May a queue's requests be taken along in the turn of another? */
static bool bfq_may_join(const struct bfq_queue *q, const struct bfq_queue *served)
{
	return q != served && q->sync && q->group == served->group &&
	       q->prio.class == served->prio.class;
}

/*
 * Has enough been taken along in this turn?  The queue in service is served within a turn's
 * length, whatever others ask for, or it would be chosen again and again, and nobody else.
 */
static bool bfq_along_enough(const struct bfq_data *bfqd)
{
	const struct bfq_tunables *tun = &bfqd->tun;

	return bfqd->turn.along >= bfq_turn_most(bfqd) || READ_ONCE(tun->strict_guarantees) ||
	       jiffies - bfqd->turn.since > msecs_to_jiffies(READ_ONCE(tun->timeout_ms));
}

static struct bfq_way bfq_look_along(const struct bfq_data *bfqd, const struct bfq_queue *served,
				     const struct request *next)
{
	sector_t head = bfq_apart_head(bfqd, served), end = next ? blk_rq_pos(next) : U64_MAX;
	/* what is no seek is near; before its first request the head stands where another's were */
	sector_t near = bfqd->turn.sectors ? served->head + BFQ_SEEK_FAR : 0;
	sector_t back = served->head - min_t(sector_t, served->head, BFQ_SPAN);
	struct bfq_way way = { };
	unsigned int left = BFQ_LOOK_ALONG;
	struct bfq_queue *q;

	list_for_each_entry(q, &bfqd->active.queues, active) {
		struct request *rq;
		bool with;

		if (!left--)
			break;
		if (!bfq_may_join(q, served))
			continue;
		with = bfq_reads_with(q, served);
		way.company |= with;
		if (!with && q->raised != served->raised)
			continue;
		rq = bfq_queue_from(q, with ? back : head);
		if (!rq || blk_rq_pos(rq) >= (with ? end : min(end, near)))
			continue;
		/* the device is plugged for who may be behind, and is to catch up */
		if (with && !next && blk_rq_pos(rq) > head)
			continue;
		end = blk_rq_pos(rq);
		way.rq = rq;
	}
	return way;
}

/**
 * bfq_along_look - is anything to be taken along while a queue has no request?
 * @bfqd: the device, which has moving parts and is plugged
 * @served: the queue in service, for which it is
 *
 * Context: bfqd->lock held.
 */
void bfq_along_look(struct bfq_data *bfqd, const struct bfq_queue *served)
{
	unsigned long ready = 0;

	lockdep_assert_held(&bfqd->lock);
	if (unlikely(bfqd->arms.nr))
		ready = bfq_arm_ready(bfqd);
	if (bfq_apart_choose(bfqd, served, false) ||
	    (!bfq_along_enough(bfqd) && bfq_look_along(bfqd, served, NULL).rq))
		WRITE_ONCE(bfqd->turn.beside, true);
	else if (likely(!bfqd->arms.nr))
		WRITE_ONCE(bfqd->turn.beside, false);
	else
		bfq_arm_want(bfqd, ready);
}

/**
 * bfq_along_choose - what is sent next in the turn of a queue?
 * @bfqd: the device, which has moving parts
 * @served: the queue in service
 * @next: its next request; NULL if the device is plugged for it
 *
 * Context: bfqd->lock held.
 * Return: @next, or a request of another queue, which is to be charged out of turn; NULL for none,
 * and then the gate is closed.
 */
struct request *bfq_along_choose(struct bfq_data *bfqd, const struct bfq_queue *served,
				 struct request *next)
{
	struct request *rq;
	struct bfq_way way;

	lockdep_assert_held(&bfqd->lock);
	rq = bfq_apart_choose(bfqd, served, false);
	if (rq)
		return rq;
	if (bfq_along_enough(bfqd))
		return next;
	way = bfq_look_along(bfqd, served, next);
	rq = way.rq ?: next;
	return rq && way.company && bfq_company_full(bfqd, served) ? NULL : rq;
}
