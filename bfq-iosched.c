// SPDX-License-Identifier: GPL-2.0
/*
 * BFQ: an I/O scheduler that shares a device by weight.
 *
 * Every process and every cgroup that does I/O has a weight, and gets that share of what the device
 * can do, measured in sectors (bfq-price.c).  This file is the front door: what the block layer
 * calls, and where a device's scheduler is born and dies.  Documentation/design.md is the map of
 * the house, and shows the way of a request through it.
 */
#include <linux/sched/mm.h>
#include "bfq-iosched.h"
#define CREATE_TRACE_POINTS
#include "bfq-trace.h"

/* Give up the last queue that no process and no group owns. */
static void bfq_drop_fallback(struct bfq_data *bfqd)
{
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_owner_put(bfqd, bfqd->fallback);
	bfq_owner_reap(bfqd);
	bfq_unlock_nested(bfqd, flags);
}

/*
 * Are the cgroups' files there?  They come after the elevator's name, which can be had once only:
 * where the kernel has a bfq built in, to register files of the same names would take it its own.
 */
static bool bfq_complete;

/* The device is frozen: no allocation here may wait for I/O. */
static int bfq_init_queue(struct request_queue *rqq, struct elevator_queue *eq)
{
	struct bfq_prio prio = { WF2Q_BE, IOPRIO_BE_NORM };
	struct bfq_data *bfqd;
	unsigned int noio;
	int ret;

	if (!smp_load_acquire(&bfq_complete))	/* pairs with that in bfq_init() */
		return -EAGAIN;
	bfqd = kzalloc_node(sizeof(*bfqd), GFP_NOIO, rqq->node);
	if (!bfqd)
		return -ENOMEM;
	bfqd->queue = rqq;
	spin_lock_init(&bfqd->lock);
	INIT_LIST_HEAD(&bfqd->groups);
	bfq_tunables_init(&bfqd->tun);
	bfq_active_init(bfqd);
	bfq_turn_init(bfqd);
	bfq_raise_init(bfqd);
	bfq_stuck_init(bfqd);
	bfq_arm_init(bfqd);	/* a disk with arms is believed to be one */
	bfq_device_init(bfqd);
	bfq_price_init(bfqd);
	ret = bfq_stage_init(bfqd);
	if (ret)
		goto free_data;

	eq->elevator_data = bfqd;
	/* the device is frozen: what the block layer allocates must not wait for it */
	noio = memalloc_noio_save();
	ret = bfq_cgroup_attach(bfqd);
	memalloc_noio_restore(noio);
	if (ret)
		goto exit_stage;

	bfqd->fallback = bfq_owner_alloc(bfqd, bfqd->root, prio, false, GFP_NOIO);
	if (!bfqd->fallback) {
		ret = -ENOMEM;
		goto detach;
	}

	bfq_depth_init(rqq);
	/* any hardware queue dispatches for all: "run them" need not mean each */
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, rqq);
	bfq_wbt_disable(rqq);
	return 0;

detach:
	bfq_cgroup_detach(bfqd);
exit_stage:
	bfq_stage_exit(bfqd);
free_data:
	kfree(bfqd);
	return ret;
}

BFQ_COMPAT_INIT_SCHED(bfq_init_queue)
BFQ_COMPAT_DEPTH_UPDATED(bfq_depth_updated)

/* The device is frozen, all its requests are finished, and all icqs are gone. */
static void bfq_exit_queue(struct elevator_queue *eq)
{
	struct bfq_data *bfqd = eq->elevator_data;

	bfq_turn_exit(bfqd);
	hrtimer_cancel(&bfqd->raise.hold_timer);
	hrtimer_cancel(&bfqd->raise.write_timer);
	hrtimer_cancel(&bfqd->stuck.timer);
	bfq_drop_fallback(bfqd);
	WARN_ON_ONCE(wf2q_nr_backlogged(&bfqd->root->node) || bfqd->nr_waiting);
	WARN_ON_ONCE(atomic_read(&bfqd->in_flight) || atomic_read(&bfqd->raise.inside));

	bfq_cgroup_detach(bfqd);
	bfq_stage_exit(bfqd);
	blk_queue_flag_clear(QUEUE_FLAG_SQ_SCHED, bfqd->queue);
	bfq_wbt_enable(bfqd->queue);
	kfree(bfqd);
}

static struct elevator_type bfq_elevator = {
	.ops = {
		.init_sched		= bfq_compat_init_sched,
		.exit_sched		= bfq_exit_queue,
		.depth_updated		= bfq_compat_depth_updated,

		.limit_depth		= bfq_limit_depth,
		.prepare_request	= bfq_prepare_request,
		.insert_requests	= bfq_insert_requests,
		.dispatch_request	= bfq_dispatch_request,
		.has_work		= bfq_has_work,
		.completed_request	= bfq_completed_request,
		.finish_request		= bfq_finish_request,

		.bio_merge		= bfq_bio_merge,
		.allow_merge		= bfq_allow_merge,
		.request_merge		= bfq_request_merge,
		.request_merged		= bfq_request_merged,
		.requests_merged	= bfq_requests_merged,
		.former_request		= elv_rb_former_request,
		.next_request		= elv_rb_latter_request,

		.exit_icq		= bfq_exit_icq,
	},
	.icq_size = sizeof(struct bfq_icq),
	.icq_align = __alignof__(struct bfq_icq),
	.elevator_attrs = bfq_attrs,
#ifdef CONFIG_BLK_DEBUG_FS
	.queue_debugfs_attrs = bfq_debugfs_attrs,
#endif
	.elevator_name = BFQ_NAME,
	.elevator_alias = BFQ_NAME "-iosched",
	.elevator_owner = THIS_MODULE,
};

static int __init bfq_init(void)
{
	int ret = bfq_find_word_shallow();

	if (ret)
		return ret;
	ret = bfq_owner_init();
	if (ret)
		return ret;
	ret = elv_register(&bfq_elevator);
	if (ret)
		goto destroy_cache;
	ret = bfq_cgroup_register();
	if (ret)
		goto unregister;
	/* pairs with that in bfq_init_queue(): whoever selects it finds the policy */
	smp_store_release(&bfq_complete, true);
	return 0;

unregister:
	elv_unregister(&bfq_elevator);
destroy_cache:
	bfq_owner_exit();
	return ret;
}

static void __exit bfq_exit(void)
{
	elv_unregister(&bfq_elevator);
	bfq_cgroup_unregister();	/* waits for the last group */
	bfq_owner_exit();
}

module_init(bfq_init);
module_exit(bfq_exit);

MODULE_AUTHOR("The bfq.ko authors");
MODULE_DESCRIPTION("Budget Fair Queueing I/O scheduler");
MODULE_LICENSE("GPL");
MODULE_VERSION(BFQ_VERSION);
MODULE_ALIAS(BFQ_NAME "-iosched");
