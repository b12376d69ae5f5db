// SPDX-License-Identifier: GPL-2.0
/*
 * Parts: has a device the moving parts that it says it has?
 *
 * The kernel says of most USB sticks, and of every virtual disk, that they turn (queue/rotational),
 * whatever they are made of, since their drivers do not know.  Served as a disk, flash loses half
 * of what it can do beside several readers (bfq-device.c); a disk served as flash loses more.  So
 * what says that it has moving parts is believed, until reads show that nothing has moved:
 *
 *	looked at  a small read, one at a time, far from where anything was sent of late
 *	took	   since it was sent; where one other was in the device then, since that was done
 *	quick	   it took less than BFQ_QUICK_NS
 *	score	   + 1 for a quick one, - 2 for another: it rises where two of three are quick
 *
 * An arm needs a move and half a turn for such a read, 5 to 15 ms, and one in five is quick by
 * chance; flash takes 0.1 to 1.5 ms, unless it is just writing or erasing.  A disk's own cache
 * answers quickly, too: it holds what the disk has read ahead, behind the last reads.  So the last
 * BFQ_PARTS_PLACES places are remembered, each of which moves along with what is sent there.  An
 * array of disks serves more reads at a time than one, but none sooner: so it is looked at how long
 * one takes, not at how many are done; nor does a write count that a cache has taken meanwhile.
 *
 * Reads are looked at for as long as the device says it turns.  What was taken for flash, since it
 * answered from a cache, is a disk again as soon as half of its score is gone; but flash, too,
 * takes long over one of many, so from then on those count that met one other at most, and one a
 * tick is enough.  What says that it does not turn is believed, and costs nothing here; so is a
 * disk that names its arms.
 */
#include "bfq-iosched.h"

/* Less than half of what a disk takes at 15,000 turns a minute; what a slow stick takes. */
#define BFQ_QUICK_NS		(2 * NSEC_PER_MSEC)

/* A small read: 32 KiB, for which a stick needs one of the two ms. */
#define BFQ_PARTS_SMALL		64U

/* A disk reads ahead to the end of its track, or two. */
#define BFQ_PARTS_FAR		(SZ_4M >> SECTOR_SHIFT)

/* What is not quick counts so many points less. */
#define BFQ_PARTS_SLOW		2

/* Is it far from all that was sent of late?  From now on it is not. */
static bool bfq_parts_far(struct bfq_parts *parts, const struct request *rq)
{
	sector_t pos = blk_rq_pos(rq);
	unsigned int i;

	for (i = 0; i < BFQ_PARTS_PLACES; i++)
		if ((pos > parts->place[i] ? pos - parts->place[i] : parts->place[i] - pos) <
		    BFQ_PARTS_FAR)
			break;
	if (i < BFQ_PARTS_PLACES) {
		parts->place[i] = bfq_rq_end(rq);
		return false;
	}
	parts->place[parts->next] = bfq_rq_end(rq);
	parts->next = (parts->next + 1) % BFQ_PARTS_PLACES;
	return true;
}

/* Since when does the read take its time?  That before it may have been done last. */
static u64 bfq_parts_since(const struct bfq_data *bfqd)
{
	const struct bfq_parts *parts = &bfqd->parts;

	return parts->in_turn ? max(parts->sent_ns, READ_ONCE(bfqd->device.done_ns)) :
	       parts->sent_ns;
}

/**
 * bfq_parts_sent - a request is about to be sent to a device that says it has moving parts
 * @bfqd: the device
 * @rq: the request
 *
 * Context: bfqd->lock held.
 * Return: BFQ_RQ_ASKS if bfq_parts_done() is to be told of its completion, or 0.
 */
u32 bfq_parts_sent(struct bfq_data *bfqd, const struct request *rq)
{
	int inside = atomic_read(&bfqd->in_flight);
	struct bfq_parts *parts = &bfqd->parts;
	bool asking;

	asking = smp_load_acquire(&parts->asking);	/* pairs with bfq_parts_done() */
	/* of completions from now on it is not known whether they are of what was sent before it */
	if (asking && !parts->since_ns)
		WRITE_ONCE(parts->since_ns, bfq_parts_since(bfqd));
	if (!parts->due || !bfq_parts_far(parts, rq))
		return 0;
	if (asking || op_is_write(req_op(rq)) || blk_rq_sectors(rq) > BFQ_PARTS_SMALL ||
	    (parts->none && inside > 1))
		return 0;
	parts->sent_ns = ktime_get_ns();
	parts->since_ns = 0;
	parts->in_turn = inside <= 1;
	parts->asking = true;
	parts->due = !parts->none;
	return BFQ_RQ_ASKS;
}

/**
 * bfq_parts_done - and that request has completed
 * @bfqd: the device
 * @now: ktime in ns
 *
 * Context: any; device.done_ns is still that of the completion before.
 */
void bfq_parts_done(struct bfq_data *bfqd, u64 now)
{
	struct bfq_parts *parts = &bfqd->parts;
	u64 since = READ_ONCE(parts->since_ns) ?: bfq_parts_since(bfqd);
	int step = now < since + BFQ_QUICK_NS ? 1 : -BFQ_PARTS_SLOW;

	WRITE_ONCE(parts->score, clamp(READ_ONCE(parts->score) + step, 0, BFQ_PARTS_SURE));
	smp_store_release(&parts->asking, false);	/* all of it is done with */
}

/**
 * bfq_parts_move - has a device moving parts that says so?
 * @bfqd: the device; if it has begun to say so only now, that is believed
 *
 * Done once a tick.
 *
 * Context: bfqd->lock held, or the device is being set up.
 */
bool bfq_parts_move(struct bfq_data *bfqd)
{
	struct bfq_parts *parts = &bfqd->parts;
	int score;

	if (!bfqd->device.said)
		WRITE_ONCE(parts->score, 0);
	score = READ_ONCE(parts->score);
	if (score == BFQ_PARTS_SURE)
		parts->none = true;
	else if (score < BFQ_PARTS_SURE / 2)
		parts->none = false;
	parts->due = !bfqd->arms.nr;	/* a disk that can name its arms has some */
	return !parts->none;
}
