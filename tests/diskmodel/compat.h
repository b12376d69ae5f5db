/* SPDX-License-Identifier: GPL-2.0 */
/* Every difference between kernels that the modelled disks meet; see probe.c. */
#ifndef DISK_COMPAT_H
#define DISK_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>

#include "bfq-features.h"

#ifdef BFQ_HAVE_SHOULD_MERGE
#define COMPAT_SET_FLAGS BLK_MQ_F_SHOULD_MERGE
#else
#define COMPAT_SET_FLAGS 0
#endif

/* What a disk says of itself. */
struct compat_limits {
	bool rotational;
	bool write_cache;
	u32 max_sectors;
	u32 discard_sectors;	/* largest discard */
};

#define COMPAT_PHYSICAL_BLOCK 4096
#define COMPAT_SEGMENTS 1024

static inline void compat_hrtimer(struct hrtimer *timer,
				  enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
#ifdef BFQ_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = fn;
#endif
}

#ifdef BFQ_HAVE_ALLOC_LIMITS
static inline struct gendisk *compat_alloc_disk(struct blk_mq_tag_set *set, void *data,
						const struct compat_limits *want)
{
	struct queue_limits lim = {
		.logical_block_size = SECTOR_SIZE,
		.physical_block_size = COMPAT_PHYSICAL_BLOCK,
		.max_hw_sectors = want->max_sectors,
		.max_segments = COMPAT_SEGMENTS,
		.max_hw_discard_sectors = want->discard_sectors,
		.discard_granularity = COMPAT_PHYSICAL_BLOCK,
	};

	if (want->rotational)
		lim.features |= BLK_FEAT_ROTATIONAL;
	if (want->write_cache)
		lim.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	return blk_mq_alloc_disk(set, &lim, data);
}
#else
static inline struct gendisk *compat_alloc_disk(struct blk_mq_tag_set *set, void *data,
						const struct compat_limits *want)
{
	struct gendisk *gd = blk_mq_alloc_disk(set, data);
	struct request_queue *q;

	if (IS_ERR(gd))
		return gd;
	q = gd->queue;
	blk_queue_logical_block_size(q, SECTOR_SIZE);
	blk_queue_physical_block_size(q, COMPAT_PHYSICAL_BLOCK);
	blk_queue_max_hw_sectors(q, want->max_sectors);
	blk_queue_max_segments(q, COMPAT_SEGMENTS);
	blk_queue_max_discard_sectors(q, want->discard_sectors);
	q->limits.discard_granularity = COMPAT_PHYSICAL_BLOCK;
	blk_queue_write_cache(q, want->write_cache, want->write_cache);
	if (!want->rotational) {
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
		blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
	}
	return gd;
}
#endif

#endif
