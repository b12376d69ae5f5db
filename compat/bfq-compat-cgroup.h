/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroup half of bfq-compat.h, which includes it; nobody else does.
 *
 * A blkcg is a cgroup as the block layer sees it, a blkcg_gq ("blkg") the pair of a cgroup and a
 * device.  A policy hangs its own data on both: cpd on the first, pd on the second.  The accessors
 * below are the block layer's own names; with the real headers at hand they come from there.
 */
#ifndef BFQ_COMPAT_CGROUP_H
#define BFQ_COMPAT_CGROUP_H

#include <linux/sched/mm.h>

#ifndef BFQ_KSRC
static inline struct blkcg *css_to_blkcg(struct cgroup_subsys_state *css)
{
	return css ? container_of(css, struct blkcg, css) : NULL;
}

static inline struct blkcg_policy_data *
blkcg_to_cpd(struct blkcg *blkcg, struct blkcg_policy *pol)
{
	return blkcg ? blkcg->cpd[pol->plid] : NULL;
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

/* Take a reference where one is held already. */
static inline void blkg_get(struct blkcg_gq *blkg)
{
	percpu_ref_get(&blkg->refcnt);
}

/*
 * In any context, also under a spin lock: the policy data are freed later, from
 * a work item after a grace period, never from within this call.
 */
static inline void blkg_put(struct blkcg_gq *blkg)
{
	percpu_ref_put(&blkg->refcnt);
}
#endif /* BFQ_KSRC */

/**
 * BFQ_COMPAT_ALLOC_PD() - define bfq_compat_alloc_pd for pol.pd_alloc_fn
 * @core_fn: struct blkg_policy_data *(struct gendisk *, struct blkcg *, gfp_t)
 */
#ifdef BFQ_HAVE_PD_ALLOC_DISK
#define BFQ_COMPAT_ALLOC_PD(core_fn)					\
static struct blkg_policy_data *					\
bfq_compat_alloc_pd(struct gendisk *disk, struct blkcg *blkcg, gfp_t gfp) \
{									\
	return core_fn(disk, blkcg, gfp);				\
}
#else
#define BFQ_COMPAT_ALLOC_PD(core_fn)					\
static struct blkg_policy_data *					\
bfq_compat_alloc_pd(gfp_t gfp, struct request_queue *q, struct blkcg *blkcg) \
{									\
	return core_fn(q->disk, blkcg, gfp);				\
}
#endif

/*
 * Give every blkg of a device our policy data, from the init function: calls
 * pd_alloc_fn, pd_init_fn and pd_online_fn for every cgroup that does I/O there;
 * and take them away, from the exit function: pd_offline_fn where it has not
 * been, and then pd_free_fn.  Both freeze the queue and may sleep.
 */
#ifndef BFQ_HAVE_POLICY_DISK
static inline int bfq_compat_activate(struct gendisk *disk, const struct blkcg_policy *pol)
{
	return blkcg_activate_policy(disk->queue, pol);
}

static inline void bfq_compat_deactivate(struct gendisk *disk, const struct blkcg_policy *pol)
{
	blkcg_deactivate_policy(disk->queue, pol);
}

#define blkcg_activate_policy	bfq_compat_activate
#define blkcg_deactivate_policy	bfq_compat_deactivate
#endif

/*
 * A write of "MAJ:MIN VALUE" to a cgroup file, in the newest kernel's steps:
 *
 *	blkg_conf_init(&ctx, input);
 *	ret = blkg_conf_open_bdev(&ctx);	-EINVAL, -ENODEV: done
 *	ret = blkg_conf_prep(blkcg, pol, &ctx);	with memalloc_noio_save(); on an
 *						error only the last step follows
 *	... ctx.blkg, and ctx.body: what follows MAJ:MIN and white space ...
 *	blkg_conf_unprep(&ctx);
 *	blkg_conf_close_bdev(&ctx);
 *
 * Between prep, which creates the blkg if there is none, and unprep q->queue_lock is held with
 * interrupts off, in every kernel.  -EOPNOTSUPP from prep: the device does not run our scheduler.
 * prep allocates while it holds what whoever switches the elevator of a frozen device waits for, so
 * memory must not be sought by writing to that device; the kernel forgets one of the places.
 *
 * Older kernels do in prep all that stands before it here.  Those with
 * blkg_conf_exit() undo in that both, whatever has been done; those before drop
 * everything in blkg_conf_finish(), and hold nothing when prep fails.
 */
#ifndef BFQ_HAVE_BLKG_CONF_CLOSE
static inline int bfq_compat_conf_open(struct blkg_conf_ctx *ctx)
{
	return 0;
}

#define blkg_conf_open_bdev	bfq_compat_conf_open

#ifdef BFQ_HAVE_BLKG_CONF_INIT
static inline void bfq_compat_conf_unprep(struct blkg_conf_ctx *ctx)
{
}

#define blkg_conf_unprep	bfq_compat_conf_unprep
#define blkg_conf_close_bdev	blkg_conf_exit
#else
static inline void blkg_conf_init(struct blkg_conf_ctx *ctx, char *input)
{
	*ctx = (struct blkg_conf_ctx) { .body = input };
}

static inline int bfq_compat_conf_prep(struct blkcg *blkcg, const struct blkcg_policy *pol,
				       struct blkg_conf_ctx *ctx)
{
	return blkg_conf_prep(blkcg, pol, ctx->body, ctx);
}

static inline void blkg_conf_close_bdev(struct blkg_conf_ctx *ctx)
{
}

#define blkg_conf_prep		bfq_compat_conf_prep
#define blkg_conf_unprep	blkg_conf_finish
#endif
#endif /* BFQ_HAVE_BLKG_CONF_CLOSE */

#endif /* BFQ_COMPAT_CGROUP_H */
