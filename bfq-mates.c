// SPDX-License-Identifier: GPL-2.0
/*
 * Mates: what the processes of a group are guaranteed together.
 *
 * Without moving parts many requests are done at a time, so who asks for one after the other makes
 * a fraction of what the device can do, and several of these together make several times as much.
 * If each had just its share of what it makes alone (bfq-habit.c), their group would have its share
 * of what one of them makes: eight that read a block at a time make 113 MB/s of an SSD, one 23;
 * nine parts of ten are 102, and eight times 9/10 * 1/8 of 23 are 21.  So beside others a group has
 * a guarantee of its own: its share of what its processes, the mates, make together while nobody
 * else is served.  It is kept request by request, as that of a process is:
 *
 *	stretch	by how many times longer a request of a mate takes beside those of its mates alone
 *		than if it were alone in the device
 *	lag	+= share of the group * took - alone * stretch
 *
 * where that is more than the process's own guarantee, that is, if its share * stretch is less than
 * the share of the group.  The stretch has no unit, so mates may ask for requests of different
 * sizes.  It is seen while the group is quiet, that is, nobody else has been served for a while:
 *
 *	others	requests of other groups that have been sent so far
 *	quiet	requests of the group that had been when @others was seen to change
 *
 * A group that competes all the time is not quiet for long enough by itself.  So now and then the
 * device is plugged to see what its mates do (BFQ_PLUG_LEARN), as it is for what a process does.
 * When more mates come their stretch grows, and until that is seen they are due too much.  So they
 * are behind, the device is plugged for them, they are quiet, and it is seen.  (To take it for as
 * many times longer as there are more mates errs to the other side, where it lasts: for who seems
 * to have what it is due the device is not plugged.)
 *
 * While the device is plugged for a mate that is behind, the others are served as it is: it is all
 * of them that are to catch up.  The quota of what others may be served meanwhile is the group's,
 * and steered by what each of them meets.
 *
 * This holds while all that is asked for in the group is by those that ask for few at a time, and
 * have the same weight.  Who asks for more, or writes for nobody, has a claim to what the group is
 * due, and the others their share of what each makes alone.  Of several groups below each other
 * only the innermost has this guarantee.
 */
#include "bfq-iosched.h"

/*
 * A group is quiet when four times as many of its requests as it has mates were sent since anybody
 * else's: what comes back then was sent when most of these were done.
 */
#define BFQ_QUIET_EACH		4

/*
 * The stretch is a mean of so many requests, of so few at first when their number has changed.  One
 * counts for no more than twice what is known, since it may have met what others have left in the
 * device, and for no more than 64 times what it takes alone.
 */
#define BFQ_STRETCH_MEAN	64
#define BFQ_STRETCH_ANEW	16
#define BFQ_STRETCH_SHIFT	16
#define BFQ_STRETCH_NONE	BIT_ULL(BFQ_STRETCH_SHIFT)
#define BFQ_STRETCH_MOST	(64 * BFQ_STRETCH_NONE)

/* Somebody who asks for many at a time, or writes for nobody, is active for so long, in ms. */
#define BFQ_MATES_APART_MS	100

/* By how many times longer does a request take?  As seen last; if it never was, at most. */
static u64 bfq_mates_stretch(const struct bfq_group *group)
{
	if (!group->mates.nr)
		return group->nr_active * BFQ_STRETCH_NONE;
	return group->mates.stretch;
}

/* Do all processes of a group ask for few requests at a time?  As far as has been seen of late. */
static bool bfq_mates_alike(const struct bfq_group *group)
{
	return group->nr_active > 1 &&
	       jiffies - group->mates.apart_at > msecs_to_jiffies(BFQ_MATES_APART_MS);
}

static bool bfq_mates_compete(const struct bfq_group *group)
{
	return group->mates.share < BFQ_SHARE_ALL && bfq_mates_alike(group);
}

/**
 * bfq_mates_part - a request has arrived of who is no mate to the others of its group
 * @q: its queue: of many at a time, asynchronous, or of another class
 *
 * Context: bfqd->lock held.
 */
void bfq_mates_part(struct bfq_queue *q)
{
	q->group->mates.apart_at = jiffies;
}

/**
 * bfq_mates_are - are two queues of one group, which competes with others?
 * @served: the one for which the device is plugged
 * @q: another one
 *
 * Context: bfqd->lock held.
 */
bool bfq_mates_are(const struct bfq_queue *served, const struct bfq_queue *q)
{
	return q->group == served->group && bfq_mates_compete(q->group) && q->sync &&
	       q->prio.class == WF2Q_BE;
}

/**
 * bfq_mates_share - which part of the device may a queue be guaranteed, with its mates?
 * @q: the queue
 *
 * Context: bfqd->lock held.
 */
u32 bfq_mates_share(const struct bfq_queue *q)
{
	return bfq_mates_compete(q->group) ? q->group->mates.share : q->share;
}

/**
 * bfq_mates_judged - is a queue guaranteed more by what its group makes than by what it makes?
 * @bfqd: the device
 * @q: the queue
 *
 * Context: bfqd->lock held.
 */
bool bfq_mates_judged(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_mates *mates = &q->group->mates;

	if (!mates->nr || bfqd->kind->seeks || !bfq_mates_compete(q->group))
		return false;
	/* of different weights, or beside groups below, each is due another part of that */
	if (q->group->active_sum != q->group->nr_active * q->active_weight)
		return false;
	return q->share * bfq_mates_stretch(q->group) < (u64)mates->share << BFQ_STRETCH_SHIFT;
}

/**
 * bfq_mates_alone - what does a request take while only the queue's group is served?
 * @q: the queue
 * @alone_ns: what it takes alone in the device
 *
 * Context: bfqd->lock held.
 * Return: that time, in ns; if it has not been seen yet, what it takes at most.
 */
u64 bfq_mates_alone(const struct bfq_queue *q, u32 alone_ns)
{
	return alone_ns * bfq_mates_stretch(q->group) >> BFQ_STRETCH_SHIFT;
}

/**
 * bfq_mates_see - a request has come back from a device without moving parts: what does it tell?
 * @bfqd: the device
 * @q: its queue
 * @took: what it took, with the wait for a tag, in ns
 * @alone_ns: and what such a one takes alone in the device; not 0
 *
 * Context: bfqd->lock held.
 */
void bfq_mates_see(const struct bfq_data *bfqd, const struct bfq_queue *q, u32 took, u32 alone_ns)
{
	struct bfq_mates *mates = &q->group->mates;
	u64 others = bfqd->root->served.requests - mates->sent;
	unsigned int nr = q->group->nr_active;
	s32 off, most;

	if (q->group == bfqd->root || !bfq_mates_alike(q->group))
		return;
	if (others != mates->others) {
		mates->others = others;
		mates->quiet = mates->sent;
		return;
	}
	if (mates->sent - mates->quiet < BFQ_QUIET_EACH * nr)
		return;
	if (!mates->nr)		/* it begins with the most */
		mates->stretch = min(bfq_mates_stretch(q->group), BFQ_STRETCH_MOST);
	else if (nr != mates->nr)
		mates->seen = min(mates->seen, BFQ_STRETCH_ANEW);
	mates->nr = nr;
	if (mates->seen < BFQ_STRETCH_MEAN)
		mates->seen++;
	most = min_t(u64, 2 * mates->stretch, BFQ_STRETCH_MOST);
	off = clamp_t(u64, div_u64((u64)took << BFQ_STRETCH_SHIFT, alone_ns),
		      BFQ_STRETCH_NONE, most);
	off -= mates->stretch;
	mates->stretch += off / (s32)mates->seen;
}
