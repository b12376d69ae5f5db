// SPDX-License-Identifier: GPL-2.0
/*
 * What the scheduler is doing now: /sys/kernel/debug/block/X/sched/state.
 *
 * Made for somebody who asks "why was my process not served just now?": who
 * is in service and since when, whether the device is plugged for it, how much
 * waits, and why queues left service so far.  The format may change.
 */
#include "bfq-iosched.h"

#ifdef CONFIG_BLK_DEBUG_FS

static const char *const bfq_expire_names[BFQ_NR_EXPIRE] = {
	[BFQ_EXPIRE_EMPTY]	= "empty",
	[BFQ_EXPIRE_IDLE]	= "idle",
	[BFQ_EXPIRE_BUDGET]	= "budget",
	[BFQ_EXPIRE_TIMEOUT]	= "timeout",
	[BFQ_EXPIRE_PREEMPTED]	= "preempted",
	[BFQ_EXPIRE_GONE]	= "gone",
};

static const char *const bfq_class_names[WF2Q_CLASSES] = {
	[WF2Q_RT] = "rt", [WF2Q_BE] = "be", [WF2Q_IDLE] = "idle",
};

static void bfq_show_queue(struct seq_file *m, const struct bfq_queue *q)
{
	const struct wf2q_entity *e;

	seq_printf(m, "pid %d %s %s/%u queued %u in_flight %d service %u of %u think_us %llu depth_limit %d",
		   q->pid, q->sync ? "sync" : "async",
		   bfq_class_names[q->prio.class], q->prio.level, q->nr_queued,
		   atomic_read(&q->in_flight), q->entity.service, q->entity.budget,
		   div_u64(q->think_ns, NSEC_PER_USEC), (int)q->depth_limit);
	seq_puts(m, " weights");
	for (e = &q->entity; e->parent; e = &e->parent->entity)
		seq_printf(m, " %u", e->weight);
	seq_putc(m, '\n');
}

static void bfq_show_state(struct seq_file *m, struct bfq_data *bfqd)
{
	unsigned long flags;
	int why;

	spin_lock_irqsave(&bfqd->lock, flags);
	seq_printf(m, "queues: %u active%s, %u backlogged\nrequests: %u waiting, %d in the driver\n",
		   bfqd->nr_active, bfqd->claims_differ ? " with different shares" : "",
		   wf2q_nr_busy(&bfqd->root->node), bfqd->nr_waiting,
		   atomic_read(&bfqd->in_flight));
	seq_printf(m, "in service%s: ", bfqd->plugged ? " (plugged)" : "");
	if (bfqd->in_service)
		bfq_show_queue(m, bfqd->in_service);
	else
		seq_puts(m, "none\n");
	seq_puts(m, "expired:");
	for (why = 0; why < BFQ_NR_EXPIRE; why++)
		seq_printf(m, " %s %lu", bfq_expire_names[why], bfqd->expired[why]);
	seq_putc(m, '\n');
	bfq_unlock(bfqd, flags);
}

static int bfq_state_show(void *data, struct seq_file *m)
{
	struct request_queue *rqq = data;
	struct bfq_data *bfqd = bfq_elevator_get(rqq, bfq_attrs);

	if (IS_ERR(bfqd))
		return PTR_ERR(bfqd);
	bfq_show_state(m, bfqd);
	bfq_elevator_put(rqq);
	return 0;
}

const struct blk_mq_debugfs_attr bfq_debugfs_attrs[] = {
	{ "state", 0400, bfq_state_show },
	{ }
};

#endif /* CONFIG_BLK_DEBUG_FS */
