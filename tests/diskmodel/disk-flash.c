// SPDX-License-Identifier: GPL-2.0
/*
 * Flash: channels that read or program one page at a time, one controller, one link.
 *
 *	read	controller command_ns; each page of it from its channel, which is
 *		(address / page_kb) mod channels, read_us a page, first come first
 *		served; then over the link
 *	ahead	a read that begins where an earlier one ended makes a stream: the
 *		disk goes on reading pages into its buffer, up to read_ahead_kb beyond
 *		what was asked for, and what it finds there only takes the link
 *	write	controller; over the link into the cache, waiting for room if it is
 *		full; done.  Channels that have nothing to read take write_unit_kb at
 *		a time out of the cache and program it in write_us
 *	flush	until what was in the cache is programmed.  FUA: the same for a write
 *
 * Controller and link deal with one thing at a time.  Pages are programmed wherever
 * a channel is free, as a log; so nothing has to be remembered of what is in the
 * cache but how much.  Bytes go through three counters, accepted >= started >=
 * programmed.  A flush waits for all that was accepted before it: for nothing of that to be
 * still programmed on any channel.
 *
 * Reads go before writes, except that while somebody waits for room or for a
 * flush each channel does them in turn.
 *
 * What channels do is quiet (diskmodel.h) unless somebody waits for room or for a flush. A
 * read has an alarm, set to a bound that it cannot be done before: to when its last page
 * would be over the link if that had nothing else to send. When that has come and all is
 * handed to the link, the alarm is set to when that will be done; if a page still
 * waits for a channel, because that had to program meanwhile, nothing is quiet until it does
 * no more. So most reads take two timers, however many pages they have.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "diskmodel.h"

/* Reads at whose end another one may begin, so that a stream is noticed. */
#define RECENT 32
#define STREAMS 16

/*
 * After so many programs a timer is set though nobody waits for them: else whoever comes when the
 * whole cache has been programmed would have to go through all of it first.
 */
#define PROGRAMS_A_TIMER 64

/* A page that is being, or has been, read ahead. */
struct fetch {
	struct disk_piece piece;	/* without a command */
	struct list_head waiters;	/* pieces of commands */
	u64 page;
	bool reading, ready;
};

/* A reader of successive sectors; page n has its place in ring[n mod ring_size]. */
struct stream {
	u64 next;			/* sector; 0: no stream */
	u64 fetched;			/* the first page that was not asked for yet */
	u64 used;
	struct fetch *ring;
};

struct channel {
	struct disk_event ev;
	struct list_head reads;		/* pieces waiting for this channel */
	struct disk_piece *reading;	/* NULL while it programs */
	u32 programming;		/* bytes; 0 while it does not */
	u64 from;			/* what had been started before them */
	u64 since_erase;		/* bytes programmed */
	u64 reads_until;		/* the reads that wait take so long at least */
	bool last_read;
};

struct flash {
	u64 controller_free;
	u64 accepted, started, programmed;
	u64 coming;			/* bytes on the link, for which there is room */
	u32 unit, page_sectors;
	u64 cache;
	struct list_head for_room;	/* writes; in order of arrival */
	struct list_head for_media;	/* flushes and FUA writes; ordered by mark */
	u32 nr_late;			/* reads whose bound was too low */
	u32 next_channel;		/* programs are dealt out in turn */
	u64 recent[RECENT];		/* where reads ended */
	u32 next_recent;
	struct stream stream[STREAMS];
	struct fetch *fetches;
	u32 ring_size;
	unsigned long *idle;
	struct channel channel[];
};

static void on_channel(struct disk *disk, struct disk_event *ev);
static void admit_writes(struct disk *disk, u64 t);

static bool hurry(struct flash *f)
{
	return !list_empty(&f->for_room) || !list_empty(&f->for_media);
}

static bool flash_listens(struct disk *disk)
{
	struct flash *f = disk->parts;

	return hurry(f) || f->nr_late;
}

/* A remainder smaller than what is programmed at a time stays until a flush. */
static bool may_program(struct flash *f)
{
	u64 left = f->accepted - f->started;

	return left >= f->unit || (left && hurry(f));
}

static void start_read(struct disk *disk, struct flash *f, struct channel *c, u64 t)
{
	u64 ns = disk->p.read_us * 1000ull;

	c->reading = list_first_entry(&c->reads, struct disk_piece, node);
	list_del(&c->reading->node);
	c->last_read = true;
	disk->stats.media_reads++;
	disk->stats.part_busy_ns += ns;
	disk_at_quietly(disk, &c->ev, t + ns, on_channel);
}

static void start_program(struct disk *disk, struct flash *f, struct channel *c, u64 t)
{
	u64 ns;

	c->reading = NULL;
	c->programming = min_t(u64, f->unit, f->accepted - f->started);
	c->from = f->started;
	f->started += c->programming;
	ns = disk_program_ns(disk, &c->since_erase, t, c->programming);
	c->last_read = false;
	disk->stats.media_writes++;
	disk->stats.part_busy_ns += ns;
	if (disk->stats.media_writes % PROGRAMS_A_TIMER)
		disk_at_quietly(disk, &c->ev, t + ns, on_channel);
	else
		disk_at(disk, &c->ev, t + ns, on_channel);
}

/* Give a channel that does nothing the next thing to do. */
static void next_job(struct disk *disk, struct flash *f, struct channel *c, u64 t)
{
	bool read = !list_empty(&c->reads), program = may_program(f);

	if (read && program && hurry(f))
		read = !c->last_read;
	if (read)
		start_read(disk, f, c, t);
	else if (program)
		start_program(disk, f, c, t);
	if (read || program)
		clear_bit(c - f->channel, f->idle);
	else
		set_bit(c - f->channel, f->idle);
}

/* Channels that do nothing program what there is, beginning after the last one. */
static void program_idle(struct disk *disk, struct flash *f, u64 t)
{
	u32 n = disk->p.channels;

	while (may_program(f)) {
		u32 i = find_next_bit(f->idle, n, f->next_channel);

		if (i >= n)
			i = find_first_bit(f->idle, n);
		if (i >= n)
			return;
		f->next_channel = (i + 1) % n;
		next_job(disk, f, &f->channel[i], t);
	}
}

/* Of what was accepted, how much is on the media with all that came before it. */
static u64 programmed_to(struct disk *disk, struct flash *f)
{
	u64 to = f->started;
	u32 i;

	for (i = 0; i < disk->p.channels; i++)
		if (f->channel[i].programming)
			to = min(to, f->channel[i].from);
	return to;
}

static void complete_flushes(struct disk *disk, struct flash *f, u64 t)
{
	struct disk_cmd *cmd, *next;
	u64 to;

	if (list_empty(&f->for_media))
		return;
	to = programmed_to(disk, f);
	list_for_each_entry_safe(cmd, next, &f->for_media, node) {
		if (cmd->mark > to)
			break;
		list_del(&cmd->node);
		disk_cmd_done(disk, cmd, t);
	}
}

/* Is the read done?  If it is this does not happen any more. */
static void on_alarm(struct disk *disk, struct disk_event *ev)
{
	struct disk_cmd *cmd = container_of(ev, struct disk_cmd, alarm);
	struct flash *f = disk->parts;

	ev->fire = NULL;
	if (!cmd->unsent) {
		disk_at(disk, ev, cmd->sent, on_alarm);
	} else if (cmd->not_before > ev->t) {
		disk_at(disk, ev, cmd->not_before, on_alarm);
	} else {
		cmd->late = true;
		f->nr_late++;
	}
}

static void over_link(struct disk *disk, struct disk_piece *piece, u64 t)
{
	struct disk_cmd *cmd = piece->cmd;
	struct flash *f = disk->parts;

	cmd->sent = disk_link(disk, t, piece->sectors);
	disk_piece_done_quietly_at(disk, piece, cmd->sent);
	if (--cmd->unsent || !cmd->late)
		return;
	cmd->late = false;
	f->nr_late--;
	disk_at(disk, &cmd->alarm, cmd->sent, on_alarm);
}

static void fetched(struct disk *disk, struct fetch *fetch, u64 t)
{
	struct disk_piece *piece, *next;

	fetch->reading = false;
	fetch->ready = true;
	list_for_each_entry_safe(piece, next, &fetch->waiters, node) {
		list_del(&piece->node);
		over_link(disk, piece, t);
	}
}

static void on_channel(struct disk *disk, struct disk_event *ev)
{
	struct channel *c = container_of(ev, struct channel, ev);
	struct disk_piece *piece = c->reading;
	struct flash *f = disk->parts;

	if (piece && piece->cmd) {
		over_link(disk, piece, ev->t);
	} else if (piece) {
		fetched(disk, container_of(piece, struct fetch, piece), ev->t);
	} else {
		f->programmed += c->programming;
		c->programming = 0;
		complete_flushes(disk, f, ev->t);
		admit_writes(disk, ev->t);
	}
	next_job(disk, f, c, ev->t);
}

static void wait_for_media(struct disk *disk, struct flash *f, struct disk_cmd *cmd, u64 t)
{
	cmd->mark = f->accepted;
	list_add_tail(&cmd->node, &f->for_media);
	complete_flushes(disk, f, t);
	program_idle(disk, f, t);
}

/* A write is over the link and in the cache. */
static void on_received(struct disk *disk, struct disk_event *ev)
{
	struct disk_cmd *cmd = container_of(ev, struct disk_cmd, ev);
	u32 bytes = blk_rq_bytes(disk_rq(cmd));
	struct flash *f = disk->parts;

	f->coming -= bytes;
	f->accepted += bytes;
	if (!f->cache || (disk_rq(cmd)->cmd_flags & REQ_FUA)) {
		wait_for_media(disk, f, cmd, ev->t);
	} else {
		disk_cmd_done(disk, cmd, ev->t);
		program_idle(disk, f, ev->t);
	}
}

/* A write larger than the cache goes when that is empty. */
static bool room(struct flash *f, u32 bytes)
{
	u64 used = f->accepted - f->programmed + f->coming;

	return !f->cache || !used || used + bytes <= f->cache;
}

static void admit_writes(struct disk *disk, u64 t)
{
	struct flash *f = disk->parts;
	struct disk_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, &f->for_room, node) {
		u32 bytes = blk_rq_bytes(disk_rq(cmd));

		if (!room(f, bytes))
			break;
		list_del(&cmd->node);
		f->coming += bytes;
		disk_at(disk, &cmd->ev, disk_link(disk, t, bytes >> SECTOR_SHIFT), on_received);
	}
}

static void read_page(struct disk *disk, struct flash *f, struct disk_piece *piece,
		      u64 page, u64 t)
{
	struct channel *c;
	u32 i;

	div_u64_rem(page, disk->p.channels, &i);
	c = &f->channel[i];
	c->reads_until = max3(c->reads_until, t, c->programming ? c->ev.t : 0) +
			 disk->p.read_us * 1000ull;
	piece->since = c->reads_until;
	list_add_tail(&piece->node, &c->reads);
	if (test_bit(i, f->idle))
		next_job(disk, f, c, t);
}

static struct fetch *place_of(struct flash *f, struct stream *s, u64 page)
{
	u32 i;

	div_u64_rem(page, f->ring_size, &i);
	return &s->ring[i];
}

/* The stream that a read from @lba to @end continues, or NULL. */
static struct stream *find_stream(struct flash *f, u64 lba, u64 end, u64 t)
{
	struct stream *s, *oldest = f->stream;
	u32 i;

	for (s = f->stream; s < f->stream + STREAMS; s++) {
		if (s->next == lba)
			goto found;
		if (s->used < oldest->used)
			oldest = s;
	}
	for (i = 0; i < RECENT && f->recent[i] != lba; i++)
		;
	if (i == RECENT) {
		f->recent[f->next_recent] = end;
		f->next_recent = (f->next_recent + 1) % RECENT;
		return NULL;
	}
	f->recent[i] = 0;
	s = oldest;
	s->fetched = 0;
found:
	s->next = end;
	s->used = t;
	return s;
}

/* Ask for the pages that a stream will want next; a place still in use is left out. */
static void fetch_ahead(struct disk *disk, struct flash *f, struct stream *s, u64 t)
{
	u64 to = s->next + ((u64)disk->p.read_ahead_kb << (10 - SECTOR_SHIFT)), page;

	page = max(s->fetched, div_u64(s->next + f->page_sectors - 1, f->page_sectors));
	to = div_u64(min(to, disk->sectors), f->page_sectors);
	for (; page < to; page++) {
		struct fetch *fetch = place_of(f, s, page);

		s->fetched = page + 1;
		if (fetch->reading)
			continue;
		fetch->page = page;
		fetch->reading = true;
		fetch->ready = false;
		read_page(disk, f, &fetch->piece, page, t);
	}
}

/* Take a piece from the buffer of a stream, or let it wait there; false: not there. */
static bool read_buffer(struct disk *disk, struct flash *f, struct stream *s,
			struct disk_piece *piece, u64 page, u64 t)
{
	struct fetch *fetch = place_of(f, s, page);

	if (fetch->page != page || (!fetch->reading && !fetch->ready))
		return false;
	if (fetch->ready) {
		piece->since = t;
		over_link(disk, piece, t);
	} else {
		piece->since = fetch->piece.since;
		list_add_tail(&piece->node, &fetch->waiters);
	}
	disk->stats.buffer_hits++;
	return true;
}

static void begin_read(struct disk *disk, struct flash *f, struct disk_cmd *cmd, u64 t)
{
	u64 lba = blk_rq_pos(disk_rq(cmd)), end = lba + blk_rq_sectors(disk_rq(cmd));
	struct stream *s = disk->p.read_ahead_kb ? find_stream(f, lba, end, t) : NULL;
	struct disk_piece *piece = cmd->piece;

	for (; lba < end; piece++) {
		u64 page = div_u64(lba, f->page_sectors);

		piece->cmd = cmd;
		piece->sectors = min(end, (page + 1) * f->page_sectors) - lba;
		lba += piece->sectors;
		cmd->left++;
		cmd->unsent++;
		if (!s || !read_buffer(disk, f, s, piece, page, t))
			read_page(disk, f, piece, page, t);
		cmd->not_before = max(cmd->not_before,
				      piece->since + disk_link_ns(disk, piece->sectors));
	}
	if (s)
		fetch_ahead(disk, f, s, t);
}

/* The controller has understood the command. */
static void on_command(struct disk *disk, struct disk_event *ev)
{
	struct disk_cmd *cmd = container_of(ev, struct disk_cmd, ev);
	struct flash *f = disk->parts;

	switch (req_op(disk_rq(cmd))) {
	case REQ_OP_READ:
		begin_read(disk, f, cmd, ev->t);
		break;
	case REQ_OP_WRITE:
		list_add_tail(&cmd->node, &f->for_room);
		admit_writes(disk, ev->t);
		program_idle(disk, f, ev->t);
		break;
	case REQ_OP_FLUSH:
		wait_for_media(disk, f, cmd, ev->t);
		break;
	default:
		cmd->left = 1;
		cmd->piece[0].cmd = cmd;
		disk_piece_done_at(disk, &cmd->piece[0], ev->t + disk->p.discard_us * 1000ull);
	}
}

/*
 * From the command on a read takes so long at least.  Pages go over the link one by one, each time
 * rounded down.
 */
static u64 shortest_read(struct disk *disk, struct flash *f, struct disk_cmd *cmd)
{
	u64 lba = blk_rq_pos(disk_rq(cmd)), end = lba + blk_rq_sectors(disk_rq(cmd));
	u64 pages = div_u64(end - 1, f->page_sectors) - div_u64(lba, f->page_sectors) + 1;
	u64 ns = disk_link_ns(disk, end - lba);

	if (!disk->p.read_ahead_kb)	/* else it may be in the disk's buffer */
		ns += disk->p.read_us * 1000ull;
	return ns - min(ns, pages - 1);
}

static void flash_begin(struct disk *disk, struct disk_cmd *cmd, u64 t)
{
	struct flash *f = disk->parts;

	f->controller_free = max(f->controller_free, t) + disk->p.command_ns;
	if (req_op(disk_rq(cmd)) != REQ_OP_READ) {
		disk_at(disk, &cmd->ev, f->controller_free, on_command);
		return;
	}
	cmd->unsent = 0;
	cmd->late = false;
	cmd->not_before = 0;
	disk_at_quietly(disk, &cmd->ev, f->controller_free, on_command);
	disk_at(disk, &cmd->alarm, f->controller_free + shortest_read(disk, f, cmd), on_alarm);
}

static unsigned int flash_max_pieces(struct disk *disk)
{
	/* A request that begins and ends within a page touches one page more. */
	return disk->p.max_request_kb / disk->p.page_kb + 2;
}

static void flash_destroy(struct disk *disk)
{
	struct flash *f = disk->parts;

	bitmap_free(f->idle);
	kvfree(f->fetches);
	kvfree(f);
	disk->parts = NULL;
}

/* Room in every stream for what is read ahead and for the request that takes it. */
static int create_streams(struct disk *disk, struct flash *f)
{
	u32 kb = disk->p.read_ahead_kb + disk->p.max_request_kb, i;

	f->ring_size = kb / disk->p.page_kb + 2;
	f->fetches = kvcalloc(f->ring_size, STREAMS * sizeof(*f->fetches), GFP_KERNEL);
	if (!f->fetches)
		return -ENOMEM;
	for (i = 0; i < STREAMS * f->ring_size; i++)
		INIT_LIST_HEAD(&f->fetches[i].waiters);
	for (i = 0; i < STREAMS; i++)
		f->stream[i].ring = f->fetches + i * f->ring_size;
	return 0;
}

static int flash_create(struct disk *disk)
{
	u32 n = disk->p.channels, i;
	struct flash *f = kvzalloc(struct_size(f, channel, n), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	disk->parts = f;
	f->page_sectors = disk->p.page_kb << (10 - SECTOR_SHIFT);
	f->unit = disk->p.write_unit_kb << 10;
	f->cache = (u64)disk->p.cache_kb << 10;
	f->idle = bitmap_alloc(n, GFP_KERNEL);
	if (!f->idle || create_streams(disk, f)) {
		flash_destroy(disk);
		return -ENOMEM;
	}
	bitmap_fill(f->idle, n);
	for (i = 0; i < n; i++)
		INIT_LIST_HEAD(&f->channel[i].reads);
	INIT_LIST_HEAD(&f->for_room);
	INIT_LIST_HEAD(&f->for_media);
	return 0;
}

const struct disk_model disk_flash = {
	.create = flash_create,
	.destroy = flash_destroy,
	.max_pieces = flash_max_pieces,
	.begin = flash_begin,
	.listens = flash_listens,
};
