// SPDX-License-Identifier: GPL-2.0
/*
 * What the scheduler is doing now: /sys/kernel/debug/block/X/sched/.
 *
 *	state	whose turn it is and since when, whether the device is plugged,
 *		how much waits, and why turns have ended so far; for people
 *	queues	a line for each active queue, key=value; for tools/bfqtop
 *	groups	a line for each group that a queue of this device is in, and for
 *		those above them; likewise
 *
 * Of queues and groups lines are copied under the lock and printed after it, at most
 * BFQ_MOST_LINES; one that says more=N follows if there are others.  The formats may change.
 */
#include <linux/mm.h>
#include "bfq-iosched.h"

#ifdef CONFIG_BLK_DEBUG_FS

/* As many as somebody can read; to copy them takes well under a tick. */
#define BFQ_MOST_LINES		512

static const char *const bfq_why_names[BFQ_NR_WHY] = {
	[BFQ_WHY_EMPTY]		= "empty",
	[BFQ_WHY_IDLE]		= "idle",
	[BFQ_WHY_BUDGET]	= "budget",
	[BFQ_WHY_TIMEOUT]	= "timeout",
	[BFQ_WHY_PREEMPTED]	= "preempted",
	[BFQ_WHY_GONE]		= "gone",
};

static const char *const bfq_class_names[WF2Q_CLASSES] = {
	[WF2Q_RT] = "rt", [WF2Q_RAISED] = "raised", [WF2Q_BE] = "be", [WF2Q_IDLE] = "idle",
};

/* What is shown of a queue; waiting and device: requests. */
struct bfq_queue_line {
	u64 cgroup;
	struct bfq_served served;
	u64 think_ns;
	u32 alone_ns;
	u64 mates_ns;
	s32 lag_ns;
	pid_t pid;
	struct bfq_prio prio;
	u16 weight;
	u32 share_ppm;
	unsigned int waiting, device, tags, limit;
	u32 credit;
	bool sync, raised, first, seeks, serving, behind;
};

/* What is shown of a group. */
struct bfq_group_line {
	u64 id, parent;
	struct bfq_served served;
	u16 weight;
	bool active;
};

static void bfq_copy_queue(const struct bfq_data *bfqd, const struct bfq_queue *q,
			   struct bfq_queue_line *line)
{
	*line = (struct bfq_queue_line) {
		.cgroup = bfq_group_id(q->group),
		.served = q->served,
		.think_ns = q->habit.think_ns,
		.alone_ns = q->habit.alone_ns,
		.mates_ns = bfq_mates_judged(bfqd, q) ? bfq_mates_alone(q, q->habit.alone_ns) : 0,
		.lag_ns = q->habit.lag_ns,
		.behind = q->habit.behind,
		.pid = q->pid,
		.prio = q->prio,
		.weight = q->entity.new_weight,
		.share_ppm = (u64)q->share * 1000000 >> BFQ_SHARE_SHIFT,
		.waiting = q->nr_queued,
		.device = atomic_read(&q->in_flight),
		.tags = atomic_read(&q->tags),
		.limit = bfq_depth_limit(bfqd, q),
		.sync = q->sync,
		.raised = q->raised,
		.first = q->first,
		.credit = q->credit,
		.seeks = bfq_habit_seeks(q),
		.serving = bfq_queue_serving(q),
	};
}

#define BFQ_KIB		(SZ_1K >> SECTOR_SHIFT)		/* sectors */

static void bfq_show_queue_line(struct seq_file *m, const struct bfq_queue_line *line)
{
	seq_printf(m, "pid=%d cgroup=%llu kind=%s class=%s level=%u weight=%u share_ppm=%u",
		   line->pid, line->cgroup, line->sync ? "sync" : "async",
		   bfq_class_names[line->prio.class], line->prio.level, line->weight,
		   line->share_ppm);
	seq_printf(m, " waiting=%u device=%u tags=%u", line->waiting, line->device, line->tags);
	if (line->limit == UINT_MAX)
		seq_puts(m, " limit=-");
	else
		seq_printf(m, " limit=%u", line->limit);
	seq_printf(m, " raised=%d credit_kib=%u first=%d", line->raised, line->credit / BFQ_KIB,
		   line->first);
	seq_printf(m, " alone_us=%u mates_us=%llu lag_us=%d behind=%d",
		   line->alone_ns / (u32)NSEC_PER_USEC, div_u64(line->mates_ns, NSEC_PER_USEC),
		   line->lag_ns / (s32)NSEC_PER_USEC, line->behind);
	seq_printf(m, " sectors=%llu requests=%llu waited_ms=%llu think_us=%llu seeking=%d serving=%d\n",
		   line->served.sectors, line->served.requests,
		   line->served.waited * jiffies_to_msecs(1),
		   div_u64(line->think_ns, NSEC_PER_USEC), line->seeks, line->serving);
}

/* Copy active queues to @lines. Return how many there are, which may be more. */
static unsigned int bfq_copy_queues(struct bfq_data *bfqd, struct bfq_queue_line *lines)
{
	unsigned int nr = 0, total;
	struct bfq_queue *q;
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	list_for_each_entry(q, &bfqd->active.queues, active) {
		if (nr == BFQ_MOST_LINES)
			break;
		bfq_copy_queue(bfqd, q, &lines[nr++]);
	}
	total = bfqd->active.nr;
	bfq_unlock(bfqd, flags);
	return total;
}

static int bfq_show_queues(struct seq_file *m, struct bfq_data *bfqd)
{
	struct bfq_queue_line *lines = kvmalloc_array(BFQ_MOST_LINES, sizeof(*lines), GFP_KERNEL);
	unsigned int total, i;

	if (!lines)
		return -ENOMEM;
	total = bfq_copy_queues(bfqd, lines);
	for (i = 0; i < min_t(unsigned int, total, BFQ_MOST_LINES); i++)
		bfq_show_queue_line(m, &lines[i]);
	if (total > BFQ_MOST_LINES)
		seq_printf(m, "more=%u\n", total - BFQ_MOST_LINES);
	kvfree(lines);
	return 0;
}

static void bfq_copy_group(const struct bfq_group *group, struct bfq_group_line *line)
{
	const struct bfq_group *parent = bfq_group_parent(group);

	*line = (struct bfq_group_line) {
		.id = bfq_group_id(group),
		.parent = parent ? bfq_group_id(parent) : 0,
		.served = group->served,
		.weight = group->node.entity.new_weight,
		.active = group->active_sum,
	};
}

/* Copy groups to @lines. Return how many there are, which may be more. */
static unsigned int bfq_copy_groups(struct bfq_data *bfqd, struct bfq_group_line *lines)
{
	unsigned int nr = 0, total;
	struct bfq_group *group;
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	list_for_each_entry(group, &bfqd->groups, link) {
		if (nr == BFQ_MOST_LINES)
			break;
		bfq_copy_group(group, &lines[nr++]);
	}
	total = bfqd->nr_groups;
	bfq_unlock(bfqd, flags);
	return total;
}

static int bfq_show_groups(struct seq_file *m, struct bfq_data *bfqd)
{
	struct bfq_group_line *lines = kvmalloc_array(BFQ_MOST_LINES, sizeof(*lines), GFP_KERNEL);
	unsigned int total, i;

	if (!lines)
		return -ENOMEM;
	total = bfq_copy_groups(bfqd, lines);
	for (i = 0; i < min_t(unsigned int, total, BFQ_MOST_LINES); i++) {
		const struct bfq_group_line *line = &lines[i];

		seq_printf(m, "cgroup=%llu parent=%llu weight=%u active=%d bytes=%llu requests=%llu waited_ms=%llu\n",
			   line->id, line->parent, line->weight, line->active,
			   line->served.sectors << SECTOR_SHIFT, line->served.requests,
			   line->served.waited * jiffies_to_msecs(1));
	}
	if (total > BFQ_MOST_LINES)
		seq_printf(m, "more=%u\n", total - BFQ_MOST_LINES);
	kvfree(lines);
	return 0;
}

/* How much is in the device, how much may be, and why. */
static void bfq_show_limit(struct seq_file *m, const struct bfq_data *bfqd)
{
	u32 learned = bfqd->device.learned, set = READ_ONCE(bfqd->tun.device_limit);

	seq_printf(m, "device: %u KiB in it, ", bfq_device_load(&bfqd->device) / BFQ_KIB);
	if (READ_ONCE(bfqd->tun.strict_guarantees))
		seq_puts(m, "at most one request (strict_guarantees)\n");
	else if (!set)
		seq_puts(m, "not limited (off)\n");
	else if (!bfq_device_limited(bfqd))
		seq_printf(m, "not limited (nobody competes), %u KiB learned\n", learned / BFQ_KIB);
	else
		seq_printf(m, "at most %u KiB (%s)\n", bfqd->device.limit / BFQ_KIB,
			   set == BFQ_LIMIT_AUTO ? "learned" : "set");
}

/* A device that says it has moving parts: is it believed, what does it cost, and its arms. */
static void bfq_show_parts(struct seq_file *m, const struct bfq_data *bfqd)
{
	const struct bfq_price *price = &bfqd->price;
	bool seeks = bfqd->kind->seeks;
	unsigned int nr;

	if (bfqd->device.said)
		seq_printf(m, "moving parts: %s, %d of %d points against them\n",
			   seeks ? "yes, as it says" : "none, whatever it says",
			   READ_ONCE(bfqd->parts.score), BFQ_PARTS_SURE);
	if (seeks)
		seq_printf(m, "prices: a seek %u KiB (%u us)\n", price->seek / BFQ_KIB,
			   price->seek_ns / (u32)NSEC_PER_USEC);
	if (!bfqd->arms.nr)
		return;
	seq_puts(m, "arms:");
	for (nr = 0; nr < bfqd->arms.nr; nr++)
		seq_printf(m, " %d", atomic_read(&bfqd->arms.arm[nr].inside));
	seq_puts(m, " requests in the driver\n");
}

static void bfq_show_turns(struct seq_file *m, const struct bfq_data *bfqd)
{
	const struct bfq_queue *served = bfq_in_service(bfqd);
	const struct bfq_turn *turn = &bfqd->turn;
	struct bfq_queue_line line;
	int why;

	if (served) {
		bfq_copy_queue(bfqd, served, &line);
		seq_printf(m, "in service for %u ms: ", jiffies_to_msecs(jiffies - turn->since));
		bfq_show_queue_line(m, &line);
	} else {
		seq_puts(m, "in service: none\n");
	}
	seq_puts(m, "turns ended:");
	for (why = 0; why < BFQ_NR_WHY; why++)
		seq_printf(m, " %s %lu", bfq_why_names[why], turn->ended[why]);
	seq_printf(m, "\ntaken along: %lu\n", turn->nr_along);
}

/* A few lines, which are printed under the lock. */
static int bfq_show_state(struct seq_file *m, struct bfq_data *bfqd)
{
	unsigned long flags;
	unsigned int gate;

	spin_lock_irqsave(&bfqd->lock, flags);
	gate = bfqd->gate;
	seq_printf(m, "queues: %u active%s, %u backlogged\nrequests: %u waiting, %d in the driver\n",
		   bfqd->active.nr, bfqd->active.claims_differ ? " with different shares" : "",
		   wf2q_nr_backlogged(&bfqd->root->node), bfqd->nr_waiting,
		   atomic_read(&bfqd->in_flight));
	seq_printf(m, "gate:%s%s%s%s%s\n", gate & BFQ_GATE_PLUG ? " plugged" : "",
		   gate & BFQ_GATE_FULL ? " full" : "", gate & BFQ_GATE_HELD ? " held" : "",
		   gate & BFQ_GATE_STUCK ? " stuck" : "", gate ? "" : " open");
	bfq_show_limit(m, bfqd);
	bfq_show_parts(m, bfqd);
	bfq_show_turns(m, bfqd);
	if (READ_ONCE(bfqd->tun.low_latency))
		seq_printf(m, "credit lasts: %u ms\n", bfq_raise_lasts_ms(bfqd));
	if (bfqd->line.forms)
		seq_printf(m, "in line for a tag: %u tasks\n", bfqd->line.nr);
	if (bfqd->stuck.times)
		seq_printf(m, "requests that the disk kept: %lu\n", bfqd->stuck.times);
	bfq_unlock(bfqd, flags);
	return 0;
}

static int bfq_debugfs_show(void *data, struct seq_file *m,
			    int (*show)(struct seq_file *m, struct bfq_data *bfqd))
{
	struct request_queue *rqq = data;
	struct bfq_data *bfqd = bfq_elevator_get(rqq, bfq_attrs);
	unsigned int noio;
	int ret;

	if (IS_ERR(bfqd))
		return PTR_ERR(bfqd);
	/* who changes the scheduler has frozen the device, and waits for us now */
	noio = memalloc_noio_save();
	ret = show(m, bfqd);
	memalloc_noio_restore(noio);
	bfq_elevator_put(rqq);
	return ret;
}

static int bfq_state_show(void *data, struct seq_file *m)
{
	return bfq_debugfs_show(data, m, bfq_show_state);
}

static int bfq_queues_show(void *data, struct seq_file *m)
{
	return bfq_debugfs_show(data, m, bfq_show_queues);
}

static int bfq_groups_show(void *data, struct seq_file *m)
{
	return bfq_debugfs_show(data, m, bfq_show_groups);
}

const struct blk_mq_debugfs_attr bfq_debugfs_attrs[] = {
	{ "state", 0400, bfq_state_show },
	{ "queues", 0400, bfq_queues_show },
	{ "groups", 0400, bfq_groups_show },
	{ }
};

#endif /* CONFIG_BLK_DEBUG_FS */
