/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modelled disks: blk-mq devices whose requests take the time that a real disk
 * would need for them.
 *
 * The idea.  A disk is a small machine of parts that each do one thing at a time:
 * an arm, flash channels, a link.  A part that is given work knows when it will
 * be done with it, to the nanosecond, because that follows from the formulas in
 * README.md and from nothing else.  So there is one list of events per disk,
 * ordered by time, and one hrtimer.  What an event starts begins at the event's own
 * time and not at the time at which the CPU came round to it: a slow CPU sees
 * completions late, but does not make the disk any slower.
 *
 * So most events need no timer either.  They are quiet: they happen, in their order, when
 * the next loud one does or the next request arrives, and nobody outside can tell.  Loud is
 * what may end a request.  Of a read from flash, pages are quiet, and only an alarm for
 * the whole, set to the earliest moment at which it can be done, is loud.  In virtual time
 * a timer is most of what a modelled disk costs: a guest that rests has to be woken for it.
 *
 * Nothing is random that a seed does not fix.  Where time itself is virtual (tests/vm/run
 * --icount), runs are equal to the last digit.
 *
 * The data are a matter apart: they move between the request's pages and the
 * store while the request is being queued, as by DMA, and a cache in the model
 * holds numbers and no data.
 *
 *	disk-core.c	blk-mq, events and the timer, a device's birth and death
 *	disk-store.c	the memory behind it
 *	disk-mech.c	arms and platters: hdd, two-actuator
 *	disk-flash.c	channels of flash: sata-ssd, nvme, sd-card, usb-stick
 *	disk-fault.c	disks that misbehave
 *	disk-config.c	configfs and the profiles
 *
 * disk->lock guards all of the model; interrupts are off under it.  The store has
 * a lock of its own.  Neither is ever taken within the other.
 */
#ifndef DISKMODEL_H
#define DISKMODEL_H

#include <linux/blk-mq.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

/* What can be tuned; README.md says what each means, disk-config.c its bounds. */
struct disk_params {
	/* every disk */
	u32 queue_depth, hw_queues, max_request_kb, link_mb_s, command_ns, cache_kb;
	u32 timeout_ms, seed, store, memory_mb, read_ahead_kb;

	/* arms and platters; a disk without rpm is flash */
	u32 rpm, actuators, media_kb_s, seek_min_us, seek_max_us, reorder, reorder_max_ms;
	u32 segments, segment_kb, read_ahead_min_kb, destage_kb, destage_idle_ms;

	/* flash */
	u32 channels, page_kb, read_us, write_us, write_unit_kb, discard_us;

	/* misbehaviour */
	u32 gc_every_ms, gc_ms, gc_factor;
	u32 fast_kb, fast_refill_kb_s, slow_factor;
	u32 erase_kb, erase_us;
	u32 keep_every_ms, keep_ms, steal_every_ms, steal_ms;

	/* may be changed while the disk is there */
	u32 error_per_million, timeout_per_million, hold;
};

struct disk;

/* Something that happens at a moment of the model's time. */
struct disk_event {
	struct rb_node node;
	struct rb_node loud_node;
	u64 t;
	bool loud;			/* in the tree of these, too */
	void (*fire)(struct disk *disk, struct disk_event *ev);
};

/* A part of a request that one part of the disk deals with. */
struct disk_piece {
	struct disk_event ev;
	struct list_head node;		/* on the list of the part that it waits for */
	struct disk_cmd *cmd;
	u64 lba;			/* in sectors, within its part of the disk */
	u32 sectors;
	u32 part;			/* which actuator or channel */
	u32 wait;			/* flush: dirty extents left before it is done */
	u64 mark;			/* flush: what has to be on the media */
	u64 since;			/* when it began to wait; flash: its page is not read before */
};

/* The model's part of a request. */
struct disk_cmd {
	struct disk_event ev;
	struct disk_event alarm;	/* flash reads: it may be done then; fire is NULL when not set */
	struct list_head node;		/* done, held, stuck or waiting for the cache */
	u64 arrived;
	u64 not_before;			/* flash reads: it cannot be done sooner */
	u64 sent;			/* when the link has sent all that it was given of it */
	u32 unsent;			/* pieces that it was not given yet */
	bool late;			/* that should have been sooner, says not_before */
	u64 mark;			/* flash: bytes to be programmed before it is done */
	u32 left;			/* pieces still going on */
	blk_status_t status;
	bool burst;			/* was held back and begun with others */
	bool stuck;			/* will never be done: a timeout on request */
	struct disk_piece piece[];
};

/* Counters, in the model's time; README.md says what they count. */
struct disk_stats {
	u64 requests, reads, writes, flushes, discards, errors, timeouts;
	u64 read_bytes, write_bytes;
	u64 busy_ns, latency_ns;
	u64 burst_size, burst_requests, burst_quarter_ns, burst_three_quarters_ns;
	u64 buffer_hits, media_reads, media_writes;
	u64 seek_ns, rotate_ns, part_busy_ns;
	u64 slow_programs, erases, kept, stolen, made_ns;
};

struct disk_model {
	int (*create)(struct disk *disk);
	void (*destroy)(struct disk *disk);
	/* How many pieces a request of the largest size may need. */
	unsigned int (*max_pieces)(struct disk *disk);
	void (*begin)(struct disk *disk, struct disk_cmd *cmd, u64 t);
	/* May quiet events end a request now?  Asked of a model that has set one. */
	bool (*listens)(struct disk *disk);
};

extern const struct disk_model disk_mech, disk_flash;

struct disk {
	struct config_group group;
	struct mutex config_lock;	/* power and parameters */
	struct disk_params p;
	const char *profile;
	u64 size_mb;
	bool power;

	struct blk_mq_tag_set set;
	struct gendisk *gd;
	const struct disk_model *model;
	void *parts;			/* the model's own */
	u64 sectors;

	struct xarray store;
	u64 pages, max_pages;		/* in the store; guarded by its lock */

	spinlock_t lock;		/* all that follows, and the model's parts */
	struct rb_root_cached events;	/* all, by time and by when they were set */
	struct rb_root_cached loud;	/* those that the timer is set for */
	struct hrtimer timer;
	u64 timer_at;			/* what the timer is set to; 0: not set */
	u64 link_free;			/* when the link has sent what it was given */
	struct list_head done;		/* to be completed after unlocking */
	struct list_head held;
	u32 nr_held;
	u32 inflight;
	u64 busy_since;
	u64 random;
	u64 made;			/* when it could be used; 0: not yet */
	u64 fast_used, fast_since;	/* bytes; when that was so */
	u64 kept_periods;		/* of which a read has been kept */
	struct hrtimer steal_timer;
	struct disk_stats stats;
};

/* Sectors of one of @n parts; on the border of a page, so that no 4k request crosses it. */
static inline u64 disk_share(u64 sectors, u32 n)
{
	return round_up(div_u64(sectors + n - 1, n), PAGE_SIZE >> SECTOR_SHIFT);
}

/* disk-core.c */
void disk_init(struct disk *disk);
int disk_power_on(struct disk *disk);
void disk_power_off(struct disk *disk);
void disk_release_held(struct disk *disk);
void disk_at(struct disk *disk, struct disk_event *ev, u64 t,
	     void (*fire)(struct disk *disk, struct disk_event *ev));
void disk_at_quietly(struct disk *disk, struct disk_event *ev, u64 t,
		     void (*fire)(struct disk *disk, struct disk_event *ev));
void disk_forget(struct disk *disk, struct disk_event *ev);
void disk_piece_done_at(struct disk *disk, struct disk_piece *piece, u64 t);
void disk_piece_done_quietly_at(struct disk *disk, struct disk_piece *piece, u64 t);
u64 disk_link_ns(struct disk *disk, u32 sectors);
void disk_cmd_done(struct disk *disk, struct disk_cmd *cmd, u64 t);
u64 disk_link(struct disk *disk, u64 t, u32 sectors);
void disk_snapshot(struct disk *disk, struct disk_stats *stats);

/* disk-fault.c */
void disk_fault_init(struct disk *disk);
bool disk_fault_valid(struct disk *disk);
void disk_fault_begin(struct disk *disk);
void disk_fault_end(struct disk *disk);
u64 disk_program_ns(struct disk *disk, u64 *since_erase, u64 t, u32 bytes);
u64 disk_keep_ns(struct disk *disk, struct request *rq, u64 t);

/* disk-store.c */
void disk_store_create(struct disk *disk);
blk_status_t disk_store_transfer(struct disk *disk, struct request *rq);
void disk_store_discard(struct disk *disk, u64 sector, u64 sectors);
void disk_store_free(struct disk *disk);

/* disk-config.c */
int disk_config_init(void);
void disk_config_exit(void);

static inline struct request *disk_rq(struct disk_cmd *cmd)
{
	return blk_mq_rq_from_pdu(cmd);
}

#endif
