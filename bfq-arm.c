// SPDX-License-Identifier: GPL-2.0
/*
 * Arms: disks parts of which move independently.
 *
 * Some disks have two actuators, each with a half of the sectors (and say so: "independent access
 * ranges").  What is read from the one costs the other nothing.  This room knows which arm a
 * request is for, and how much each has in the device; what follows for the order of service
 * stands in bfq-apart.c.
 *
 * That an arm has come to rest is an event for requests that wait for just this one, as room in
 * the device is (bfq-device.c).  The completion tells it, without a lock: a dispatcher which finds
 * nothing to send leaves a mark, BFQ_WANTED_ARM, and looks once more; the completion that takes the
 * mark lets the plugged device be looked at again.  A full device is looked at, too.
 *
 * On all other disks there are no arms here (.nr is 0), and no request carries one: what completes
 * is asked once for all that may be noted in it.
 */
#include "bfq-iosched.h"

/**
 * bfq_arm_init - learn which arms a device has
 * @bfqd: a new device
 */
void bfq_arm_init(struct bfq_data *bfqd)
{
	struct bfq_arms *arms = &bfqd->arms;
	sector_t ends[BFQ_ARMS_MOST];
	unsigned int nr = bfq_access_ranges(bfqd->queue, ends, BFQ_ARMS_MOST);

	if (nr < 2)
		return;
	arms->nr = nr;
	while (nr--) {
		arms->arm[nr].end = ends[nr];
		arms->arm[nr].stint = ++arms->stints;
	}
}

/**
 * bfq_arm_sent - a request is sent to a device that has arms
 * @bfqd: the device
 * @rq: the request
 *
 * Context: bfqd->lock held.
 * Return: what is to be noted in it: that it is counted, and for which arm.
 */
unsigned long bfq_arm_sent(struct bfq_data *bfqd, const struct request *rq)
{
	unsigned int nr = bfq_arm_of(&bfqd->arms, blk_rq_pos(rq));

	lockdep_assert_held(&bfqd->lock);
	atomic_inc(&bfqd->arms.arm[nr].inside);
	return BFQ_RQ_ARMED | (unsigned long)nr << BFQ_RQ_ARM_SHIFT;
}

/**
 * bfq_arm_done - and has completed
 * @bfqd: the device
 * @rq: the request; its state is still that in which it was sent
 * @now: ktime in ns
 *
 * Context: any.
 * Return: whether somebody waits for that.
 */
bool bfq_arm_done(struct bfq_data *bfqd, const struct request *rq, u64 now)
{
	struct bfq_arm *arm = &bfqd->arms.arm[bfq_rq_arm(rq)];
	bool wanted = false;

	if (bfq_rq_noted(rq, BFQ_RQ_WATCHED))
		WRITE_ONCE(arm->raised_ns, now);
	WRITE_ONCE(arm->done_ns, now);
	/* a full barrier, pairs with bfq_arm_want(), bfq_device_full() and bfq_price_at_rest() */
	if (atomic_dec_return(&arm->inside) && !READ_ONCE(arm->seeks))
		return false;
	if (test_and_clear_bit(BFQ_WANTED_ARM, &bfqd->device.wanted)) {
		WRITE_ONCE(bfqd->turn.beside, true);
		wanted = true;
	}
	/* however full the device is, an arm must not rest */
	if ((READ_ONCE(bfqd->gate) & BFQ_GATE_FULL) &&
	    test_and_clear_bit(BFQ_WANTED_ROOM, &bfqd->device.wanted))
		wanted = true;
	return wanted;
}

/**
 * bfq_arm_look - a request has arrived: it may be for an arm that rests
 * @bfqd: the device
 *
 * A dispatcher is to look, however full the device is (bfq_gate_full()).  If there is nothing for
 * it bfq_device_full() asks for the next completion anew.
 *
 * Context: bfqd->lock held, as it arrives; the device is run after it.
 */
void bfq_arm_look(struct bfq_data *bfqd)
{
	if (unlikely(bfqd->arms.nr))
		clear_bit(BFQ_WANTED_ROOM, &bfqd->device.wanted);
}

/**
 * bfq_arm_free - does an arm rest that is not kept for a raised queue?
 * @bfqd: the device
 * @nr: the arm
 *
 * Context: any.
 * Return: false, too, if one has been served there that may still be thinking.
 */
bool bfq_arm_free(const struct bfq_data *bfqd, unsigned int nr)
{
	u64 think = bfqd->kind->raise_think_ms * NSEC_PER_MSEC;
	const struct bfq_arm *arm = &bfqd->arms.arm[nr];

	return bfq_arm_rests(arm) && (!bfqd->active.nr_first ||
				      ktime_get_ns() > READ_ONCE(arm->raised_ns) + think);
}

/**
 * bfq_arm_moves - an arm is sent where a request is
 * @bfqd: the device
 * @rq: the request
 * @seeks: its queue seeks
 *
 * Context: bfqd->lock held.
 */
void bfq_arm_moves(struct bfq_data *bfqd, const struct request *rq, bool seeks)
{
	struct bfq_arm *arm = &bfqd->arms.arm[bfq_arm_of(&bfqd->arms, blk_rq_pos(rq))];

	lockdep_assert_held(&bfqd->lock);
	arm->head = bfq_rq_end(rq);
	WRITE_ONCE(arm->seeks, seeks);
}

/**
 * bfq_arm_ready - which arms may be given a request beside what they have?
 * @bfqd: the device
 *
 * Those that rest, and those of which the disk may have several requests to choose from: as many as
 * are an arm's part of the limit.
 *
 * Context: bfqd->lock held.
 * Return: one bit for each; and of those that rest another, BFQ_ARMS_MOST further up.
 */
unsigned long bfq_arm_ready(const struct bfq_data *bfqd)
{
	const struct bfq_arms *arms = &bfqd->arms;
	unsigned int nr, most = bfqd->device.limit / bfqd->kind->overhead / max(arms->nr, 1U);
	unsigned long ready = 0;

	lockdep_assert_held(&bfqd->lock);
	for (nr = 0; nr < arms->nr; nr++) {
		const struct bfq_arm *arm = &arms->arm[nr];

		if (bfq_arm_rests(arm))
			ready |= BIT(nr) | BIT(nr + BFQ_ARMS_MOST);
		else if (arm->seeks && atomic_read(&arm->inside) < most)
			ready |= BIT(nr);
	}
	return ready;
}

/**
 * bfq_arm_want - nothing can be taken along: look again when an arm has done something
 * @bfqd: the device, which is plugged, or kept for raised queues
 * @ready: the arms of which it is known that nothing waits for them (bfq_arm_ready())
 *
 * Context: bfqd->lock held.
 */
void bfq_arm_want(struct bfq_data *bfqd, unsigned long ready)
{
	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->turn.beside, false);
	smp_mb__before_atomic();	/* who sees that sets it later */
	set_bit(BFQ_WANTED_ARM, &bfqd->device.wanted);
	smp_mb__after_atomic();	/* pairs with bfq_arm_done(): one of us sees the other */
	if (bfq_arm_ready(bfqd) & ~ready)
		WRITE_ONCE(bfqd->turn.beside, true);
}
