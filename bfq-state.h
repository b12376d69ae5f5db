/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a device remembers for single rooms, and what these offer: the line for tags, who goes
 * first, what requests cost a disk, whether it has moving parts, its arms, and requests it keeps.
 */
#ifndef BFQ_STATE_H
#define BFQ_STATE_H

#include <linux/hrtimer.h>

#include "bfq-request.h"

struct bfq_data;

/**
 * struct bfq_line - tasks that stand in line for a tag
 * @waiters: struct bfq_waiter, of asynchronous queues and of synchronous ones, in the order in
 *	which they are looked at
 * @nr: how many they are.  Read without the lock
 * @forms: one may have to stand in line: tags are few, or few for those who compete.  Read without
 *	the lock
 * @crowd: tags are not few, but fewer than queues that compete.  Read without the lock
 * @over: in a crowd, and the device is plugged for a queue whose next request would end its turn.
 *	Read without the lock
 * @need: in a crowd, what all that read need of tags, to have their shares (bfq_line_need()).  Read
 *	without the lock
 * @grants: how many have been let go so far
 * @granted: those that have been let go and have not got their tag yet; a guess, which changes
 *	without the lock
 * @left: the last tag given back was left to a task that sleeps in the block layer
 * @granted_at: jiffies when one was let go last
 * @writes: tags that requests have for which nobody waits.  Changes without the lock
 *
 * All but @writes stays as it is where no line forms.
 */
struct bfq_line {
	struct list_head waiters[2];
	unsigned int nr;
	bool forms;
	bool crowd;
	bool over;
	u32 need;
	unsigned int grants;
	atomic_t granted;
	bool left;
	unsigned long granted_at;
	atomic_t writes;
};

/* Percent of the tags that asynchronous requests may have, unless the administrator says it. */
#define BFQ_ASYNC_PERCENT	75

/*
 * A request has got its tag. Return what it has to remember: BFQ_RQ_COUNTED or 0. A read is known
 * by one bit. Context: any.
 */
static inline unsigned long bfq_line_taken(struct bfq_line *line, const struct request *rq)
{
	if (unlikely(atomic_read(&line->granted)))
		atomic_dec_if_positive(&line->granted);
	if (likely(!op_is_write(rq->cmd_flags)) || op_is_sync(rq->cmd_flags))
		return 0;
	atomic_inc(&line->writes);
	return BFQ_RQ_COUNTED;
}

/* A request gives its tag back. Context: any. */
static inline void bfq_line_given(struct bfq_line *line, const struct request *rq)
{
	if (unlikely(bfq_rq_noted(rq, BFQ_RQ_COUNTED)))
		atomic_dec(&line->writes);
}

/* bfq-line.c */
bool bfq_line_few(const struct bfq_data *bfqd);
u32 bfq_line_need(const struct bfq_queue *q);
void bfq_line_refresh(struct bfq_data *bfqd);
bool bfq_line_forms(struct bfq_data *bfqd, const struct bfq_queue *q);
void bfq_line_wait(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_line_moves(struct bfq_data *bfqd);

/* Families that are remembered; few have new children at a time. */
#define BFQ_KIN_BITS		6

/* No credit lasts for longer than on a disk with moving parts: see bfq-device.c. */
#define BFQ_RAISE_MOST_MS	48000U

/**
 * struct bfq_kin - the children of one process, while they are young (bfq-raise.c)
 * @family: that process
 * @debt: what they have been served lately, in sectors
 * @seen: jiffies of the last look
 */
struct bfq_kin {
	pid_t family;
	u32 debt;
	unsigned long seen;
};

/**
 * struct bfq_raise - what it takes to let some go first (bfq-raise.c)
 * @most: the largest credit of an active queue, as of the last look
 * @mark: the same, of one that asks now and then so much less (BFQ_CREDIT_SELDOM): who has less
 *	is not raised
 * @family: of that one
 * @looked: jiffies of the last look
 * @read_ns: what a small read takes alone, without moving parts; 0: not seen yet.  Written under
 *	the lock, read without
 * @kept_back: others have been held back since the last look
 * @released: and have been let through since @since_ns
 * @begun: jiffies of looks that are less than a part of a beginning
 * @held: writers' queues that are parked
 * @recent: what queues were charged lately, in sectors, as of that
 * @charged: and since
 * @pace: what they are charged in BFQ_SLACK_MS
 * @passed: and since idle groups' starts were last looked at
 * @inside: synchronous requests in the device of queues that go first.  Changes without a lock
 * @seen_ns: when one of them completed last; written without a lock
 * @since_ns: when others were first held back in this go
 * @write_ns: when the last write was let through
 * @write_after: ktime in ns before which no other is; S64_MAX while that one is in the device.
 *	Changes without a lock
 * @hold_timer: ends the holding back
 * @write_timer: looks at the writers again
 * @kin: what families owe, each in the place that its number leads to
 */
struct bfq_raise {
	u32 most;
	u32 mark;
	pid_t family;
	unsigned long looked;
	u32 read_ns;
	bool kept_back;
	bool released;
	u32 begun;
	struct list_head held;
	u64 recent;
	u64 charged;
	u32 pace;
	u64 passed;
	atomic_t inside;
	u64 seen_ns;
	u64 since_ns;
	u64 write_ns;
	atomic64_t write_after;
	struct hrtimer hold_timer;
	struct hrtimer write_timer;
	struct bfq_kin kin[1 << BFQ_KIN_BITS];
};

/**
 * struct bfq_price - what requests cost a disk with moving parts (bfq-price.c)
 * @seek: sectors that a request is charged beside its own if it is far from the one before
 * @turn: sectors that the device moves in timeout_sync
 * @noted: BFQ_RQ_ bits for the request that is about to be sent
 * @seek_ns: what it takes the device to get there
 * @data_ns: and to move a number of sectors, see BFQ_PRICE_UNIT
 * @since_ns: completion with which the window began
 * @idle_ns: how long the device has been empty in the window
 * @had_sectors, @had_seeks: what had been done when it began
 * @sectors: data moved so far, in sectors; counted on completion, without a lock
 * @seeks: requests done so far that were far from the one sent before; likewise
 * @wrote: something has been written in the window; set without a lock
 * @written: jiffies when a window ended in which something was
 */
struct bfq_price {
	u32 seek;
	u32 turn;
	u32 noted;
	u32 seek_ns;
	u32 data_ns;
	u64 since_ns;
	u64 idle_ns;
	u64 had_sectors;
	u32 had_seeks;
	atomic64_t sectors;
	atomic_t seeks;
	bool wrote;
	unsigned long written;
};

/* bfq-price.c */
void bfq_price_init(struct bfq_data *bfqd);
void bfq_price_changed(struct bfq_data *bfqd);
u32 bfq_price_idle(const struct bfq_data *bfqd, const struct bfq_queue *q);
u32 bfq_price_time(const struct bfq_data *bfqd, u32 price);
void bfq_price_sent(struct bfq_data *bfqd, const struct request *rq);
void bfq_price_done(struct bfq_data *bfqd, const struct request *rq);
void bfq_price_refresh(struct bfq_data *bfqd);

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

/* bfq-parts.c */
u32 bfq_parts_sent(struct bfq_data *bfqd, const struct request *rq);
void bfq_parts_done(struct bfq_data *bfqd, u64 now);
bool bfq_parts_move(struct bfq_data *bfqd);

/* Real disks have two. */
#define BFQ_ARMS_MOST		8

/**
 * struct bfq_arm - a part of a disk that moves on its own
 * @end: the sector after its last; it begins where the one before ends
 * @head: where it has been sent last
 * @seeks: the queue of the last one seeks, so the disk may have several to choose from.  Written
 *	under the lock, read without
 * @inside: requests that it has in the device.  Changes without a lock
 * @done_ns: when one completed there last; written without a lock
 * @raised_ns: when one of a raised queue did; likewise
 * @stint: number of the stint in which one queue is taken along there (bfq-apart.c)
 * @sectors: served in that
 * @since: jiffies when it began
 */
struct bfq_arm {
	sector_t end;
	sector_t head;
	bool seeks;
	atomic_t inside;
	u64 done_ns;
	u64 raised_ns;
	u32 stint;
	u32 sectors;
	unsigned long since;
};

/**
 * struct bfq_arms - and all of them
 * @nr: how many; 0 where nothing moves, or all at once.  Fixed when the device is set up
 * @stints: number of the last stint in any of them
 * @arm: they, by sector
 */
struct bfq_arms {
	unsigned int nr;
	u32 stints;
	struct bfq_arm arm[BFQ_ARMS_MOST];
};

static inline bool bfq_arm_rests(const struct bfq_arm *arm)
{
	return !atomic_read(&arm->inside);
}

/* Which arm is a sector's? */
static inline unsigned int bfq_arm_of(const struct bfq_arms *arms, sector_t pos)
{
	unsigned int nr = 0;

	while (nr + 1 < arms->nr && pos >= arms->arm[nr].end)
		nr++;
	return nr;
}

/* bfq-apart.c */
bool bfq_apart_rests(const struct bfq_data *bfqd, const struct bfq_queue *served);
sector_t bfq_apart_head(const struct bfq_data *bfqd, const struct bfq_queue *served);
bool bfq_apart_is(const struct bfq_data *bfqd, const struct bfq_queue *served,
		  const struct bfq_queue *q);
struct request *bfq_apart_choose(const struct bfq_data *bfqd, const struct bfq_queue *served,
				 bool full);
bool bfq_apart_took(struct bfq_data *bfqd, const struct bfq_queue *served, struct bfq_queue *q,
		    u32 *sectors);

/* bfq-arm.c */
void bfq_arm_init(struct bfq_data *bfqd);
unsigned long bfq_arm_sent(struct bfq_data *bfqd, const struct request *rq);
bool bfq_arm_done(struct bfq_data *bfqd, const struct request *rq, u64 now);
void bfq_arm_look(struct bfq_data *bfqd);
bool bfq_arm_free(const struct bfq_data *bfqd, unsigned int nr);
void bfq_arm_moves(struct bfq_data *bfqd, const struct request *rq, bool seeks);
unsigned long bfq_arm_ready(const struct bfq_data *bfqd);
void bfq_arm_want(struct bfq_data *bfqd, unsigned long ready);

/**
 * struct bfq_guard - what is known of a queue's one request in the device (bfq-stuck.c)
 * @sends: number of the device's send before it
 * @since: jiffies then, their low half
 * @beside: how many were in the device then, 1 at least
 * @on: it is to be looked after
 */
struct bfq_guard {
	u32 sends;
	u32 since;
	u16 beside;
	bool on;
};

/**
 * struct bfq_stuck - the wait for a request that the disk keeps (bfq-stuck.c)
 * @timer: ends it
 * @awaited: the queue of the last one.  To be compared with, no more: it may be gone
 * @times: how often there was one so far
 */
struct bfq_stuck {
	struct hrtimer timer;
	const struct bfq_queue *awaited;
	unsigned long times;
};

/* bfq-stuck.c */
void bfq_stuck_init(struct bfq_data *bfqd);
void bfq_stuck_sends_one(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_stuck_refresh(struct bfq_data *bfqd);
bool bfq_stuck_waits(struct bfq_data *bfqd);
bool bfq_stuck_done(struct bfq_data *bfqd, const struct bfq_queue *q);

/* Fraction bits of a share; a whole device fits into 32 bits. */
#define BFQ_SHARE_SHIFT		31
#define BFQ_SHARE_ALL		BIT(BFQ_SHARE_SHIFT)

/* Kinds of requests are told apart by eight bits (bfq-habit.c). */
#define BFQ_KINDS		256

/**
 * struct bfq_beside - what may be served beside queues for which the device is plugged
 * @quota: sectors that others may be served for each of their requests while they are to catch up,
 *	and may have in the device while they think; in 1 / 2^BFQ_QUOTA_SHIFT
 * @room: how many of them are left; below 0 by as much as there was too much
 */
struct bfq_beside {
	s32 quota;
	s32 room;
};

/**
 * struct bfq_mates - what is known of the processes of a group together (bfq-mates.c)
 * @share: the part of the device that the group is due, as of the last look (bfq_queue.share)
 * @stretch: how many times longer a request takes beside those of its mates, in
 *	1 / 2^BFQ_STRETCH_SHIFT
 * @nr: of how many active queues that was seen; 0: not known yet
 * @seen: of how many requests, up to BFQ_STRETCH_MEAN
 * @beside: what others may be served beside them
 * @sent: requests of the group, not of those below it, that have been sent
 * @others: and of all others, as of the last one of which something was seen
 * @quiet: @sent when @others changed last
 * @apart_at: jiffies when somebody asked for something who is no mate
 */
struct bfq_mates {
	u32 share;
	u32 stretch;
	unsigned int nr;
	u32 seen;
	struct bfq_beside beside;
	u64 sent;
	u64 others;
	u64 quiet;
	unsigned long apart_at;
};

/* bfq-mates.c */
void bfq_mates_part(struct bfq_queue *q);
bool bfq_mates_are(const struct bfq_queue *served, const struct bfq_queue *q);
u32 bfq_mates_share(const struct bfq_queue *q);
bool bfq_mates_judged(const struct bfq_data *bfqd, const struct bfq_queue *q);
u64 bfq_mates_alone(const struct bfq_queue *q, u32 alone_ns);
void bfq_mates_see(const struct bfq_data *bfqd, const struct bfq_queue *q, u32 took, u32 alone_ns);

#endif /* BFQ_STATE_H */
