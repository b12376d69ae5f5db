// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: whose queue it is, and for how long it lives.
 *
 * Every io_context (a thread, unless it was cloned with CLONE_IO) has one queue for its synchronous
 * requests.  It is found without a lock when a request is allocated, and the request holds it from
 * then on; the way back from a queue to the process is never needed, so none is kept, and no order
 * of exits can leave a dangling one.  Asynchronous requests go to a queue of their group, one for
 * each I/O priority.
 *
 * A process's queue has one group and one class at a time.  Some processes make
 * requests for others (a kernel thread of dm-crypt, a writer of a journal), so
 * these come with other groups and classes.  The queue follows the first of them
 * when nothing waits in it; while something does, a request that differs is served from
 * its group's shared queue, so that nobody's requests are pulled along.
 *
 * Lifetimes.  A queue is freed when nothing refers to it: each of its requests (from allocation to
 * finish), its icq and its group's table count one.  References are given up anywhere, completions
 * included; but taking a queue apart needs bfq_data.lock, so the last owner puts it on
 * bfq_data.reap, and the next holder of the lock, or a work item, sees to it.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

static struct kmem_cache *bfq_queue_cache;

/**
 * bfq_owner_init - make the slab cache of queues, at module load
 *
 * Return: 0 or -ENOMEM.
 */
int bfq_owner_init(void)
{
	bfq_queue_cache = KMEM_CACHE(bfq_queue, 0);
	return bfq_queue_cache ? 0 : -ENOMEM;
}

/**
 * bfq_owner_exit - undo bfq_owner_init(), at module unload
 */
void bfq_owner_exit(void)
{
	kmem_cache_destroy(bfq_queue_cache);
}

static unsigned int bfq_prio_weight(struct bfq_prio prio)
{
	return (BFQ_LEVELS - prio.level) * BFQ_WEIGHT_PER_LEVEL;
}

/* The block layer has replaced IOPRIO_CLASS_NONE by what the task's nice value says. */
static __always_inline struct bfq_prio bfq_ioprio(unsigned short ioprio)
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
 * bfq_owner_alloc - make a queue
 * @bfqd: the device
 * @group: where it is to compete
 * @prio: class and level
 * @sync: for synchronous requests
 * @gfp: how to allocate
 *
 * Context: the caller holds bfqd->lock, or the device is being set up.
 * Return: a queue with one reference, the caller's, or NULL.
 */
struct bfq_queue *bfq_owner_alloc(struct bfq_data *bfqd, struct bfq_group *group,
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
	return q;
}

/*
 * A queue is about to change its place, or to go: if it is in service, that ends, or its claim.
 * The engine does it for a queue with requests; one that is only waited for is taken out here.
 * bfq-turn.c notices later.
 */
static void bfq_owner_stop_service(struct bfq_data *bfqd, struct bfq_queue *q)
{
	if (bfq_queue_serving(q)) {
		if (bfq_plugged(bfqd))
			trace_bfq_unplug(bfqd, q, BFQ_WHY_GONE, bfq_since(bfqd->turn.plug_ns));
		bfq_plug_over(bfqd);
	}
	if (!q->nr_queued && wf2q_backlogged(&q->entity))
		wf2q_leave(&q->entity);
}

static void bfq_owner_free(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	WARN_ON_ONCE(q->nr_queued || atomic_read(&q->in_flight));

	bfq_owner_stop_service(bfqd, q);
	bfq_active_drop(bfqd, q);
	wf2q_exit(&q->entity);
	list_del(&q->home);
	bfq_group_detach(q->group);
	kmem_cache_free(bfq_queue_cache, q);
}

/**
 * bfq_owner_put - give up a reference
 * @bfqd: the device
 * @q: the queue; may be gone on return
 *
 * Context: any, with or without bfqd->lock.
 */
void bfq_owner_put(struct bfq_data *bfqd, struct bfq_queue *q)
{
	if (refcount_dec_and_test(&q->refs) && llist_add(&q->reap, &bfqd->reap))
		kblockd_schedule_work(&bfqd->deferred_work);
}

/**
 * bfq_owner_reap - free the queues that have no owner any more
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 */
void bfq_owner_reap(struct bfq_data *bfqd)
{
	struct bfq_queue *q, *next;
	struct llist_node *list;

	if (likely(llist_empty(&bfqd->reap)))
		return;
	list = llist_del_all(&bfqd->reap);
	llist_for_each_entry_safe(q, next, list, reap)
		bfq_owner_free(bfqd, q);
}

/* The one place where a queue's class or weight changes; it takes effect as the engine says. */
static void bfq_owner_set_prio(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_prio prio)
{
	bfq_active_drop(bfqd, q);	/* comes back with the new weight */
	wf2q_set_prio(&q->entity, bfq_prio_weight(prio), prio.class);
	WRITE_ONCE(q->prio, prio);
	trace_bfq_queue_prio(bfqd, q);
}

/**
 * bfq_owner_move - let a queue compete in another group
 * @bfqd: the device
 * @q: the queue; its waiting requests move with it
 * @group: where it goes; online
 *
 * Context: bfqd->lock held.
 */
void bfq_owner_move(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_group *group)
{
	struct bfq_group *from = q->group;
	bool active = q->active_weight;

	lockdep_assert_held(&bfqd->lock);
	trace_bfq_queue_move(bfqd, q, group);
	bfq_owner_stop_service(bfqd, q);
	bfq_active_drop(bfqd, q);
	wf2q_move(&q->entity, &group->node);
	bfq_group_attach(group);
	q->group = group;
	list_move(&q->home, &group->queues);
	bfq_group_detach(from);
	if (active)
		bfq_active_note(bfqd, q);
	/* bfq-turn.c finds the mark: the gate is open and the turn is to end */
	if (q->nr_queued && wf2q_outranks(&q->entity)) {
		bfq_plug_over(bfqd);
		bfqd->turn.preempt = true;
	}
}

static int bfq_shared_index(struct bfq_prio prio, bool sync)
{
	if (sync)
		return BFQ_SHARED_SYNC + prio.class;
	switch (prio.class) {
	case WF2Q_RT:
		return BFQ_SHARED_RT + prio.level;
	case WF2Q_BE:
		return BFQ_SHARED_BE + prio.level;
	default:
		return BFQ_SHARED_IDLE;
	}
}

/*
 * A group's own queue; the device's fallback where it can't be made.  The synchronous
 * ones take requests of all levels of their class, and have the default one.
 */
static noinline struct bfq_queue *bfq_shared_queue(struct bfq_data *bfqd,
						   struct bfq_group *group,
						   struct bfq_prio prio, bool sync)
{
	struct bfq_queue **slot = &group->shared[bfq_shared_index(prio, sync)];

	if (sync && prio.class != WF2Q_IDLE)
		prio.level = IOPRIO_BE_NORM;
	if (!*slot)
		*slot = bfq_owner_alloc(bfqd, group, prio, sync, GFP_NOWAIT);
	return *slot ?: bfqd->fallback;
}

static bool bfq_owner_is(const struct bfq_queue *own, const struct bfq_group *group,
			 struct bfq_prio prio)
{
	return own->group == group && own->prio.class == prio.class &&
	       own->prio.level == prio.level;
}

/*
 * May a request of this group and priority wait in a process's queue?  If nothing else waits there
 * the queue follows the request.  A level is followed at once: it only changes a weight.
 */
static noinline bool bfq_owner_suits(struct bfq_data *bfqd, struct bfq_queue *own,
				     struct bfq_group *group, struct bfq_prio prio)
{
	if (own->nr_queued && (own->group != group || own->prio.class != prio.class))
		return false;
	if (own->group != group)
		bfq_owner_move(bfqd, own, group);
	if (own->prio.class != prio.class || own->prio.level != prio.level)
		bfq_owner_set_prio(bfqd, own, prio);
	return true;
}

/**
 * bfq_owner_assign - the queue that a request is to wait in
 * @bfqd: the device
 * @rq: a prepared request on its way into a queue
 *
 * A request may have been allocated for another bio than the one it carries now (the block layer
 * keeps some in a task's list), so only here is it certain whether it is synchronous.
 *
 * Context: bfqd->lock held.
 * Return: the process's queue or one of its group's own.  No reference is taken or moved.
 */
struct bfq_queue *bfq_owner_assign(struct bfq_data *bfqd, struct request *rq)
{
	struct bfq_prio prio = bfq_ioprio(req_get_ioprio(rq));
	struct bfq_queue *own = bfq_rq_queue(rq);
	struct bfq_group *group;

	lockdep_assert_held(&bfqd->lock);
	if (likely(own && bfq_group_has_bio(own->group, rq->bio)))
		group = own->group;
	else
		group = bfq_group_of_bio(bfqd, rq->bio);
	if (!own || !op_is_sync(rq->cmd_flags))
		return bfq_shared_queue(bfqd, group, prio, op_is_sync(rq->cmd_flags));
	if (likely(bfq_owner_is(own, group, prio)) || bfq_owner_suits(bfqd, own, group, prio))
		return own;
	return bfq_shared_queue(bfqd, group, prio, true);
}

static bool bfq_icq_fits(const struct io_cq *icq, const struct request_queue *rqq)
{
	return icq && icq->q == rqq;
}

/*
 * What the current task has on a device, without a lock.  The caller holds a reference on
 * the device's usage counter, so the elevator can't be switched, and the task lives: neither
 * way of destroying its icq is open while we look.  Only the tree of other devices' icqs
 * may change under us, hence RCU.
 *
 * The core notes in the hint what it has looked up last, but it looks for us only once: so
 * what the tree has told is noted here.  That needs no lock, since whoever destroys the icq
 * takes it out of the hint, and can't have begun.
 */
static struct bfq_icq *bfq_owner_icq(const struct request_queue *rqq)
{
	struct io_context *ioc = current->io_context;
	struct io_cq *icq;

	if (!ioc)
		return NULL;
	rcu_read_lock();
	icq = radix_tree_lookup(&ioc->icq_tree, rqq->id);
	if (bfq_icq_fits(icq, rqq))
		rcu_assign_pointer(ioc->icq_hint, icq);
	else
		icq = NULL;
	rcu_read_unlock();
	return icq ? container_of(icq, struct bfq_icq, icq) : NULL;
}

/*
 * The queue of the icq in the hint, if that is of this device.  Each I/O looks twice: a task that
 * can't be preempted is a reader to RCU as well, and takes no calls and no stack.
 */
static __always_inline struct bfq_queue *bfq_owner_hinted(const struct request_queue *rqq)
{
	struct io_context *ioc = current->io_context;
	struct bfq_queue *q = NULL;
	struct io_cq *icq;

	if (unlikely(!ioc))
		return NULL;
	preempt_disable();
	icq = rcu_dereference_sched(ioc->icq_hint);
	if (likely(bfq_icq_fits(icq, rqq)))	/* pairs with bfq_owner_make_queue() */
		q = smp_load_acquire(&container_of(icq, struct bfq_icq, icq)->queue);
	preempt_enable();
	return q;
}

/* A process's first request: let the block layer make an icq. NULL: out of memory. */
static noinline struct bfq_icq *bfq_owner_make_icq(struct request_queue *rqq)
{
	struct io_cq *icq = ioc_find_get_icq(rqq);

	if (!icq)
		return NULL;
	/* its reference is for callers that let go of the io_context; current is in it */
	put_io_context(icq->ioc);
	return container_of(icq, struct bfq_icq, icq);
}

/*
 * Processes that belong together are children of the same one; so are threads.  Not those of init
 * (a container's, too) and its like, and of kthreadd, who are given the children of others: each is
 * its own family.
 */
static pid_t bfq_owner_family(void)
{
	struct task_struct *parent;
	struct pid *pid;
	pid_t family;

	rcu_read_lock();
	parent = rcu_dereference(current->real_parent);
	pid = task_tgid(parent);	/* a thread of it may be the parent */
	if (!pid || is_child_reaper(pid) || parent->signal->is_child_subreaper ||
	    (current->flags & PF_KTHREAD))
		parent = current;
	family = task_tgid_nr(parent);
	rcu_read_unlock();
	return family;
}

/* Give an icq a queue. NULL: out of memory, do without. */
static noinline struct bfq_queue *bfq_owner_make_queue(struct bfq_data *bfqd, struct bfq_icq *bicq)
{
	struct bfq_prio prio = bfq_ioprio(get_current_ioprio());
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	if (!bicq->queue) {
		struct bfq_queue *q = bfq_owner_alloc(bfqd, bfqd->root, prio, true, GFP_NOWAIT);

		if (q) {
			q->pid = task_pid_nr(current);
			q->family = bfq_owner_family();
			list_add(&q->home, &bfqd->root->queues);
		}
		/* readers look without the lock: show them a complete queue */
		smp_store_release(&bicq->queue, q);
	}
	bfq_unlock(bfqd, flags);
	return bicq->queue;
}

/* The hint is of no use. */
static noinline struct bfq_queue *bfq_owner_find(struct request_queue *rqq, bool create)
{
	struct bfq_icq *bicq = bfq_owner_icq(rqq);
	struct bfq_queue *q;

	if (!bicq && create)
		bicq = bfq_owner_make_icq(rqq);
	if (!bicq)
		return NULL;
	q = smp_load_acquire(&bicq->queue);	/* pairs with bfq_owner_make_queue() */
	if (q || !create)
		return q;
	return bfq_owner_make_queue(rqq->elevator->elevator_data, bicq);
}

/**
 * bfq_owner_current - the current process's queue on a device
 * @rqq: the device's request queue, whose usage counter the caller holds
 * @create: make one if there is none
 *
 * Context: process context; with @create no lock held.
 * Return: the queue, which stays while the caller runs, or NULL.
 */
struct bfq_queue *bfq_owner_current(struct request_queue *rqq, bool create)
{
	return bfq_owner_hinted(rqq) ?: bfq_owner_find(rqq, create);
}

/**
 * bfq_owner_of_bio - the queue that a bio's request would wait in, if that exists
 * @bfqd: the device
 * @bio: the bio
 *
 * Context: bfqd->lock held.
 */
struct bfq_queue *bfq_owner_of_bio(struct bfq_data *bfqd, struct bio *bio)
{
	struct bfq_group *group;

	if (op_is_sync(bio->bi_opf))
		return bfq_owner_current(bfqd->queue, false);
	group = bfq_group_of_bio(bfqd, bio);
	return group->shared[bfq_shared_index(bfq_ioprio(bio->bi_ioprio), false)];
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
	if (q && !q->nr_queued)
		bfq_owner_stop_service(bfqd, q);	/* nothing will come any more */
	if (q)
		bfq_owner_put(bfqd, q);
	bfq_owner_reap(bfqd);
	bfq_unlock_nested(bfqd, flags);
}
