// SPDX-License-Identifier: GPL-2.0
/*
 * Idling: is it worth it to keep the device for a queue that has just run empty?
 *
 * A process that reads synchronously asks for its next block only when it has the last.  The moment
 * its queue is empty another would be served, and two things are lost: on a disk, the head's
 * position, next to which the next request will very likely be; and on any device the process's
 * share, for the engine can give service only to queues that ask for it, and this process would ask
 * again too late every time (J. Iyer, P. Druschel, "Anticipatory scheduling: a disk scheduling
 * framework to overcome deceptive idleness in synchronous I/O", SOSP 2001; P. Valente, A. Avanzini,
 * "Evolution of the BFQ Storage I/O Scheduler", MST 2015, for the second).
 *
 * So the device is plugged for it (bfq-turn.c), for at most slice_idle.  That costs throughput
 * wherever the device could have done something else meanwhile, so it is done only
 *
 *	- for synchronous queues, and while another queue is active;
 *	- for processes that usually come back within slice_idle;
 *	- on disks with moving parts: for processes that read along the disk (not seeking);
 *	- for who is of a higher class than others, and is due all that it can use: to keep these
 *	  out, so without moving parts only while nobody else of that class waits;
 *	- for who asks for many requests at a time, or few that keep the device as busy, while
 *	  shares have to be kept apart, that is, when active queues are due different ones
 *	  (bfq-active.c): where tags are scarce they may all be in the device, so that nothing
 *	  else would tell that it wants more.  Not in a crowd, where a task of it stands in line,
 *	  which tells (bfq-line.c);
 *	- for who asks for few at a time, and, while others are not, is behind what it is
 *	  guaranteed (bfq-habit.c): whoever is not loses nothing by others being served
 *	  meanwhile;
 *	- a few times for a queue of which it is to be seen what it does alone.
 *
 * With exact_shares it is done for all while active queues are due different
 * shares, which makes even what is left beyond the guarantees go by
 * weight, and with strict_guarantees for every synchronous queue.
 *
 * Claims.  A queue whose share is to be kept apart, and that does not read along a disk, need not
 * have the device to itself to keep what it is owed.  When it runs empty its turn ends, but to the
 * engine it goes on waiting, with an allotment for the request that it has not made yet: it has a
 * claim.  Others are served meanwhile.  Only when the engine's choice falls on a queue that is
 * still empty is the device plugged, for that one: now it has had less than its share, and who
 * would be served in its place would be ahead.  So requests of several queues are in the device at
 * a time, as many as shares allow: of equals all, beside one that is due half of everything two.
 * When it is not worth it any more to wait for a chosen queue its claim ends, so a claim lasts as
 * long as others are served before it, and slice_idle more, and no timer looks after it.  To the
 * engine a claim is a backlogged queue, and the bounds of Documentation/engine.md hold for it.
 *
 * On a disk with moving parts who is behind has a claim, too.  A disk may take several requests of
 * those that seek, and sort them; what it must not have is more of the others than their
 * share, a writer above all: the disk's cache takes what it writes at once, and makes everybody
 * wait for it later.
 *
 * Injection.  While the device is plugged for a queue that is behind, reads of others are served
 * beside its own, in the engine's order (wf2q_second()), as many as it can do with: a quota that
 * is learned from how it gets on (bfq-habit.c).  It may think for much longer than that takes, as
 * who reads at a pace does, and the device would rest: so while nothing of it is in there, it is
 * filled up to the quota again and again, which is what it would meet anyway.
 *
 * Little.  As much is in the device as may be (bfq-device.c), so who comes next has to wait until
 * some of it is done.  If that is of those who read little at a time, and have had less than their
 * share, it waits for what others have piled up, and on a device that programs slowly one of
 * their writes takes as long as a hundred reads.  Next to what is in there already its request is
 * nothing; so it is let in, and charged out of turn.
 *
 * This room holds the policy.
 */
#include "bfq-iosched.h"

/* While requests of a queue are in flight, how often it is looked at again, at least: ns. */
#define BFQ_LOOK_AGAIN_NS	NSEC_PER_MSEC

/*
 * This much is little: what a queue has in the device, with what it asks for, in sectors.  A
 * fraction of what the least device needs to be busy (BFQ_LIMIT_LEAST), and eight pages.
 */
#define BFQ_LITTLE		64

/*
 * Who reads little waits for room where that comes soon, which keeps the device's own queue short
 * for all; where what is in it takes longer than this, it is let in.  Who is raised does not wait
 * for room: beside four writers that was half of the time of a read of the SSD (3.7 ms, then 2.0;
 * tests/bench/run one-group).
 */
#define BFQ_LITTLE_NS		(12 * NSEC_PER_MSEC)

/* Queues that are looked at for it, those with the latest arrivals first. */
#define BFQ_LITTLE_LOOKS	16

/*
 * Is any queue of a lower class, or of a higher one, active beside this: in its group, or beside
 * that in one above it?  It may have no request just now.
 */
static bool bfq_idle_beside(const struct bfq_data *bfqd, const struct bfq_queue *q, bool lower)
{
	const struct bfq_group *group;
	u8 class = q->prio.class;

	if (likely(!bfqd->active.mixed))	/* nowhere */
		return false;
	for (group = q->group; group; group = bfq_group_parent(group)) {
		if (lower ? group->classes >> (class + 1) : group->classes & (BIT(class) - 1))
			return true;
		class = WF2Q_BE;	/* as all groups are */
	}
	return false;
}

/* Is a queue that runs empty worth waiting for, if that keeps others out?  Its next comes soon. */
static bool bfq_idle_comes_back(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return q->sync && !bfq_habit_pauses(bfqd, q);
}

/*
 * Is nobody of a lower class served if the one in service, which is empty, is not waited for?
 * That is, were it gone another would be next whose class is no lower: one in its group that keeps
 * these out as well, or there is nobody of a lower class in there.  With moving parts it is not
 * asked for: while the disk is plugged what lies on the way is taken along.
 */
static bool bfq_idle_equal_waits(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct wf2q_entity *second;
	struct bfq_queue *next;

	if (bfqd->kind->seeks)
		return false;
	second = wf2q_second(&bfqd->root->node);
	if (!second)
		return false;
	if (wf2q_outranked(second))	/* its thin share is due, or there is no equal */
		return wf2q_equal_waits(&bfqd->root->node);
	next = bfq_entity_queue(second);
	if (next->group == q->group && next->nr_queued && bfq_idle_comes_back(bfqd, next))
		return true;
	return !bfq_idle_beside(bfqd, q, true);
}

/* Is a queue due another share than those are from which it is to be kept apart? */
static bool bfq_idle_shares_differ(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_active *active = &bfqd->active;

	return active->mixed && q->prio.class == active->highest && !bfqd->kind->seeks ?
	       active->highest_differ : active->claims_differ;
}

/* Is a queue that is due another share than others to have it, beside what it is guaranteed? */
static bool bfq_idle_by_weight(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	if (READ_ONCE(bfqd->tun.exact_shares))
		return true;
	return !bfqd->line.crowd && (!bfq_habit_few(q) || bfq_habit_fills(bfqd, q));
}

/**
 * bfq_idle_worth - what would it be good for to wait for a queue's next request?
 * @bfqd: the device
 * @q: the queue in service, which has just run empty
 *
 * Context: bfqd->lock held.
 * Return: the reason, or BFQ_PLUG_NOT.
 */
enum bfq_plug_for bfq_idle_worth(const struct bfq_data *bfqd, struct bfq_queue *q)
{
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);

	if (!q->sync || !slice_idle)
		return BFQ_PLUG_NOT;
	if (READ_ONCE(bfqd->tun.strict_guarantees))
		return BFQ_PLUG_STRICT;
	if (q->prio.class == WF2Q_IDLE || bfqd->active.nr < 2)
		return BFQ_PLUG_NOT;
	if (!bfq_idle_comes_back(bfqd, q))
		return BFQ_PLUG_NOT;
	if (bfqd->kind->seeks && !bfq_habit_seeks(q))
		return BFQ_PLUG_LOCALITY;
	if (bfqd->active.mixed && q->prio.class == bfqd->active.highest &&
	    !bfq_idle_equal_waits(bfqd, q))
		return BFQ_PLUG_CLASS;
	if (bfq_idle_shares_differ(bfqd, q) && bfq_idle_by_weight(bfqd, q))
		return BFQ_PLUG_SHARES;
	/* a lag is no reason to keep out whoever is of a higher class */
	if (!bfqd->kind->seeks && bfq_idle_beside(bfqd, q, false))
		return BFQ_PLUG_NOT;
	if (q->habit.behind && bfqd->active.nr_behind < bfqd->active.nr)
		return BFQ_PLUG_BEHIND;
	return bfq_habit_trial(q) ? BFQ_PLUG_LEARN : BFQ_PLUG_NOT;
}

/**
 * bfq_idle_claims_for - does a queue keep its place in the engine's order without a request?
 * @bfqd: the device
 * @q: the queue
 * @what: what it would be good for to wait for its next one (bfq_idle_worth())
 *
 * Not beside another class: that is owed a thin share only for what it asks for.
 *
 * Context: bfqd->lock held.
 * Return: whether it does; if not the device is plugged for it, or its place is given up.
 */
bool bfq_idle_claims_for(const struct bfq_data *bfqd, const struct bfq_queue *q,
			 enum bfq_plug_for what)
{
	if (what != BFQ_PLUG_SHARES && (what != BFQ_PLUG_BEHIND || !bfqd->kind->seeks))
		return false;
	return !bfq_idle_beside(bfqd, q, false) && !bfq_idle_beside(bfqd, q, true);
}

/**
 * bfq_idle_claims - the same of a certain queue
 * @bfqd: the device
 * @q: the queue, which has just run empty
 *
 * Context: bfqd->lock held.
 * Return: whether it does.
 */
bool bfq_idle_claims(const struct bfq_data *bfqd, struct bfq_queue *q)
{
	return bfq_idle_claims_for(bfqd, q, bfq_idle_worth(bfqd, q));
}

/**
 * bfq_idle_left - how long is it worth yet to wait for a queue that is empty?
 * @bfqd: the device
 * @q: the queue
 *
 * Context: any.
 * Return: ns, 0 if that is over.
 */
u64 bfq_idle_left(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);
	u64 now, until;

	if (atomic_read_acquire(&q->in_flight))	/* before its completed_ns */
		return max_t(u64, slice_idle, BFQ_LOOK_AGAIN_NS);
	now = ktime_get_ns();
	until = READ_ONCE(q->habit.completed_ns) + slice_idle;
	return until > now ? min(until - now, slice_idle) : 0;
}

/* Can a queue that is behind do with a request of another one? */
static bool bfq_idle_room(struct bfq_data *bfqd, struct bfq_queue *served,
			  const struct request *rq)
{
	u32 load, quota;

	if (bfq_habit_beside(bfqd, served)->room > 0)
		return true;
	/* who does not think for longer than a request takes loses more by that than others win */
	if (served->habit.think_ns < served->habit.alone_ns)
		return false;
	load = bfq_rq_size(rq) + bfqd->kind->overhead;
	quota = bfq_habit_quota(bfqd, served);
	return load <= quota && bfq_device_down_to(bfqd, served, quota - load);
}

/*
 * Is a queue served while the device is plugged for one of its group, however much of others that
 * can do with, and however much it has had itself?  Not if it asks for as much as keeps the device
 * busy.
 */
static bool bfq_idle_with_mates(const struct bfq_data *bfqd, const struct bfq_queue *served,
				const struct bfq_queue *q)
{
	if (bfqd->turn.plugged_for == BFQ_PLUG_BEHIND && !bfq_mates_judged(bfqd, served))
		return false;
	return bfq_mates_are(served, q) && !bfq_habit_fills(bfqd, q);
}

/**
 * bfq_idle_inject - what may be served while the device is plugged for a queue?
 * @bfqd: the device
 * @served: that queue
 *
 * What its mates ask for: they are to catch up, or looked at, together.  And beside who is behind:
 * reads, as many as it can do with, of whose group nobody of a higher class is active; what is
 * written goes on being programmed long after.
 *
 * Context: bfqd->lock held.
 * Return: a request of another queue, or NULL, also where a claim comes first.
 */
struct request *bfq_idle_inject(struct bfq_data *bfqd, struct bfq_queue *served)
{
	bool behind = bfqd->turn.plugged_for == BFQ_PLUG_BEHIND;
	struct wf2q_entity *second;
	struct bfq_queue *q;
	struct request *rq;

	if (!behind && (bfqd->turn.plugged_for != BFQ_PLUG_LEARN ||
			!bfq_habit_looks_at_mates(served)))
		return NULL;
	second = wf2q_second(&bfqd->root->node);
	q = second ? bfq_entity_queue(second) : NULL;
	if (!q || !q->nr_queued)
		return NULL;
	if (bfq_idle_beside(bfqd, q, false))
		return NULL;
	rq = bfq_queue_peek(bfqd, q);
	if (bfq_idle_with_mates(bfqd, served, q))
		return rq;
	return behind && !op_is_write(req_op(rq)) && bfq_idle_room(bfqd, served, rq) ? rq : NULL;
}

/* Does what is in the device take it long?  (It does where its rate is not known yet.) */
static bool bfq_idle_crawls(const struct bfq_data *bfqd)
{
	return (u64)bfq_device_load(&bfqd->device) << BFQ_RATE_SHIFT >=
	       bfqd->device.rate * BFQ_LITTLE_NS;
}

/* Does a queue read little, and has it not had more than its share? */
static bool bfq_idle_asks_little(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u32 inside = atomic_read(&q->in_flight);
	struct request *rq;

	if (!q->nr_queued || !q->sync || inside >= BFQ_LITTLE)
		return false;
	/* who is behind needs more than this: its turn, and the device kept for it */
	if (q->habit.behind && !bfq_queue_serving(q))
		return false;
	rq = bfq_queue_peek(bfqd, q);
	return !op_is_write(req_op(rq)) && bfq_rq_size(rq) * (inside + 1) <= BFQ_LITTLE &&
	       !wf2q_leads(&q->entity, bfq_turn_most(bfqd));
}

/**
 * bfq_idle_little - what may be served though as much is in the device as may be?
 * @bfqd: the device, without moving parts
 *
 * Context: bfqd->lock held.
 * Return: a request, or NULL.
 */
struct request *bfq_idle_little(struct bfq_data *bfqd)
{
	unsigned int looks = BFQ_LITTLE_LOOKS;
	bool crawls;
	struct bfq_queue *q;

	/* what the administrator says holds for all */
	if (READ_ONCE(bfqd->tun.device_limit) != BFQ_LIMIT_AUTO ||
	    READ_ONCE(bfqd->tun.strict_guarantees) || bfq_plugged(bfqd))
		return NULL;
	crawls = bfq_idle_crawls(bfqd);
	if (!crawls && !bfqd->raise.most)	/* and nobody is raised */
		return NULL;
	/* many of them could keep it full, and no turn would begin */
	if (bfqd->turn.little >= bfq_turn_most(bfqd))
		return NULL;
	list_for_each_entry_reverse(q, &bfqd->active.queues, active) {
		if (!looks--)
			break;
		if ((bfqd->active.nr_first && !q->first) || (!crawls && !q->raised))
			continue;
		if (bfq_idle_beside(bfqd, q, false))
			continue;
		if (bfq_idle_asks_little(bfqd, q))
			return bfq_queue_peek(bfqd, q);
	}
	return NULL;
}
