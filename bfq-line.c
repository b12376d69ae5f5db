// SPDX-License-Identifier: GPL-2.0
/*
 * The line: who gets the next tag of a device that has only a few.
 *
 * The block layer gives a scheduler twice as many tags as the driver takes requests.  A USB stick,
 * an SD card in a USB reader or a disk in a USB case takes one at a time: so there are two tags.
 * Whatever the scheduler would choose, it can choose between two requests; all others are not made
 * yet, and their tasks sleep in the block layer for a tag, which is given to them in the order in
 * which they came.  That is then what the device does: a program that starts beside ten readers
 * waits for twenty of their requests each time, and weights mean nothing.
 *
 * So where tags are few, a task that would have to sleep there sleeps here, and whenever a request
 * gives its tag back, one of those who stand in line is let go and takes it:
 *
 *	1. a task of a queue of real time, or that goes first (bfq-raise.c),
 *	2. one of the queue in service (or each turn would end after one request),
 *	3. of the others one that the engine would choose (wf2q_goes_before()).
 *
 * So the line is the engine's order for requests that are not made yet.  What they will need is not
 * known: as much as the queue had in its last turn.  The engine counts who stands here
 * (wf2q_stand()), until its request is there, and so V is where it would be if all of them waited;
 * but not those for which nobody waits and which have as many tags as they may, or would be parked.
 *
 * One tag is kept, so that who is to be served next does not have to wait for those of others, as
 * long as somebody goes first, is of a higher class, is behind its guarantee, or has the device
 * plugged for it; the latter two yield to who goes first, and to a group that the engine would
 * choose before that in service.  It is kept from requests for which nobody waits, too, on flash
 * always, since there a write takes ten times as long as a read.  Otherwise they have as many as
 * bfq-depth.c lets them have everywhere; a write that would be parked gets none.
 *
 * Some ask for tags without standing in line: for flushes, passthrough, metadata, or because they
 * must not sleep here; so do all writes but a flusher's.  While one of them sleeps in the block
 * layer each other tag that is given back is left to it, or those who are let go would always be
 * faster.  But while writes have as many as they may it is a write that sleeps, which could not
 * take it.
 *
 * A crowd.  A hundred containers want more tags than the 64 of a disk that takes 32 requests at a
 * time.  Nobody can have less than one, so there is nothing to be shared out (bfq-depth.c), and who
 * has none waits in the block layer, where no scheduler sees it.  Weights meant little then, and
 * processes that read along a hard disk made 9 of its 31 MB/s: who had its data found its tag gone.
 * So a line forms where more queues compete than there are tags, too, once these are scarce, and
 * goes by the same rules (selftest scarce), but
 *
 *	- a device that works on 32 requests has given back the next tag before hundreds are looked
 *	  at: BFQ_LINE_CROWD_LOOKS are, which stand behind the others then;
 *	- the tag that is kept while the device is plugged is not for who is due more, nor for who
 *	  has waited for longest: with all tags held by others a turn is over, and somebody is due
 *	  more at any time.  Only when the next request would end the turn anyway the plug is as
 *	  good as over, and the tag goes to whom the engine would choose; or those that have tags
 *	  would have them for ever;
 *	- nobody has a claim (bfq-idle.c) but with exact_shares: who wants more stands here, and so
 *	  keeps its place in the engine's order.  A thousand that ask for two at a time made 287 of
 *	  510 MB/s, when the SSD was plugged for one after the other of which each wanted a tag;
 *	- how many tags one may have goes by what a tag is worth to it (bfq_line_need()).
 *
 * Who stands in line competes (bfq-active.c), uses up credit, and does not think.  One in
 * BFQ_LINE_PACE is let go because it has waited for longest, so nobody waits for ever; while
 * somebody goes first, or if it is ahead, only after BFQ_LINE_LONG_MS.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/*
 * With more tags than this every one of several processes has some, and they are shared out
 * (bfq-depth.c); what to let in next is chosen among enough, and a line would be work for nothing.
 * Devices that take eight requests at a time at most are no fast ones.
 */
#define BFQ_LINE_TAGS		16

/* As for the lowest class in the engine (WF2Q_THIN_PACE): one in 32 for who has waited longest. */
#define BFQ_LINE_PACE		32

/*
 * Beside a program that starts.  A write that gets its tag may keep a card for a tenth of a second,
 * and there are few of them that a program would not wait for.
 */
#define BFQ_LINE_LONG_MS	1000

/*
 * So many who read are looked at, and so many flushers, at most: some us, where a request takes ms.
 * Apart, since those who come first of one kind make way for the others of it, but not for the
 * other kind: while writes have as many tags as they may all flushers stay where they are.
 */
#define BFQ_LINE_LOOKS		64

/*
 * In a crowd there may be ten thousand requests a second.  To look at 64 for each takes half of the
 * time of an emulated CPU: a hundred readers of unequal requests made 457 instead of 490 MB/s
 * (tests/bench/run fairness, unequal 100).
 */
#define BFQ_LINE_CROWD_LOOKS	16

/*
 * Who has been let go takes its tag at once, or something else has kept it (io.latency makes tasks
 * sleep in between): then it does not keep the tag from others for longer.  As long waits a task
 * that may have been overlooked: a tag can be given back just before it comes to stand here.
 */
#define BFQ_LINE_PATIENCE_MS	20

/* So many look by themselves that often; if more stand there, each does so less often. */
#define BFQ_LINE_AT_ONCE	8

/**
 * struct bfq_waiter - a task in the line, on its stack
 * @link: in bfq_line.waiters
 * @q: the queue for which it wants a tag
 * @task: the task
 * @began: when it came (ktime in ns)
 * @let_go: it may take a tag
 */
struct bfq_waiter {
	struct list_head link;
	struct bfq_queue *q;
	struct task_struct *task;
	u64 began;
	bool let_go;
};

/* How many tags are left, but for those that are promised? */
static int bfq_line_room(struct bfq_data *bfqd)
{
	return (int)READ_ONCE(bfqd->tags) - (int)bfq_tags_used(bfqd->queue, 0) -
	       atomic_read(&bfqd->line.granted);
}

/* Are others held back for this queue, or would they be?  Without the lock a hint. */
static bool bfq_line_first(const struct bfq_queue *q)
{
	/* a bit that changes under the lock: to be wrong for a moment costs a look */
	return data_race((bool)q->first) || READ_ONCE(q->prio.class) == WF2Q_RT;
}

/* Do requests for which nobody waits have as many as they may? */
static bool bfq_line_writes_full(const struct bfq_data *bfqd)
{
	unsigned int tags = READ_ONCE(bfqd->tags);

	return atomic_read(&bfqd->line.writes) >=
	       (int)bfq_async_depth(bfqd->queue, tags, BFQ_ASYNC_PERCENT);
}

/* And would this be one more? */
static bool bfq_line_full(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return !q->sync && bfq_line_writes_full(bfqd);
}

/*
 * Is one kept from it whatever the engine says, for who goes first or is of a higher class?  From a
 * write on flash always.
 */
static bool bfq_line_barred(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_active *active = &bfqd->active;

	if (!q->sync && !READ_ONCE(bfqd->kind)->seeks)
		return true;
	if (READ_ONCE(active->nr_first) && !bfq_line_first(q))
		return true;
	return READ_ONCE(active->mixed) && READ_ONCE(q->prio.class) > READ_ONCE(active->highest);
}

/*
 * Is one kept from it for another, which the device is plugged for, or which is behind?  What is
 * waited for in a plug needs a tag, and whatever else has that waits for nothing until its end.
 */
static bool bfq_line_yields(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	if (bfq_line_first(q))
		return false;
	if (bfq_plugged(bfqd))
		return !READ_ONCE(bfqd->line.over);
	/* a bit likewise */
	return READ_ONCE(bfqd->active.nr_behind) && !data_race((bool)q->habit.behind);
}

/*
 * How many tags are not for this queue?  Not the only one.  None while the device is plugged for
 * it: its request goes there at once, and gives the tag back sooner than any other.  Without the
 * lock a hint.
 */
static int bfq_line_kept(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	if (READ_ONCE(bfqd->tags) <= 1 ||
	    (bfq_plugged(bfqd) && bfq_queue_serving(q) && !READ_ONCE(bfqd->line.over)))
		return 0;
	return bfq_line_barred(bfqd, q) || bfq_line_yields(bfqd, q);
}

/* Would a turn end, in a crowd, with the last tag given to another? */
static bool bfq_line_would_end_turn(const struct bfq_data *bfqd)
{
	return bfqd->line.crowd && bfq_plugged(bfqd) && !bfqd->line.over;
}

/*
 * Need it not yield?  While nobody else has a tag, turns of those in one group follow each other,
 * and one of another group would wait for as many as there are.  But if the device is plugged for
 * who is behind, or to see what it does alone, that is about time, which the engine does not know.
 */
static bool bfq_line_due(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	const struct bfq_queue *serving = bfq_in_service(bfqd);
	enum bfq_plug_for what = bfqd->turn.plugged_for;

	if (!serving || q->group == serving->group || bfq_line_barred(bfqd, q))
		return false;
	if (bfq_line_would_end_turn(bfqd))
		return false;
	if (bfq_plugged(bfqd) && (what == BFQ_PLUG_BEHIND || what == BFQ_PLUG_LEARN))
		return false;
	return wf2q_goes_before(&q->entity, &serving->entity);
}

/**
 * bfq_line_few - are tags so few that one has to stand in line for them, however few compete?
 * @bfqd: the device
 *
 * Context: any.
 * Return: whether they are.
 */
bool bfq_line_few(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->tags) <= BFQ_LINE_TAGS && READ_ONCE(bfqd->one_map);
}

/**
 * bfq_line_need - how much of the tags does a queue need to have its share?
 * @q: a synchronous queue
 *
 * By what it is charged for a request: who is due as much as another in requests of a quarter of
 * the size needs four times as many.
 *
 * Context: any; without the lock a hint.
 * Return: what is to be compared with that of others (bfq_line.need); 0 if nothing is known of it.
 */
u32 bfq_line_need(const struct bfq_queue *q)
{
	u64 sectors = READ_ONCE(q->served.sectors), share = READ_ONCE(q->share);
	/* those without data cost nothing */
	u64 requests = min_t(u64, min(READ_ONCE(q->served.requests), sectors), U32_MAX);

	return sectors ? div64_u64(share * requests, sectors) : 0;
}

/* Of all that read together. */
static u32 bfq_line_need_of_all(const struct bfq_active *active)
{
	struct bfq_queue *q;
	u32 need = 0;

	list_for_each_entry(q, &active->queues, active)
		if (q->sync)
			need += bfq_line_need(q);
	return need;
}

/**
 * bfq_line_refresh - see whether tags are few, or few for those who compete
 * @bfqd: the device
 *
 * Done once a tick, and when the number of tags changes.
 *
 * Context: bfqd->lock held.
 */
void bfq_line_refresh(struct bfq_data *bfqd)
{
	struct bfq_line *line = &bfqd->line;
	bool few = bfq_line_few(bfqd);

	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(line->crowd, !few && bfqd->one_map && bfqd->active.nr > bfqd->tags);
	WRITE_ONCE(line->forms, few || line->crowd);
	WRITE_ONCE(line->need, line->crowd ? bfq_line_need_of_all(&bfqd->active) : 0);
}

/**
 * bfq_line_forms - must a task stand in line for a tag?
 * @bfqd: the device
 * @q: the queue for which it wants one
 *
 * Context: any.
 * Return: whether somebody stands there, or there is no tag that is not kept for others.
 */
bool bfq_line_forms(struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return READ_ONCE(bfqd->line.forms) && (READ_ONCE(bfqd->line.nr) || bfq_line_full(bfqd, q) ||
					       bfq_line_room(bfqd) <= bfq_line_kept(bfqd, q));
}

/* Is a tag better given to the one than to the other? Of one queue who came first has it. */
static bool bfq_line_before(const struct bfq_line *line, const struct bfq_waiter *one,
			    const struct bfq_waiter *other)
{
	const struct bfq_queue *a = one->q, *b = other->q;

	if (a == b)
		return one->began < other->began;
	if (bfq_line_first(a) != bfq_line_first(b))
		return bfq_line_first(a);
	if (!line->over && bfq_queue_serving(a) && a->entity.class <= b->entity.class)
		return true;
	if (!line->over && bfq_queue_serving(b) && b->entity.class <= a->entity.class)
		return false;
	return wf2q_goes_before(&a->entity, &b->entity);
}

/*
 * Might this one have a tag because nobody has waited for longer?  Also one that is kept, but not
 * if that would end a turn.  Not who is ahead: a write for each 32 small reads would have most of a
 * card.  But nobody waits for ever: while others of a higher class are served, who is ahead stays
 * so.
 */
static bool bfq_line_may_be_oldest(const struct bfq_data *bfqd, const struct bfq_waiter *waiter,
				   int room)
{
	if (room <= (bfq_line_would_end_turn(bfqd) ? bfq_line_kept(bfqd, waiter->q) : 0))
		return false;
	if (ktime_get_ns() - waiter->began > BFQ_LINE_LONG_MS * NSEC_PER_MSEC)
		return true;
	return !bfqd->active.nr_first && !wf2q_leads(&waiter->q->entity, 1);
}

/*
 * A queue is in line for a tag: it competes, and it is due something meanwhile, unless it has as
 * many tags as it may, or would be parked; or it would come before all others afterwards.  Return
 * whether it may have one.
 */
static bool bfq_line_note(struct bfq_data *bfqd, struct bfq_queue *q)
{
	bool may = !bfq_line_full(bfqd, q) && (q->sync || !bfq_raise_writes_wait(bfqd));

	bfq_active_note(bfqd, q);
	if (may)
		wf2q_stand(&q->entity);
	else
		wf2q_unstand(&q->entity);
	return may;
}

/* Is one of so many tags that are left for this queue? */
static bool bfq_line_may_have_one(struct bfq_data *bfqd, const struct bfq_queue *q, int room)
{
	return room > bfq_line_kept(bfqd, q) || (room > 0 && bfq_line_due(bfqd, q));
}

/* Whom a look at those in line has found: the one to be let go, and who has waited longest. */
struct bfq_line_found {
	struct bfq_waiter *best;
	struct bfq_waiter *oldest;
};

/* How many of each kind are looked at? */
static unsigned int bfq_line_looks(const struct bfq_line *line)
{
	return line->crowd ? BFQ_LINE_CROWD_LOOKS : BFQ_LINE_LOOKS;
}

/* One in line is looked at, when so many tags are left: it competes. */
static void bfq_line_look(struct bfq_data *bfqd, struct bfq_waiter *waiter, int room,
			  struct bfq_line_found *found)
{
	if (!bfq_line_note(bfqd, waiter->q))
		return;
	if ((!found->oldest || waiter->began < found->oldest->began) &&
	    bfq_line_may_be_oldest(bfqd, waiter, room))
		found->oldest = waiter;
	if (bfq_line_may_have_one(bfqd, waiter->q, room) &&
	    (!found->best || bfq_line_before(&bfqd->line, waiter, found->best)))
		found->best = waiter;
}

/*
 * Look at those of one kind.  If there are more, they stand behind the others then; but who goes
 * first stays in front, if there is room there for others yet.
 */
static void bfq_line_look_along(struct bfq_data *bfqd, bool sync, int room,
				struct bfq_line_found *found)
{
	unsigned int looks = bfq_line_looks(&bfqd->line), left = looks;
	struct list_head *waiters = &bfqd->line.waiters[sync], *last = waiters->prev;
	bool more = bfqd->line.nr > looks;
	struct bfq_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, waiters, link) {
		bool end = !--left || &waiter->link == last;

		bfq_line_look(bfqd, waiter, room, found);
		if (more && (!bfq_line_first(waiter->q) || left < looks / 2))
			list_move_tail(&waiter->link, waiters);
		if (end)
			break;
	}
}

/* Anybody who stands there, or NULL. */
static struct bfq_waiter *bfq_line_any(struct bfq_line *line)
{
	struct list_head *waiters = &line->waiters[!list_empty(&line->waiters[true])];

	return list_first_entry_or_null(waiters, struct bfq_waiter, link);
}

/* Who is to be let go next, when so many tags are left? */
static struct bfq_waiter *bfq_line_next(struct bfq_data *bfqd, int room)
{
	struct bfq_line_found found = {};

	if (!bfqd->line.forms)		/* any more: who comes now does not stand here either */
		return bfq_line_any(&bfqd->line);
	if (bfqd->line.crowd && room <= 0)	/* as a rule, when somebody joins it */
		return NULL;
	bfq_line_look_along(bfqd, true, room, &found);
	bfq_line_look_along(bfqd, false, room, &found);
	if (found.oldest && bfqd->line.grants % BFQ_LINE_PACE == BFQ_LINE_PACE - 1)
		return found.oldest;
	return found.best;
}

/* Let go whom there are tags for, and @freed more that are given back at the moment. */
static void bfq_line_advance(struct bfq_data *bfqd, int freed)
{
	struct bfq_line *line = &bfqd->line;
	struct bfq_waiter *waiter;

	lockdep_assert_held(&bfqd->lock);
	if (atomic_read(&line->granted) &&
	    jiffies - line->granted_at > msecs_to_jiffies(BFQ_LINE_PATIENCE_MS))
		atomic_set(&line->granted, 0);
	WRITE_ONCE(line->over, line->crowd && bfq_plugged(bfqd) && !bfq_turn_goes_on(bfqd));
	while ((waiter = bfq_line_next(bfqd, bfq_line_room(bfqd) + freed))) {
		list_del(&waiter->link);
		WRITE_ONCE(line->nr, line->nr - 1);
		waiter->q->in_line--;
		line->grants++;
		line->granted_at = jiffies;
		atomic_inc(&line->granted);
		waiter->let_go = true;
		wake_up_process(waiter->task);
	}
	if (!line->nr)
		WRITE_ONCE(line->over, false);
}

/* Who comes to stand in line competes, and goes first if it would with the request it wants. */
static void bfq_line_competes(struct bfq_data *bfqd, struct bfq_queue *q)
{
	u64 rest_ns = bfq_habit_rest(q);

	bfq_active_note(bfqd, q);
	if (rest_ns < BFQ_REST_NS || q->lined)
		return;
	bfq_raise_arrival(bfqd, q, rest_ns, ktime_get_ns());
	q->lined = true;
}

/*
 * Has the task been let go?  If not, it is looked at now, however many stand there.  If it is
 * overdue, look who competes: while nothing is dispatched nobody else sees that a process has gone.
 */
static bool bfq_line_let_go(struct bfq_data *bfqd, struct bfq_waiter *waiter, bool overdue)
{
	unsigned long flags;
	bool let_go;

	spin_lock_irqsave(&bfqd->lock, flags);
	if (overdue && bfq_active_refresh(bfqd)) {
		bfq_line_refresh(bfqd);
		bfq_raise_refresh(bfqd);
	}
	if (!waiter->let_go) {
		bfq_line_note(bfqd, waiter->q);
		list_move(&waiter->link, &bfqd->line.waiters[waiter->q->sync]);
		bfq_line_advance(bfqd, 0);
	}
	let_go = waiter->let_go;
	bfq_unlock(bfqd, flags);
	return let_go;
}

/* How long a task sleeps before it looks by itself: many do it as seldom all together as few. */
static long bfq_line_patience(const struct bfq_line *line)
{
	return msecs_to_jiffies(BFQ_LINE_PATIENCE_MS) *
	       (1 + READ_ONCE(line->nr) / BFQ_LINE_AT_ONCE);
}

/**
 * bfq_line_wait - stand in line for a tag
 * @bfqd: the device
 * @q: the queue for which the task wants it, and which stays meanwhile
 *
 * Context: process context, no lock held; sleeps.
 */
void bfq_line_wait(struct bfq_data *bfqd, struct bfq_queue *q)
{
	struct bfq_waiter waiter = { .q = q, .task = current, .began = ktime_get_ns() };
	unsigned long flags;
	bool overdue = false;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_line_competes(bfqd, q);
	list_add(&waiter.link, &bfqd->line.waiters[q->sync]);
	WRITE_ONCE(bfqd->line.nr, bfqd->line.nr + 1);
	q->in_line++;
	bfq_unlock(bfqd, flags);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (bfq_line_let_go(bfqd, &waiter, overdue))
			break;
		/* submits what stands in the task's list */
		overdue = !io_schedule_timeout(bfq_line_patience(&bfqd->line));
	}
	__set_current_state(TASK_RUNNING);
	bfq_habit_waited(q, waiter.began);
	trace_bfq_line_wait(bfqd, q, waiter.began);
}

/*
 * Is a tag that is given back left to a task which sleeps in the block layer?  Not each: a writer
 * that is back for the next one at once would have all that writes may have.
 */
static bool bfq_line_leaves(struct bfq_data *bfqd)
{
	struct bfq_line *line = &bfqd->line;

	if (!bfq_tags_awaited(bfqd->queue) || bfq_line_writes_full(bfqd))
		return false;
	line->left = !line->left;
	return line->left;
}

/**
 * bfq_line_moves - a request gives its tag back, and somebody stands in line
 * @bfqd: the device
 *
 * Context: any, bfqd->lock not held.
 */
void bfq_line_moves(struct bfq_data *bfqd)
{
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	if (!bfq_line_leaves(bfqd))
		bfq_line_advance(bfqd, 1);
	bfq_unlock(bfqd, flags);
}
