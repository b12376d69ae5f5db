/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a device has the moving parts that it says it has: what bfq-parts.c remembers. */
#ifndef BFQ_PARTS_H
#define BFQ_PARTS_H

#include <linux/types.h>

struct bfq_data;
struct request;

/*
 * A score that chance does not reach: where half of all reads are quick, the odds are 1 to 10^13
 * (the golden ratio to the power of this).
 */
#define BFQ_PARTS_SURE		64

/* So many places are remembered: more than those at which a drive reads ahead. */
#define BFQ_PARTS_PLACES	32

/**
 * struct bfq_parts - what has been seen of a device that says it has moving parts (bfq-parts.c)
 * @place: where what was sent there last has ended, of the last places that are far from each other
 * @next: which of these is to be given up for a new one
 * @due: it is time to look at a read
 * @none: there are no moving parts
 * @sent_ns: when the read was sent that is looked at (ktime)
 * @since_ns: since when it takes its time, once that is certain; or 0
 * @in_turn: no more than one other was in the device when it was sent
 * @asking: it is there still.  Set under the device's lock, cleared without, by its completion, for
 * which @sent_ns and @in_turn do not change meanwhile
 * @score: how far reads speak against moving parts; written by that completion, and where all is
 * forgotten
 *
 * The others are guarded by the device's lock.
 */
struct bfq_parts {
	sector_t place[BFQ_PARTS_PLACES];
	unsigned int next;
	bool due;
	bool none;
	u64 sent_ns;
	u64 since_ns;
	bool in_turn;
	bool asking;
	int score;
};

u32 bfq_parts_sent(struct bfq_data *bfqd, const struct request *rq);
void bfq_parts_done(struct bfq_data *bfqd, u64 now);
bool bfq_parts_move(struct bfq_data *bfqd);

#endif /* BFQ_PARTS_H */
