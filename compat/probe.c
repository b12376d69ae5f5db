// SPDX-License-Identifier: GPL-2.0
/*
 * What is this kernel like?  Each question below is a declaration that a compiler accepts if the
 * answer is yes.  It stands behind a #line directive that names the question, so that one run of
 * the compiler answers all: compat/probe-features collects the questions that drew no error.
 *
 * Ask for types and prototypes, never for version numbers.
 */
#define BFQ_PROBING
#include "bfq-compat.h"

/* Two questions with known answers, so that a broken probe is noticed. */
#line 1 "BFQ_HAVE_A_COMPILER"
_Static_assert(1, "");
#line 1 "BFQ_HAVE_THE_IMPOSSIBLE"
_Static_assert(0, "");

/* ops.insert_requests: flags, or a bool? */
#line 1 "BFQ_HAVE_INSERT_FLAGS"
_Static_assert(__builtin_types_compatible_p(typeof(((struct elevator_mq_ops *)0)->insert_requests), void (*)(struct blk_mq_hw_ctx *, struct list_head *, blk_insert_t)), "");

/* ops.init_sched: is the elevator_queue allocated by the caller? */
#line 1 "BFQ_HAVE_INIT_SCHED_EQ"
_Static_assert(__builtin_types_compatible_p(typeof(((struct elevator_mq_ops *)0)->init_sched), int (*)(struct request_queue *, struct elevator_queue *)), "");

/* ops.depth_updated: once for the device, or once for each hardware queue? */
#line 1 "BFQ_HAVE_DEPTH_UPDATED_Q"
_Static_assert(__builtin_types_compatible_p(typeof(((struct elevator_mq_ops *)0)->depth_updated), void (*)(struct request_queue *)), "");

/* Where it is gone, a shallow depth counts for the whole map; where not, it has to be asked. */
#line 1 "BFQ_HAVE_GET_SHALLOW"
static typeof(&sbitmap_get_shallow) probe_get_shallow;

/* Only where the real headers are: it is an inline function of theirs. */
#line 1 "BFQ_HAVE_MIN_SHALLOW_DEPTH"
static typeof(&blk_mq_set_min_shallow_depth) probe_min_shallow_depth;

/* Writeback throttling: by disk or queue, and who remembers that it is off? */
#line 1 "BFQ_HAVE_WBT_DISK"
_Static_assert(__builtin_types_compatible_p(typeof(wbt_disable_default), void (struct gendisk *)), "");
#line 1 "BFQ_HAVE_WBT_QUEUE_FLAG"
static const int probe_wbt_queue_flag = QUEUE_FLAG_DISABLE_WBT_DEF;
#line 1 "BFQ_HAVE_WBT_INIT_ENABLE"
static typeof(&wbt_init_enable_default) probe_wbt_init_enable;
#line 1 "BFQ_HAVE_ELV_FLAGS"
_Static_assert(sizeof(((struct elevator_queue *)0)->flags) == sizeof(long), "");

/* Is the elevator kept in place by a lock of its own? */
#line 1 "BFQ_HAVE_ELEVATOR_LOCK"
_Static_assert(sizeof(((struct request_queue *)0)->elevator_lock) > 0, "");

/* Are hardware queues kept in an xarray, or in an array? */
#line 1 "BFQ_HAVE_HCTX_TABLE"
_Static_assert(sizeof(((struct request_queue *)0)->hctx_table) > 0, "");

/* What a task has allocated ahead of its bios: a list with a name of its own? */
#line 1 "BFQ_HAVE_CACHED_RQS"
_Static_assert(sizeof(((struct blk_plug *)0)->cached_rqs) > 0, "");

/* Can the administrator say how many requests may be asynchronous? */
#line 1 "BFQ_HAVE_ASYNC_DEPTH"
_Static_assert(sizeof(((struct request_queue *)0)->async_depth) > 0, "");

#line 1 "BFQ_HAVE_HRTIMER_SETUP"
static typeof(&hrtimer_setup) probe_hrtimer_setup;

/* blkcg policies: by disk or by queue? */
#line 1 "BFQ_HAVE_PD_ALLOC_DISK"
_Static_assert(__builtin_types_compatible_p(typeof(*((struct blkcg_policy *)0)->pd_alloc_fn), struct blkg_policy_data *(struct gendisk *, struct blkcg *, gfp_t)), "");
#line 1 "BFQ_HAVE_POLICY_DISK"
_Static_assert(__builtin_types_compatible_p(typeof(blkcg_activate_policy), int (struct gendisk *, const struct blkcg_policy *)), "");

/* Writes to cgroup files: one step, or two, or four. */
#line 1 "BFQ_HAVE_BLKG_CONF_INIT"
static typeof(&blkg_conf_init) probe_blkg_conf_init;
#line 1 "BFQ_HAVE_BLKG_CONF_CLOSE"
static typeof(&blkg_conf_close_bdev) probe_blkg_conf_close;
