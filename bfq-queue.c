// SPDX-License-Identifier: GPL-2.0
/*
 * A queue: the requests of one process, in the order the disk likes best.
 *
 * Every io_context (a thread, unless it was cloned with CLONE_IO) has one
 * queue for its synchronous requests.  It is found without a lock when a
 * request is allocated, and the request holds it from then on; nobody ever
 * needs the way back from a queue to the process, so none is kept, and no
 * order of exits can leave a dangling one.  Asynchronous requests go to a
 * queue of their group, one for each I/O priority.
 *
 * Order.  A queue in service is served along the disk: requests are sorted by
 * sector, and a cursor, @ahead, marks the first at or beyond the place where
 * the last one ended.  The candidates for the next are that one and its left
 * neighbour; a sector backwards costs back_seek_penalty times as much as one
 * forwards, and nothing further back than back_seek_max is considered.  So
 * that no request waits for ever, they also stand in order of arrival, each
 * with a deadline, and a turn of service starts with the oldest if it is late.
 *
 * Owners.  A queue is freed when nobody refers to it: each of its requests
 * (from allocation to finish), its icq and its group's table count one.
 * References are given up anywhere, completions included; but taking a queue
 * apart needs bfq_data.lock, so the last owner puts it on bfq_data.reap, and
 * whoever holds the lock next, or a work item, sees to it.
 */
#include "bfq-iosched.h"

/*
 * A request this far from where the last ended counts as a seek: 512 KiB, the
 * reach of a usual read-ahead window.
 */
#define BFQ_SEEK_FAR		1024

static struct kmem_cache *bfq_queue_cache;

/**
 * bfq_queue_cache_create - make the slab cache of queues, at module load
 *
 * Return: 0 or -ENOMEM.
 */
int bfq_queue_cache_create(void)
{
	bfq_queue_cache = KMEM_CACHE(bfq_queue, 0);
	return bfq_queue_cache ? 0 : -ENOMEM;
}

/**
 * bfq_queue_cache_destroy - undo bfq_queue_cache_create(), at module unload
 */
void bfq_queue_cache_destroy(void)
{
	rcu_barrier();	/* queues are freed after a grace period */
	kmem_cache_destroy(bfq_queue_cache);
}

static unsigned int bfq_prio_weight(struct bfq_prio prio)
{
	return (BFQ_LEVELS - prio.level) * BFQ_WEIGHT_PER_LEVEL;
}

/* The block layer has replaced IOPRIO_CLASS_NONE by what the task's nice value says. */
static struct bfq_prio bfq_ioprio(unsigned short ioprio)
{
	u8 level = IOPRIO_PRIO_DATA(ioprio) & (BFQ_LEVELS - 1);

	switch (IOPRIO_PRIO_CLASS(ioprio)) {
	case IOPRIO_CLASS_RT:
		return (struct bfq_prio){ WF2Q_RT, level };
	case IOPRIO_CLASS_BE:
		return (struct bfq_prio){ WF2Q_BE, level };
	case IOPRIO_CLASS_IDLE:
		return (struct bfq_prio){ WF2Q_IDLE, BFQ_LEVELS - 1 };
	default:
		return (struct bfq_prio){ WF2Q_BE, IOPRIO_BE_NORM };
	}
}

/**
 * bfq_queue_alloc - make a queue
 * @bfqd: the device
 * @group: where it is to compete
 * @prio: class and level
 * @sync: for synchronous requests
 * @gfp: how to allocate
 *
 * Context: the caller holds bfqd->lock, or the device is being set up.
 * Return: a queue with one reference, the caller's, or NULL.
 */
struct bfq_queue *bfq_queue_alloc(struct bfq_data *bfqd, struct bfq_group *group,
				  struct bfq_prio prio, bool sync, gfp_t gfp)
{
	struct bfq_queue *q;

	q = kmem_cache_alloc_node(bfq_queue_cache, gfp | __GFP_ZERO | __GFP_NOWARN,
				  bfqd->queue->node);
	if (!q)
		return NULL;

	wf2q_entity_init(&q->entity, &group->node, bfq_prio_weight(prio), prio.class);
	bfq_group_attach(group);
	q->group = group;
	INIT_LIST_HEAD(&q->home);
	INIT_LIST_HEAD(&q->active);
	refcount_set(&q->refs, 1);
	q->sorted = RB_ROOT;
	INIT_LIST_HEAD(&q->fifo);
	q->prio = prio;
	q->sync = sync;
	q->depth_limit = UINT_MAX;
	init_waitqueue_head(&q->depth_wait);
	return q;
}

static void bfq_queue_free_rcu(struct rcu_head *rcu)
{
	kmem_cache_free(bfq_queue_cache, container_of(rcu, struct bfq_queue, rcu));
}

static void bfq_queue_free(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	WARN_ON_ONCE(q->nr_queued || atomic_read(&q->in_flight));

	if (q == bfqd->in_service)
		bfq_expire(bfqd, BFQ_EXPIRE_GONE);
	bfq_active_drop(bfqd, q);
	wf2q_exit(&q->entity);
	list_del(&q->home);
	bfq_group_detach(q->group);
	call_rcu(&q->rcu, bfq_queue_free_rcu);
}

/**
 * bfq_queue_put - give up a reference
 * @bfqd: the device
 * @q: the queue; may be gone on return
 *
 * If it was a request's, a task of the queue that waits for one to finish
 * (bfq-depth.c) is woken.
 *
 * Context: any, with or without bfqd->lock.
 */
void bfq_queue_put(struct bfq_data *bfqd, struct bfq_queue *q)
{
	rcu_read_lock();	/* keeps the memory of @q until we have looked for sleepers */
	if (refcount_dec_and_test(&q->refs)) {
		if (llist_add(&q->reap, &bfqd->reap))
			kblockd_schedule_work(&bfqd->deferred_work);
	} else if (wq_has_sleeper(&q->depth_wait)) {
		wake_up(&q->depth_wait);
	} else if (refcount_read(&q->refs) == 1) {
		atomic_set(&q->asking, 0);	/* only the icq is left: see bfq_depth_taken() */
	}
	rcu_read_unlock();
}

/**
 * bfq_queue_reap - free the queues that have no owner any more
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_reap(struct bfq_data *bfqd)
{
	struct llist_node *list = llist_del_all(&bfqd->reap);
	struct bfq_queue *q, *next;

	llist_for_each_entry_safe(q, next, list, reap)
		bfq_queue_free(bfqd, q);
}

/* Tell the engine of a queue's new priority; it takes effect as its kernel-doc says. */
static void bfq_queue_set_prio(struct bfq_data *bfqd, struct bfq_queue *q,
			       struct bfq_prio prio)
{
	if (prio.class == q->prio.class && prio.level == q->prio.level)
		return;

	bfq_active_drop(bfqd, q);	/* comes back with the new weight */
	wf2q_set_weight(&q->entity, bfq_prio_weight(prio));
	if (prio.class != q->prio.class) {
		if (q == bfqd->in_service)
			bfq_expire(bfqd, BFQ_EXPIRE_PREEMPTED);
		wf2q_set_class(&q->entity, prio.class);
	}
	q->prio = prio;
}

/**
 * bfq_queue_move - let a queue compete in another group
 * @bfqd: the device
 * @q: the queue; its waiting requests move with it
 * @group: where it goes; online
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_move(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_group *group)
{
	struct bfq_group *from = q->group;
	bool active = q->active_weight;

	lockdep_assert_held(&bfqd->lock);
	if (q == bfqd->in_service)
		bfq_expire(bfqd, BFQ_EXPIRE_GONE);
	bfq_active_drop(bfqd, q);
	wf2q_move(&q->entity, &group->node);
	bfq_group_attach(group);
	q->group = group;
	list_move(&q->home, &group->queues);
	bfq_group_detach(from);
	if (active)
		bfq_active_note(bfqd, q);
}

static int bfq_shared_index(struct bfq_prio prio, bool sync)
{
	if (sync)
		return BFQ_SHARED_SYNC;
	switch (prio.class) {
	case WF2Q_RT:
		return BFQ_SHARED_RT + prio.level;
	case WF2Q_BE:
		return BFQ_SHARED_BE + prio.level;
	default:
		return BFQ_SHARED_IDLE;
	}
}

/* A group's own queue; the device's fallback where it can't be made. */
static struct bfq_queue *bfq_shared_queue(struct bfq_data *bfqd, struct bfq_group *group,
					  struct bfq_prio prio, bool sync)
{
	struct bfq_queue **slot = &group->shared[bfq_shared_index(prio, sync)];

	if (!*slot)
		*slot = bfq_queue_alloc(bfqd, group, prio, sync, GFP_NOWAIT);
	return *slot ?: bfqd->fallback;
}

/**
 * bfq_queue_for - the queue that a request belongs to
 * @bfqd: the device
 * @rq: a prepared request on its way into a queue; it holds a reference on
 *	the queue on return
 *
 * A request may have been allocated for another bio than the one it carries
 * now (the block layer keeps some in a task's plug), so only here is it
 * certain whether it is synchronous.
 *
 * A process that moved to another cgroup takes its queue with it as soon as
 * it is empty.  While requests wait in it that are charged to another group
 * than @rq (a kernel thread doing I/O for many, or a task that has just
 * moved), @rq is served from its group's shared queue instead.
 *
 * Context: bfqd->lock held.
 */
struct bfq_queue *bfq_queue_for(struct bfq_data *bfqd, struct request *rq)
{
	struct bfq_group *group = bfq_bio_group(bfqd, rq->bio);
	struct bfq_prio prio = bfq_ioprio(req_get_ioprio(rq));
	bool sync = op_is_sync(rq->cmd_flags);
	struct bfq_queue *own = bfq_rq_queue(rq);
	struct bfq_queue *q = own;

	lockdep_assert_held(&bfqd->lock);

	if (own && sync && own->group != group && !own->nr_queued)
		bfq_queue_move(bfqd, own, group);

	if (!own || !sync || own->group != group) {
		q = bfq_shared_queue(bfqd, group, prio, sync);
		refcount_inc(&q->refs);
		bfq_rq_set_queue(rq, q);
		if (own)
			bfq_queue_put(bfqd, own);
	}
	if (q->sync)
		bfq_queue_set_prio(bfqd, q, prio);
	return q;
}

/* The icq of the current io_context on a device, without a lock. */
static struct io_cq *bfq_find_icq(struct request_queue *rqq)
{
	struct io_context *ioc = current->io_context;
	struct io_cq *icq = NULL;

	if (!ioc)
		return NULL;

	/*
	 * The caller holds a reference on the queue's usage counter, so the
	 * elevator can't be switched, and the io_context is its own: neither
	 * way of destroying an icq is open while we look.  Only the tree of
	 * other devices' icqs may change under us, hence RCU.
	 */
	rcu_read_lock();
	icq = rcu_dereference(ioc->icq_hint);
	if (icq && icq->q != rqq) {
		icq = radix_tree_lookup(&ioc->icq_tree, rqq->id);
		if (icq && icq->q != rqq)
			icq = NULL;
	}
	rcu_read_unlock();
	return icq;
}

/* First request of a process: give its icq a queue. NULL: out of memory, do without. */
static struct bfq_queue *bfq_icq_add_queue(struct bfq_data *bfqd, struct bfq_icq *bicq)
{
	struct bfq_prio prio = bfq_ioprio(get_current_ioprio());
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	if (!bicq->queue) {
		struct bfq_queue *q = bfq_queue_alloc(bfqd, bfqd->root, prio, true, GFP_NOWAIT);

		if (q) {
			q->pid = task_pid_nr(current);
			list_add(&q->home, &bfqd->root->queues);
		}
		/* readers look without the lock: show them a complete queue */
		smp_store_release(&bicq->queue, q);
	}
	bfq_unlock(bfqd, flags);
	return bicq->queue;
}

/**
 * bfq_current_queue - the current process's queue on a device
 * @rqq: the device's request queue, whose usage counter the caller holds
 * @create: make one if there is none
 *
 * Context: process context, no lock held.
 * Return: the queue, which stays while the caller runs, or NULL.
 */
struct bfq_queue *bfq_current_queue(struct request_queue *rqq, bool create)
{
	struct io_cq *icq = bfq_find_icq(rqq);
	struct bfq_icq *bicq;
	struct bfq_queue *q;

	if (!icq) {
		if (!create)
			return NULL;
		icq = ioc_find_get_icq(rqq);
		if (!icq)
			return NULL;
		/* its reference is for those who let go of the io_context; we are in it */
		put_io_context(icq->ioc);
	}
	bicq = container_of(icq, struct bfq_icq, icq);
	q = smp_load_acquire(&bicq->queue);	/* pairs with bfq_icq_add_queue() */
	if (q || !create)
		return q;
	return bfq_icq_add_queue(rqq->elevator->elevator_data, bicq);
}

/**
 * bfq_init_icq - a process starts to use the device
 * @icq: its icq, zeroed by the block layer
 */
void bfq_init_icq(struct io_cq *icq)
{
	container_of(icq, struct bfq_icq, icq)->queue = NULL;
}

/**
 * bfq_exit_icq - a process exits, or the device's elevator is switched
 * @icq: its icq
 *
 * Context: called once, with ioc->lock and perhaps queue_lock held.
 */
void bfq_exit_icq(struct io_cq *icq)
{
	struct bfq_icq *bicq = container_of(icq, struct bfq_icq, icq);
	struct bfq_data *bfqd = icq->q->elevator->elevator_data;
	struct bfq_queue *q;
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	q = bicq->queue;
	bicq->queue = NULL;
	if (q && q == bfqd->in_service && !q->nr_queued)
		bfq_expire(bfqd, BFQ_EXPIRE_GONE);
	if (q)
		bfq_queue_put(bfqd, q);
	bfq_queue_reap(bfqd);
	bfq_unlock_nested(bfqd, flags);
}

static struct request *bfq_prev_rq(struct request *rq)
{
	struct rb_node *node = rb_prev(&rq->rb_node);

	return node ? rb_entry(node, struct request, rb_node) : NULL;
}

static struct request *bfq_next_rq(struct request *rq)
{
	struct rb_node *node = rb_next(&rq->rb_node);

	return node ? rb_entry(node, struct request, rb_node) : NULL;
}

static void bfq_sort_in(struct bfq_queue *q, struct request *rq)
{
	elv_rb_add(&q->sorted, rq);
	if (blk_rq_pos(rq) >= q->head &&
	    (!q->ahead || blk_rq_pos(rq) < blk_rq_pos(q->ahead)))
		q->ahead = rq;
}

static void bfq_sort_out(struct bfq_queue *q, struct request *rq)
{
	if (q->ahead == rq)
		q->ahead = bfq_next_rq(rq);
	elv_rb_del(&q->sorted, rq);
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
	rq->fifo_time = jiffies + msecs_to_jiffies(READ_ONCE(bfqd->tun.fifo_expire_ms[q->sync]));
	list_add_tail(&rq->queuelist, &q->fifo);
	bfq_rq_set_state(rq, BFQ_RQ_QUEUED);
	q->nr_queued++;
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting + 1);
}

/**
 * bfq_queue_del - take a waiting request out of its queue
 * @bfqd: the device
 * @q: its queue
 * @rq: the request
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_del(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	struct request_queue *rqq = rq->q;

	bfq_sort_out(q, rq);
	list_del_init(&rq->queuelist);
	bfq_rq_set_state(rq, BFQ_RQ_NEW);
	q->nr_queued--;
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting - 1);

	if (rqq->last_merge == rq)	/* the block layer's hint for merging */
		rqq->last_merge = NULL;
}

/**
 * bfq_queue_passed - the disk is about to serve a request
 * @q: its queue
 * @rq: the request, still in the queue
 *
 * Moves the cursor behind the request and notes whether it was a seek.
 *
 * Context: bfqd->lock held.
 */
void bfq_queue_passed(struct bfq_queue *q, struct request *rq)
{
	sector_t pos = blk_rq_pos(rq);
	sector_t distance = pos > q->head ? pos - q->head : q->head - pos;

	q->seek_history = (q->seek_history << 1) | (distance > BFQ_SEEK_FAR);
	q->head = pos + blk_rq_sectors(rq);
	q->ahead = bfq_next_rq(rq);
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
	struct request *ahead = q->ahead, *behind, *oldest;
	u64 forth, back;

	oldest = list_first_entry(&q->fifo, struct request, queuelist);
	if (q->nr_queued == 1)
		return oldest;
	if (bfqd->turn_start && time_after(jiffies, (unsigned long)oldest->fifo_time))
		return oldest;

	behind = ahead ? bfq_prev_rq(ahead) :
			 rb_entry(rb_last(&q->sorted), struct request, rb_node);
	if (!behind)
		return ahead;

	back = q->head - blk_rq_pos(behind);
	if (back > READ_ONCE(bfqd->tun.back_seek_max))	/* too far: go on, or start over */
		return ahead ?: rb_entry(rb_first(&q->sorted), struct request, rb_node);
	if (!ahead)
		return behind;

	forth = blk_rq_pos(ahead) - q->head;
	return forth <= back * READ_ONCE(bfqd->tun.back_seek_penalty) ? ahead : behind;
}

/*
 * Merging.  The block layer does it; we only point out the neighbour.  It
 * would also search a hash of request ends, which has to be kept up to date
 * at every insertion; the sorted tree answers the same question, and only
 * when it is asked.
 */

/**
 * bfq_unhash_merged - forget that the block layer hashed what it merged
 * @rqq: the device's request queue
 *
 * Left in its hash, a request would be merged with those of other queues.
 *
 * Context: bfqd->lock held, after each call that may merge.
 */
void bfq_unhash_merged(struct request_queue *rqq)
{
	if (rqq->last_merge)
		elv_rqhash_del(rqq, rqq->last_merge);
}

/* The waiting request that ends nearest before @pos, NULL if none starts before it. */
static struct request *bfq_before(const struct bfq_queue *q, sector_t pos)
{
	struct rb_node *node = q->sorted.rb_node;
	struct request *best = NULL;

	while (node) {
		struct request *rq = rb_entry(node, struct request, rb_node);

		if (blk_rq_pos(rq) < pos) {
			best = rq;
			node = node->rb_right;
		} else {
			node = node->rb_left;
		}
	}
	return best;
}

/**
 * bfq_queue_absorb - join a new request with the one before it, if contiguous
 * @bfqd: the device
 * @q: its queue
 * @rq: the request, not yet in the queue
 * @free: gets @rq if it was joined; to be freed after unlocking
 *
 * Context: bfqd->lock held.
 * Return: whether it was joined.
 */
bool bfq_queue_absorb(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq,
		      struct list_head *free)
{
	struct request *before;
	bool joined;

	lockdep_assert_held(&bfqd->lock);
	if (!q->nr_queued)
		return false;
	before = bfq_before(q, blk_rq_pos(rq));
	if (!before || blk_rq_pos(before) + blk_rq_sectors(before) != blk_rq_pos(rq))
		return false;
	/* the block layer's interface for "try this one" */
	rq->q->last_merge = before;
	joined = blk_mq_sched_try_insert_merge(rq->q, rq, free);
	bfq_unhash_merged(before->q);
	return joined;
}

/* The queue that @bio's request would wait in, if that exists. */
static struct bfq_queue *bfq_bio_queue(struct bfq_data *bfqd, struct bio *bio)
{
	struct bfq_group *group;

	if (op_is_sync(bio->bi_opf))
		return bfq_current_queue(bfqd->queue, false);
	group = bfq_bio_group(bfqd, bio);
	return group->shared[bfq_shared_index(bfq_ioprio(bio->bi_ioprio), false)];
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
	return bfq_rq_queue(rq) == bfq_current_queue(rqq, false);
}

/**
 * bfq_request_merge - find a waiting request that a bio continues or precedes
 * @rqq: the device's request queue
 * @rqp: gets the request
 * @bio: the bio
 *
 * Context: bfqd->lock held, through bfq_bio_merge().
 * Return: how it can be merged.
 */
int bfq_request_merge(struct request_queue *rqq, struct request **rqp, struct bio *bio)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;
	sector_t start = bio->bi_iter.bi_sector;
	struct bfq_queue *q = bfq_bio_queue(bfqd, bio);
	struct request *rq;

	/* ranges of a discard are joined by other rules, which the block layer knows */
	if (!q || !q->nr_queued || bio_op(bio) == REQ_OP_DISCARD)
		return ELEVATOR_NO_MERGE;

	rq = bfq_before(q, start);
	if (rq && blk_rq_pos(rq) + blk_rq_sectors(rq) == start && elv_bio_merge_ok(rq, bio)) {
		*rqp = rq;
		return ELEVATOR_BACK_MERGE;
	}

	rq = elv_rb_find(&q->sorted, bio_end_sector(bio));
	if (rq && elv_bio_merge_ok(rq, bio)) {
		*rqp = rq;
		return ELEVATOR_FRONT_MERGE;
	}
	return ELEVATOR_NO_MERGE;
}

/**
 * bfq_request_merged - a bio has joined a waiting request
 * @rqq: the device's request queue
 * @rq: the request
 * @how: at which end
 *
 * Context: bfqd->lock held, through bfq_bio_merge().
 */
void bfq_request_merged(struct request_queue *rqq, struct request *rq, enum elv_merge how)
{
	struct bfq_queue *q = bfq_rq_queue(rq);

	if (how != ELEVATOR_FRONT_MERGE || bfq_rq_state(rq) != BFQ_RQ_QUEUED)
		return;
	bfq_sort_out(q, rq);	/* it starts earlier now */
	bfq_sort_in(q, rq);
}

/**
 * bfq_requests_merged - a request has swallowed the one after it
 * @rqq: the device's request queue
 * @rq: the request that stays
 * @next: the one that goes; the block layer or our caller frees it
 *
 * Context: bfqd->lock held, through bfq_bio_merge() or bfq_queue_absorb().
 */
void bfq_requests_merged(struct request_queue *rqq, struct request *rq, struct request *next)
{
	struct bfq_data *bfqd = rqq->elevator->elevator_data;
	struct bfq_queue *q = bfq_rq_queue(rq);

	if (bfq_rq_state(next) != BFQ_RQ_QUEUED)
		return;		/* on its way in: stands nowhere yet */

	/* what waited longer keeps its place and deadline */
	if (time_before((unsigned long)next->fifo_time, (unsigned long)rq->fifo_time)) {
		list_move(&rq->queuelist, &next->queuelist);
		rq->fifo_time = next->fifo_time;
	}
	bfq_queue_del(bfqd, q, next);
}
