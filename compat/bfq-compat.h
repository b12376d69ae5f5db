/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernels, and nowhere else.
 *
 * The rooms of this module are written against the newest kernel: where it has a
 * name for something, that is the name, and this file defines it for kernels that
 * are older.  What even the newest has no single word for is called bfq_... here.
 *
 * What a kernel is like is found when the module is built, by compiling small snippets against the
 * headers of that very kernel (compat/probe.c); each that compiles defines a BFQ_HAVE_... word.
 * There are no version numbers, because distributions backport.
 *
 * Where the types come from.  An elevator needs types that the block layer keeps to itself.  A
 * build beside an installed kernel writes them into bfq-private.h from the BTF of that kernel
 * (compat/gen-private), functions included, so that a prototype here can never disagree with the
 * kernel that is called.  A build in a kernel tree, or with KSRC=, defines BFQ_KSRC and includes
 * the real headers.
 *
 * The cgroup half is there if CONFIG_BLK_CGROUP is.
 */
#ifndef BFQ_COMPAT_H
#define BFQ_COMPAT_H

#include <linux/backing-dev-defs.h>
#include <linux/blk-cgroup.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/cgroup.h>
#include <linux/delay.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/iocontext.h>
#include <linux/ioprio.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu-refcount.h>
#include <linux/radix-tree.h>
#include <linux/rbtree.h>
#include <linux/sbitmap.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/u64_stats_sync.h>

#ifdef BFQ_KSRC
#include "blk.h"
#include "blk-cgroup.h"
#include "blk-mq.h"
#include "blk-mq-debugfs.h"
#include "blk-mq-sched.h"
#include "blk-wbt.h"
#include "elevator.h"
#else
#include "bfq-private.h"
#endif

#ifndef BFQ_PROBING		/* compat/probe.c wants only what is above */
#include "bfq-features.h"

#ifndef CONFIG_BLK_ICQ
#error "this kernel has no CONFIG_BLK_ICQ: build it with CONFIG_IOSCHED_BFQ=m"
#endif

/* `make NAME=' sets it: elevator, module and prefix of the cgroup files. */
#ifndef BFQ_NAME
#define BFQ_NAME "bfq"
#endif

/* The elevator. */

/* The third argument of ops.insert_requests, which was a bool: at the head? */
#ifndef BFQ_HAVE_INSERT_FLAGS
typedef bool blk_insert_t;
#endif
#ifndef BLK_MQ_INSERT_AT_HEAD
#define BLK_MQ_INSERT_AT_HEAD	((__force blk_insert_t)1)
#endif

/**
 * BFQ_COMPAT_INIT_SCHED() - define bfq_compat_init_sched for ops.init_sched
 * @core_fn: int (struct request_queue *q, struct elevator_queue *eq)
 *
 * @core_fn is called in process context, the queue frozen, with @eq allocated
 * and already q->elevator, and sets eq->elevator_data.  If it returns an error it has freed what it
 * had allocated; @eq is cleaned up here, and ops.exit_sched is not called.
 */
#ifdef BFQ_HAVE_INIT_SCHED_EQ
#define BFQ_COMPAT_INIT_SCHED(core_fn)					\
static int bfq_compat_init_sched(struct request_queue *q,		\
				 struct elevator_queue *eq)		\
{									\
	/* the caller takes it back and drops @eq if we fail */		\
	q->elevator = eq;						\
	return core_fn(q, eq);						\
}
#else
#define BFQ_COMPAT_INIT_SCHED(core_fn)					\
static int bfq_compat_init_sched(struct request_queue *q,		\
				 struct elevator_type *type)		\
{									\
	struct elevator_queue *eq = elevator_alloc(q, type);		\
	int ret;							\
									\
	if (!eq)							\
		return -ENOMEM;						\
	q->elevator = eq;						\
	ret = core_fn(q, eq);						\
	if (ret) {							\
		q->elevator = NULL;					\
		kobject_put(&eq->kobj);					\
	}								\
	return ret;							\
}
#endif

/**
 * BFQ_COMPAT_DEPTH_UPDATED() - define bfq_compat_depth_updated
 * @core_fn: void (struct request_queue *q)
 *
 * Called when nr_requests changes; older kernels call it once for every hardware queue, before
 * q->nr_requests is set: ask bfq_sched_tag_depth(). It is not called when an elevator starts;
 * @core_fn is to be called from the init function as well.
 */
#ifdef BFQ_HAVE_DEPTH_UPDATED_Q
#define BFQ_COMPAT_DEPTH_UPDATED(core_fn)				\
static void bfq_compat_depth_updated(struct request_queue *q)		\
{									\
	core_fn(q);							\
}
#else
#define BFQ_COMPAT_DEPTH_UPDATED(core_fn)				\
static void bfq_compat_depth_updated(struct blk_mq_hw_ctx *hctx)	\
{									\
	core_fn(hctx->queue);						\
}
#endif

/*
 * The flag of requests that ops.prepare_request was called for, until ops.finish_request is: older
 * kernels set it after the call, newer ones before allocation.
 */
#ifdef RQF_ELVPRIV
#define RQF_USE_SCHED		RQF_ELVPRIV
#endif

/* Does the device have moving parts? */
#ifndef blk_queue_rot
#define blk_queue_rot(q)	(!blk_queue_nonrot(q))
#endif

/* So many milliseconds does bfq_elevator_get() wait for the lock. */
#define BFQ_ELEVATOR_TRIES	200

/**
 * bfq_elevator_put() - undo bfq_elevator_get()
 * @q: the device's queue
 */
static inline void bfq_elevator_put(struct request_queue *q)
{
#ifdef BFQ_HAVE_ELEVATOR_LOCK
	mutex_unlock(&q->elevator_lock);
#endif
}

/**
 * bfq_elevator_get() - keep a device's elevator in place, for debugfs files
 * @q: the device's queue
 * @attrs: the sysfs files of our elevator type, to know it by (its owner is NULL
 *	where it is built in, like that of all others)
 *
 * Older kernels remove the files before the elevator goes; newer ones later, or while they hold the
 * lock: then its holder waits until we leave the file, and to wait for the lock without end would
 * be to wait for each other.  May sleep.  To be undone by bfq_elevator_put().
 *
 * Return: our data on the device, or an error, after which nothing is to be undone:
 * -ENODEV if it is not ours (any more), -EBUSY if it is being changed.
 */
static inline void *bfq_elevator_get(struct request_queue *q, const struct elv_fs_entry *attrs)
{
#ifdef BFQ_HAVE_ELEVATOR_LOCK
	int tries = 0;

	while (!mutex_trylock(&q->elevator_lock)) {
		if (++tries == BFQ_ELEVATOR_TRIES)
			return ERR_PTR(-EBUSY);
		fsleep(USEC_PER_MSEC);
	}
#endif
	if (q->elevator && q->elevator->type->elevator_attrs == attrs)
		return q->elevator->elevator_data;

	bfq_elevator_put(q);
	return ERR_PTR(-ENODEV);
}

/**
 * bfq_free_requests() - free requests that have been merged into others
 * @list: of requests by queuelist, as blk_mq_sched_try_insert_merge() leaves it
 *
 * Calls ops.finish_request for each: not under a lock that this takes.
 */
static inline void bfq_free_requests(struct list_head *list)
{
	struct request *rq, *next;

	list_for_each_entry_safe(rq, next, list, queuelist) {
		list_del_init(&rq->queuelist);
		blk_mq_free_request(rq);
	}
}

/**
 * bfq_access_ranges() - from the init function: which parts of a disk move independently?
 * @q: the device's queue
 * @ends: gets for each the sector after its last, ascending; the first begins at 0
 * @most: how many fit
 *
 * What the driver says may change when it looks at the disk anew; older kernels keep it
 * from that while an elevator is set up, newer ones have to be asked.  There, who has the
 * lock may wait for memory, and that for this very disk, which is frozen: so it is not waited for.
 *
 * Return: how many they are; 0 if the driver says nothing, or there are too many.
 */
static inline unsigned int bfq_access_ranges(struct request_queue *q, sector_t *ends,
					     unsigned int most)
{
	const struct blk_independent_access_ranges *ranges;
	unsigned int nr = 0;

#ifdef BFQ_HAVE_ELEVATOR_LOCK
	if (!mutex_trylock(&q->sysfs_lock))
		return 0;
#endif
	ranges = q->disk ? q->disk->ia_ranges : NULL;
	if (ranges && ranges->nr_ia_ranges <= most)
		for (; nr < ranges->nr_ia_ranges; nr++)
			ends[nr] = ranges->ia_range[nr].sector + ranges->ia_range[nr].nr_sectors;
#ifdef BFQ_HAVE_ELEVATOR_LOCK
	mutex_unlock(&q->sysfs_lock);
#endif
	return nr;
}

/* Tags. */

static inline struct sbitmap_queue *bfq_first_sched_tags(struct request_queue *q)
{
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i)
		if (hctx->sched_tags)
			return &hctx->sched_tags->bitmap_tags;
	return NULL;
}

#ifndef BFQ_KSRC
/**
 * blk_mq_is_shared_tags() - do all hardware queues draw from one set of tags?
 * @flags: those of the device's tag_set
 */
static inline bool blk_mq_is_shared_tags(unsigned int flags)
{
	return flags & BLK_MQ_F_TAG_HCTX_SHARED;
}
#endif

/**
 * bfq_sched_tag_depth() - how many requests the scheduler can hold
 * @q: the device's queue
 *
 * For each hardware queue, or for all of them together where blk_mq_is_shared_tags() says so.
 * Right also within depth_updated, where q->nr_requests may not be.  (One exception: a shared set
 * is resized after the call, so there it is the old figure.)
 */
static inline unsigned int bfq_sched_tag_depth(struct request_queue *q)
{
	struct sbitmap_queue *tags = bfq_first_sched_tags(q);

	return tags ? tags->sb.depth : q->nr_requests;
}

/* The hardware queue of a number; the caller keeps the device's usage counter. */
static inline struct blk_mq_hw_ctx *bfq_hctx(struct request_queue *q, unsigned int nr)
{
#ifdef BFQ_HAVE_HCTX_TABLE
	return xa_load(&q->hctx_table, nr);
#else
	return nr < q->nr_hw_queues ? q->queue_hw_ctx[nr] : NULL;
#endif
}

/**
 * bfq_cpu_map() - the hardware queue whose tags a task on this CPU draws from
 * @q: the device's queue
 * @opf: operation and flags of its request: some drivers set queues apart for
 *	reads and for what is polled
 */
static inline unsigned int bfq_cpu_map(struct request_queue *q, blk_opf_t opf)
{
	const struct blk_mq_queue_map *map = q->tag_set->map;
	enum hctx_type type = HCTX_TYPE_DEFAULT;

	if (opf & REQ_POLLED)
		type = HCTX_TYPE_POLL;
	else if ((opf & REQ_OP_MASK) == REQ_OP_READ)
		type = HCTX_TYPE_READ;
	if (!map[type].nr_queues)
		type = HCTX_TYPE_DEFAULT;
	return map[type].mq_map[raw_smp_processor_id()];
}

/**
 * bfq_tags_used() - how many of a hardware queue's scheduler tags are taken
 * @q: the device's queue, whose usage counter the caller keeps
 * @nr: number of the hardware queue
 */
static inline unsigned int bfq_tags_used(struct request_queue *q, unsigned int nr)
{
	struct blk_mq_hw_ctx *hctx = bfq_hctx(q, nr);

	return hctx && hctx->sched_tags ? sbitmap_weight(&hctx->sched_tags->bitmap_tags.sb) : 0;
}

/**
 * bfq_tags_awaited() - does a task sleep in the block layer for one of the scheduler's tags?
 * @q: the device's queue, all of whose tasks draw from one map
 */
static inline bool bfq_tags_awaited(struct request_queue *q)
{
	struct sbitmap_queue *tags = bfq_first_sched_tags(q);

	return tags && atomic_read(&tags->ws_active);
}

/* Does a shallow depth count for each word of the map?  Else it does for the whole map. */
extern bool bfq_word_shallow;

/**
 * bfq_find_word_shallow() - at module load: find out and set bfq_word_shallow
 *
 * Both kinds of kernels have the same prototype (6.12.y changed from one to
 * the other), so no compiler can tell: take what a small map gives.
 *
 * Return: 0 or -ENOMEM.
 */
static inline int bfq_find_word_shallow(void)
{
#ifdef BFQ_HAVE_GET_SHALLOW
	unsigned int bits = 0;
	struct sbitmap map;
	int ret;

	/* two words of two bits */
	ret = sbitmap_init_node(&map, 4, 1, GFP_KERNEL, NUMA_NO_NODE, false, true);
	if (ret)
		return ret;
	while (sbitmap_get_shallow(&map, 1) >= 0)
		bits++;
	sbitmap_free(&map);
	bfq_word_shallow = bits > 1;
#endif
	return 0;
}

/* Round up, so that no limit is ever zero. */
static inline unsigned int bfq_shallow_depth(const struct sbitmap_queue *tags, unsigned int depth)
{
	/* a map that has been made smaller may have less than a word */
	unsigned int word = min(1U << tags->sb.shift, tags->sb.depth);

	if (bfq_word_shallow && tags->sb.depth)
		depth = min_t(u64, DIV_ROUND_UP_ULL((u64)depth * word, tags->sb.depth), word);
	return max(depth, 1U);
}

/**
 * bfq_limit_tags() - for ops.limit_depth: let this request have a tag only if
 *	fewer than @depth are taken
 * @data: the allocation
 * @depth: out of bfq_sched_tag_depth(); at or above it there is no limit
 *
 * ops.limit_depth is void (*)(blk_opf_t, struct blk_mq_alloc_data *).  It may be called while the
 * device's elevator is being looked at by nobody else, without locks. It may sleep unless the
 * allocation is REQ_NOWAIT or BLK_MQ_REQ_NOWAIT.
 */
static inline void bfq_limit_tags(struct blk_mq_alloc_data *data, unsigned int depth)
{
	/* not data->hctx, which older kernels may set only after this; all are alike */
	struct sbitmap_queue *tags = bfq_first_sched_tags(data->q);

	if (tags && depth < tags->sb.depth)
		data->shallow_depth = bfq_shallow_depth(tags, depth);
}

/**
 * bfq_task_writes_back() - is the current task one of write-back's workers?
 * @q: a disk's queue; they all do the same work, whatever the disk
 *
 * Of one that reclaims memory the answer is no, and of one with requests that no bio has taken
 * yet: when it sleeps it loses them, and its caller in the block layer may already have one of
 * them in hand.
 */
static inline bool bfq_task_writes_back(struct request_queue *q)
{
	unsigned int flags = current->flags & (PF_WQ_WORKER | PF_MEMALLOC);
	struct work_struct *work = flags == PF_WQ_WORKER ? current_work() : NULL;
	struct blk_plug *plug = current->plug;

	if (!work || !q->disk || work->func != q->disk->bdi->wb.dwork.work.func)
		return false;
#ifdef BFQ_HAVE_CACHED_RQS
	return !plug || rq_list_empty(&plug->cached_rqs);
#else
	return !plug || !plug->cached_rq;
#endif
}

#ifndef BFQ_HAVE_MIN_SHALLOW_DEPTH
/**
 * blk_mq_set_min_shallow_depth() - announce the smallest depth we will ask for
 * @q: the device's queue
 * @depth: smallest @depth that bfq_limit_tags() will be called with
 *
 * Who waits for a tag is woken in batches; this keeps the batches so small
 * that a limited request cannot wait for ever.  To be called from the init
 * function and from depth_updated, since a change of depth may bring new maps.
 */
static inline void blk_mq_set_min_shallow_depth(struct request_queue *q, unsigned int depth)
{
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i) {
		struct sbitmap_queue *tags;

		if (!hctx->sched_tags)
			continue;
		tags = &hctx->sched_tags->bitmap_tags;
		sbitmap_queue_min_shallow_depth(tags, bfq_shallow_depth(tags, depth));
	}
}
#endif

/**
 * bfq_async_depth() - how many tags asynchronous requests may have in all
 * @q: the device's queue
 * @tags: how many there are
 * @percent: of them, where the administrator cannot say it (queue/async_depth)
 */
static inline unsigned int bfq_async_depth(struct request_queue *q, unsigned int tags,
					   unsigned int percent)
{
#ifdef BFQ_HAVE_ASYNC_DEPTH
	return READ_ONCE(q->async_depth);
#else
	return tags * percent / 100;
#endif
}

/**
 * bfq_start_async_depth() - from the init function: what queue/async_depth is at first
 * @q: the device's queue
 * @percent: of the tags; the kernel keeps the proportion when nr_requests changes
 */
static inline void bfq_start_async_depth(struct request_queue *q, unsigned int percent)
{
#ifdef BFQ_HAVE_ASYNC_DEPTH
	q->async_depth = max(bfq_sched_tag_depth(q) * percent / 100, 1U);
#endif
}

/*
 * Writeback throttling (blk-wbt) holds writes back before the scheduler sees
 * them, by its own idea of latency.  Both at once fight each other.
 */

/* Not in BTF, being macros; which generation is told from what is. */
#define BFQ_ELV_DISABLE_WBT		1	/* kept off while the bit is set */
#define BFQ_ELV_ENABLE_WBT_ON_EXIT	2	/* the core turns it on later */

#ifdef BFQ_HAVE_WBT_DISK
#define bfq_wbt_arg(q)		((q)->disk)
#else
#define bfq_wbt_arg(q)		(q)
#endif

/**
 * bfq_wbt_disable() - turn writeback throttling off, for the init function
 * @q: the device's queue; q->elevator is ours
 */
static inline void bfq_wbt_disable(struct request_queue *q)
{
#if defined(BFQ_HAVE_WBT_QUEUE_FLAG)
	blk_queue_flag_set(QUEUE_FLAG_DISABLE_WBT_DEF, q);
#elif defined(BFQ_HAVE_ELV_FLAGS)
	set_bit(BFQ_ELV_DISABLE_WBT, &q->elevator->flags);
#endif
#ifdef CONFIG_BLK_WBT
	if (bfq_wbt_arg(q))
		wbt_disable_default(bfq_wbt_arg(q));
#endif
}

/**
 * bfq_wbt_enable() - let it come back as the administrator had it, for the
 *	exit function
 * @q: the device's queue; q->elevator is still ours
 */
static inline void bfq_wbt_enable(struct request_queue *q)
{
#if defined(BFQ_HAVE_WBT_QUEUE_FLAG)
	blk_queue_flag_clear(QUEUE_FLAG_DISABLE_WBT_DEF, q);
#elif defined(BFQ_HAVE_ELV_FLAGS)
	clear_bit(BFQ_ELV_DISABLE_WBT, &q->elevator->flags);
#endif
#if defined(BFQ_HAVE_WBT_QUEUE_FLAG) && !defined(BFQ_HAVE_WBT_INIT_ENABLE)
	/* enabling may allocate and freeze here, so the core does it for us */
	set_bit(BFQ_ELV_ENABLE_WBT_ON_EXIT, &q->elevator->flags);
#elif defined(CONFIG_BLK_WBT)
	if (bfq_wbt_arg(q))
		wbt_enable_default(bfq_wbt_arg(q));
#endif
}

/* Timers. */

#ifndef BFQ_HAVE_HRTIMER_SETUP
/**
 * hrtimer_setup() - prepare a timer
 * @timer: the timer
 * @fn: what it calls
 * @clock: CLOCK_MONOTONIC or another
 * @mode: HRTIMER_MODE_REL or another
 */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#ifdef CONFIG_BLK_CGROUP
#include "bfq-compat-cgroup.h"
#endif

#endif /* BFQ_PROBING */
#endif /* BFQ_COMPAT_H */
