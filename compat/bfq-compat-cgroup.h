/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroup half of bfq-compat.h, which includes it; nobody else does.
 *
 * A blkcg is a cgroup as the block layer sees it, a blkcg_gq ("blkg") the pair
 * of a cgroup and a device.  A policy hangs its own data on both: cpd on the
 * first, pd on the second.  The accessors below are the block layer's own
 * names; with the real headers at hand they come from there.
 */
#ifndef BFQ_COMPAT_CGROUP_H
#define BFQ_COMPAT_CGROUP_H

#include <linux/sched/mm.h>

#ifndef BFQ_KSRC
extern struct blkcg blkcg_root;

static inline struct blkcg *css_to_blkcg(struct cgroup_subsys_state *css)
{
	return css ? container_of(css, struct blkcg, css) : NULL;
}

static inline struct blkcg_policy_data *
blkcg_to_cpd(struct blkcg *blkcg, struct blkcg_policy *pol)
{
	return blkcg ? blkcg->cpd[pol->plid] : NULL;
}

static inline struct blkcg *cpd_to_blkcg(struct blkcg_policy_data *cpd)
{
	return cpd ? cpd->blkcg : NULL;
}

static inline struct blkg_policy_data *
blkg_to_pd(struct blkcg_gq *blkg, const struct blkcg_policy *pol)
{
	return blkg ? READ_ONCE(blkg->pd[pol->plid]) : NULL;
}

static inline struct blkcg_gq *pd_to_blkg(struct blkg_policy_data *pd)
{
	return pd ? pd->blkg : NULL;
}
#endif /* BFQ_KSRC */

/**
 * bio_blkg() - whom a bio is charged to
 * @bio: the bio
 *
 * Return: its blkg, on which the bio holds a reference; NULL for a bio that
 * never met a device's cgroups (stacked drivers).  The blkg may be offline.
 */
static inline struct blkcg_gq *bio_blkg(const struct bio *bio)
{
	return bio->bi_blkg;
}

/**
 * bfq_blkg_lookup() - the blkg of a cgroup on a device, if there is one
 * @blkcg: the cgroup
 * @q: the device's queue
 *
 * Under rcu_read_lock() or q->queue_lock.  No reference is taken.
 */
static inline struct blkcg_gq *bfq_blkg_lookup(struct blkcg *blkcg,
					       struct request_queue *q)
{
	struct blkcg_gq *blkg;

	if (blkcg == &blkcg_root)
		return q->root_blkg;
	blkg = radix_tree_lookup(&blkcg->blkg_tree, q->id);
	/* ids are reused: another device may have left its blkg behind */
	return blkg && blkg->q == q ? blkg : NULL;
}

/**
 * bfq_blkg_queue() - the device's queue of a blkg
 * @blkg: the blkg; the caller keeps the device alive
 */
static inline struct request_queue *bfq_blkg_queue(const struct blkcg_gq *blkg)
{
	return blkg->q;
}

/**
 * bfq_blkg_blkcg() - the cgroup of a blkg
 * @blkg: the blkg
 */
static inline struct blkcg *bfq_blkg_blkcg(const struct blkcg_gq *blkg)
{
	return blkg->blkcg;
}

/**
 * bfq_blkg_parent() - the blkg of the parent cgroup on the same device
 * @blkg: the blkg
 *
 * Return: NULL for the root.  A child holds a reference on its parent, so the
 * chain upwards is safe as long as @blkg is.
 */
static inline struct blkcg_gq *bfq_blkg_parent(const struct blkcg_gq *blkg)
{
	return blkg->parent;
}

/**
 * bfq_blkg_online() - has the cgroup not been removed, nor the device gone?
 * @blkg: the blkg
 *
 * Exact only under q->queue_lock.
 */
static inline bool bfq_blkg_online(const struct blkcg_gq *blkg)
{
	return READ_ONCE(blkg->online);
}

/**
 * bfq_blkg_get() - take a reference, where one is held already
 * @blkg: the blkg
 */
static inline void bfq_blkg_get(struct blkcg_gq *blkg)
{
	percpu_ref_get(&blkg->refcnt);
}

/**
 * bfq_blkg_tryget() - take a reference, where none is held (under RCU)
 * @blkg: the blkg, may be NULL
 *
 * Return: false if it is on its way out.
 */
static inline bool bfq_blkg_tryget(struct blkcg_gq *blkg)
{
	return blkg && percpu_ref_tryget(&blkg->refcnt);
}

/**
 * bfq_blkg_put() - drop a reference; any context, also under a spin lock
 * @blkg: the blkg
 *
 * Its policy data are freed later, from a work item after a grace period,
 * never from within this call.
 */
static inline void bfq_blkg_put(struct blkcg_gq *blkg)
{
	percpu_ref_put(&blkg->refcnt);
}

/**
 * BFQ_COMPAT_PD_ALLOC() - define bfq_compat_pd_alloc for pol.pd_alloc_fn
 * @core_fn: struct blkg_policy_data *(struct blkcg *, int node, gfp_t)
 */
#ifdef BFQ_HAVE_PD_ALLOC_DISK
#define BFQ_COMPAT_PD_ALLOC(core_fn)					\
static struct blkg_policy_data *					\
bfq_compat_pd_alloc(struct gendisk *disk, struct blkcg *blkcg, gfp_t gfp) \
{									\
	return core_fn(blkcg, disk->node_id, gfp);			\
}
#else
#define BFQ_COMPAT_PD_ALLOC(core_fn)					\
static struct blkg_policy_data *					\
bfq_compat_pd_alloc(gfp_t gfp, struct request_queue *q,			\
		    struct blkcg *blkcg)				\
{									\
	return core_fn(blkcg, q->node, gfp);				\
}
#endif

/**
 * bfq_policy_activate() - give every blkg of a device our policy data
 * @q: the device's queue
 * @pol: the policy
 *
 * From the init function: calls pd_alloc_fn, pd_init_fn and pd_online_fn for
 * every cgroup that does I/O there.  Freezes the queue; may sleep.
 */
static inline int bfq_policy_activate(struct request_queue *q,
				      const struct blkcg_policy *pol)
{
#ifdef BFQ_HAVE_POLICY_DISK
	return blkcg_activate_policy(q->disk, pol);
#else
	return blkcg_activate_policy(q, pol);
#endif
}

/**
 * bfq_policy_deactivate() - take our policy data off every blkg of a device
 * @q: the device's queue
 * @pol: the policy
 *
 * From the exit function: calls pd_offline_fn where it has not been, and then
 * pd_free_fn.  Freezes the queue; may sleep.
 */
static inline void bfq_policy_deactivate(struct request_queue *q,
					 const struct blkcg_policy *pol)
{
#ifdef BFQ_HAVE_POLICY_DISK
	blkcg_deactivate_policy(q->disk, pol);
#else
	blkcg_deactivate_policy(q, pol);
#endif
}

/**
 * struct bfq_blkg_conf - a write of "MAJ:MIN VALUE" to a cgroup file
 * @blkg: the blkg meant
 * @body: what follows MAJ:MIN and white space
 * @ctx: the kernel's own, not to be touched
 */
struct bfq_blkg_conf {
	struct blkcg_gq *blkg;
	char *body;
	struct blkg_conf_ctx ctx;
};

/**
 * bfq_blkg_conf_begin() - find the blkg that a write means
 * @conf: filled in
 * @blkcg: the cgroup written to
 * @pol: our policy
 * @input: the line written, "MAJ:MIN VALUE"; kept as it is
 *
 * Creates the blkg if there is none.  Return: 0, or a negative error with
 * nothing held: -EINVAL (no MAJ:MIN), -ENODEV (no such device, or a
 * partition), -EOPNOTSUPP (the device does not run our scheduler), -ENOMEM.
 *
 * In every kernel q->queue_lock is held on success, with interrupts off,
 * until bfq_blkg_conf_end(): no sleeping in between.
 */
static inline int bfq_blkg_conf_begin(struct bfq_blkg_conf *conf,
				      struct blkcg *blkcg,
				      const struct blkcg_policy *pol,
				      char *input)
{
	unsigned int noio;
	int ret;

#ifdef BFQ_HAVE_BLKG_CONF_INIT
	blkg_conf_init(&conf->ctx, input);
#endif
#ifdef BFQ_HAVE_BLKG_CONF_CLOSE
	ret = blkg_conf_open_bdev(&conf->ctx);
	if (ret)
		return ret;
#endif
	/*
	 * blkg_conf_prep() allocates while it holds what whoever switches the
	 * elevator of a frozen device waits for: memory must not be sought by
	 * writing to that device.  The kernel forgets one of the places.
	 */
	noio = memalloc_noio_save();
#ifdef BFQ_HAVE_BLKG_CONF_INIT
	ret = blkg_conf_prep(blkcg, pol, &conf->ctx);
#else
	ret = blkg_conf_prep(blkcg, pol, input, &conf->ctx);
#endif
	memalloc_noio_restore(noio);
	if (ret) {
#if defined(BFQ_HAVE_BLKG_CONF_CLOSE)
		blkg_conf_close_bdev(&conf->ctx);
#elif defined(BFQ_HAVE_BLKG_CONF_INIT)
		blkg_conf_exit(&conf->ctx);
#endif
		return ret;
	}
	conf->blkg = conf->ctx.blkg;
	conf->body = conf->ctx.body;
	return 0;
}

/**
 * bfq_blkg_conf_end() - drop what bfq_blkg_conf_begin() holds
 * @conf: the same
 */
static inline void bfq_blkg_conf_end(struct bfq_blkg_conf *conf)
{
#if defined(BFQ_HAVE_BLKG_CONF_CLOSE)
	blkg_conf_unprep(&conf->ctx);
	blkg_conf_close_bdev(&conf->ctx);
#elif defined(BFQ_HAVE_BLKG_CONF_INIT)
	blkg_conf_exit(&conf->ctx);
#else
	blkg_conf_finish(&conf->ctx);
#endif
	conf->blkg = NULL;
}

#endif /* BFQ_COMPAT_CGROUP_H */
