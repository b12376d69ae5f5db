// SPDX-License-Identifier: GPL-2.0
/*
 * Depth: which queue may hold how many of the scheduler's tags.
 *
 * Every request that the scheduler knows holds one of nr_requests tags, from before it is inserted
 * until it completes.  The engine can share out the device only among queues that have a request
 * waiting; so when tags are few, they are what is really shared.  Let two processes keep 16
 * requests each at a device with 8 tags: when a tag is freed the other may take it, tags end up
 * where requests complete slowly, that is, with the light process, and the heavy one has nothing
 * waiting when its turn comes.
 *
 * So each queue is entitled to its share of the tags as it is of service (bfq-active.c), and the
 * task that would go beyond sleeps until one of the queue's own requests finishes.  That is done
 * only while at least half of the tags are in use.  nr_requests is twice what the driver takes, if
 * that is 128 at most and the administrator has not changed it; so no task is held back before the
 * driver has all it can take, or 128; and the other half is what queues below their due can always
 * draw on.  The first request of a queue is never held back, so a task that waits has a request of
 * its own to wait for, and this can't lock up.
 *
 * Some devices have a map of tags for each hardware queue.  A task draws from the
 * map of the processor that it runs on, so it is this one map that is scarce or not,
 * and of which a queue is due its share.
 *
 * While a queue is in service and all its requests are in the driver it may have
 * another tag, if any is free: the device is its own then, and its share of the
 * tags may be far less than what keeps the device busy.  But it must not hoard:
 * what it has not been served at the end of its turn holds tags until the next.
 *
 * Several tasks may share a queue (io_uring's workers do), and all find it below its due before the
 * first has its tag: those that are about to take one, or sleep for one in the block layer, count
 * as well (@asking).  One task may ask for many tags at a time (io_uring does for what it submits
 * together), and gets what is free of them: what it can't have at once it hands to worker threads,
 * which is slower.
 *
 * Nobody can be due less than one, so where more queues compete than there are tags it is another
 * room that says who gets the next (a crowd, bfq-line.c).  Few are due more than one there, those
 * of large weight and small requests: to have a part x of R bytes a second in requests of s bytes
 * that take a time t each, tags and all, takes x R t / s tags.  R and t are the same for all, so a
 * queue is due tags by x / s, rounded up; of half as many again as there are, since a tag that it
 * has given back is missing until it has come to the line and has been let go.  Where tags are many
 * for those who compete x will do, since what is missing is had by a claim (bfq-idle.c).
 *
 * Asynchronous requests, which come in floods and for which nobody waits, may in all have three
 * quarters of the tags; or what queue/async_depth says, where the kernel has that file.
 *
 * Where several queues for such requests compete, that is shared out among them, however many tags
 * are free: they are of buffered writers in several groups.  Each group has a flusher (a kernel
 * worker), which hands on what there is to write as fast as it gets tags.  Given tags in turn,
 * all flushers get as many requests through, those of small weight soon hold nearly all tags
 * and most of the memory that may be dirty, and weights do nothing (tests/bench/run
 * fairness, "write").  So a flusher sleeps while its group holds its due.  The group is known
 * by the bio, before a tag is asked for; and to sleep there is no more than to sleep for a tag.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/* Tags are scarce when one in this many is in use. */
#define BFQ_SCARCE		2

/*
 * Percent of the tags that are shared out.  The rest is for queues that get some
 * beyond their due: asynchronous ones, and those of tasks that must not sleep.
 */
#define BFQ_SHARED_TAGS_PERCENT	75

/* So many where one is due what it needs, in a crowd: with 75 it has 82 % of its share on 6.1. */
#define BFQ_NEEDED_TAGS_PERCENT	150

/*
 * @asking may be too high.  Where the queue has no request whose end would wake
 * the task, this is how long it is believed.
 */
#define BFQ_PATIENCE_MS		20

/*
 * A flusher may be in the middle of a transaction of its file system, for which others wait: it
 * is held back for so long at most for one bio, and not at all with metadata, or with pages
 * that are swapped out.
 */
#define BFQ_FLUSH_MOST_MS	1000U
#define BFQ_NEVER_HELD		(REQ_NOWAIT | REQ_SWAP | REQ_META | REQ_PRIO)

bool bfq_word_shallow __ro_after_init;

/*
 * Does a task of this queue sleep?  They do so in the wait queues that the kernel has for all who
 * wait for a word to change, since hardly any queue ever needs one; strangers may stand there, too.
 */
static bool bfq_depth_sleeps(struct bfq_queue *q)
{
	smp_mb();	/* pairs with prepare_to_wait_exclusive(): who comes there sees our tag */
	return atomic_read(&q->sleepers) && waitqueue_active(__var_waitqueue(q));
}

/* Those for asynchronous requests share what these may have. */
static unsigned int bfq_depth_share_async(const struct bfq_data *bfqd, u64 share)
{
	/* not of the map, which may be freed while debugfs asks */
	u64 tags = bfq_async_depth(bfqd->queue, READ_ONCE(bfqd->tags), BFQ_ASYNC_PERCENT);
	u32 all = READ_ONCE(bfqd->active.async_share);

	/* the sum may be of another moment */
	return share < all ? max_t(u64, div_u64(share * tags, all), 1) : UINT_MAX;
}

/* Those who read share the others: in a crowd by what they need for their shares. */
static unsigned int bfq_depth_share_sync(const struct bfq_data *bfqd, const struct bfq_queue *q,
					 u64 share)
{
	u32 all = READ_ONCE(bfqd->line.need);
	u32 percent = all ? BFQ_NEEDED_TAGS_PERCENT : BFQ_SHARED_TAGS_PERCENT;
	u64 tags = READ_ONCE(bfqd->tags) * percent / 100;

	if (all)
		tags = DIV_ROUND_UP_ULL(tags * bfq_line_need(q), all);
	else
		tags = tags * share >> BFQ_SHARE_SHIFT;
	return clamp_t(u64, tags, 1, UINT_MAX);
}

/**
 * bfq_depth_limit - how many tags a queue is due
 * @bfqd: the device
 * @q: the queue
 *
 * Derived whenever it is asked for, so that it follows the shares and nr_requests.
 *
 * Context: any.
 * Return: at least 1; UINT_MAX while its share is not known.
 */
unsigned int bfq_depth_limit(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u64 share = READ_ONCE(q->share);

	if (!share)
		return UINT_MAX;
	return q->sync ? bfq_depth_share_sync(bfqd, q, share) : bfq_depth_share_async(bfqd, share);
}

/* Tags in use, on all maps together; those of requests just arriving aside. */
static unsigned int bfq_depth_known(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->nr_waiting) + atomic_read(&bfqd->in_flight);
}

/*
 * The same; but in a crowd, where all goes by who has a tag, with those just arriving: up to 6.1 a
 * kernel worker dispatches, and a process that is not interrupted until then takes one tag after
 * the other.
 */
static __always_inline unsigned int bfq_depth_used(const struct bfq_data *bfqd)
{
	if (unlikely(READ_ONCE(bfqd->arrived)) && READ_ONCE(bfqd->line.crowd))
		return bfq_tags_used(bfqd->queue, 0);
	return bfq_depth_known(bfqd);
}

/* Is at least one in BFQ_SCARCE of the tags that the current task draws from in use? */
static __always_inline bool bfq_depth_scarce(struct bfq_data *bfqd, blk_opf_t opf)
{
	unsigned int tags = READ_ONCE(bfqd->tags);

	if (likely(bfq_depth_used(bfqd) * BFQ_SCARCE < tags))
		return false;
	return READ_ONCE(bfqd->one_map) ||
	       bfq_tags_used(bfqd->queue, bfq_cpu_map(bfqd->queue, opf)) * BFQ_SCARCE >= tags;
}

/*
 * If the queue in service does not get another tag, will the device have nothing else to do?  It
 * has room, or works on as many as it can and none is ready to follow.  (What follows is chosen at
 * once where a kernel worker dispatches, up to 6.1, and does not count as queued: of 1:8 parts the
 * small one had nearly half.)  Where there is a line and no tag is left, one has to wait there.
 */
static bool bfq_depth_starves(const struct bfq_data *bfqd)
{
	return atomic_read(&bfqd->in_flight) <= (int)READ_ONCE(bfqd->room) ||
	       (READ_ONCE(bfqd->line.forms) && bfq_depth_known(bfqd) >= READ_ONCE(bfqd->tags));
}

/*
 * Must a task of this queue wait before it takes another tag?  Not while it is the queue's turn and
 * the device would have nothing else to do.  For a flusher it does not matter whether tags are
 * scarce: what it piles up here is memory that others may not make dirty.
 */
static bool bfq_depth_exceeded(struct bfq_data *bfqd, const struct bfq_queue *q, blk_opf_t opf)
{
	unsigned int asking = atomic_read(&q->asking);
	unsigned int have = atomic_read(&q->tags) + asking;

	if (!have || (q->sync && !bfq_depth_scarce(bfqd, opf)))
		return false;
	if (bfq_queue_serving(q) && !READ_ONCE(q->nr_queued) && !asking && bfq_depth_starves(bfqd))
		return false;
	return have >= bfq_depth_limit(bfqd, q);
}

/* Sleep until the task may go on, for so many jiffies at most. */
static noinline void bfq_depth_wait(struct bfq_data *bfqd, struct bfq_queue *q, blk_opf_t opf,
				    unsigned long most)
{
	unsigned long since = jiffies;
	u64 began = ktime_get_ns();
	wait_queue_head_t *line = __var_waitqueue(q);
	struct wait_bit_queue_entry wait;

	init_wait_var_entry(&wait, q, 0);
	bfq_habit_held(q);
	atomic_inc(&q->sleepers);
	for (;;) {
		long left;

		prepare_to_wait_exclusive(line, &wait.wq_entry, TASK_UNINTERRUPTIBLE);
		if (!bfq_depth_exceeded(bfqd, q, opf))
			break;
		/* submits what stands in the task's list */
		left = io_schedule_timeout(msecs_to_jiffies(BFQ_PATIENCE_MS));
		if ((!left && !atomic_read(&q->tags)) || jiffies - since > most)
			break;
	}
	finish_wait(line, &wait.wq_entry);
	atomic_dec(&q->sleepers);
	/*
	 * A finished request wakes one sleeper, which may be one that would have
	 * gone on anyway, and tags may have become plenty since: pass it on.
	 */
	if (bfq_depth_sleeps(q) && !bfq_depth_exceeded(bfqd, q, opf))
		wake_up_var(q);
	trace_bfq_depth_wait(bfqd, q, began);
}

/**
 * bfq_depth_admit - before a flusher asks for a tag: has its group as many as it is due?
 * @bfqd: the device, whose usage counter the caller holds
 * @bio: the asynchronous bio, or what is left of it
 *
 * Only write-back's own workers sleep, each of which writes for one group; where tags are few, in
 * line for one.  Other threads are let through: they may have requests of several groups in hand,
 * one of them for this bio already, or reclaim memory.
 *
 * Context: process context, no lock held; sleeps until the group has fewer, for BFQ_FLUSH_MOST_MS
 * at most, and in line.
 */
void bfq_depth_admit(struct bfq_data *bfqd, struct bio *bio)
{
	bool shared = READ_ONCE(bfqd->active.nr_async) >= 2;
	struct bfq_queue *q;
	unsigned long flags;

	if (!(shared || READ_ONCE(bfqd->line.forms)) || (bio->bi_opf & BFQ_NEVER_HELD) ||
	    !bfq_task_writes_back(bfqd->queue))
		return;
	spin_lock_irqsave(&bfqd->lock, flags);
	q = bfq_owner_of_bio(bfqd, bio);
	if (q)
		refcount_inc(&q->refs);
	bfq_unlock(bfqd, flags);
	if (!q)
		return;
	if (shared && bfq_depth_exceeded(bfqd, q, bio->bi_opf))
		bfq_depth_wait(bfqd, q, bio->bi_opf, msecs_to_jiffies(BFQ_FLUSH_MOST_MS));
	if (shared)
		atomic_inc(&q->asking);
	if (bfq_line_forms(bfqd, q))
		bfq_line_wait(bfqd, q);
	bfq_owner_put(bfqd, q);
}

/*
 * A bio that is too large for one request is cut, and bfq_bio_merge() sees only its last piece,
 * for the others are not to be merged.  What is left of the bio waits in the task's list.
 */
static noinline void bfq_limit_async(struct bfq_data *bfqd, blk_opf_t opf,
				     struct blk_mq_alloc_data *data)
{
	struct bio *rest = current->bio_list ? current->bio_list->tail : NULL;

	/* who has stood in line may take any tag that is left */
	if (!READ_ONCE(bfqd->line.forms) || (opf & (BFQ_NEVER_HELD | REQ_FUA | REQ_PREFLUSH)) ||
	    !bfq_task_writes_back(data->q))
		bfq_limit_tags(data, bfq_async_depth(data->q, bfq_sched_tag_depth(data->q),
						     BFQ_ASYNC_PERCENT));
	if (!(opf & REQ_NOMERGE) || (data->flags & BLK_MQ_REQ_NOWAIT))
		return;
	if (rest && !op_is_sync(rest->bi_opf) && bdev_get_queue(rest->bi_bdev) == data->q)
		bfq_depth_admit(bfqd, rest);
}

/* None at all can't be said; one is as good. */
static noinline void bfq_limit_to_none(struct blk_mq_alloc_data *data)
{
	bfq_limit_tags(data, 1);
}

/*
 * Tags are scarce: a task that may sleep wants one more of them.  What it may sleep for it in the
 * block layer is no thinking; and a queue that has requests in the device may get none until all
 * of these are done.
 */
static noinline void bfq_limit_scarce(struct bfq_data *bfqd, struct bfq_queue *q, blk_opf_t opf)
{
	unsigned int has = atomic_read(&q->tags);

	if (!has)
		bfq_habit_asked(q);
	if (bfq_depth_exceeded(bfqd, q, opf))
		bfq_depth_wait(bfqd, q, opf, MAX_JIFFY_OFFSET);
	else if (has >= (READ_ONCE(bfqd->line.forms) ? 1 : READ_ONCE(bfqd->kind)->few))
		bfq_habit_held(q);
}

/* Must a task stand in line? In a crowd, where tags are many, not before they are scarce. */
static __always_inline bool bfq_depth_stands_in_line(struct bfq_data *bfqd,
						     const struct bfq_queue *q, blk_opf_t opf)
{
	return READ_ONCE(bfqd->line.forms) &&
	       (bfq_line_few(bfqd) || bfq_depth_scarce(bfqd, opf)) && bfq_line_forms(bfqd, q);
}

/**
 * bfq_limit_depth - before a tag is taken: may it be?
 * @opf: operation and flags of the request to be
 * @data: the allocation
 *
 * Context: process context, no lock held; sleeps unless REQ_NOWAIT.
 */
void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct bfq_data *bfqd = data->q->elevator->elevator_data;
	struct bfq_queue *q;

	if (!op_is_sync(opf)) {
		bfq_limit_async(bfqd, opf, data);
		return;
	}

	/* a driver stacked on us wants a clone: it can neither hear EAGAIN nor sleep */
	if ((data->flags & BLK_MQ_REQ_NOWAIT) && !(opf & REQ_NOWAIT))
		return;

	/* with its queue the first request of a process can stand in line, too */
	q = bfq_owner_current(data->q, READ_ONCE(bfqd->line.forms) && !(opf & REQ_NOWAIT));
	if (!q)
		return;
	if (opf & REQ_NOWAIT) {
		if (bfq_depth_exceeded(bfqd, q, opf)) {
			bfq_habit_held(q);
			bfq_limit_to_none(data);
		} else if (bfq_depth_stands_in_line(bfqd, q, opf)) {
			bfq_limit_to_none(data);
		}
		return;
	}
	if (bfq_depth_scarce(bfqd, opf))
		bfq_limit_scarce(bfqd, q, opf);
	atomic_inc(&q->asking);
	if (bfq_depth_stands_in_line(bfqd, q, opf))
		bfq_line_wait(bfqd, q);
}

/**
 * bfq_depth_taken - a queue's request has got its tag
 * @q: the queue; the new request holds its reference already
 * @rq: the request
 *
 * Requests that must not sleep have not asked; nor have all but the first of a batch (which
 * newer kernels show us only when they are used), and not each that has asked gets
 * one (the block layer may start over on another CPU), so @asking is a guess that is
 * never below zero and is forgotten when the queue has no tag left (bfq_depth_given()).
 * What a flusher asks for has its tag when it arrives (bfq_depth_moved()).
 */
void bfq_depth_taken(struct bfq_queue *q, const struct request *rq)
{
	atomic_inc(&q->tags);
	WRITE_ONCE(q->map, rq->mq_hctx->queue_num);
	if (op_is_sync(rq->cmd_flags) && !(rq->cmd_flags & REQ_NOWAIT) && atomic_read(&q->asking))
		atomic_dec_if_positive(&q->asking);
}

/**
 * bfq_depth_moved - a request with its tag goes over to another queue
 * @to: that queue; the request holds its reference already
 */
void bfq_depth_moved(struct bfq_queue *to)
{
	atomic_inc(&to->tags);
	if (!to->sync)
		atomic_dec_if_positive(&to->asking);
}

/**
 * bfq_depth_given - a queue's request gives its tag back, or goes to another queue
 * @q: the queue; the caller still holds the request's reference
 *
 * Wakes a task that waits for this.
 *
 * Context: any.
 */
void bfq_depth_given(struct bfq_queue *q)
{
	bool last = atomic_dec_and_test(&q->tags);

	/*
	 * While tasks sleep here, others may sleep in the block layer and be right to count:
	 * forgotten, they let all of these through (five groups with io_uring then got a
	 * quarter of what they get).  But a group has one flusher, as a rule.
	 */
	if (last && !q->sync)
		atomic_set(&q->asking, 0);
	if (bfq_depth_sleeps(q))
		wake_up_var(q);
	else if (last)
		atomic_set(&q->asking, 0);
}

/**
 * bfq_depth_invite - let a sleeping task of the queue in service look again
 * @q: the queue; its turn has begun, or the device is plugged for it
 *
 * It may have another tag now; when its request has been served, the next task may.
 *
 * Context: bfqd->lock held.
 */
void bfq_depth_invite(struct bfq_queue *q)
{
	if (bfq_depth_sleeps(q))
		wake_up_var(q);
}

/**
 * bfq_depth_check_plug - other queues have got requests in: is the plug still any good?
 * @bfqd: the device
 *
 * If they hold every tag there is, the process that is waited for can't get one
 * before theirs complete, and theirs wait for the plug.  Where there are several maps
 * it will most likely draw from the same as the last time.
 *
 * Where there is a line it will stand there in a moment.  To the engine it does so from now on, or
 * it would lose what it is due, each time that others have been faster.
 *
 * Context: bfqd->lock held.
 */
void bfq_depth_check_plug(struct bfq_data *bfqd)
{
	struct bfq_queue *q;

	lockdep_assert_held(&bfqd->lock);
	if (!bfq_plugged(bfqd))
		return;
	q = bfq_in_service(bfqd);
	if (atomic_read(&q->in_flight) || bfq_depth_known(bfqd) < bfqd->tags)
		return;
	if (!bfqd->one_map && bfq_tags_used(bfqd->queue, READ_ONCE(q->map)) < bfqd->tags)
		return;
	if (bfqd->line.forms)
		wf2q_stand(&q->entity);
	bfq_turn_end(bfqd, BFQ_WHY_IDLE);
}

/**
 * bfq_depth_refresh - see how many tags there are
 * @bfqd: the device
 *
 * Done when nr_requests changes, and once a tick: where all hardware queues share one map, the
 * block layer tells us of a new depth before it is in force.
 *
 * Context: bfqd->lock held.
 */
void bfq_depth_refresh(struct bfq_data *bfqd)
{
	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->tags, bfq_sched_tag_depth(bfqd->queue));
	bfqd->room = min(blk_queue_depth(bfqd->queue), bfqd->queue->tag_set->queue_depth);
	WRITE_ONCE(bfqd->one_map, bfqd->queue->nr_hw_queues == 1 ||
		   blk_mq_is_shared_tags(bfqd->queue->tag_set->flags));
	bfq_line_refresh(bfqd);
}

/**
 * bfq_depth_init - at the start of a device
 * @rqq: the device's request queue, frozen
 */
void bfq_depth_init(struct request_queue *rqq)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;

	bfq_start_async_depth(rqq, BFQ_ASYNC_PERCENT);
	bfq_depth_updated(rqq);
	bfq_raise_guess(bfqd, bfq_line_few(bfqd));	/* now there are tags to be counted */
}

/**
 * bfq_depth_updated - nr_requests has changed, or a device is being set up
 * @rqq: the device's request queue, frozen
 *
 * Not left to the next tick: until then those who want a tag of a device that had few would stand
 * in line for as many as there were.
 *
 * Context: process context, no lock held.
 */
void bfq_depth_updated(struct request_queue *rqq)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;
	unsigned long flags;

	blk_mq_set_min_shallow_depth(rqq, 1);
	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_depth_refresh(bfqd);
	bfq_unlock(bfqd, flags);
}
