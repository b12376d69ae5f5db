// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups' files, and how groups come and go.
 *
 * A cgroup's weight is set for all devices (io.bfq.weight, kept in struct bfq_cgroup) or for one
 * (bfq_group.dev_weight, which wins).  What a group was served is added to its line in io.stat.
 *
 * The block layer makes a group when a cgroup first does I/O to a device, or, for all cgroups that
 * do, when the scheduler is selected.
 */
#include "bfq-iosched.h"
#include "bfq-trace.h"

/* What io.bfq.weight may be, as users know it. */
#define BFQ_WEIGHT_MIN		1
#define BFQ_WEIGHT_MAX		1000
#define BFQ_WEIGHT_DEFAULT	100

#ifdef CONFIG_BLK_CGROUP

/**
 * struct bfq_cgroup - a cgroup's setting for all devices
 * @cpd: the block layer's handle; first, so that it can be cast
 * @weight: BFQ_WEIGHT_MIN to BFQ_WEIGHT_MAX; guarded by blkcg->lock
 */
struct bfq_cgroup {
	struct blkcg_policy_data cpd;
	unsigned int weight;
};

/*
 * Groups that exist.  The block layer frees those of removed cgroups from a
 * work item, through bfq_policy, which must not be unregistered before.
 */
static atomic_t bfq_nr_groups = ATOMIC_INIT(0);

static struct bfq_cgroup *bfq_blkcg_cgroup(struct blkcg *blkcg)
{
	return container_of(blkcg_to_cpd(blkcg, &bfq_policy), struct bfq_cgroup, cpd);
}

static struct blkcg_policy_data *bfq_cpd_alloc(gfp_t gfp)
{
	struct bfq_cgroup *cgroup = kzalloc(sizeof(*cgroup), gfp);

	if (!cgroup)
		return NULL;
	cgroup->weight = BFQ_WEIGHT_DEFAULT;
	return &cgroup->cpd;
}

static void bfq_cpd_free(struct blkcg_policy_data *cpd)
{
	kfree(container_of(cpd, struct bfq_cgroup, cpd));
}

static struct blkg_policy_data *bfq_pd_alloc(struct gendisk *disk, struct blkcg *blkcg, gfp_t gfp)
{
	struct bfq_group *group = kzalloc_node(sizeof(*group), gfp, disk->node_id);

	if (!group)
		return NULL;
	atomic_inc(&bfq_nr_groups);
	return &group->pd;
}

BFQ_COMPAT_ALLOC_PD(bfq_pd_alloc)

/* Called with queue_lock held, parents first. */
static void bfq_pd_init(struct blkg_policy_data *pd)
{
	struct bfq_group *group = bfq_pd_group(pd);
	struct blkcg_gq *blkg = pd_to_blkg(pd);
	struct blkcg_gq *parent = blkg->parent;

	INIT_LIST_HEAD(&group->queues);
	group->rest_from = jiffies;
	wf2q_group_init(&group->node, parent ? &bfq_blkg_group(parent)->node : NULL,
			BFQ_WEIGHT_DEFAULT);
	/*
	 * Some kernels show a group to writers of weights before they call us: from here on it
	 * is complete.  A writer that finds it so changes it; one that came before has
	 * written the weight by now, and bfq_pd_online() reads it.
	 */
	smp_store_release(&group->bfqd, blkg->q->elevator->elevator_data);
	smp_mb();	/* pairs with bfq_group_apply_weight() */
}

/* The weight that holds for a group: of the cgroup on this device, or of the cgroup. */
static unsigned int bfq_group_weight(struct bfq_group *group)
{
	struct bfq_cgroup *cgroup = bfq_blkcg_cgroup(pd_to_blkg(&group->pd)->blkcg);

	return READ_ONCE(group->dev_weight) ?: READ_ONCE(cgroup->weight);
}

/* The one place where a group's weight changes: what holds for it now. */
static void bfq_group_set_weight(struct bfq_data *bfqd, struct bfq_group *group)
{
	unsigned int weight = bfq_group_weight(group);

	if (weight == group->node.entity.new_weight)
		return;
	trace_bfq_group_weight(bfqd, group, weight);
	wf2q_set_weight(&group->node.entity, weight);
	bfq_active_reweigh(bfqd, group);
}

/*
 * Called with queue_lock held, and by most kernels with blkcg->lock: from here on, changes of the
 * weight reach us.
 */
static void bfq_pd_online(struct blkg_policy_data *pd)
{
	struct bfq_group *group = bfq_pd_group(pd);
	struct bfq_group *parent = bfq_group_parent(group);
	struct bfq_data *bfqd = group->bfqd;
	unsigned long flags;

	/*
	 * A cgroup that was removed before the scheduler came here is still listed, but
	 * nothing will take it offline: it never goes online.
	 */
	if (hlist_unhashed(&pd_to_blkg(pd)->blkcg_node))
		return;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_group_set_online(group, true);
	if (parent) {	/* a blkg holds its parent's anyway: no reference needed */
		parent->attached++;
		bfq_group_set_weight(bfqd, group);
	}
	bfq_unlock_nested(bfqd, flags);
}

static void bfq_group_go_offline(struct bfq_data *bfqd, struct bfq_group *group)
{
	struct blkcg_gq *parent = pd_to_blkg(&group->pd)->parent;
	struct bfq_queue *q, *next;
	int i;

	group->attached++;	/* so that it leaves once, below */
	bfq_group_set_online(group, false);
	for (i = 0; i < BFQ_NR_SHARED; i++) {
		if (group->shared[i])
			bfq_owner_put(bfqd, group->shared[i]);
		group->shared[i] = NULL;
	}
	if (parent)	/* else the device itself goes: no process is left */
		list_for_each_entry_safe(q, next, &group->queues, home)
			bfq_owner_move(bfqd, q, bfq_group_nearest(bfqd, parent));
	group->attached--;
	bfq_group_leave(group);
}

/* Called with queue_lock and blkcg->lock held. */
static void bfq_pd_offline(struct blkg_policy_data *pd)
{
	struct bfq_group *group = bfq_pd_group(pd);
	struct bfq_data *bfqd = group->bfqd;
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	if (group->online)
		bfq_group_go_offline(bfqd, group);
	bfq_owner_reap(bfqd);
	bfq_unlock_nested(bfqd, flags);
}

static void bfq_group_free(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct bfq_group, rcu));
	if (atomic_dec_and_test(&bfq_nr_groups))
		wake_up_var(&bfq_nr_groups);
}

/*
 * A worker calls this, or a switch of the elevator under queue_lock.  Unloading does not wait for
 * the worker, but for the callback.
 */
static void bfq_pd_free(struct blkg_policy_data *pd)
{
	call_rcu(&bfq_pd_group(pd)->rcu, bfq_group_free);
}

/*
 * One of a group's weights has been written.  Two writers of one each may come at once: the
 * one which has the lock last sees both.
 */
static void bfq_group_apply_weight(struct bfq_group *group)
{
	struct bfq_data *bfqd;
	unsigned long flags;

	smp_mb();	/* the weight is written; pairs with bfq_pd_init() */
	bfqd = smp_load_acquire(&group->bfqd);
	if (!bfqd)
		return;
	spin_lock_irqsave(&bfqd->lock, flags);
	if (group->online && bfq_group_parent(group))
		bfq_group_set_weight(bfqd, group);
	bfq_unlock_nested(bfqd, flags);
}

static void bfq_set_cgroup_weight(struct blkcg *blkcg, unsigned int weight)
{
	struct blkcg_gq *blkg;

	spin_lock_irq(&blkcg->lock);
	WRITE_ONCE(bfq_blkcg_cgroup(blkcg)->weight, weight);
	hlist_for_each_entry(blkg, &blkcg->blkg_list, blkcg_node) {
		struct bfq_group *group = bfq_blkg_group(blkg);

		if (group)
			bfq_group_apply_weight(group);
	}
	spin_unlock_irq(&blkcg->lock);
}

/* Parse a weight that must be all of @text.  Return 0, -EINVAL or -ERANGE. */
static int bfq_parse_weight(const char *text, unsigned int *weight)
{
	long long value;
	int ret = kstrtoll(text, 10, &value);

	if (ret)
		return ret;
	if (value < BFQ_WEIGHT_MIN || value > BFQ_WEIGHT_MAX)
		return -ERANGE;
	*weight = value;
	return 0;
}

/* "MAJ:MIN N" or "MAJ:MIN default"; 0 for N is the word of cgroup v1 for default. */
static int bfq_set_device_weight(struct blkcg *blkcg, char *line, bool zero_is_default)
{
	unsigned int weight = 0, noio;
	struct blkg_conf_ctx conf;
	struct bfq_group *group;
	char *text;
	int ret;

	blkg_conf_init(&conf, line);
	ret = blkg_conf_open_bdev(&conf);
	if (ret)
		return ret;
	/*
	 * This allocates while it holds a lock that a task waits for which switches the
	 * elevator of a frozen device: memory must not be sought by writing to that
	 * device.  The kernel forgets one of the places.
	 */
	noio = memalloc_noio_save();
	ret = blkg_conf_prep(blkcg, &bfq_policy, &conf);
	memalloc_noio_restore(noio);
	if (ret)
		goto close;

	text = strim(conf.body);
	if (strcmp(text, "default") && !(zero_is_default && !strcmp(text, "0")))
		ret = bfq_parse_weight(text, &weight);
	group = bfq_blkg_group(conf.blkg);
	if (!ret && group) {
		WRITE_ONCE(group->dev_weight, weight);
		bfq_group_apply_weight(group);
	}
	blkg_conf_unprep(&conf);
close:
	blkg_conf_close_bdev(&conf);
	return ret;
}

static u64 bfq_show_device(struct seq_file *sf, struct blkg_policy_data *pd, int off)
{
	u16 weight = READ_ONCE(bfq_pd_group(pd)->dev_weight);

	return weight ? __blkg_prfill_u64(sf, pd, weight) : 0;
}

static int bfq_show_device_weights(struct seq_file *sf, void *v)
{
	blkcg_print_blkgs(sf, css_to_blkcg(seq_css(sf)), bfq_show_device, &bfq_policy, 0, false);
	return 0;
}

static int bfq_show_weight_v1(struct seq_file *sf, void *v)
{
	seq_printf(sf, "%u\n", READ_ONCE(bfq_blkcg_cgroup(css_to_blkcg(seq_css(sf)))->weight));
	return 0;
}

static int bfq_show_weight(struct seq_file *sf, void *v)
{
	seq_puts(sf, "default ");
	bfq_show_weight_v1(sf, v);
	return bfq_show_device_weights(sf, v);
}

/* "default N", "N", "MAJ:MIN N", "MAJ:MIN default" */
static ssize_t bfq_write_weight(struct kernfs_open_file *of, char *buf, size_t nbytes, loff_t off)
{
	struct blkcg *blkcg = css_to_blkcg(of_css(of));
	char *text = strim(buf);
	unsigned int weight;
	int ret;

	if (strchr(text, ':')) {
		ret = bfq_set_device_weight(blkcg, text, false);
		return ret ?: nbytes;
	}

	if (!strncmp(text, "default", strlen("default")) && isspace(text[strlen("default")]))
		text = skip_spaces(text + strlen("default"));
	ret = bfq_parse_weight(text, &weight);
	if (ret)
		return ret;
	bfq_set_cgroup_weight(blkcg, weight);
	return nbytes;
}

static int bfq_write_weight_v1(struct cgroup_subsys_state *css, struct cftype *cft, u64 weight)
{
	if (weight < BFQ_WEIGHT_MIN || weight > BFQ_WEIGHT_MAX)
		return -ERANGE;
	bfq_set_cgroup_weight(css_to_blkcg(css), weight);
	return 0;
}

static ssize_t bfq_write_device_v1(struct kernfs_open_file *of, char *buf, size_t nbytes,
				   loff_t off)
{
	int ret = bfq_set_device_weight(css_to_blkcg(of_css(of)), strim(buf), true);

	return ret ?: nbytes;
}

/*
 * The longest line that reaches us.  Above a page the kernel would say E2BIG
 * by itself; a nonsensical line is to get EINVAL whatever its length.
 */
#define BFQ_LINE_MAX	(128 * 1024)

static struct cftype bfq_files[] = {
	{
		.name = BFQ_NAME ".weight",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = bfq_show_weight,
		.write = bfq_write_weight,
		.max_write_len = BFQ_LINE_MAX,
	},
	{ }
};

static struct cftype bfq_files_v1[] = {
	{
		.name = BFQ_NAME ".weight",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = bfq_show_weight_v1,
		.write_u64 = bfq_write_weight_v1,
		.max_write_len = BFQ_LINE_MAX,
	},
	{
		.name = BFQ_NAME ".weight_device",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = bfq_show_device_weights,
		.write = bfq_write_device_v1,
		.max_write_len = BFQ_LINE_MAX,
	},
	{ }
};

static u64 bfq_glance(const u64 *sum)
{
	/* counted under bfqd->lock; one from just before is as good */
	return data_race(READ_ONCE(*sum));
}

/*
 * What a group was served, in its line of io.stat.  The lines' figures are in bytes and
 * microseconds.  A 64-bit figure may tear on 32 bit; it is for looking at.
 */
static void bfq_pd_stat(struct blkg_policy_data *pd, struct seq_file *sf)
{
	const struct bfq_served *served = &bfq_pd_group(pd)->served;

	seq_printf(sf, " " BFQ_NAME ".bytes=%llu", bfq_glance(&served->sectors) << SECTOR_SHIFT);
	seq_printf(sf, " " BFQ_NAME ".requests=%llu", bfq_glance(&served->requests));
	seq_printf(sf, " " BFQ_NAME ".wait_usec=%llu",
		   bfq_glance(&served->waited) * jiffies_to_usecs(1));
}

/**
 * bfq_cgroup_register - offer the cgroup files, at module load
 *
 * Return: 0 or an error, -ENOSPC when the kernel's few policy slots are taken.
 */
int bfq_cgroup_register(void)
{
	bfq_policy.dfl_cftypes = bfq_files;
	bfq_policy.legacy_cftypes = bfq_files_v1;
	bfq_policy.cpd_alloc_fn = bfq_cpd_alloc;
	bfq_policy.cpd_free_fn = bfq_cpd_free;
	bfq_policy.pd_alloc_fn = bfq_compat_alloc_pd;
	bfq_policy.pd_init_fn = bfq_pd_init;
	bfq_policy.pd_online_fn = bfq_pd_online;
	bfq_policy.pd_offline_fn = bfq_pd_offline;
	bfq_policy.pd_free_fn = bfq_pd_free;
	bfq_policy.pd_stat_fn = bfq_pd_stat;
	return blkcg_policy_register(&bfq_policy);
}

/**
 * bfq_cgroup_unregister - take them back, at module unload
 *
 * Waits for all groups, since before 6.3 (and before stable kernels took that over) a switch of the
 * elevator does not wait for the worker that frees a group, which would call what is gone.  On
 * later kernels there is none left here, and elv_unregister() has waited for the callbacks, too;
 * so no test on these can tell whether this does.
 *
 * Context: may sleep, until the groups of cgroups just removed are freed.
 */
void bfq_cgroup_unregister(void)
{
	wait_var_event(&bfq_nr_groups, !atomic_read(&bfq_nr_groups));
	rcu_barrier();	/* the last bfq_group_free() still has to return from our code */
	blkcg_policy_unregister(&bfq_policy);
}

/**
 * bfq_cgroup_attach - create groups for the cgroups that use a device
 * @bfqd: the device; elevator_data points to it; its root is set on success
 *
 * Context: the queue is frozen; may sleep.
 * Return: 0 or an error.
 */
int bfq_cgroup_attach(struct bfq_data *bfqd)
{
	int ret = blkcg_activate_policy(bfqd->queue->disk, &bfq_policy);

	if (!ret)
		bfqd->root = bfq_blkg_group(bfqd->queue->root_blkg);
	return ret;
}

/**
 * bfq_cgroup_detach - undo bfq_cgroup_attach()
 * @bfqd: the device; no queue of a process is left
 *
 * Context: the queue is frozen; may sleep.
 */
void bfq_cgroup_detach(struct bfq_data *bfqd)
{
	blkcg_deactivate_policy(bfqd->queue->disk, &bfq_policy);
}

#else /* CONFIG_BLK_CGROUP: one group, the root */

int bfq_cgroup_register(void)
{
	return 0;
}

void bfq_cgroup_unregister(void)
{
}

int bfq_cgroup_attach(struct bfq_data *bfqd)
{
	struct bfq_group *root = kzalloc_node(sizeof(*root), GFP_NOIO, bfqd->queue->node);

	if (!root)
		return -ENOMEM;
	root->bfqd = bfqd;
	INIT_LIST_HEAD(&root->queues);
	wf2q_group_init(&root->node, NULL, BFQ_WEIGHT_DEFAULT);
	bfq_group_set_online(root, true);
	bfqd->root = root;
	return 0;
}

void bfq_cgroup_detach(struct bfq_data *bfqd)
{
	unsigned long flags;
	int i;

	spin_lock_irqsave(&bfqd->lock, flags);
	for (i = 0; i < BFQ_NR_SHARED; i++)
		if (bfqd->root->shared[i])
			bfq_owner_put(bfqd, bfqd->root->shared[i]);
	bfq_owner_reap(bfqd);
	bfq_unlock_nested(bfqd, flags);
	kfree(bfqd->root);
}

#endif /* CONFIG_BLK_CGROUP */
