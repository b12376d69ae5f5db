// SPDX-License-Identifier: GPL-2.0
/*
 * A first-in, first-out elevator with a cgroup policy, whose only purpose is
 * to use every word of compat/ once: it shows that a kernel's headers and BTF
 * yield a module that builds without warnings, loads and moves requests.
 *
 * What it saw can be read in /sys/block/X/queue/iosched/seen; the cgroup file
 * io.NAME.probe takes "MAJ:MIN N" and shows N.
 */
#include "compat/bfq-compat.h"

#define CREATE_TRACE_POINTS
#include "bfq-trace.h"

#define PROBE_ASYNC_PERCENT	50	/* of the tags, for async requests */

struct probe_data {
	spinlock_t lock;		/* guards @fifo */
	struct list_head fifo;
	struct request_queue *q;
	struct hrtimer timer;		/* kicks dispatch now and then */
	atomic_t inserted;
	atomic_t at_head;
	atomic_t charged;		/* requests whose cgroup has our data */
	atomic_t limited;
	atomic_t depth_changes;
	atomic_t ticks;
};

#ifdef CONFIG_BLK_CGROUP
struct probe_group {
	struct blkg_policy_data pd;	/* first: cast to and fro */
	u64 number;
};

struct probe_cgroup {
	struct blkcg_policy_data cpd;
	u64 writes;
};

static struct blkcg_policy probe_policy;

static struct blkcg_policy_data *probe_cpd_alloc(gfp_t gfp)
{
	struct probe_cgroup *cg = kzalloc(sizeof(*cg), gfp);

	return cg ? &cg->cpd : NULL;
}

static void probe_cpd_free(struct blkcg_policy_data *cpd)
{
	kfree(container_of(cpd, struct probe_cgroup, cpd));
}

static struct blkg_policy_data *probe_pd_alloc(struct gendisk *disk, struct blkcg *blkcg,
					       gfp_t gfp)
{
	struct probe_group *group = kzalloc_node(sizeof(*group), gfp, disk->node_id);

	return group ? &group->pd : NULL;
}

BFQ_COMPAT_ALLOC_PD(probe_pd_alloc)

static void probe_pd_init(struct blkg_policy_data *pd)
{
	struct blkcg_gq *blkg = pd_to_blkg(pd);
	struct elevator_queue *eq = blkg->q->elevator;

	/* init_sched has set it before it activates the policy */
	WARN_ON_ONCE(!eq->elevator_data);
	WARN_ON_ONCE(blkg->parent == blkg);
}

static void probe_pd_free(struct blkg_policy_data *pd)
{
	kfree(container_of(pd, struct probe_group, pd));
}

static u64 probe_prfill(struct seq_file *sf, struct blkg_policy_data *pd,
			int off)
{
	struct probe_group *group = container_of(pd, struct probe_group, pd);

	return group->number ? __blkg_prfill_u64(sf, pd, group->number) : 0;
}

static int probe_show(struct seq_file *sf, void *v)
{
	struct blkcg *blkcg = css_to_blkcg(seq_css(sf));
	struct probe_cgroup *cg;

	cg = container_of(blkcg_to_cpd(blkcg, &probe_policy),
			  struct probe_cgroup, cpd);
	seq_printf(sf, "writes %llu\n", cg->writes);
	blkcg_print_blkgs(sf, blkcg, probe_prfill, &probe_policy, 0, false);
	return 0;
}

static ssize_t probe_write(struct kernfs_open_file *of, char *buf,
			   size_t nbytes, loff_t off)
{
	struct blkcg *blkcg = css_to_blkcg(of_css(of));
	struct blkg_conf_ctx conf;
	struct probe_cgroup *cg;
	unsigned int noio;
	struct blkg_policy_data *pd;
	u64 number;
	int ret;

	blkg_conf_init(&conf, buf);
	ret = blkg_conf_open_bdev(&conf);
	if (ret)
		return ret;
	noio = memalloc_noio_save();
	ret = blkg_conf_prep(blkcg, &probe_policy, &conf);
	memalloc_noio_restore(noio);
	if (ret)
		goto close;
	lockdep_assert_held(&conf.blkg->q->queue_lock);
	ret = -EINVAL;
	if (!kstrtou64(strim(conf.body), 0, &number)) {
		pd = blkg_to_pd(conf.blkg, &probe_policy);
		container_of(pd, struct probe_group, pd)->number = number;
		WARN_ON_ONCE(conf.blkg->blkcg != blkcg || !conf.blkg->online);
		ret = 0;
	}
	blkg_conf_unprep(&conf);
close:
	blkg_conf_close_bdev(&conf);
	if (ret)
		return ret;
	cg = container_of(blkcg_to_cpd(blkcg, &probe_policy),
			  struct probe_cgroup, cpd);
	cg->writes++;
	return nbytes;
}

static struct cftype probe_files[] = {
	{
		.name = BFQ_NAME ".probe",
		.seq_show = probe_show,
		.write = probe_write,
	},
	{ }
};

/* cftypes are written to when registered, so each hierarchy has its own. */
static struct cftype probe_legacy_files[] = {
	{
		.name = BFQ_NAME ".probe",
		.seq_show = probe_show,
		.write = probe_write,
	},
	{ }
};

static struct blkcg_policy probe_policy = {
	.dfl_cftypes	= probe_files,
	.legacy_cftypes	= probe_legacy_files,
	.cpd_alloc_fn	= probe_cpd_alloc,
	.cpd_free_fn	= probe_cpd_free,
	.pd_alloc_fn	= bfq_compat_alloc_pd,
	.pd_init_fn	= probe_pd_init,
	.pd_free_fn	= probe_pd_free,
};

static void probe_charge(struct probe_data *pd, struct request *rq)
{
	struct blkcg_gq *blkg = rq->bio ? rq->bio->bi_blkg : NULL;

	if (!blkg)
		return;
	blkg_get(blkg);
	if (blkg_to_pd(blkg, &probe_policy) && blkg->blkcg)
		atomic_inc(&pd->charged);
	blkg_put(blkg);
}

static int probe_cgroup_start(struct request_queue *q)
{
	return blkcg_activate_policy(q->disk, &probe_policy);
}

static void probe_cgroup_stop(struct request_queue *q)
{
	blkcg_deactivate_policy(q->disk, &probe_policy);
}

static int __init probe_cgroup_register(void)
{
	return blkcg_policy_register(&probe_policy);
}

static void probe_cgroup_unregister(void)
{
	blkcg_policy_unregister(&probe_policy);
}
#else
static inline void probe_charge(struct probe_data *pd, struct request *rq) { }
static inline int probe_cgroup_start(struct request_queue *q) { return 0; }
static inline void probe_cgroup_stop(struct request_queue *q) { }
static inline int probe_cgroup_register(void) { return 0; }
static inline void probe_cgroup_unregister(void) { }
#endif

static enum hrtimer_restart probe_tick(struct hrtimer *timer)
{
	struct probe_data *pd = container_of(timer, struct probe_data, timer);

	atomic_inc(&pd->ticks);
	blk_mq_run_hw_queues(pd->q, true);
	hrtimer_forward_now(timer, ms_to_ktime(10));
	return HRTIMER_RESTART;
}

bool bfq_word_shallow __ro_after_init;

static unsigned int probe_async_depth(struct request_queue *q)
{
	return max(bfq_async_depth(q, bfq_sched_tag_depth(q), PROBE_ASYNC_PERCENT), 1U);
}

static void probe_depth_updated(struct request_queue *q)
{
	struct probe_data *pd = q->elevator->elevator_data;

	atomic_inc(&pd->depth_changes);
	blk_mq_set_min_shallow_depth(q, probe_async_depth(q));
}

BFQ_COMPAT_DEPTH_UPDATED(probe_depth_updated)

static void probe_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct probe_data *pd = data->q->elevator->elevator_data;

	if (op_is_sync(opf))
		return;
	atomic_inc(&pd->limited);
	bfq_limit_tags(data, probe_async_depth(data->q));
}

static int probe_init_queue(struct request_queue *q, struct elevator_queue *eq)
{
	struct probe_data *pd = kzalloc_node(sizeof(*pd), GFP_KERNEL, q->node);
	int ret;

	if (!pd)
		return -ENOMEM;
	spin_lock_init(&pd->lock);
	INIT_LIST_HEAD(&pd->fifo);
	pd->q = q;
	hrtimer_setup(&pd->timer, probe_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	eq->elevator_data = pd;
	ret = probe_cgroup_start(q);
	if (ret) {
		kfree(pd);
		return ret;
	}
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	bfq_wbt_disable(q);
	bfq_start_async_depth(q, PROBE_ASYNC_PERCENT);
	probe_depth_updated(q);
	hrtimer_start(&pd->timer, ms_to_ktime(10), HRTIMER_MODE_REL);
	return 0;
}

BFQ_COMPAT_INIT_SCHED(probe_init_queue)

static void probe_exit_queue(struct elevator_queue *eq)
{
	struct probe_data *pd = eq->elevator_data;

	hrtimer_cancel(&pd->timer);
	WARN_ON_ONCE(!list_empty(&pd->fifo));
	bfq_wbt_enable(pd->q);
	probe_cgroup_stop(pd->q);
	kfree(pd);
}

static bool probe_bio_merge(struct request_queue *q, struct bio *bio,
			    unsigned int nr_segs)
{
	struct probe_data *pd = q->elevator->elevator_data;
	struct request *merged = NULL;
	bool done;

	spin_lock_irq(&pd->lock);
	done = blk_mq_sched_try_merge(q, bio, nr_segs, &merged);
	spin_unlock_irq(&pd->lock);
	if (merged)
		blk_mq_free_request(merged);
	return done;
}

static void probe_insert(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			 blk_insert_t flags)
{
	struct request_queue *q = hctx->queue;
	struct probe_data *pd = q->elevator->elevator_data;
	bool at_head = flags & BLK_MQ_INSERT_AT_HEAD;
	LIST_HEAD(merged);

	spin_lock_irq(&pd->lock);
	while (!list_empty(list)) {
		struct request *rq = list_first_entry(list, struct request,
						      queuelist);

		list_del_init(&rq->queuelist);
		trace_probe_inserted(rq, atomic_inc_return(&pd->inserted));
		if (at_head) {
			atomic_inc(&pd->at_head);
			list_add(&rq->queuelist, &pd->fifo);
			continue;
		}
		if (blk_mq_sched_try_insert_merge(q, rq, &merged))
			continue;
		if (!blk_rq_is_passthrough(rq)) {
			elv_rqhash_add(q, rq);
			if (!q->last_merge)
				q->last_merge = rq;
		}
		probe_charge(pd, rq);
		list_add_tail(&rq->queuelist, &pd->fifo);
	}
	spin_unlock_irq(&pd->lock);
	bfq_free_requests(&merged);
}

static struct request *probe_dispatch(struct blk_mq_hw_ctx *hctx)
{
	struct request_queue *q = hctx->queue;
	struct probe_data *pd = q->elevator->elevator_data;
	struct request *rq;

	spin_lock_irq(&pd->lock);
	rq = list_first_entry_or_null(&pd->fifo, struct request, queuelist);
	if (rq) {
		list_del_init(&rq->queuelist);
		elv_rqhash_del(q, rq);
		if (q->last_merge == rq)
			q->last_merge = NULL;
		rq->rq_flags |= RQF_STARTED;
	}
	spin_unlock_irq(&pd->lock);
	return rq;
}

static bool probe_has_work(struct blk_mq_hw_ctx *hctx)
{
	struct probe_data *pd = hctx->queue->elevator->elevator_data;

	return !list_empty_careful(&pd->fifo);
}

/* One request swallowed its neighbour, whose place is free now. */
static void probe_requests_merged(struct request_queue *q, struct request *rq,
				  struct request *next)
{
	list_del_init(&next->queuelist);
	elv_rqhash_del(q, next);
	if (q->last_merge == next)
		q->last_merge = NULL;
}

static void probe_prepare(struct request *rq)
{
	struct io_cq *icq = ioc_find_get_icq(rq->q);

	rq->elv.icq = icq;	/* with a reference on its io_context */
}

static void probe_finish(struct request *rq)
{
	WARN_ON_ONCE(!(rq->rq_flags & RQF_USE_SCHED));
	if (!rq->elv.icq)
		return;
	put_io_context(rq->elv.icq->ioc);
	rq->elv.icq = NULL;
}

static ssize_t probe_seen_show(struct elevator_queue *eq, char *page)
{
	struct probe_data *pd = eq->elevator_data;

	return sysfs_emit(page,
			  "inserted %d at_head %d charged %d limited %d depth %u shared %d changes %d rotational %d ticks %d\n",
			  atomic_read(&pd->inserted), atomic_read(&pd->at_head),
			  atomic_read(&pd->charged), atomic_read(&pd->limited),
			  bfq_sched_tag_depth(pd->q),
			  blk_mq_is_shared_tags(pd->q->tag_set->flags),
			  atomic_read(&pd->depth_changes),
			  !!blk_queue_rot(pd->q), atomic_read(&pd->ticks));
}

static struct elv_fs_entry probe_attrs[] = {
	{
		.attr = { .name = "seen", .mode = 0444 },
		.show = probe_seen_show,
	},
	{ }
};

#ifdef CONFIG_BLK_DEBUG_FS
static int probe_inserted_show(void *data, struct seq_file *m)
{
	struct request_queue *q = data;
	struct probe_data *pd = bfq_elevator_get(q, probe_attrs);

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	seq_printf(m, "%d\n", atomic_read(&pd->inserted));
	bfq_elevator_put(q);
	return 0;
}

static ssize_t probe_inserted_write(void *data, const char __user *buf,
				    size_t count, loff_t *ppos)
{
	struct request_queue *q = data;
	struct probe_data *pd = bfq_elevator_get(q, probe_attrs);

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	atomic_set(&pd->inserted, 0);
	bfq_elevator_put(q);
	return count;
}

static const struct blk_mq_debugfs_attr probe_debugfs_attrs[] = {
	{ "inserted", 0600, probe_inserted_show, probe_inserted_write },
	{ },
};
#endif

static struct elevator_type probe_elevator = {
	.ops = {
		.init_sched		= bfq_compat_init_sched,
		.exit_sched		= probe_exit_queue,
		.depth_updated		= bfq_compat_depth_updated,
		.limit_depth		= probe_limit_depth,
		.bio_merge		= probe_bio_merge,
		.requests_merged	= probe_requests_merged,
		.prepare_request	= probe_prepare,
		.finish_request		= probe_finish,
		.insert_requests	= probe_insert,
		.dispatch_request	= probe_dispatch,
		.has_work		= probe_has_work,
	},
#ifdef CONFIG_BLK_DEBUG_FS
	.queue_debugfs_attrs	= probe_debugfs_attrs,
#endif
	.icq_size	= sizeof(struct io_cq) + sizeof(long),
	.icq_align	= __alignof__(struct io_cq),
	.elevator_attrs	= probe_attrs,
	.elevator_name	= BFQ_NAME,
	.elevator_owner	= THIS_MODULE,
};

static int __init probe_init(void)
{
	int ret = bfq_find_word_shallow();

	if (ret)
		return ret;
	ret = probe_cgroup_register();
	if (ret)
		return ret;
	ret = elv_register(&probe_elevator);
	if (ret)
		probe_cgroup_unregister();
	return ret;
}

static void __exit probe_exit(void)
{
	elv_unregister(&probe_elevator);
	probe_cgroup_unregister();
}

module_init(probe_init);
module_exit(probe_exit);

MODULE_ALIAS(BFQ_NAME "-iosched");
MODULE_DESCRIPTION("Elevator that exercises bfq's compatibility layer");
MODULE_LICENSE("GPL");
MODULE_VERSION(BFQ_VERSION);
