// SPDX-License-Identifier: GPL-2.0
/*
 * Who competes for the device.
 *
 * The engine knows who is backlogged.  That is not the same: a process that
 * reads one block after the other is without a request half of the time, and
 * so is a group whose every request is in the driver just now; both will be
 * back in microseconds and have a claim on the device all along.  A queue is
 * therefore active from its first request until it has had none, neither
 * waiting nor in the driver, for BFQ_ACTIVE_MS.
 *
 * From the active queues two things follow, worked out here at most once a
 * tick, and only when the set has changed:
 *
 *	share(q) = product over levels (weight / sum of active weights)
 *
 * which entitles a queue to that part of the scheduler's tags (bfq-depth.c);
 * and whether all shares are the same, for then nobody has to be held back in
 * favour of anybody else, and the device need not be plugged for the sake of
 * shares (bfq-idle.c; Valente and Avanzini, MST 2015, on when idling can be
 * spared).
 */
#include "bfq-iosched.h"

/*
 * How long a queue stays active without a request: a few times the think time
 * that plugging would wait for (slice_idle is 8 ms).
 */
#define BFQ_ACTIVE_MS		25

/* Fraction bits of a share. */
#define BFQ_SHARE_SHIFT		32

/*
 * Active queues that may be looked at per tick: with more, we look less often,
 * so that this never costs more than about 10 us of a tick.
 */
#define BFQ_LOOKS_PER_TICK	256

/*
 * Percent of the tags that are shared out.  The rest is for those who get some
 * beyond their due: asynchronous requests, and tasks that must not sleep.
 */
#define BFQ_SHARED_TAGS_PERCENT	75

/* Shares that differ by less than 1/64 are the same: rounding, not weights. */
#define BFQ_SHARE_SLACK		64

/* A child of @group becomes active (@weight) or stops being so (-@weight). */
static void bfq_active_count(struct bfq_group *group, int weight)
{
	while (group) {
		unsigned int was = group->active_sum;

		group->active_sum += weight;
		/* does the group itself appear or disappear one level up? */
		if (was && group->active_sum)
			return;
		if (!was)
			group->active_weight = group->node.entity.new_weight;
		weight = was ? -(int)group->active_weight : group->active_weight;
		group = bfq_group_parent(group);
	}
}

static void bfq_active_add(struct bfq_data *bfqd, struct bfq_queue *q)
{
	q->active_weight = q->entity.new_weight;
	bfq_active_count(q->group, q->active_weight);
	list_add_tail(&q->active, &bfqd->active);
	bfqd->nr_active++;
	bfqd->shares_stale = true;
}

/**
 * bfq_active_drop - a queue competes no more, or not in this place
 * @bfqd: the device
 * @q: the queue; need not be active
 *
 * Context: bfqd->lock held.
 */
void bfq_active_drop(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	if (!q->active_weight)
		return;
	bfq_active_count(q->group, -(int)q->active_weight);
	q->active_weight = 0;
	list_del_init(&q->active);
	bfqd->nr_active--;
	bfqd->shares_stale = true;
}

/**
 * bfq_active_note - a request has arrived in a queue
 * @bfqd: the device
 * @q: the queue
 *
 * Context: bfqd->lock held.
 */
void bfq_active_note(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	if (!q->active_weight)
		bfq_active_add(bfqd, q);
	else if (time_after(jiffies, q->active_seen))
		list_move_tail(&q->active, &bfqd->active);
	q->active_seen = jiffies;
}

/**
 * bfq_active_reweigh - a group's weight has changed
 * @bfqd: the device
 * @group: the group; its engine entity has been told
 *
 * Context: bfqd->lock held.
 */
void bfq_active_reweigh(struct bfq_data *bfqd, struct bfq_group *group)
{
	struct bfq_group *parent = bfq_group_parent(group);

	lockdep_assert_held(&bfqd->lock);
	if (!group->active_sum || !parent)
		return;
	/* never zero in between: the weight comes before it goes */
	parent->active_sum += group->node.entity.new_weight;
	parent->active_sum -= group->active_weight;
	group->active_weight = group->node.entity.new_weight;
	bfqd->shares_stale = true;
}

/* The list is in order of the last arrival, so the ones to look at come first. */
static void bfq_active_sweep(struct bfq_data *bfqd)
{
	unsigned long old = jiffies - msecs_to_jiffies(BFQ_ACTIVE_MS);
	unsigned int left = bfqd->nr_active;

	while (left--) {
		struct bfq_queue *q = list_first_entry(&bfqd->active, struct bfq_queue, active);

		if (time_after(q->active_seen, old))
			return;
		if (q->nr_queued || atomic_read(&q->in_flight)) {
			q->active_seen = jiffies;
			list_move_tail(&q->active, &bfqd->active);
		} else {
			bfq_active_drop(bfqd, q);
		}
	}
}

static u64 bfq_share(const struct bfq_queue *q)
{
	u64 share = div_u64((u64)q->active_weight << BFQ_SHARE_SHIFT, q->group->active_sum);
	const struct bfq_group *group = q->group;
	const struct bfq_group *parent;

	for (; (parent = bfq_group_parent(group)); group = parent)
		if (parent->active_sum != group->active_weight)
			share = div_u64(share * group->active_weight, parent->active_sum);
	return share;
}

static void bfq_active_share_out(struct bfq_data *bfqd)
{
	u64 tags = max(bfq_all_tags(bfqd->queue) * BFQ_SHARED_TAGS_PERCENT / 100, 1U);
	u64 least = U64_MAX, most = 0;
	unsigned int classes = 0;
	struct bfq_queue *q;

	list_for_each_entry(q, &bfqd->active, active) {
		u64 share = bfq_share(q);

		least = min(least, share);
		most = max(most, share);
		classes |= BIT(q->prio.class);
		WRITE_ONCE(q->depth_limit, max_t(u64, share * tags >> BFQ_SHARE_SHIFT, 1));
	}
	bfqd->claims_differ = hweight32(classes) > 1 ||
			      (bfqd->nr_active && most - least > least / BFQ_SHARE_SLACK);
}

/**
 * bfq_active_refresh - bring the set and its shares up to date
 * @bfqd: the device
 *
 * Does something once a tick at most, since it looks at all active queues.
 *
 * Context: bfqd->lock held.
 */
void bfq_active_refresh(struct bfq_data *bfqd)
{
	lockdep_assert_held(&bfqd->lock);
	if (time_before_eq(jiffies, bfqd->shares_at + bfqd->nr_active / BFQ_LOOKS_PER_TICK))
		return;
	bfqd->shares_at = jiffies;
	bfq_active_sweep(bfqd);
	if (!bfqd->shares_stale)
		return;
	bfqd->shares_stale = false;
	bfq_active_share_out(bfqd);
}
