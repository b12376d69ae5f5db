// SPDX-License-Identifier: GPL-2.0
/*
 * Apart: requests for an arm that would rest, on a disk that has several.
 *
 * A disk is given to one queue at a time because its head cannot be in two places.  A disk with two
 * arms (bfq-arm.c) can be: while the one serves the queue in service, or is kept for it,
 * requests of others for the other arm cost that queue nothing.  So an arm that rests is given what
 * there is for it, whichever queue's turn it is, and whether the device is plugged, full, or kept
 * for raised queues, which is meant for the arm that these use.
 *
 *	home	 the arm with which the queue in service is at work
 *	stint	 one queue after the other is taken along in each other arm, for as long as a turn
 *		 and with as much as a budget; and waited for as it would be in a turn, or two who
 *		 read in sequence would have the arm to and fro with each request
 *	next	 the queue of the highest class that has had least for its weight
 *	seeking	 of queues that seek the disk may have several requests to choose from
 *	charge	 all that is served, until the queue is a budget ahead of its share
 *
 * The last is what keeps a use of an arm that costs nobody anything from being held against the
 * queue later.  With two queues at the one arm and a third alone at the other, that one is served
 * twice what each of these is, which is right.  Were all of it charged it would be so far ahead
 * after a minute that a new queue at its arm would have that alone for half of one.  A queue
 * which is a budget ahead is chosen last, and in a quarter of a second that is made up for.
 *
 * The turns take care of the arm for which more compete: a queue which is taken along at the other
 * one is ahead, and seldom chosen.  Each look follows something that has happened, so no timer is
 * needed: a queue that is waited for in its stint is passed over at the latest when the turn ends.
 */
#include "bfq-iosched.h"

/* So many active queues are looked at for a request; a disk makes a few hundred a second. */
#define BFQ_LOOK_APART		32

/*
 * In which arm is the queue in service at work?  Before the first request of its turn nothing of it
 * has been anywhere.  Without one, in none (arms->nr).
 */
static unsigned int bfq_apart_home(const struct bfq_data *bfqd, const struct bfq_queue *served)
{
	sector_t pos;

	if (!served)
		return bfqd->arms.nr;
	if (!bfqd->turn.sectors && served->nr_queued)
		pos = blk_rq_pos(bfq_queue_peek(bfqd, served));
	else
		pos = bfq_queue_last(served);
	return bfq_arm_of(&bfqd->arms, pos);
}

/**
 * bfq_apart_head - where has the arm been sent last with which the queue in service is at work?
 * @bfqd: the device
 * @served: the queue in service
 *
 * Context: bfqd->lock held.
 * Return: a sector.
 */
sector_t bfq_apart_head(const struct bfq_data *bfqd, const struct bfq_queue *served)
{
	lockdep_assert_held(&bfqd->lock);
	if (likely(!bfqd->arms.nr))
		return bfqd->turn.head;
	return bfqd->arms.arm[bfq_apart_home(bfqd, served)].head;
}

/**
 * bfq_apart_rests - does the arm rest with which the queue in service is at work?
 * @bfqd: the device
 * @served: the queue in service
 *
 * Context: bfqd->lock held.
 * Return: false, too, if there is but one.
 */
bool bfq_apart_rests(const struct bfq_data *bfqd, const struct bfq_queue *served)
{
	lockdep_assert_held(&bfqd->lock);
	return unlikely(bfqd->arms.nr) &&
	       bfq_arm_rests(&bfqd->arms.arm[bfq_apart_home(bfqd, served)]);
}

/*
 * The request of a queue that an arm would serve next: that which the queue would have served, if
 * it is there, because it may have waited for too long; else along the disk, from the beginning.
 */
static struct request *bfq_apart_next(const struct bfq_data *bfqd, const struct bfq_queue *q,
				      unsigned int nr)
{
	const struct bfq_arm *arm = &bfqd->arms.arm[nr];
	sector_t begin = nr ? arm[-1].end : 0;
	struct request *rq;

	if (!q->nr_queued)
		return NULL;
	rq = bfq_queue_peek(bfqd, q);
	if (blk_rq_pos(rq) >= begin && blk_rq_pos(rq) < arm->end)
		return rq;
	rq = bfq_queue_from(q, max(begin, q->head));
	if (!rq || blk_rq_pos(rq) >= arm->end)
		rq = bfq_queue_from(q, begin);
	return rq && blk_rq_pos(rq) < arm->end ? rq : NULL;
}

/**
 * bfq_apart_is - is a queue served at another arm, whoever's turn it is?
 * @bfqd: the device, which has several
 * @served: the queue in service
 * @q: the queue, in which requests wait
 *
 * Context: bfqd->lock held.
 */
bool bfq_apart_is(const struct bfq_data *bfqd, const struct bfq_queue *served,
		  const struct bfq_queue *q)
{
	unsigned int nr = bfq_arm_of(&bfqd->arms, blk_rq_pos(bfq_queue_peek(bfqd, q)));

	lockdep_assert_held(&bfqd->lock);
	return q->sync && !READ_ONCE(bfqd->tun.strict_guarantees) &&
	       nr != bfq_apart_home(bfqd, served) && bfq_apart_next(bfqd, q, nr) &&
	       !bfq_apart_next(bfqd, served, nr);
}

static bool bfq_stint_over(const struct bfq_data *bfqd, const struct bfq_arm *arm)
{
	return arm->sectors >= bfq_turn_most(bfqd) ||
	       jiffies - arm->since > msecs_to_jiffies(READ_ONCE(bfqd->tun.timeout_ms));
}

/* Is a queue that has its stint, and no request just now, still to be waited for? */
static bool bfq_stint_waits(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return !bfq_habit_seeks(q) && !bfq_habit_pauses(bfqd, q) &&
	       bfq_idle_left(bfqd, q);
}

/* May a queue's requests be given to an arm beside what that has? */
static bool bfq_apart_may(const struct bfq_data *bfqd, const struct bfq_queue *q, unsigned int nr)
{
	if (!q->sync)
		return false;
	/* what an arm has may be a raised queue's */
	if (bfq_beside_raised(bfqd, q))
		return bfq_arm_free(bfqd, nr);
	return bfq_arm_rests(&bfqd->arms.arm[nr]) || bfq_habit_seeks(q);
}

/* What is to be served by this arm, while the queue in service is at work elsewhere? */
static struct request *bfq_apart_for_arm(const struct bfq_data *bfqd,
					 const struct bfq_queue *served, unsigned int nr)
{
	const struct bfq_arm *arm = &bfqd->arms.arm[nr];
	const struct bfq_queue *stays = NULL, *best = NULL;
	bool over = bfq_stint_over(bfqd, arm);
	unsigned int left = BFQ_LOOK_APART;
	struct request *found = NULL;
	struct bfq_queue *q;

	list_for_each_entry(q, &bfqd->active.queues, active) {
		struct request *rq;

		if (!left--)
			break;
		if (q == served || !bfq_apart_may(bfqd, q, nr))
			continue;
		rq = bfq_apart_next(bfqd, q, nr);
		if (!over && q->stint == arm->stint && (rq || bfq_stint_waits(bfqd, q)))
			stays = q;
		if (rq && (!best || wf2q_had_less(&q->entity, &best->entity))) {
			best = q;
			found = rq;
		}
	}
	if (!best || !stays || best->entity.class < stays->entity.class)
		return found;
	return bfq_apart_next(bfqd, stays, nr);
}

/**
 * bfq_apart_choose - a request for an arm that would rest
 * @bfqd: the device, which has moving parts
 * @served: the queue in service, NULL for none
 * @full: as much is in the device as may be
 *
 * What the queue in service has for another arm comes in its own turn, unless the device is full;
 * and its own arm is for others only then, and not while it is kept for it.
 *
 * Context: bfqd->lock held.
 * Return: the request, or NULL.
 */
struct request *bfq_apart_choose(const struct bfq_data *bfqd, const struct bfq_queue *served,
				 bool full)
{
	unsigned int nr, home;
	unsigned long ready;

	lockdep_assert_held(&bfqd->lock);
	if (likely(!bfqd->arms.nr) || READ_ONCE(bfqd->tun.strict_guarantees))
		return NULL;
	ready = bfq_arm_ready(bfqd);
	home = bfq_apart_home(bfqd, served);
	for (nr = 0; nr < bfqd->arms.nr; nr++) {
		struct request *rq;

		if (!(ready & BIT(nr)) || (nr == home && (!full || bfq_plugged(bfqd))))
			continue;
		rq = served ? bfq_apart_next(bfqd, served, nr) : NULL;
		if (!rq)
			rq = bfq_apart_for_arm(bfqd, served, nr);
		else if (!full || !bfq_arm_rests(&bfqd->arms.arm[nr]))
			continue;
		if (rq)
			return rq;
	}
	return NULL;
}

/**
 * bfq_apart_took - a request has been taken along: was it for another arm?
 * @bfqd: the device
 * @served: the queue in service, NULL for none
 * @q: the queue whose request it was
 * @sectors: what it counts for; on return, what @q is to be charged
 *
 * Context: bfqd->lock held.
 */
bool bfq_apart_took(struct bfq_data *bfqd, const struct bfq_queue *served, struct bfq_queue *q,
		    u32 *sectors)
{
	struct bfq_arms *arms = &bfqd->arms;
	unsigned int nr = bfq_arm_of(arms, bfq_queue_last(q));
	struct bfq_arm *arm = &arms->arm[nr];

	lockdep_assert_held(&bfqd->lock);
	if (likely(!arms->nr) || !bfqd->kind->seeks || nr == bfq_apart_home(bfqd, served))
		return false;
	if (q->stint != arm->stint || bfq_stint_over(bfqd, arm)) {
		q->stint = ++arms->stints;
		arm->stint = q->stint;
		arm->since = jiffies;
		arm->sectors = 0;
	}
	arm->sectors += *sectors;
	if (wf2q_leads(&q->entity, bfq_turn_most(bfqd)))
		*sectors = 0;
	return true;
}
