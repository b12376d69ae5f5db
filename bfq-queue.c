// SPDX-License-Identifier: GPL-2.0
/*
 * A queue: requests that wait, in the order the disk likes best.
 *
 * Order.  A queue in service is served along the disk: requests are sorted by sector, and a cursor,
 * @ahead, marks the first at or beyond the place where the last one ended, @head.  The candidates
 * for the next are that one and its left neighbour; a sector backwards costs back_seek_penalty
 * times as much as one forwards, and nothing further back than back_seek_max is considered.  So
 * that no request waits for ever, they also stand in order of arrival, each with a deadline, and a
 * turn of service starts with the oldest if it is late.
 *
 * Merging.  The block layer does it; this room only points out the neighbour.  The block layer
 * would also search a hash of request ends, which has to be kept up to date at every insertion; the
 * sorted tree answers the same question, and only when it is asked.
 */
#include "bfq-iosched.h"

static struct request *bfq_rq_at(struct rb_node *node)
{
	return node ? rb_entry(node, struct request, rb_node) : NULL;
}

/**
 * struct bfq_gap - the place of a sector among the waiting requests
 * @before: the last request that starts before it, or NULL
 * @after: the first that starts there or later, or NULL
 */
struct bfq_gap {
	struct request *before;
	struct request *after;
};

static struct bfq_gap bfq_find_gap(const struct bfq_queue *q, sector_t pos)
{
	struct rb_node *node = q->sorted.rb_node;
	struct bfq_gap gap = { };

	while (node) {
		struct request *rq = bfq_rq_at(node);

		if (blk_rq_pos(rq) < pos) {
			gap.before = rq;
			node = node->rb_right;
		} else {
			gap.after = rq;
			node = node->rb_left;
		}
	}
	return gap;
}

static void bfq_sort_in(struct bfq_queue *q, struct request *rq)
{
	elv_rb_add(&q->sorted, rq);
	if (blk_rq_pos(rq) >= q->head && (!q->ahead || blk_rq_pos(rq) < blk_rq_pos(q->ahead)))
		q->ahead = rq;
}

static void bfq_sort_out(struct bfq_queue *q, struct request *rq)
{
	if (q->ahead == rq)
		q->ahead = bfq_rq_at(rb_next(&rq->rb_node));
	elv_rb_del(&q->sorted, rq);
}

static void bfq_queue_count(struct bfq_data *bfqd, struct bfq_queue *q, int change)
{
	WRITE_ONCE(q->nr_queued, q->nr_queued + change);
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting + change);
	if (likely(!(q->first | q->parked)))
		return;
	if (q->first)
		bfqd->active.first_waiting += change;
	else
		WRITE_ONCE(bfqd->nr_parked, bfqd->nr_parked + change);
}

/**
 * bfq_queue_park - a queue is not to be served for now, or is again
 * @bfqd: the device
 * @q: the queue
 * @parked: which of both
 *
 * In service, it takes effect when that ends.
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_park(struct bfq_data *bfqd, struct bfq_queue *q, bool parked)
{
	int change = parked ? q->nr_queued : -q->nr_queued;

	lockdep_assert_held(&bfqd->lock);
	q->parked = parked;
	WRITE_ONCE(bfqd->nr_parked, bfqd->nr_parked + change);
	if (parked)
		wf2q_park(&q->entity);
	else
		wf2q_unpark(&q->entity);
}

/**
 * bfq_queue_add - let a request wait in a queue
 * @bfqd: the device
 * @q: its queue
 * @rq: the request
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_add(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	bfq_sort_in(q, rq);
	bfq_rq_set_arrival(rq, jiffies);
	list_add_tail(&rq->queuelist, &q->fifo);
	bfq_rq_set_state(rq, BFQ_RQ_QUEUED);
	bfq_queue_count(bfqd, q, 1);
}

/* Take a waiting request out of its queue. */
static void bfq_queue_del(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	bfq_sort_out(q, rq);
	list_del_init(&rq->queuelist);
	bfq_rq_set_state(rq, BFQ_RQ_NEW);
	bfq_queue_count(bfqd, q, -1);

	if (rq->q->last_merge == rq)	/* the block layer's hint for merging */
		rq->q->last_merge = NULL;
}

/**
 * bfq_queue_take - take out the request that is served now
 * @bfqd: the device
 * @q: its queue
 * @rq: the request
 *
 * Moves the cursor behind it.  Requests may overlap: the next one may start before
 * this one ends, and then it is not ahead.
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	struct request *next = bfq_rq_at(rb_next(&rq->rb_node));

	q->head = bfq_rq_end(rq);
	q->ahead = next;
	bfq_queue_del(bfqd, q, rq);
	if (next && unlikely(blk_rq_pos(next) < q->head))
		q->ahead = bfq_find_gap(q, q->head).after;
}

/* Is the oldest waiting request past its deadline? */
static bool bfq_late(const struct bfq_data *bfqd, const struct bfq_queue *q,
		     const struct request *oldest)
{
	unsigned int expire_ms = READ_ONCE(bfqd->tun.fifo_expire_ms[q->sync]);

	return jiffies - bfq_rq_arrival(oldest) > msecs_to_jiffies(expire_ms);
}

/* The next request along the disk; more than one waits. */
static struct request *bfq_nearest(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct request *ahead = q->ahead, *behind;
	u64 forth, back;

	behind = bfq_rq_at(ahead ? rb_prev(&ahead->rb_node) : rb_last(&q->sorted));
	if (!behind)
		return ahead;

	back = q->head - blk_rq_pos(behind);
	if (back > READ_ONCE(bfqd->tun.back_seek_max))	/* too far: go on, or start over */
		return ahead ?: bfq_rq_at(rb_first(&q->sorted));
	if (!ahead)
		return behind;

	forth = blk_rq_pos(ahead) - q->head;
	return forth <= back * READ_ONCE(bfqd->tun.back_seek_penalty) ? ahead : behind;
}

/**
 * bfq_queue_peek - the request to serve next
 * @bfqd: the device
 * @q: a queue with waiting requests
 *
 * Context: bfqd->lock held.
 */
struct request *bfq_queue_peek(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	struct request *oldest = list_first_entry(&q->fifo, struct request, queuelist);

	/* out of turn each is the first of its turn */
	if (q->nr_queued == 1 ||
	    ((!bfqd->turn.sectors || !bfq_queue_serving(q)) && bfq_late(bfqd, q, oldest)))
		return oldest;
	return bfq_nearest(bfqd, q);
}

/**
 * bfq_queue_from - the first waiting request at a sector or beyond
 * @q: the queue
 * @pos: the sector
 *
 * Context: bfqd->lock held.
 * Return: the request or NULL.
 */
struct request *bfq_queue_from(const struct bfq_queue *q, sector_t pos)
{
	return bfq_find_gap(q, pos).after;
}

/*
 * The block layer has hashed a request that it merged with.  Left there, the
 * request would be merged with those of other queues.
 */
static void bfq_unhash_merged(struct request_queue *rqq)
{
	if (rqq->last_merge)
		elv_rqhash_del(rqq, rqq->last_merge);
}

/**
 * bfq_queue_absorb - join a new request with the one before it, if contiguous
 * @q: its queue
 * @rq: the request, not yet in the queue
 * @free: gets @rq if it was joined; to be freed after unlocking
 *
 * Context: bfqd->lock held.
 * Return: whether it was joined.
 */
bool bfq_queue_absorb(struct bfq_queue *q, struct request *rq, struct list_head *free)
{
	struct request *before;
	bool joined;

	if (!q->nr_queued)
		return false;
	before = bfq_find_gap(q, blk_rq_pos(rq)).before;
	if (!before || bfq_rq_end(before) != blk_rq_pos(rq))
		return false;
	/* the block layer's interface for "try this one" */
	rq->q->last_merge = before;
	joined = blk_mq_sched_try_insert_merge(rq->q, rq, free);
	bfq_unhash_merged(before->q);
	return joined;
}

/**
 * bfq_queue_join - let a bio join a waiting request
 * @bfqd: the device
 * @bio: the bio
 * @nr_segs: its segments
 * @free: gets a request that was swallowed on the way; to be freed after unlocking
 *
 * Context: bfqd->lock held.
 * Return: whether it was joined.
 */
bool bfq_queue_join(struct bfq_data *bfqd, struct bio *bio, unsigned int nr_segs,
		    struct list_head *free)
{
	struct request *swallowed = NULL;
	bool joined;

	lockdep_assert_held(&bfqd->lock);
	joined = blk_mq_sched_try_merge(bfqd->queue, bio, nr_segs, &swallowed);
	bfq_unhash_merged(bfqd->queue);
	if (swallowed)
		list_add(&swallowed->queuelist, free);
	return joined;
}

/**
 * bfq_allow_merge - may a bio join a request?
 * @rqq: the device's request queue
 * @rq: a staged or waiting request
 * @bio: the bio; the block layer has compared cgroups and priorities
 *
 * It may if its own request would wait in the same queue.
 */
bool bfq_allow_merge(struct request_queue *rqq, struct request *rq, struct bio *bio)
{
	bool sync = op_is_sync(bio->bi_opf);

	if (op_is_sync(rq->cmd_flags) != sync)
		return false;
	if (!sync || !bfq_rq_prepared(rq))
		return true;
	return bfq_rq_queue(rq) == bfq_owner_current(rqq, false);
}

/**
 * bfq_request_merge - find a waiting request that a bio continues or precedes
 * @rqq: the device's request queue
 * @rqp: gets the request
 * @bio: the bio
 *
 * Context: bfqd->lock held, through bfq_queue_join().
 * Return: how it can be merged.
 */
int bfq_request_merge(struct request_queue *rqq, struct request **rqp, struct bio *bio)
{
	struct bfq_queue *q = bfq_owner_of_bio(rqq->elevator->elevator_data, bio);
	int how = ELEVATOR_NO_MERGE;
	struct bfq_gap gap;

	/* ranges of a discard are joined by other rules, which the block layer knows */
	if (!q || !q->nr_queued || bio_op(bio) == REQ_OP_DISCARD)
		return how;

	gap = bfq_find_gap(q, bio->bi_iter.bi_sector);
	if (gap.after && blk_rq_pos(gap.after) == bio_end_sector(bio) &&
	    elv_bio_merge_ok(gap.after, bio)) {
		*rqp = gap.after;
		how = ELEVATOR_FRONT_MERGE;
	}
	/* better at the end of one: that does not move in the tree */
	if (gap.before && bfq_rq_end(gap.before) == bio->bi_iter.bi_sector &&
	    elv_bio_merge_ok(gap.before, bio)) {
		*rqp = gap.before;
		how = ELEVATOR_BACK_MERGE;
	}
	return how;
}

/**
 * bfq_request_merged - a bio has joined a waiting request
 * @rqq: the device's request queue
 * @rq: the request
 * @how: at which end
 *
 * Context: bfqd->lock held, through bfq_queue_join().
 */
void bfq_request_merged(struct request_queue *rqq, struct request *rq, enum elv_merge how)
{
	struct bfq_queue *q = bfq_rq_queue(rq);

	if (how != ELEVATOR_FRONT_MERGE || bfq_rq_state(rq) != BFQ_RQ_QUEUED)
		return;
	bfq_sort_out(q, rq);	/* it starts earlier now */
	bfq_sort_in(q, rq);
}

/* @rq has been in the line behind @older, and stands in its place from now on. */
static void bfq_fifo_take_place(struct request *rq, struct request *older)
{
	list_del(&rq->queuelist);
	list_replace_init(&older->queuelist, &rq->queuelist);
	bfq_rq_set_arrival(rq, bfq_rq_arrival(older));
}

/**
 * bfq_requests_merged - a request has swallowed the one that lay behind it
 * @rqq: the device's request queue
 * @rq: the request that stays; it waits in the same queue, or is on its way there
 * @gone: the other one; the block layer or our caller frees it
 *
 * Its data have waited since the older of the two arrived.
 *
 * Context: bfqd->lock held, through bfq_queue_join() or bfq_queue_absorb().
 */
void bfq_requests_merged(struct request_queue *rqq, struct request *rq, struct request *gone)
{
	if (bfq_rq_state(gone) != BFQ_RQ_QUEUED)
		return;		/* on its way in: it stands nowhere yet */
	if (time_before(bfq_rq_arrival(gone), bfq_rq_arrival(rq)))
		bfq_fifo_take_place(rq, gone);
	bfq_queue_del(rqq->elevator->elevator_data, bfq_rq_queue(gone), gone);
}
