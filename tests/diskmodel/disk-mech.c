// SPDX-License-Identifier: GPL-2.0
/*
 * Arms and platters: what a disk with moving parts does with its time.
 *
 * The surface of an arm is one spiral of sectors, spt of them in a turn.  The angle
 * under the head is a function of time, that of a sector one of its address:
 *
 *	seek(d)  = 0 within a track, else seek_min + (seek_max - seek_min) * sqrt(d / tracks)
 *	wait     = (angle(sector) - angle(time after the seek)) mod turn
 *	transfer = sectors * turn / spt
 *
 * Reading does not end with a request: while nobody else wants the arm it goes on
 * into a segment of the read buffer, up to read_ahead_kb beyond what was asked for.
 * That costs no events.  A segment says at which time the head passed, or will
 * pass, each of its sectors; so a request in the buffer is done when it is over the
 * link, and one that continues what is being read is done when the head has
 * passed its end, without losing a turn.  Somebody else's request stops the reading
 * ahead: at once after a random read, and after read_ahead_min_kb of a visit where a
 * segment has been seen to be read on.
 *
 * Writes go into the cache and are done.  What is dirty is a tree of extents,
 * disjoint; the arm writes them in ascending order, destage_kb at a time, when it
 * has had no reads for destage_idle_ms, and in turn with reads when the cache is three
 * quarters full or somebody waits for room or for a flush.  Extents carry the number
 * of the flush they precede, and only extents of one number are joined: a flush
 * waits for a number of extents that cannot grow.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "diskmodel.h"

#define SECTORS_PER_KB (1024 >> SECTOR_SHIFT)
#define PS_PER_NS 1000
/* Fixed point of a distance's share of all tracks; its square root has half of it. */
#define SHARE_SHIFT 24

/* A part of the read buffer: what a reader of successive sectors has got. */
struct segment {
	u64 start, limit;	/* sectors held, or promised to be */
	u64 base, t;		/* the head passes base at t, and so on; before: long ago */
	u64 used;		/* when it was of use last */
};

/* Dirty sectors in the write cache. */
struct extent {
	struct rb_node node;
	struct list_head free;
	u64 lba, sectors;
	u64 flush;		/* the flush that must wait for it */
};

enum task { READING, WRITING, DESTAGING };

struct arm {
	struct disk_event ev, idle_ev;
	bool busy, idle_set;
	enum task task;
	struct disk_piece *serving;
	u64 head;			/* sector that it has come to; valid without a stream */
	u64 tracks;
	struct list_head pending;	/* pieces that need the arm; oldest first */

	struct segment *seg;
	struct segment *serving_seg;
	struct segment *stream;		/* being read ahead into */
	u64 promised;			/* a request waits for the head to come here */
	u64 visit;			/* where the head came down for the stream */
	bool sequential;		/* has the stream been read on? */
	u64 last_read;
	u64 promised_until;		/* when the last stream has kept its promises */

	struct rb_root dirty;
	struct list_head free;
	struct extent *pool;
	u64 nr_extents;
	u64 cached, cache;		/* sectors used, and all; with what is being written */
	struct list_head for_room;	/* writes */
	struct list_head flushes;
	u64 flush;			/* number of the next flush */
	u64 destaging;			/* sectors */
	u64 destaging_flush;
	bool destaging_whole;		/* the last of its extent */
	bool last_destage;
};

struct mech {
	u64 sector_ps, turn_ps;
	u32 spt;
	u64 part;			/* sectors of an arm */
	struct arm arm[];
};

static void kick(struct disk *disk, struct arm *arm, u64 t);
static void on_arm(struct disk *disk, struct disk_event *ev);

static u64 end_of(const struct disk_piece *piece)
{
	return piece->lba + piece->sectors;
}

static void finish(struct disk *disk, struct disk_piece *piece, u64 t)
{
	disk_piece_done_at(disk, piece, t + disk->p.command_ns);
}

/* ---- geometry ---- */

static u64 duration(struct mech *m, u64 sectors)
{
	return div_u64(sectors * m->sector_ps, PS_PER_NS);
}

static u64 seek_time(struct disk *disk, struct arm *arm, u64 to)
{
	struct mech *m = disk->parts;
	u64 a = div_u64(arm->head, m->spt), b = div_u64(to, m->spt);
	u64 d = a > b ? a - b : b - a;
	u64 range = disk->p.seek_max_us - min(disk->p.seek_min_us, disk->p.seek_max_us);

	if (!d)
		return 0;
	d = int_sqrt64(div64_u64(d << SHARE_SHIFT, arm->tracks));
	return (disk->p.seek_min_us * 1000ull) + ((range * 1000 * d) >> (SHARE_SHIFT / 2));
}

/*
 * A head that arrives up to a sector late has not missed it: times are rounded
 * to nanoseconds, and a turn must not hang on that.
 */
static u64 turn_time(struct mech *m, u64 lba, u64 t)
{
	u64 angle, now, wait;
	u32 sector;

	div_u64_rem(lba, m->spt, &sector);
	angle = sector * m->sector_ps;
	div64_u64_rem(t * PS_PER_NS, m->turn_ps, &now);
	wait = angle >= now ? angle - now : angle + m->turn_ps - now;
	return wait + m->sector_ps >= m->turn_ps ? 0 : div_u64(wait, PS_PER_NS);
}

/* ---- the read buffer ---- */

/* When the head passes this sector, or 0 if that was long ago. */
static u64 passes(struct mech *m, struct segment *seg, u64 lba)
{
	return lba > seg->base ? seg->t + duration(m, lba - seg->base) : 0;
}

/* How far the segment is filled at time @t. */
static u64 filled(struct mech *m, struct segment *seg, u64 t)
{
	u64 lba = seg->base;

	if (t > seg->t)
		lba += div64_u64((t - seg->t) * PS_PER_NS, m->sector_ps);
	return min(lba, seg->limit);
}

/* The segment that holds most from this sector on, or to which it would be the next. */
static struct segment *find_segment(struct disk *disk, struct arm *arm, u64 lba)
{
	struct segment *best = NULL;
	u32 i;

	for (i = 0; i < disk->p.segments; i++) {
		struct segment *seg = &arm->seg[i];

		if (seg->limit && seg->start <= lba && lba <= seg->limit &&
		    (!best || seg->limit > best->limit))
			best = seg;
	}
	return best;
}

static struct segment *new_segment(struct disk *disk, struct arm *arm, u64 lba)
{
	struct segment *seg = arm->seg;
	u32 i;

	for (i = 1; i < disk->p.segments; i++)
		if (arm->seg[i].used < seg->used)
			seg = &arm->seg[i];
	*seg = (struct segment){ .start = lba, .limit = lba, .base = lba };
	return seg;
}

/* Let the segment reach to @limit; what is too old for its size is forgotten. */
static void extend(struct disk *disk, struct segment *seg, u64 limit)
{
	struct mech *m = disk->parts;
	u64 size = (u64)disk->p.segment_kb * SECTORS_PER_KB;

	seg->limit = max(seg->limit, min(limit, m->part));
	if (seg->limit - seg->start > size)
		seg->start = seg->limit - size;
}

static u64 read_ahead(struct disk *disk)
{
	return (u64)min(disk->p.read_ahead_kb, disk->p.segment_kb) * SECTORS_PER_KB;
}

/* Take the arm from its stream, if it has one; return when it is free. */
static u64 stop_stream(struct disk *disk, struct arm *arm, u64 t)
{
	struct segment *seg = arm->stream;
	struct mech *m = disk->parts;
	u64 stop = arm->promised, now;

	if (!seg)
		return max(t, arm->promised_until);
	if (arm->sequential)
		stop = max(stop, arm->visit + (u64)disk->p.read_ahead_min_kb * SECTORS_PER_KB);
	stop = min(stop, seg->limit);
	now = filled(m, seg, t);
	seg->limit = max(stop, now);
	arm->head = seg->limit;
	arm->stream = NULL;
	arm->promised_until = stop > now ? passes(m, seg, stop) : t;
	return max(t, arm->promised_until);
}

/* ---- what is dirty ---- */

static struct extent *extent_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct extent, node);
}

/* The first extent that ends after @lba. */
static struct extent *extent_after(struct arm *arm, u64 lba)
{
	struct rb_node *node = arm->dirty.rb_node;
	struct extent *found = NULL;

	while (node) {
		struct extent *e = extent_of(node);

		if (e->lba + e->sectors > lba) {
			found = e;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

static bool extent_less(struct rb_node *a, const struct rb_node *b)
{
	return extent_of(a)->lba < rb_entry(b, struct extent, node)->lba;
}

static void free_extent(struct arm *arm, struct extent *e)
{
	rb_erase(&e->node, &arm->dirty);
	list_add(&e->free, &arm->free);
	arm->nr_extents--;
}

/* Sectors that are in no extent become dirty; neighbours of the same flush grow. */
static void add_extent(struct arm *arm, u64 lba, u64 sectors)
{
	struct extent *e = lba ? extent_after(arm, lba - 1) : NULL, *next;

	arm->cached += sectors;
	if (e && e->flush == arm->flush && e->lba + e->sectors == lba) {
		e->sectors += sectors;
	} else {
		/* There is one for every sector of the cache. */
		e = list_first_entry(&arm->free, struct extent, free);
		list_del(&e->free);
		e->lba = lba;
		e->sectors = sectors;
		e->flush = arm->flush;
		rb_add(&e->node, &arm->dirty, extent_less);
		arm->nr_extents++;
	}
	next = extent_of(rb_next(&e->node));
	if (next && next->flush == e->flush && e->lba + e->sectors == next->lba) {
		e->sectors += next->sectors;
		free_extent(arm, next);
	}
}

/* What is dirty already stays in its extent. */
static void make_dirty(struct arm *arm, u64 lba, u64 sectors)
{
	u64 end = lba + sectors;

	while (lba < end) {
		struct extent *e = extent_after(arm, lba);
		u64 to = e ? min(e->lba, end) : end;

		if (lba < to)
			add_extent(arm, lba, to - lba);
		lba = to;
		e = extent_after(arm, lba);
		if (e && e->lba <= lba)
			lba = e->lba + e->sectors;
	}
}

static bool room(struct arm *arm, u32 sectors)
{
	return !arm->cached || arm->cached + sectors <= arm->cache;
}

static void admit_writes(struct disk *disk, struct arm *arm, u64 t)
{
	struct disk_piece *piece, *next;

	list_for_each_entry_safe(piece, next, &arm->for_room, node) {
		if (!room(arm, piece->sectors))
			break;
		list_del(&piece->node);
		make_dirty(arm, piece->lba, piece->sectors);
		finish(disk, piece, disk_link(disk, t, piece->sectors));
	}
}

static bool must_destage(struct arm *arm)
{
	return arm->nr_extents && (arm->cached * 4 >= arm->cache * 3 ||
				   !list_empty(&arm->for_room) || !list_empty(&arm->flushes));
}

/* ---- what the arm does ---- */

/* Move the arm to @lba; return when it begins to read or write there. */
static u64 move_arm(struct disk *disk, struct arm *arm, u64 lba, u64 t)
{
	struct mech *m = disk->parts;
	u64 seek = seek_time(disk, arm, lba), wait = turn_time(m, lba, t + seek);

	disk->stats.seek_ns += seek;
	disk->stats.rotate_ns += wait;
	return t + seek + wait;
}

/* It is at @lba at time @begin, has been busy since @t, and will be for @sectors. */
static void occupy(struct disk *disk, struct arm *arm, enum task task, u64 t,
		   u64 begin, u64 lba, u64 sectors)
{
	u64 end = begin + duration(disk->parts, sectors);

	arm->busy = true;
	arm->task = task;
	arm->head = lba + sectors;
	disk->stats.part_busy_ns += end - t;
	disk_at(disk, &arm->ev, end, on_arm);
}

static void serve_read(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	struct segment *seg = find_segment(disk, arm, piece->lba);
	u64 from = seg ? seg->limit : piece->lba, begin;

	arm->sequential = seg;
	begin = move_arm(disk, arm, from, t);
	if (!seg)
		seg = new_segment(disk, arm, from);
	seg->base = from;
	seg->t = begin;
	seg->used = t;
	extend(disk, seg, end_of(piece));
	arm->visit = from;
	arm->serving_seg = seg;
	disk->stats.media_reads++;
	occupy(disk, arm, READING, t, begin, from, end_of(piece) - from);
}

static void serve(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	arm->serving = piece;
	arm->last_destage = false;
	if (req_op(disk_rq(piece->cmd)) == REQ_OP_READ) {
		serve_read(disk, arm, piece, t);
	} else {
		disk->stats.media_writes++;
		occupy(disk, arm, WRITING, t, move_arm(disk, arm, piece->lba, t),
		       piece->lba, piece->sectors);
	}
}

/*
 * The next extent to write: ascending from where the head is, and from the beginning
 * again.  While a flush waits, only what it waits for: the head would never come back from
 * a writer that goes on in sequence.
 */
static struct extent *next_extent(struct arm *arm)
{
	struct disk_piece *flush = list_first_entry_or_null(&arm->flushes, struct disk_piece, node);
	struct extent *first = extent_of(rb_first(&arm->dirty));
	struct extent *e = extent_after(arm, arm->head) ?: first;
	u64 i;

	for (i = 0; i < arm->nr_extents && flush && e->flush > flush->mark; i++)
		e = extent_of(rb_next(&e->node)) ?: first;
	return e;
}

static void destage(struct disk *disk, struct arm *arm, u64 t)
{
	struct extent *e = next_extent(arm);
	u64 lba, sectors;

	lba = e->lba;
	sectors = min(e->sectors, (u64)disk->p.destage_kb * SECTORS_PER_KB);
	arm->destaging = sectors;
	arm->destaging_flush = e->flush;
	arm->destaging_whole = sectors == e->sectors;
	if (arm->destaging_whole) {
		free_extent(arm, e);
	} else {
		e->lba += sectors;
		e->sectors -= sectors;
	}
	arm->last_destage = true;
	disk->stats.media_writes++;
	occupy(disk, arm, DESTAGING, t, move_arm(disk, arm, lba, t), lba, sectors);
}

static void destaged(struct disk *disk, struct arm *arm, u64 t)
{
	struct disk_piece *piece, *next;

	arm->cached -= arm->destaging;
	arm->destaging = 0;
	if (!arm->destaging_whole)
		return;
	list_for_each_entry_safe(piece, next, &arm->flushes, node) {
		if (arm->destaging_flush > piece->mark || --piece->wait)
			continue;
		list_del(&piece->node);
		finish(disk, piece, t);
	}
}

/* The request that the head can get at first; or the oldest. */
static struct disk_piece *choose(struct disk *disk, struct arm *arm, u64 t)
{
	struct disk_piece *best = list_first_entry(&arm->pending, struct disk_piece, node), *piece;
	u64 least = U64_MAX;

	if (!disk->p.reorder || t - best->since > disk->p.reorder_max_ms * (u64)NSEC_PER_MSEC)
		return best;
	list_for_each_entry(piece, &arm->pending, node) {
		u64 seek = seek_time(disk, arm, piece->lba);
		u64 cost = seek + turn_time(disk->parts, piece->lba, t + seek);

		if (cost < least) {
			least = cost;
			best = piece;
		}
	}
	return best;
}

/* Is all of it in the buffer, or promised to come there?  Then this ends it. */
static bool read_buffer(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	struct segment *seg = find_segment(disk, arm, piece->lba);
	u64 there;

	if (!seg || end_of(piece) > seg->limit)
		return false;
	there = passes(disk->parts, seg, end_of(piece));
	finish(disk, piece, max(there, disk_link(disk, t, piece->sectors)));
	disk->stats.buffer_hits++;
	seg->used = t;
	return true;
}

static void on_idle(struct disk *disk, struct disk_event *ev)
{
	struct arm *arm = container_of(ev, struct arm, idle_ev);

	arm->idle_set = false;
	kick(disk, arm, ev->t);
}

/* Nobody wants the arm: write something that is dirty, unless a read may follow soon. */
static void idle(struct disk *disk, struct arm *arm, u64 t)
{
	u64 quiet = arm->last_read + disk->p.destage_idle_ms * (u64)NSEC_PER_MSEC;

	if (!arm->nr_extents)
		return;
	if (t >= quiet) {
		destage(disk, arm, stop_stream(disk, arm, t));
	} else if (!arm->idle_set) {
		arm->idle_set = true;
		disk_at(disk, &arm->idle_ev, quiet, on_idle);
	}
}

/* What next?  To be called whenever there may be an answer. */
static void kick(struct disk *disk, struct arm *arm, u64 t)
{
	while (!arm->busy) {
		bool wanted = !list_empty(&arm->pending);
		struct disk_piece *piece;

		if (must_destage(arm) && !(wanted && arm->last_destage)) {
			destage(disk, arm, stop_stream(disk, arm, t));
		} else if (wanted) {
			u64 start = stop_stream(disk, arm, t);

			piece = choose(disk, arm, start);
			list_del(&piece->node);
			if (req_op(disk_rq(piece->cmd)) != REQ_OP_READ ||
			    !read_buffer(disk, arm, piece, t))
				serve(disk, arm, piece, start);
		} else {
			idle(disk, arm, t);
			return;
		}
	}
}

static void on_arm(struct disk *disk, struct disk_event *ev)
{
	struct arm *arm = container_of(ev, struct arm, ev);
	struct disk_piece *piece = arm->serving;
	u64 t = ev->t;

	arm->busy = false;
	switch (arm->task) {
	case READING:
		arm->stream = arm->serving_seg;
		arm->promised = end_of(piece);
		extend(disk, arm->stream, end_of(piece) + read_ahead(disk));
		finish(disk, piece, t);
		break;
	case WRITING:
		finish(disk, piece, t);
		break;
	case DESTAGING:
		destaged(disk, arm, t);
		admit_writes(disk, arm, t);
		break;
	}
	kick(disk, arm, t);
}

/* ---- requests ---- */

/* Does this continue what the head is reading just now, and nobody else waits? */
static bool join_stream(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	struct segment *seg = arm->stream;
	struct mech *m = disk->parts;

	if (!seg || t > passes(m, seg, seg->limit) ||
	    piece->lba < seg->start || piece->lba > seg->limit)
		return false;
	arm->promised = max(arm->promised, end_of(piece));
	extend(disk, seg, end_of(piece) + read_ahead(disk));
	finish(disk, piece, passes(m, seg, end_of(piece)));
	seg->used = t;
	return true;
}

static void begin_read(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	bool alone = !arm->busy && list_empty(&arm->pending) && !must_destage(arm);
	struct segment *seg = find_segment(disk, arm, piece->lba);

	arm->last_read = t;
	if (seg && seg == arm->stream)
		arm->sequential = true;
	if (read_buffer(disk, arm, piece, t)) {
		if (alone && seg == arm->stream && t <= passes(disk->parts, seg, seg->limit))
			extend(disk, seg, end_of(piece) + read_ahead(disk));
		return;
	}
	if (alone && join_stream(disk, arm, piece, t))
		return;
	piece->since = t;
	list_add_tail(&piece->node, &arm->pending);
	kick(disk, arm, t);
}

static void begin_write(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	if (!arm->cache || (disk_rq(piece->cmd)->cmd_flags & REQ_FUA)) {
		piece->since = t;
		list_add_tail(&piece->node, &arm->pending);
	} else {
		list_add_tail(&piece->node, &arm->for_room);
		admit_writes(disk, arm, t);
	}
	kick(disk, arm, t);
}

static void begin_flush(struct disk *disk, struct arm *arm, struct disk_piece *piece, u64 t)
{
	piece->mark = arm->flush++;
	piece->wait = arm->nr_extents + (arm->destaging && arm->destaging_whole);
	if (!piece->wait) {
		finish(disk, piece, t);
		return;
	}
	list_add_tail(&piece->node, &arm->flushes);
	kick(disk, arm, t);
}

/* A flush concerns every arm, anything else those on whose parts it lies. */
static void mech_begin(struct disk *disk, struct disk_cmd *cmd, u64 t)
{
	struct request *rq = disk_rq(cmd);
	u64 lba = blk_rq_pos(rq), end = lba + blk_rq_sectors(rq);
	u32 n = disk->p.actuators, nr = 0, i;
	struct mech *m = disk->parts;

	for (i = 0; i < n; i++) {
		u64 from = max(lba, i * m->part), to = min(end, (i + 1) * m->part);

		if (req_op(rq) != REQ_OP_FLUSH && from >= to)
			continue;
		cmd->piece[nr].cmd = cmd;
		cmd->piece[nr].part = i;
		cmd->piece[nr].lba = from - i * m->part;
		cmd->piece[nr].sectors = from < to ? to - from : 0;
		nr++;
	}
	cmd->left = nr;
	for (i = 0; i < nr; i++) {
		struct disk_piece *piece = &cmd->piece[i];
		struct arm *arm = &m->arm[piece->part];

		if (req_op(rq) == REQ_OP_READ)
			begin_read(disk, arm, piece, t);
		else if (req_op(rq) == REQ_OP_WRITE)
			begin_write(disk, arm, piece, t);
		else if (req_op(rq) == REQ_OP_FLUSH)
			begin_flush(disk, arm, piece, t);
		else
			finish(disk, piece, t);
	}
}

static unsigned int mech_max_pieces(struct disk *disk)
{
	return disk->p.actuators;
}

static void mech_destroy(struct disk *disk)
{
	struct mech *m = disk->parts;
	u32 i;

	for (i = 0; i < disk->p.actuators; i++) {
		kvfree(m->arm[i].seg);
		kvfree(m->arm[i].pool);
	}
	kvfree(m);
	disk->parts = NULL;
}

static int arm_create(struct disk *disk, struct mech *m, struct arm *arm)
{
	u64 i, extents;

	INIT_LIST_HEAD(&arm->pending);
	INIT_LIST_HEAD(&arm->for_room);
	INIT_LIST_HEAD(&arm->flushes);
	INIT_LIST_HEAD(&arm->free);
	arm->dirty = RB_ROOT;
	arm->tracks = div_u64(m->part, m->spt) + 1;
	arm->cache = div_u64((u64)disk->p.cache_kb * SECTORS_PER_KB, disk->p.actuators);
	arm->seg = kvcalloc(disk->p.segments, sizeof(*arm->seg), GFP_KERNEL);
	/* An empty cache takes a write of any size, as one extent. */
	extents = arm->cache + 1;
	arm->pool = kvcalloc(extents, sizeof(*arm->pool), GFP_KERNEL);
	if (!arm->seg || !arm->pool)
		return -ENOMEM;
	for (i = 0; i < extents; i++)
		list_add_tail(&arm->pool[i].free, &arm->free);
	return 0;
}

static int mech_create(struct disk *disk)
{
	u32 n = disk->p.actuators, i;
	struct mech *m = kvzalloc(struct_size(m, arm, n), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	disk->parts = m;
	m->sector_ps = div_u64(NSEC_PER_SEC * (u64)PS_PER_NS,
			       disk->p.media_kb_s * SECTORS_PER_KB);
	m->turn_ps = div_u64(60ull * NSEC_PER_SEC * PS_PER_NS, disk->p.rpm);
	m->spt = max_t(u64, 1, div64_u64(m->turn_ps, m->sector_ps));
	/* So that a turn is a whole number of sectors. */
	m->turn_ps = m->spt * m->sector_ps;
	m->part = disk_share(disk->sectors, n);
	for (i = 0; i < n; i++) {
		if (arm_create(disk, m, &m->arm[i])) {
			mech_destroy(disk);
			return -ENOMEM;
		}
	}
	return 0;
}

const struct disk_model disk_mech = {
	.create = mech_create,
	.destroy = mech_destroy,
	.max_pieces = mech_max_pieces,
	.begin = mech_begin,
};
