// SPDX-License-Identifier: GPL-2.0
/*
 * Which queues compete for the device, and for which share.
 *
 * The engine knows which queues are backlogged.  That is not the same: a process that reads one
 * block after the other is without a request half of the time, and so is a group whose every
 * request is in the driver just now; both will be back in microseconds and have a claim on the
 * device all along.  A queue is therefore active from its first request until it has had none,
 * neither waiting nor in the driver, for BFQ_ACTIVE_MS; as long as a task of it stands in line for
 * a tag (bfq-line.c); and as long as the device is plugged for it, or it has a claim (bfq-idle.c):
 * with exact_shares a processor may be taken from it for longer, and it must still find its place.
 *
 * From the active queues two things follow, worked out here at most once a
 * tick, and only when the set has changed:
 *
 *	share(q) = product over levels (weight / sum of active weights)
 *
 * which entitles a queue to that part of the scheduler's tags, or of those for asynchronous
 * requests (bfq-depth.c); and whether all shares are the same, for then no queue has to be held
 * back in favour of another, and the device need not be plugged for the sake of shares (bfq-idle.c;
 * Valente and Avanzini, MST 2015, on when idling can be spared).
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/*
 * How long a queue stays active without a request: a few times the think time
 * that plugging would wait for (slice_idle is 8 ms).
 */
#define BFQ_ACTIVE_MS		25

/*
 * And one whose task sleeps for a tag in the block layer: longer than that takes, since it competes
 * all the time, and uses up credit as if its request waited (bfq-raise.c).
 */
#define BFQ_ASKING_MS		1000

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
		if (!was) {
			group->active_weight = group->node.entity.new_weight;
			group->rested = (u32)jiffies - group->rest_from;
		} else {
			group->rest_from = jiffies;
		}
		weight = was ? -(int)group->active_weight : group->active_weight;
		group = bfq_group_parent(group);
	}
}

/**
 * bfq_active_init - no queue competes yet
 * @bfqd: a new device
 */
void bfq_active_init(struct bfq_data *bfqd)
{
	INIT_LIST_HEAD(&bfqd->active.queues);
	bfqd->active.looked = jiffies;
}

static void bfq_active_add(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_active *active = &bfqd->active;

	q->active_weight = q->entity.new_weight;
	bfq_active_count(q->group, q->active_weight);
	list_add_tail(&q->active, &active->queues);
	active->nr++;
	q->group->nr_active++;
	active->stale = true;
}

/**
 * bfq_active_behind - note whether a queue is behind its guarantee
 * @bfqd: the device
 * @q: the queue; one that is not active is not behind
 * @behind: whether it is
 *
 * Context: bfqd->lock held.
 */
void bfq_active_behind(struct bfq_data *bfqd, struct bfq_queue *q, bool behind)
{
	lockdep_assert_held(&bfqd->lock);
	behind = behind && q->active_weight;
	if (behind == q->habit.behind)
		return;
	q->habit.behind = behind;
	WRITE_ONCE(bfqd->active.nr_behind, bfqd->active.nr_behind + (behind ? 1 : -1));
}

/**
 * bfq_active_first - let others be held back for a queue, or no more
 * @bfqd: the device
 * @q: the queue; one that is raised
 * @first: whether they are
 *
 * Context: bfqd->lock held.
 */
void bfq_active_first(struct bfq_data *bfqd, struct bfq_queue *q, bool first)
{
	struct bfq_active *active = &bfqd->active;

	lockdep_assert_held(&bfqd->lock);
	if (first == q->first)
		return;
	q->first = first;
	WRITE_ONCE(q->watched, first && q->sync);
	WRITE_ONCE(active->nr_first, active->nr_first + (first ? 1 : -1));
	active->first_waiting += first ? q->nr_queued : -q->nr_queued;
	trace_bfq_raise(bfqd, q);
}

/**
 * bfq_active_raise - let a queue go first in its group, or no more
 * @bfqd: the device
 * @q: the queue; one that is not active or not best effort does not
 * @raised: whether it does
 *
 * Context: bfqd->lock held.
 */
void bfq_active_raise(struct bfq_data *bfqd, struct bfq_queue *q, bool raised)
{
	lockdep_assert_held(&bfqd->lock);
	raised = raised && q->active_weight && q->prio.class == WF2Q_BE;
	if (raised == q->raised)
		return;
	q->raised = raised;
	if (!raised)
		bfq_active_first(bfqd, q, false);
	wf2q_set_prio(&q->entity, q->entity.new_weight, raised ? WF2Q_RAISED : q->prio.class);
	trace_bfq_raise(bfqd, q);
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
	bfq_active_behind(bfqd, q, false);
	bfq_active_raise(bfqd, q, false);
	q->lined = false;
	wf2q_unstand(&q->entity);
	bfq_active_count(q->group, -(int)q->active_weight);
	q->active_weight = 0;
	list_del_init(&q->active);
	bfqd->active.nr--;
	q->group->nr_active--;
	bfqd->active.stale = true;
}

/**
 * bfq_active_note - a request has arrived in a queue, where it is to wait, or is asked for
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
	else if (q->active_seen != (u32)jiffies)
		list_move_tail(&q->active, &bfqd->active.queues);
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
	bfqd->active.stale = true;
}

/*
 * Who has stopped is dropped.  The list does not say where they stand: who passes keeps its place.
 * With thousands looks are far apart, and a queue has half the time between two to come again, or
 * all that come less often than every BFQ_ACTIVE_MS would be dropped and added with each look.
 *
 * Times are compared by their difference: a device may have been without I/O for so long
 * that 32 bits of jiffies have come half round.
 */
static void bfq_active_sweep(struct bfq_data *bfqd)
{
	struct bfq_active *active = &bfqd->active;
	u32 ticks = max(msecs_to_jiffies(BFQ_ACTIVE_MS), active->nr / BFQ_LOOKS_PER_TICK / 2UL);
	struct bfq_queue *q, *next;
	u64 now = 0;

	list_for_each_entry_safe(q, next, &active->queues, active) {
		if ((u32)jiffies - q->active_seen < ticks)
			continue;
		if (wf2q_backlogged(&q->entity) || q->in_line ||
		    atomic_read_acquire(&q->in_flight)) {
			q->active_seen = jiffies;
			list_move_tail(&q->active, &active->queues);
			/* it may have been expected there (bfq_depth_check_plug()) */
			if (!q->in_line)
				wf2q_unstand(&q->entity);
			continue;
		}
		/* nor is who sleeps for a tag gone, but that is a guess */
		if (atomic_read(&q->asking) &&
		    (u32)jiffies - q->active_seen < msecs_to_jiffies(BFQ_ASKING_MS))
			continue;
		/* nobody may have looked while its last request was in the device */
		now = now ?: ktime_get_ns();
		if (READ_ONCE(q->habit.completed_ns) + BFQ_ACTIVE_MS * NSEC_PER_MSEC > now)
			continue;
		bfq_active_drop(bfqd, q);
	}
}

/* The share of a queue; and of its group, to which that is noted. */
static u64 bfq_share(const struct bfq_queue *q)
{
	const struct bfq_group *group, *parent;
	u64 share = BFQ_SHARE_ALL;

	for (group = q->group; (parent = bfq_group_parent(group)); group = parent)
		if (parent->active_sum != group->active_weight)
			share = div_u64(share * group->active_weight, parent->active_sum);
	q->group->mates.share = share;
	return div_u64(share * q->active_weight, q->group->active_sum);
}

/* Which classes are active in a group, and in those above it, is to be found out anew. */
static void bfq_active_forget_classes(struct bfq_group *group)
{
	for (; group; group = bfq_group_parent(group))
		group->classes = 0;
}

static void bfq_active_share_out(struct bfq_active *active)
{
	u64 least = BFQ_SHARE_ALL, most = 0;	/* of the highest class */
	unsigned int classes = 0, nr_async = 0;
	u8 highest = WF2Q_IDLE;
	struct bfq_queue *q;
	u32 async = 0;

	list_for_each_entry(q, &active->queues, active)
		bfq_active_forget_classes(q->group);
	list_for_each_entry(q, &active->queues, active) {
		u64 share = bfq_share(q);
		u8 class = q->prio.class;

		if (class < highest) {
			highest = class;
			least = share;
			most = share;
		} else if (class == highest) {
			least = min(least, share);
			most = max(most, share);
		}
		classes |= BIT(class);
		q->group->classes |= BIT(class);
		if (!q->sync) {
			async += share;
			nr_async++;
		}
		WRITE_ONCE(q->share, max_t(u64, share, 1));	/* 0 means not known */
	}
	WRITE_ONCE(active->nr_async, nr_async);
	WRITE_ONCE(active->async_share, async);
	WRITE_ONCE(active->mixed, hweight32(classes) > 1);
	WRITE_ONCE(active->highest, highest);
	active->highest_differ = most > least + least / BFQ_SHARE_SLACK;
	active->claims_differ = active->mixed || active->highest_differ;
}

/**
 * bfq_active_refresh - bring the set and its shares up to date
 * @bfqd: the device
 *
 * Does something once a tick at most, since it looks at all active queues.
 *
 * Context: bfqd->lock held.
 * Return: whether it did: other things that are to be done once a tick can be, too.
 */
bool bfq_active_refresh(struct bfq_data *bfqd)
{
	struct bfq_active *active = &bfqd->active;

	lockdep_assert_held(&bfqd->lock);
	if (!bfq_active_due(active))
		return false;
	WRITE_ONCE(active->looked, jiffies);
	bfq_active_sweep(bfqd);
	if (active->stale) {
		active->stale = false;
		bfq_active_share_out(active);
	}
	return true;
}
