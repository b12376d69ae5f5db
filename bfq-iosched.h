/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words that the rooms share.
 *
 * A device that is scheduled has one struct bfq_data; every cgroup that does
 * I/O to it has one struct bfq_group there, and every process one struct
 * bfq_queue for its synchronous requests.  Asynchronous requests (buffered
 * writes, mostly) are nobody's: they go to queues shared by a group, one for
 * each I/O priority.
 *
 * Rooms, from the top down; a room calls only those below it:
 *
 *	bfq-iosched.c	hook table, a device's birth and death
 *	bfq-sysfs.c	tunables
 *	bfq-debugfs.c	what it is doing now
 *	bfq-stage.c	arrivals, merging, dispatch, completions; the locks
 *	bfq-depth.c	who may hold how many of the scheduler's tags
 *	bfq-idle.c	when to plug the device for a queue
 *	bfq-budget.c	how much a queue may be served, and when it has had enough
 *	bfq-active.c	who competes, and for which share
 *	bfq-queue.c	a process's queue: its requests, its owners
 *	bfq-cgroup.c	groups
 *	bfq-wf2q.c	the engine: who is next
 *
 * Lock order, outermost first:
 *
 *	request_queue->queue_lock	(block layer: icq and blkg creation)
 *	io_context->lock, blkcg->lock	(block layer)
 *	bfq_data->lock
 *	bfq_stage->lock, bfq_data->ready_lock (never both)
 *
 * All of ours are irq-safe: the plug timer takes bfq_data->lock, so whatever
 * is taken inside it must not be interrupted by it either.
 */
#ifndef BFQ_IOSCHED_H
#define BFQ_IOSCHED_H

#include "compat/bfq-compat.h"
#include "bfq-wf2q.h"

struct bfq_data;
struct bfq_queue;

/* I/O priority levels within a class (linux/ioprio.h: 0 is the highest). */
#define BFQ_LEVELS		8

/*
 * Weight of a queue from its level: (8 - level) * 10, so that the default
 * level 4 weighs 40 and the whole range spans 10 to 80.  Users know this
 * relation from the kernel's documentation of ioprio.
 */
#define BFQ_WEIGHT_PER_LEVEL	10

#define BFQ_WEIGHT_MIN		1
#define BFQ_WEIGHT_MAX		1000
#define BFQ_WEIGHT_DEFAULT	100

/*
 * Queues that belong to a group and not to a process: asynchronous ones for
 * each level of RT and BE, one for IDLE, and one for synchronous requests
 * that come without a process (stacked drivers, failed allocations).
 */
enum {
	BFQ_SHARED_RT		= 0,
	BFQ_SHARED_BE		= BFQ_SHARED_RT + BFQ_LEVELS,
	BFQ_SHARED_IDLE		= BFQ_SHARED_BE + BFQ_LEVELS,
	BFQ_SHARED_SYNC,
	BFQ_NR_SHARED,
};

/**
 * struct bfq_prio - a request's or a queue's I/O priority, as we use it
 * @class: the engine's class
 * @level: 0 (highest) to BFQ_LEVELS - 1; 7 in class IDLE, which has no levels
 */
struct bfq_prio {
	u8 class;
	u8 level;
};

/**
 * struct bfq_group - a cgroup's presence on one device
 * @pd: the block layer's handle on us; first, so that it can be cast
 * @node: the scheduling node of the engine; its entity competes in the parent
 * @bfqd: the device; set at creation, outlives the group
 * @queues: process queues that are at home here (bfq_queue.home)
 * @shared: the group's own queues, created on first use; each holds one
 *	reference on the queue
 * @attached: queues, and groups below, that the engine may still know here
 * @active_sum: weights of active children, queues and groups (bfq-active.c)
 * @active_weight: what the group counts for in its parent's @active_sum
 * @dev_weight: weight for this device only; 0 follows the cgroup's weight
 * @online: requests may be charged to it; cleared once, when the cgroup goes
 * @rcu: readers of the cgroup files may hold no lock
 *
 * All fields but @pd are guarded by bfq_data.lock.  A group lives
 * as long as its blkg; each queue in the group holds one blkg reference.
 */
struct bfq_group {
	struct blkg_policy_data pd;
	struct wf2q_group node;
	struct bfq_data *bfqd;
	struct list_head queues;
	struct bfq_queue *shared[BFQ_NR_SHARED];
	unsigned int attached;
	unsigned int active_sum;
	u16 active_weight;
	u16 dev_weight;
	bool online;
	struct rcu_head rcu;
};

/**
 * struct bfq_queue - requests of one process, waiting to be served
 * @entity: what the engine knows of the queue; first, so that the engine's
 *	answer can be cast
 * @group: where it competes; holds one blkg reference
 * @home: membership in group->queues, for process queues
 * @refs: one for each owner: a request, the process's icq, group->shared
 * @reap: link in bfqd->reap once @refs has reached zero
 * @sorted: waiting requests by sector
 * @ahead: first waiting request at or beyond @head, NULL if all are behind
 * @fifo: waiting requests in order of arrival
 * @head: sector after the last request served
 * @nr_queued: waiting requests
 * @in_flight: requests chosen and not completed: the driver has them or will
 * @completed_ns: when the last one completed (ktime, ns)
 * @think_ns: average time between a completion and the next request
 * @think_samples: how many were averaged, up to BFQ_THINK_SAMPLES
 * @seek_history: one bit per recent request, set where it was far away
 * @prio: class and level the engine has been told
 * @sync: synchronous requests
 * @active: link in bfqd->active while active (bfq-active.c)
 * @active_seen: jiffies of the last arrival, or of a look that found requests
 * @active_weight: what it counts for in group->active_sum; 0: not active
 * @depth_limit: scheduler tags it may hold when they are scarce (bfq-depth.c)
 * @asking: its tasks that are about to take a tag; a guess
 * @depth_wait: its tasks that wait for one of its requests to finish
 * @rcu: completions may look at a queue just after giving up their reference
 * @pid: of the process, 0 for shared queues; only shown, never looked up
 *
 * @in_flight and @completed_ns change on completion, without the lock; the
 * rest is guarded by bfq_data.lock.
 */
struct bfq_queue {
	struct wf2q_entity entity;
	struct bfq_group *group;
	struct list_head home;
	refcount_t refs;
	struct llist_node reap;

	struct rb_root sorted;
	struct request *ahead;
	struct list_head fifo;
	sector_t head;
	unsigned int nr_queued;

	atomic_t in_flight;
	u64 completed_ns;
	u64 think_ns;
	u8 think_samples;
	u32 seek_history;

	struct bfq_prio prio;
	bool sync;
	pid_t pid;

	struct list_head active;
	unsigned long active_seen;
	u16 active_weight;

	unsigned int depth_limit;
	atomic_t asking;
	wait_queue_head_t depth_wait;
	struct rcu_head rcu;
};

/**
 * struct bfq_icq - what a process (an io_context) has on one device
 * @icq: the block layer's part
 * @queue: its queue for synchronous requests; created on first use, dropped
 *	by exit_icq; the icq holds one reference
 */
struct bfq_icq {
	struct io_cq icq;
	struct bfq_queue *queue;
};

/**
 * struct bfq_stage - arrivals on one CPU that nobody has sorted in yet
 * @lock: guards @list; irq-safe; never held together with another stage's
 * @list: requests in order of arrival
 */
struct bfq_stage {
	spinlock_t lock;	/* the list */
	struct list_head list;
} ____cacheline_aligned_in_smp;

/**
 * struct bfq_tunables - what /sys/block/X/queue/iosched/ sets
 * @fifo_expire_ms: time until a waiting request is late, [0] async, [1] sync
 * @back_seek_max: sectors; requests further behind the head are not taken
 * @back_seek_penalty: a sector backwards costs as much as this many forwards
 * @slice_idle_ns: how long to wait for a queue's next request; 0: never
 * @timeout_ms: how long a queue may be served in one go
 * @max_budget: sectors that a queue may be served in one go; 0: chosen
 * @strict_guarantees: always wait, and one request in the device at a time
 *
 * Written by sysfs one word at a time, read by the scheduler whenever it
 * needs them (READ_ONCE/WRITE_ONCE).
 */
struct bfq_tunables {
	unsigned int fifo_expire_ms[2];
	unsigned int back_seek_max;
	unsigned int back_seek_penalty;
	u64 slice_idle_ns;
	unsigned int timeout_ms;
	unsigned int max_budget;
	bool strict_guarantees;
};

/**
 * enum bfq_expire - why a queue is no longer in service
 * @BFQ_EXPIRE_EMPTY: it has no more requests and is not waited for
 * @BFQ_EXPIRE_IDLE: it was waited for and stayed away
 * @BFQ_EXPIRE_BUDGET: what is left of its budget does not cover its request
 * @BFQ_EXPIRE_TIMEOUT: it has been served for longer than timeout_sync
 * @BFQ_EXPIRE_PREEMPTED: a higher class of its group has a request
 * @BFQ_EXPIRE_GONE: the queue, or its place in the tree, goes away
 */
enum bfq_expire {
	BFQ_EXPIRE_EMPTY,
	BFQ_EXPIRE_IDLE,
	BFQ_EXPIRE_BUDGET,
	BFQ_EXPIRE_TIMEOUT,
	BFQ_EXPIRE_PREEMPTED,
	BFQ_EXPIRE_GONE,
	BFQ_NR_EXPIRE,
};

/**
 * struct bfq_data - a scheduled device
 * @queue: the device's request queue
 * @lock: guards the engine, groups, queues and every field not said otherwise
 * @root: the group of requests that no other group claims
 * @in_service: the queue being served, NULL if none
 * @served_since: jiffies when its service began
 * @turn_start: nothing has been served yet since then
 * @preempt: it has to make room at the next occasion
 * @plug_timer: ends the wait for a plugged queue
 * @plugged: @in_service is empty and the device is kept for it.  Written
 *	under @lock, read without
 * @tun: tunables
 * @nr_waiting: requests in queues (not staged, not ready).  Written under
 *	@lock, read without
 * @active: queues that compete, by the time of their last arrival
 * @nr_active: how many they are
 * @shares_at: jiffies when they were looked at last
 * @shares_stale: the set has changed since
 * @claims_differ: they have different shares or classes
 * @in_flight: requests chosen and not completed
 * @strict_wait: strict_guarantees holds a request back until @in_flight is 0
 * @stage: arrivals, one for each possible CPU
 * @staged: CPUs whose stage is not empty
 * @dispatching: somebody holds @lock to dispatch; a hint for others, who
 *	read it without
 * @contended: a dispatcher found @lock taken and left (bit 0)
 * @ready_lock: guards @ready; nothing is taken inside it
 * @ready: requests chosen or needing no choice, to be fetched by drivers
 * @reap: queues without owners (llist; bfq_queue.reap)
 * @deferred_work: frees queues and runs the device, for those who can't
 * @fallback: a queue that always exists, where no other could be allocated
 * @expired: how often a queue left service for which reason
 */
struct bfq_data {
	struct request_queue *queue;

	/* the engine, queues, groups, and what is not said otherwise */
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct bfq_group *root;
	struct bfq_queue *in_service;
	unsigned long served_since;
	bool turn_start;
	bool preempt;
	bool plugged;
	struct hrtimer plug_timer;
	struct bfq_tunables tun;
	unsigned int nr_waiting;
	struct list_head active;
	unsigned int nr_active;
	unsigned long shares_at;
	bool shares_stale;
	bool claims_differ;
	struct bfq_queue *fallback;
	unsigned long expired[BFQ_NR_EXPIRE];

	atomic_t in_flight ____cacheline_aligned_in_smp;
	bool strict_wait;

	struct bfq_stage *stage ____cacheline_aligned_in_smp;
	cpumask_var_t staged;
	bool dispatching;
	unsigned long contended;

	/* the ready list */
	spinlock_t ready_lock ____cacheline_aligned_in_smp;
	struct list_head ready;

	struct llist_head reap;
	struct work_struct deferred_work;
};

static inline struct bfq_group *bfq_group_parent(const struct bfq_group *group)
{
	struct wf2q_group *parent = group->node.entity.parent;

	return parent ? container_of(parent, struct bfq_group, node) : NULL;
}

static inline struct bfq_queue *bfq_entity_queue(struct wf2q_entity *entity)
{
	return container_of(entity, struct bfq_queue, entity);
}

/*
 * What a request carries: elv.priv[0] is its queue, on which it holds a
 * reference, from prepare or insertion to finish; elv.priv[1] says where it
 * is.  Only requests that were prepared (bfq_rq_prepared()) may carry this.
 */
enum bfq_rq_state {
	BFQ_RQ_NEW,		/* allocated, plugged, staged, or completed */
	BFQ_RQ_QUEUED,		/* sorted into its queue */
	BFQ_RQ_CHOSEN,		/* charged and counted as in flight, until it completes */
};

/* Has bfq_prepare_request() seen it?  The others bypass us, and their elv fields are not ours. */
static inline bool bfq_rq_prepared(const struct request *rq)
{
	return rq->rq_flags & BFQ_RQF_PREPARED;
}

static inline struct bfq_queue *bfq_rq_queue(const struct request *rq)
{
	return rq->elv.priv[0];
}

static inline void bfq_rq_set_queue(struct request *rq, struct bfq_queue *q)
{
	rq->elv.priv[0] = q;
}

static inline enum bfq_rq_state bfq_rq_state(const struct request *rq)
{
	return (enum bfq_rq_state)(unsigned long)rq->elv.priv[1];
}

static inline void bfq_rq_set_state(struct request *rq, enum bfq_rq_state state)
{
	rq->elv.priv[1] = (void *)(unsigned long)state;
}

/* From here on the driver has the request or will get it: until it completes. */
static inline void bfq_rq_count(struct bfq_data *bfqd, struct request *rq)
{
	bfq_rq_set_state(rq, BFQ_RQ_CHOSEN);
	atomic_inc(&bfq_rq_queue(rq)->in_flight);
	atomic_inc(&bfqd->in_flight);
}

/*
 * How many requests the scheduler can hold.  Hardware queues set aside for
 * polling don't count.
 */
static inline unsigned int bfq_all_tags(struct request_queue *rqq)
{
	unsigned int tags = bfq_sched_tag_depth(rqq);

	if (bfq_sched_tags_shared(rqq))
		return tags;
	return tags * rqq->tag_set->map[HCTX_TYPE_DEFAULT].nr_queues;
}

/* And how many it holds, those just arriving aside. */
static inline unsigned int bfq_tags_used(struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->nr_waiting) + atomic_read(&bfqd->in_flight);
}

/* Has the queue in service had the device for longer than this? */
static inline bool bfq_served_for(const struct bfq_data *bfqd, unsigned int ms)
{
	return time_after(jiffies, bfqd->served_since + msecs_to_jiffies(ms));
}

/* bfq-stage.c */
void bfq_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			 bfq_insert_flags_t flags);
bool bfq_bio_merge(struct request_queue *rqq, struct bio *bio, unsigned int nr_segs);
struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx);
bool bfq_has_work(struct blk_mq_hw_ctx *hctx);
void bfq_prepare_request(struct request *rq);
void bfq_completed_request(struct request *rq, u64 now);
void bfq_finish_request(struct request *rq);
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags) __releases(&bfqd->lock);
void bfq_unlock_nested(struct bfq_data *bfqd, unsigned long flags) __releases(&bfqd->lock);
int bfq_stage_init(struct bfq_data *bfqd);
void bfq_stage_exit(struct bfq_data *bfqd);

/* bfq-depth.c */
void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data);
void bfq_depth_init(struct request_queue *rqq);
void bfq_depth_updated(struct request_queue *rqq);
void bfq_depth_taken(struct bfq_queue *q, blk_opf_t opf);
void bfq_depth_turn(struct bfq_queue *q);

/* bfq-active.c */
void bfq_active_note(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_active_drop(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_active_reweigh(struct bfq_data *bfqd, struct bfq_group *group);
void bfq_active_refresh(struct bfq_data *bfqd);

/* bfq-idle.c */
void bfq_idle_init(struct bfq_data *bfqd);
void bfq_idle_exit(struct bfq_data *bfqd);
bool bfq_idle_plug(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_idle_unplug(struct bfq_data *bfqd);
void bfq_idle_recheck(struct bfq_data *bfqd);
void bfq_idle_arrival(struct bfq_queue *q, const struct request *rq);

/* bfq-budget.c */
u32 bfq_budget(const struct bfq_data *bfqd);
u32 bfq_rq_service(const struct request *rq);
struct bfq_queue *bfq_next_queue(struct bfq_data *bfqd);
void bfq_expire(struct bfq_data *bfqd, enum bfq_expire why);
void bfq_queue_backlogged(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_serve(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);

/* bfq-queue.c */
int bfq_queue_cache_create(void);
void bfq_queue_cache_destroy(void);
struct bfq_queue *bfq_queue_alloc(struct bfq_data *bfqd, struct bfq_group *group,
				  struct bfq_prio prio, bool sync, gfp_t gfp);
void bfq_queue_put(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_queue_reap(struct bfq_data *bfqd);
struct bfq_queue *bfq_current_queue(struct request_queue *rqq, bool create);
struct bfq_queue *bfq_queue_for(struct bfq_data *bfqd, struct request *rq);
void bfq_queue_move(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_group *group);
void bfq_queue_add(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
void bfq_queue_del(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
void bfq_queue_passed(struct bfq_queue *q, struct request *rq);
struct request *bfq_queue_peek(const struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_queue_absorb(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq,
		      struct list_head *free);
void bfq_unhash_merged(struct request_queue *rqq);
bool bfq_allow_merge(struct request_queue *rqq, struct request *rq, struct bio *bio);
int bfq_request_merge(struct request_queue *rqq, struct request **rqp, struct bio *bio);
void bfq_request_merged(struct request_queue *rqq, struct request *rq, enum elv_merge how);
void bfq_requests_merged(struct request_queue *rqq, struct request *rq, struct request *next);
void bfq_init_icq(struct io_cq *icq);
void bfq_exit_icq(struct io_cq *icq);

/* bfq-cgroup.c */
int bfq_cgroup_register(void);
void bfq_cgroup_unregister(void);
int bfq_cgroup_attach(struct bfq_data *bfqd);
void bfq_cgroup_detach(struct bfq_data *bfqd);
struct bfq_group *bfq_bio_group(struct bfq_data *bfqd, const struct bio *bio);
void bfq_group_attach(struct bfq_group *group);
void bfq_group_detach(struct bfq_group *group);

/* bfq-sysfs.c */
extern struct elv_fs_entry bfq_attrs[];
void bfq_tunables_init(struct bfq_tunables *tun);

/* bfq-debugfs.c */
#ifdef CONFIG_BLK_DEBUG_FS
extern const struct blk_mq_debugfs_attr bfq_debugfs_attrs[];
#endif

#endif /* BFQ_IOSCHED_H */
