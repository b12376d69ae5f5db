// SPDX-License-Identifier: GPL-2.0
/*
 * A modelled disk as the block layer sees it, and the clock of its model; see
 * diskmodel.h for the idea.
 *
 * A request arrives in disk_queue_rq(): its data are moved, events that are due
 * happen first, and the model is told that the request begins now.  The model
 * splits it into pieces and sets events.  When the last piece is done the request
 * goes on the list of those that are to be completed, which is done after
 * unlocking.  The timer does the same when nobody arrives.
 */
#include <linux/ktime.h>
#include <linux/module.h>

#include "diskmodel.h"
#include "compat.h"

#define MILLION 1000000

static bool earlier(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct disk_event, node)->t < rb_entry(b, struct disk_event, node)->t;
}

static bool earlier_loud(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct disk_event, loud_node)->t <
	       rb_entry(b, struct disk_event, loud_node)->t;
}

/* Events at the same time happen in the order in which they were set. */
void disk_at_quietly(struct disk *disk, struct disk_event *ev, u64 t,
		     void (*fire)(struct disk *disk, struct disk_event *ev))
{
	ev->t = t;
	ev->fire = fire;
	ev->loud = false;
	rb_add_cached(&ev->node, &disk->events, earlier);
}

/* The same, and the timer is set for it. */
void disk_at(struct disk *disk, struct disk_event *ev, u64 t,
	     void (*fire)(struct disk *disk, struct disk_event *ev))
{
	disk_at_quietly(disk, ev, t, fire);
	ev->loud = true;
	rb_add_cached(&ev->loud_node, &disk->loud, earlier_loud);
}

/* An event that is set happens no more. */
void disk_forget(struct disk *disk, struct disk_event *ev)
{
	rb_erase_cached(&ev->node, &disk->events);
	if (ev->loud)
		rb_erase_cached(&ev->loud_node, &disk->loud);
}

static struct disk_event *first_event(struct disk *disk)
{
	struct rb_node *node = rb_first_cached(&disk->events);

	return node ? rb_entry(node, struct disk_event, node) : NULL;
}

/* The event that the timer has to be set for, or NULL. */
static struct disk_event *next_alarm(struct disk *disk)
{
	struct disk_event *ev = first_event(disk);
	struct rb_node *node;

	if (!ev || ev->loud || disk->model->listens(disk))
		return ev;
	node = rb_first_cached(&disk->loud);
	return node ? rb_entry(node, struct disk_event, loud_node) : NULL;
}

static void run_events(struct disk *disk, u64 now)
{
	struct disk_event *ev;

	while ((ev = first_event(disk)) && ev->t <= now) {
		disk_forget(disk, ev);
		ev->fire(disk, ev);
	}
}

static void set_timer(struct disk *disk)
{
	struct disk_event *ev = next_alarm(disk);

	if (!ev || ev->t == disk->timer_at)
		return;
	disk->timer_at = ev->t;
	hrtimer_start(&disk->timer, ns_to_ktime(ev->t), HRTIMER_MODE_ABS);
}

/* What it takes the link to send so much. */
u64 disk_link_ns(struct disk *disk, u32 sectors)
{
	return div_u64(((u64)sectors << SECTOR_SHIFT) * 1000, disk->p.link_mb_s);
}

/* When the link, which sends one thing after the other, has sent this as well. */
u64 disk_link(struct disk *disk, u64 t, u32 sectors)
{
	disk->link_free = max(disk->link_free, t) + disk_link_ns(disk, sectors);
	return disk->link_free;
}

/* The model is done with a request at time @t. */
void disk_cmd_done(struct disk *disk, struct disk_cmd *cmd, u64 t)
{
	struct disk_stats *stats = &disk->stats;

	if (cmd->alarm.fire)
		disk_forget(disk, &cmd->alarm);
	stats->latency_ns += t - cmd->arrived;
	if (cmd->burst) {
		stats->burst_requests++;
		if (stats->burst_requests == stats->burst_size / 4)
			stats->burst_quarter_ns = t;
		if (stats->burst_requests == stats->burst_size * 3 / 4)
			stats->burst_three_quarters_ns = t;
	}
	if (!--disk->inflight)
		stats->busy_ns += t - disk->busy_since;
	list_add_tail(&cmd->node, &disk->done);
}

static void piece_done(struct disk *disk, struct disk_event *ev)
{
	struct disk_piece *piece = container_of(ev, struct disk_piece, ev);

	if (!--piece->cmd->left)
		disk_cmd_done(disk, piece->cmd, ev->t);
}

/* This piece of a request will be done at time @t. */
void disk_piece_done_at(struct disk *disk, struct disk_piece *piece, u64 t)
{
	disk_at(disk, &piece->ev, t, piece_done);
}

/* And something else is loud when that may end the request. */
void disk_piece_done_quietly_at(struct disk *disk, struct disk_piece *piece, u64 t)
{
	disk_at_quietly(disk, &piece->ev, t, piece_done);
}

/* After a change of the model, the last thing before unlocking. */
static void settle(struct disk *disk, struct list_head *done)
{
	set_timer(disk);
	list_splice_init(&disk->done, done);
}

/* And the first thing after it. */
static void complete_done(struct list_head *done)
{
	struct disk_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, done, node)
		blk_mq_complete_request(disk_rq(cmd));
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct disk *disk = container_of(timer, struct disk, timer);
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&disk->lock, flags);
	disk->timer_at = 0;
	run_events(disk, ktime_get_ns());
	settle(disk, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	complete_done(&done);
	return HRTIMER_NORESTART;
}

/* Marsaglia's xorshift64: the same seed, the same errors. */
static bool chance(struct disk *disk, u32 per_million)
{
	u64 r = disk->random;

	if (!per_million)
		return false;
	r ^= r << 13;
	r ^= r >> 7;
	r ^= r << 17;
	disk->random = r;
	return (r >> 32) % MILLION < per_million;
}

static void count(struct disk *disk, struct request *rq)
{
	struct disk_stats *stats = &disk->stats;

	stats->requests++;
	switch (req_op(rq)) {
	case REQ_OP_READ:
		stats->reads++;
		stats->read_bytes += blk_rq_bytes(rq);
		break;
	case REQ_OP_WRITE:
		stats->writes++;
		stats->write_bytes += blk_rq_bytes(rq);
		break;
	case REQ_OP_FLUSH:
		stats->flushes++;
		break;
	default:
		stats->discards++;
	}
}

static void let_go(struct disk *disk, struct disk_event *ev)
{
	disk->model->begin(disk, container_of(ev, struct disk_cmd, ev), ev->t);
}

static void begin(struct disk *disk, struct disk_cmd *cmd, u64 now)
{
	u64 keep = disk_keep_ns(disk, disk_rq(cmd), now);

	cmd->arrived = now;
	if (!disk->inflight++)
		disk->busy_since = now;
	if (keep)
		disk_at(disk, &cmd->ev, now + keep, let_go);
	else
		disk->model->begin(disk, cmd, now);
}

static void begin_held(struct disk *disk, u64 now)
{
	struct disk_cmd *cmd, *next;

	if (!disk->nr_held || disk->nr_held < disk->p.hold)
		return;
	disk->p.hold = 0;
	disk->stats.burst_size = disk->nr_held;
	disk->stats.burst_requests = 0;
	disk->nr_held = 0;
	list_for_each_entry_safe(cmd, next, &disk->held, node) {
		list_del(&cmd->node);
		cmd->burst = true;
		begin(disk, cmd, now);
	}
}

/* Begin what "hold" has collected, if that is enough now. */
void disk_release_held(struct disk *disk)
{
	unsigned long flags;
	LIST_HEAD(done);
	u64 now;

	spin_lock_irqsave(&disk->lock, flags);
	now = ktime_get_ns();
	run_events(disk, now);
	begin_held(disk, now);
	settle(disk, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	complete_done(&done);
}

static void arrive(struct disk *disk, struct disk_cmd *cmd, u64 now)
{
	struct request *rq = disk_rq(cmd);
	bool data = req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE;
	/*
	 * Not before add_disk() has read the partition table: who waits for that holds what
	 * would be needed to let a held request go.
	 */
	bool made = READ_ONCE(disk->gd);

	count(disk, rq);
	if (made && data && chance(disk, disk->p.timeout_per_million)) {
		cmd->stuck = true;
		disk->stats.timeouts++;
	} else if (made && disk->p.hold) {
		list_add_tail(&cmd->node, &disk->held);
		disk->nr_held++;
		begin_held(disk, now);
	} else {
		begin(disk, cmd, now);
	}
}

static blk_status_t transfer(struct disk *disk, struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		return disk->p.store ? disk_store_transfer(disk, rq) : BLK_STS_OK;
	case REQ_OP_DISCARD:
		disk_store_discard(disk, blk_rq_pos(rq), blk_rq_sectors(rq));
		return BLK_STS_OK;
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	default:
		return BLK_STS_NOTSUPP;
	}
}

/* Shall this one fail?  It takes its time all the same, and moves no data. */
static bool to_fail(struct disk *disk, struct request *rq)
{
	unsigned long flags;
	bool fail;

	if (!READ_ONCE(disk->p.error_per_million) ||
	    (req_op(rq) != REQ_OP_READ && req_op(rq) != REQ_OP_WRITE))
		return false;
	spin_lock_irqsave(&disk->lock, flags);
	fail = chance(disk, disk->p.error_per_million);
	disk->stats.errors += fail;
	spin_unlock_irqrestore(&disk->lock, flags);
	return fail;
}

static blk_status_t disk_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct disk *disk = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct disk_cmd *cmd = blk_mq_rq_to_pdu(rq);
	unsigned long flags;
	LIST_HEAD(done);
	u64 now;

	blk_mq_start_request(rq);
	cmd->status = BLK_STS_OK;
	cmd->stuck = false;
	cmd->burst = false;
	cmd->left = 0;
	cmd->alarm.fire = NULL;
	if (to_fail(disk, rq)) {
		cmd->status = BLK_STS_IOERR;
	} else {
		blk_status_t status = transfer(disk, rq);

		if (status != BLK_STS_OK)
			return status;
	}
	spin_lock_irqsave(&disk->lock, flags);
	now = ktime_get_ns();
	run_events(disk, now);
	arrive(disk, cmd, now);
	settle(disk, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	complete_done(&done);
	return BLK_STS_OK;
}

static void disk_complete(struct request *rq)
{
	struct disk_cmd *cmd = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, cmd->status);
}

/* A request that was lost on purpose ends here; any other is only slow. */
static enum blk_eh_timer_return disk_timeout(struct request *rq)
{
	struct disk_cmd *cmd = blk_mq_rq_to_pdu(rq);

	if (!cmd->stuck)
		return BLK_EH_RESET_TIMER;
	cmd->status = BLK_STS_TIMEOUT;
	blk_mq_complete_request(rq);
	return BLK_EH_DONE;
}

static const struct blk_mq_ops disk_mq_ops = {
	.queue_rq = disk_queue_rq,
	.complete = disk_complete,
	.timeout = disk_timeout,
};

static const struct block_device_operations disk_fops = {
	.owner = THIS_MODULE,
};

static int alloc_tags(struct disk *disk)
{
	struct blk_mq_tag_set *set = &disk->set;

	memset(set, 0, sizeof(*set));
	set->ops = &disk_mq_ops;
	set->nr_hw_queues = disk->p.hw_queues;
	set->queue_depth = disk->p.queue_depth;
	set->numa_node = NUMA_NO_NODE;
	set->flags = COMPAT_SET_FLAGS;
	set->timeout = msecs_to_jiffies(disk->p.timeout_ms);
	set->cmd_size = sizeof(struct disk_cmd) +
			disk->model->max_pieces(disk) * sizeof(struct disk_piece);
	return blk_mq_alloc_tag_set(set);
}

/* Let the block layer know which sectors are another arm's: .../queue/independent_access_ranges. */
static void announce_arms(struct disk *disk, struct gendisk *gd)
{
	u64 part = disk_share(disk->sectors, disk->p.actuators);
	struct blk_independent_access_ranges *ranges;
	u32 i;

	if (!disk->p.rpm || disk->p.actuators < 2 ||
	    (disk->p.actuators - 1) * part >= disk->sectors)
		return;
	ranges = disk_alloc_independent_access_ranges(gd, disk->p.actuators);
	for (i = 0; ranges && i < disk->p.actuators; i++) {
		ranges->ia_range[i].sector = i * part;
		ranges->ia_range[i].nr_sectors = min(part, disk->sectors - i * part);
	}
	disk_set_independent_access_ranges(gd, ranges);
}

static int disk_open(struct disk *disk)
{
	struct compat_limits limits = {
		.rotational = disk->p.rpm,
		.write_cache = disk->p.cache_kb,
		.max_sectors = disk->p.max_request_kb << (10 - SECTOR_SHIFT),
		.discard_sectors = UINT_MAX >> SECTOR_SHIFT,
	};
	struct gendisk *gd = compat_alloc_disk(&disk->set, disk, &limits);
	int ret;

	if (IS_ERR(gd))
		return PTR_ERR(gd);
	gd->fops = &disk_fops;
	gd->private_data = disk;
	strscpy(gd->disk_name, config_item_name(&disk->group.cg_item), DISK_NAME_LEN);
	set_capacity(gd, disk->sectors);
	announce_arms(disk, gd);
	ret = add_disk(gd);
	if (ret) {
		disk_set_independent_access_ranges(gd, NULL);
		put_disk(gd);
	} else {
		WRITE_ONCE(disk->gd, gd);
	}
	return ret;
}

static void no_events(struct disk *disk)
{
	disk->events = RB_ROOT_CACHED;
	disk->loud = RB_ROOT_CACHED;
}

static void reset(struct disk *disk)
{
	disk->sectors = disk->size_mb << (20 - SECTOR_SHIFT);
	no_events(disk);
	disk->timer_at = 0;
	disk->link_free = 0;
	disk->nr_held = 0;
	disk->inflight = 0;
	disk->made = 0;
	disk->fast_used = 0;
	disk->kept_periods = 0;
	/* xorshift knows no zero; neighbouring seeds shall not be neighbours. */
	disk->random = (disk->p.seed + 1ull) * 0x9e3779b97f4a7c15ull;
	memset(&disk->stats, 0, sizeof(disk->stats));
}

/* The model may have plans although nobody asks for anything: reading ahead, writing back. */
static void stop_model(struct disk *disk)
{
	hrtimer_cancel(&disk->timer);
	no_events(disk);
	disk->model->destroy(disk);
	disk_store_free(disk);
}

/* Make the block device, with the parameters as they are now. */
int disk_power_on(struct disk *disk)
{
	int ret;

	if (!disk_fault_valid(disk))
		return -EINVAL;
	reset(disk);
	disk_store_create(disk);
	disk->model = disk->p.rpm ? &disk_mech : &disk_flash;
	ret = disk->model->create(disk);
	if (ret)
		return ret;
	ret = alloc_tags(disk);
	if (ret)
		goto err_model;
	ret = disk_open(disk);
	if (ret)
		goto err_tags;
	disk_fault_begin(disk);
	return 0;

err_tags:
	blk_mq_free_tag_set(&disk->set);
err_model:
	stop_model(disk);
	return ret;
}

/*
 * Requests that are under way are awaited, also those that only a timeout ends.
 * What the write cache still has to put on the media is nobody's concern.
 */
void disk_power_off(struct disk *disk)
{
	disk_fault_end(disk);
	WRITE_ONCE(disk->p.hold, 0);
	disk_release_held(disk);
	del_gendisk(disk->gd);
	put_disk(disk->gd);
	disk->gd = NULL;
	blk_mq_free_tag_set(&disk->set);
	stop_model(disk);
}

void disk_snapshot(struct disk *disk, struct disk_stats *stats)
{
	unsigned long flags;
	LIST_HEAD(done);
	u64 now;

	spin_lock_irqsave(&disk->lock, flags);
	now = ktime_get_ns();
	if (disk->power)
		run_events(disk, now);
	*stats = disk->stats;
	if (disk->inflight)
		stats->busy_ns += now - disk->busy_since;
	settle(disk, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	complete_done(&done);
}

/* What a new item in configfs needs before anything can be asked of it. */
void disk_init(struct disk *disk)
{
	mutex_init(&disk->config_lock);
	spin_lock_init(&disk->lock);
	xa_init(&disk->store);
	INIT_LIST_HEAD(&disk->done);
	INIT_LIST_HEAD(&disk->held);
	no_events(disk);
	compat_hrtimer(&disk->timer, on_timer);
	disk_fault_init(disk);
}

static int __init diskmodel_init(void)
{
	return disk_config_init();
}

static void __exit diskmodel_exit(void)
{
	disk_config_exit();
}

module_init(diskmodel_init);
module_exit(diskmodel_exit);

MODULE_DESCRIPTION("Block devices that take the time a real disk would");
MODULE_LICENSE("GPL");
