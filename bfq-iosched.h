/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words that the rooms share.
 *
 * A device that is scheduled has one struct bfq_data; every cgroup that does I/O to it has one
 * struct bfq_group there, and every process one struct bfq_queue for its synchronous requests.
 * Asynchronous requests (buffered writes, mostly) are nobody's: they go to queues shared by a
 * group, one for each I/O priority.
 *
 * Two words have one meaning each.  A queue is backlogged while the engine has it to serve:
 * requests wait in it, or the device is plugged for it.  It is active while it competes, whether a
 * request of it waits just now or not (bfq-active.c).  And to plug is to keep the device for a
 * queue; the list that the block layer keeps for a submitting task is a task's list here.
 *
 * Rooms, from the top down; a room calls only those below it:
 *
 *	bfq-iosched.c	hook table, a device's birth and death
 *	bfq-debugfs.c	what it is doing now
 *	bfq-sysfs.c	tunables
 *	bfq-stage.c	arrivals, dispatch and completions across CPUs
 *	bfq-depth.c	which queue may hold how many of the scheduler's tags
 *	bfq-line.c	who gets the next tag of a device that has only a few
 *	bfq-turn.c	whose turn it is, how long, and why it ends; the plug
 *	bfq-along.c	requests of others that lie on the way
 *	bfq-apart.c	requests for an arm of the disk that would rest
 *	bfq-idle.c	is this queue worth waiting for?
 *	bfq-device.c	what is known of the device, and what is in it
 *	bfq-price.c	what a request costs a disk with moving parts
 *	bfq-parts.c	has a device the moving parts that it says it has?
 *	bfq-arm.c	disks parts of which move independently
 *	bfq-stuck.c	requests that a disk keeps while it serves others
 *	bfq-raise.c	who goes first for a while, and what that does to the others
 *	bfq-habit.c	what is known of a process
 *	bfq-mates.c	and of those of a group together
 *	bfq-cgroup-files.c	the cgroups' files, and how groups come and go
 *	bfq-queue.c	requests in order, and merging
 *	bfq-owner.c	whose queue it is: icq, references, priority, moves
 *	bfq-active.c	which queues compete, and for which share
 *	bfq-cgroup.c	groups in the tree
 *	bfq-lock.c	the lock, and running the device after it
 *	bfq-test.c	delays for tests; empty in a build that is installed
 *	bfq-wf2q.c	the engine: which queue is next
 *	bfq-wf2q-ask.c	what the engine is asked
 *
 * Lock order, outermost first:
 *
 *	request_queue->queue_lock	(block layer: icq and blkg creation)
 *	io_context->lock, blkcg->lock	(block layer)
 *	bfq_data->lock
 *	bfq_stage->lock, bfq_ready->lock, the kernel's wait queue (bfq-depth.c; one at a time)
 *
 * All of ours are irq-safe: the plug timer takes bfq_data->lock, so whatever
 * is taken inside it must not be interrupted by it either.
 */
#ifndef BFQ_IOSCHED_H
#define BFQ_IOSCHED_H

#include "compat/bfq-compat.h"
#include "bfq-state.h"
#include "bfq-wf2q.h"

/* I/O priority levels within a class (linux/ioprio.h: 0 is the highest). */
#define BFQ_LEVELS		8

/*
 * Weight of a queue from its level: (8 - level) * 10, so that the default level 4 weighs 40 and
 * all span 10 to 80.  Users know this from the kernel's documentation of ioprio.
 */
#define BFQ_WEIGHT_PER_LEVEL	10

/*
 * Queues that belong to a group and not to a process: asynchronous ones for each level of RT and
 * BE, one for IDLE; and one of each class for synchronous requests that can't be served from their
 * process's queue (bfq_owner_assign()).
 */
enum {
	BFQ_SHARED_RT		= 0,
	BFQ_SHARED_BE		= BFQ_SHARED_RT + BFQ_LEVELS,
	BFQ_SHARED_IDLE		= BFQ_SHARED_BE + BFQ_LEVELS,
	BFQ_SHARED_SYNC,
	BFQ_NR_SHARED		= BFQ_SHARED_SYNC + WF2Q_CLASSES,
};

/**
 * struct bfq_prio - a request's or a queue's I/O priority, as we use it
 * @class: the engine's class
 * @level: 0 (highest) to BFQ_LEVELS - 1; 7 in class IDLE, which has no levels
 */
struct bfq_prio {
	u8 class;
	u8 level;
};

/**
 * struct bfq_served - what a queue or a group has been served since it exists
 * @sectors: as charged; a group's count those of the groups below it
 * @requests: how many
 * @waited: jiffies that its requests waited to be chosen, summed up.  One tick
 *	is coarse for one request, but the sum is right on average.
 */
struct bfq_served {
	u64 sectors;
	u64 requests;
	u64 waited;
};

/**
 * struct bfq_group - a cgroup's presence on one device
 * @pd: the block layer's handle on us; first, so that it can be cast
 * @node: the scheduling node of the engine; its entity competes in the parent
 * @bfqd: the device; outlives the group.  Set last when the group is made: a task that
 *	comes by a cgroup's list and reads NULL has to leave the group alone
 * @queues: process queues that are at home here (bfq_queue.home)
 * @shared: the group's own queues, created on first use; each holds one reference on the queue
 * @attached: queues, and groups below, that the engine may still know here
 * @active_sum: weights of active children, queues and groups (bfq-active.c)
 * @active_weight: what the group counts for in its parent's @active_sum
 * @nr_active: how many of its own queues are active
 * @dev_weight: weight for this device only; 0 follows the cgroup's weight.
 *	Written under queue_lock, read without (READ_ONCE)
 * @online: requests may be charged to it; cleared once, when the cgroup goes
 * @classes: a bit for each class that active queues of it have
 * @link: in bfqd->groups while online
 * @first_ns: up to when its share of holding others back is used up, by bfq-raise.c's clock
 * @first_seen: jiffies when that was looked at last
 * @rest_from: jiffies when it was seen to have no active children any more, or was made
 * @rested: ticks from then until it had, unless bfq-raise.c has seen to that
 * @mates: what is known of its processes together
 * @served: what it has been served, with all below it
 * @rcu: readers of the cgroup files may hold no lock
 *
 * What is not said otherwise is guarded by bfq_data.lock.  A group lives as
 * long as its blkg, on which each queue in the group holds one reference; but when
 * the elevator is switched the block layer frees all groups at once, whatever the
 * references.  No queue is left then: bfq_exit_queue() and bfq_pd_offline() see to it.
 */
struct bfq_group {
	struct blkg_policy_data pd;
	struct wf2q_group node;
	struct bfq_data *bfqd;
	struct list_head queues;
	struct bfq_queue *shared[BFQ_NR_SHARED];
	unsigned int attached;
	unsigned int active_sum;
	u16 active_weight;
	u16 dev_weight;
	unsigned int nr_active;
	bool online;
	u8 classes;
	u32 rest_from;
	struct list_head link;
	u64 first_ns;
	u32 first_seen;
	u32 rested;
	struct bfq_mates mates;
	struct bfq_served served;
	struct rcu_head rcu;
};

/**
 * struct bfq_habit - what is known of a process (bfq-habit.c)
 * @completed_ns: when its last request completed (ktime, ns); written on completion, without a lock
 * @asked_ns: when it last asked for a tag that it may have had to wait for; written without a lock
 * @think_ns: average time between a completion and the next request
 * @think_samples: how many were averaged, up to BFQ_THINK_SAMPLES
 * @seeks: one bit per recent request, set where it was far from the one before
 * @gaps: one, set where it was a step ahead (moving parts); @usual: where it was of @kind (else)
 * @sent: number of the device's send that found nobody else's in it and was its last, or 0.
 *	Written when a request is sent, read when it completes
 * @took_ns: what its last request took, since its allocation; written on completion, with @lone
 * @lone: and whether nobody else had a request in the device meanwhile
 * @thought: what it thought the last time, in BFQ_THOUGHT_UNIT
 * @spare_us: so much of its next pauses counts beside what it runs in them
 * @rest: for how long its task had waited for processors by its last request, in BFQ_TASK_UNIT,
 *	and BFQ_SLEPT for each time it had slept; @ran: for how long it had run.  Without a lock.
 * @rest_seen: @rest at the last arrival; @ran_seen: @ran when it was last looked at
 * @alone_ns: what a request of it takes alone in the device; 0: not known yet
 * @kind: of what kind of requests this is known, without moving parts
 * @last_kind: what kind the last request was of
 * @run_ns: the mean of some requests in a row, as far as these have been seen
 * @run: how many have been, with those that do not count
 * @sure: @alone_ns is of such a run, and not of a single request
 * @looked: when it was to be learned anew, in jiffies
 * @looks: how often so far, from BFQ_LOOKS_SOON on whether that is even or odd
 * @trials: how often the device was plugged only to learn @alone_ns; BFQ_TRIALS when it is known
 * @lag_ns: time by which it is behind its guarantee; ahead, when negative
 * @behind: it is to catch up
 * @vain: how often in a row it did not, plugged for, since it was robbed of a processor
 * @beside: what others may be served beside it
 * @few: how many it has asked for in a row, few at a time and one being back, to BFQ_FEW_IN_A_ROW
 * @nr_before: how many others it had when it asked for one, until @few is full
 * @held: it had to wait for a tag because it has its due of them; written without a lock
 */
struct bfq_habit {
	u64 completed_ns;
	u64 asked_ns;
	u32 think_ns;
	u32 seeks;
	union {
		u32 gaps;
		u32 usual;
	};
	u32 sent;
	u32 took_ns;
	u32 alone_ns;
	u32 run_ns;
	u32 looked;
	s32 lag_ns;
	struct bfq_beside beside;
	u16 thought;
	u16 spare_us;
	u16 ran;
	u16 ran_seen;
	u16 rest;
	u16 rest_seen;
	u8 think_samples:4;
	u8 vain:4;
	u8 trials:6;
	u8 looks:2;
	u8 few:3;
	bool sure:1;
	bool behind:1;
	u8 nr_before:3;
	u8 run;
	u8 kind;
	u8 last_kind;
	bool lone;
	bool held;
};

/**
 * struct bfq_queue - requests of one process, waiting to be served
 * @entity: what the engine knows of the queue; first, so that the engine's answer can be cast
 * @group: where it competes; holds one blkg reference
 * @home: membership in group->queues, for process queues; of asynchronous ones, which have
 *	none, link in bfqd->raise.held while parked
 * @refs: one for each owner: a request, the process's icq, group->shared. Counted without a lock
 * @sorted: waiting requests by sector
 * @ahead: first waiting request at or beyond @head, NULL if all are behind
 * @reap: link in bfqd->reap once @refs has reached zero, and so no request waits
 * @fifo: waiting requests in order of arrival
 * @head: sector after the last request served
 * @nr_queued: waiting requests.  Written under the lock, read without
 * @budget: sectors that it is expected to need in a turn; 0: as many as it may have
 * @in_flight: requests chosen and not completed: the driver has them or will.
 *	Changes on completion, without a lock
 * @habit: what is known of the process
 * @guard: and of its one request in the device, on disks with moving parts
 * @credit: sectors that it may be served as one of those that go first (bfq-raise.c)
 * @spent: what it has been served of it, and is not taken off yet
 * @raised: it is one of them within its group; the engine has been told
 * @first: it is one of them whatever the group: others are held back for it
 * @parked: its requests are not to be served for now
 * @lined: its last rest has been counted when a task of it came to stand in line (bfq-line.c)
 * @in_line: its tasks that stand in line (bfq-line.c); so it is active
 * @watched: what is sent for it is of interest to bfq-raise.c when it completes.  Written under the
 *	lock, read without
 * @stint: the stint that it has in another arm than that in service (bfq_arm.stint), or had last
 * @prio: class and level that its owner has
 * @begins: parts of the time that are left in which it begins something (bfq-raise.c)
 * @sync: synchronous requests
 * @pid: of the process, 0 for shared queues; shown and compared, never looked up
 * @family: whose child its process is (bfq_owner_family()), 0 for shared queues
 * @active: link in bfqd->active.queues while active
 * @active_seen: jiffies of the last arrival, or of a look that found requests; their low half
 * @active_weight: what it counts for in group->active_sum; 0: not active
 * @share: the part of the device that it is due, as of the last look, in 1 / 2^BFQ_SHARE_SHIFT; 0:
 *	not worked out yet.  Written under the lock, read without
 * @tags: scheduler tags that its requests hold; counted without a lock
 * @map: hardware queue whose tags the last of them is from; a hint, without a lock
 * @asking: its tasks that are about to take a tag; a guess, without a lock
 * @sleepers: its tasks that wait for one of its requests to finish; without a lock
 * @served: what it has been served
 *
 * What is not said otherwise is guarded by bfq_data.lock.  There is one for each process, so the
 * order of members leaves no holes (tests/bench/run memory).
 */
struct bfq_queue {
	struct wf2q_entity entity;
	struct bfq_group *group;
	struct list_head home;

	struct rb_root sorted;
	union {
		struct request *ahead;
		struct llist_node reap;
	};
	struct list_head fifo;
	sector_t head;
	refcount_t refs;
	unsigned int nr_queued;
	atomic_t in_flight;
	u32 budget;

	struct bfq_habit habit;
	struct bfq_guard guard;

	u32 credit;
	u32 spent;
	u32 stint;
	bool raised:1;
	bool first:1;
	bool parked:1;
	bool lined:1;
	bool watched;
	bool sync;
	struct bfq_prio prio;
	u8 begins;

	u16 in_line;
	u16 active_weight;
	u16 map;
	u32 active_seen;
	struct list_head active;
	u32 share;
	pid_t pid;
	pid_t family;

	atomic_t tags;
	atomic_t asking;
	atomic_t sleepers;

	struct bfq_served served;
};

/**
 * struct bfq_icq - what a process (an io_context) has on one device
 * @icq: the block layer's part
 * @queue: its queue for synchronous requests; created on first use, dropped
 *	by exit_icq; the icq holds one reference.  The block layer zeroes it
 */
struct bfq_icq {
	struct io_cq icq;
	struct bfq_queue *queue;
};

/**
 * struct bfq_stage - arrivals on one CPU that are not sorted in yet
 * @lock: guards @list; irq-safe; never held together with another stage's
 * @list: requests in order of arrival
 */
struct bfq_stage {
	spinlock_t lock;	/* the list */
	struct list_head list;
} ____cacheline_aligned_in_smp;

/**
 * struct bfq_ready - requests that wait for nothing but a driver
 * @slot: one that passes (bfq_turn_pass()), charged and counted as in flight; it is put here and
 *	taken without the lock, and goes before the others
 * @lock: guards the rest; nothing is taken inside it
 * @direct: requests that needed no choice; they go first, whatever the gate says
 * @chosen: chosen ones, charged and counted as in flight
 * @nr_direct: how many requests @direct has.  Read without the lock
 * @nr_chosen: and @chosen
 */
struct bfq_ready {
	struct request *slot;
	spinlock_t lock;	/* both lists */
	unsigned int nr_direct;
	unsigned int nr_chosen;
	struct list_head direct;
	struct list_head chosen;
};

/**
 * struct bfq_tunables - what /sys/block/X/queue/iosched/ sets
 * @fifo_expire_ms: time until a waiting request is late, [0] async, [1] sync
 * @back_seek_max: sectors; requests further behind the head are not taken
 * @back_seek_penalty: a sector backwards costs as much as this many forwards
 * @slice_idle_ns: how long to wait for a queue's next request; 0: never
 * @timeout_ms: how long a queue may be served in one go
 * @max_budget: sectors that a queue may be served in one go; 0: chosen
 * @strict_guarantees: always wait, and one request in the device at a time
 * @exact_shares: plug wherever claims differ, so that even what is left beyond the
 *	guarantees goes by weight
 * @low_latency: raise who has been served little of late (bfq-raise.c)
 * @device_limit: sectors that may be in the device while queues compete; 0: no limit;
 *	BFQ_LIMIT_AUTO: what has been learned to be enough
 *
 * Written by sysfs one word at a time, read by the scheduler whenever it
 * needs them (READ_ONCE/WRITE_ONCE).
 */
struct bfq_tunables {
	unsigned int fifo_expire_ms[2];
	unsigned int back_seek_max;
	unsigned int back_seek_penalty;
	u64 slice_idle_ns;
	unsigned int timeout_ms;
	unsigned int max_budget;
	bool strict_guarantees;
	bool exact_shares;
	bool low_latency;
	u32 device_limit;
};

#define BFQ_LIMIT_AUTO		U32_MAX

/**
 * enum bfq_gate - why nothing is chosen just now, though requests wait
 * @BFQ_GATE_PLUG: the device is kept for the queue in service, which is empty
 * @BFQ_GATE_FULL: as much is in the device as may be (strict_guarantees: one request)
 * @BFQ_GATE_STUCK: the disk keeps a request while it serves others
 * @BFQ_GATE_HELD: those that wait are held back for a raised queue, which has none waiting
 */
enum bfq_gate {
	BFQ_GATE_PLUG	= BIT(0),
	BFQ_GATE_FULL	= BIT(1),
	BFQ_GATE_HELD	= BIT(2),
	BFQ_GATE_STUCK	= BIT(3),
};

/**
 * enum bfq_why - why a queue is no longer in service
 * @BFQ_WHY_EMPTY: it has no more requests and is not waited for
 * @BFQ_WHY_IDLE: it was waited for and stayed away
 * @BFQ_WHY_BUDGET: what is left of its budget does not cover its request
 * @BFQ_WHY_TIMEOUT: it has been served for longer than timeout_sync
 * @BFQ_WHY_PREEMPTED: a higher class has a request, or one of its own that has had less
 *	and needs less; or its own class changes
 * @BFQ_WHY_GONE: the queue, or its place in the tree, went away
 */
enum bfq_why {
	BFQ_WHY_EMPTY,
	BFQ_WHY_IDLE,
	BFQ_WHY_BUDGET,
	BFQ_WHY_TIMEOUT,
	BFQ_WHY_PREEMPTED,
	BFQ_WHY_GONE,
	BFQ_NR_WHY,
};

/**
 * enum bfq_plug_for - what a plug is good for
 * @BFQ_PLUG_NOT: nothing: do not plug
 * @BFQ_PLUG_STRICT: strict_guarantees asks for it
 * @BFQ_PLUG_LOCALITY: the process's next request will be near the disk's head
 * @BFQ_PLUG_SHARES: without it the process, which has many requests at a time, would not get
 *	its share; with exact_shares any.  Without moving parts, when its claim is the next
 * @BFQ_PLUG_CLASS: others are of a lower class
 * @BFQ_PLUG_BEHIND: it is behind its guarantee
 * @BFQ_PLUG_LEARN: to see what it does alone, which is what the guarantee is about
 */
enum bfq_plug_for {
	BFQ_PLUG_NOT,
	BFQ_PLUG_STRICT,
	BFQ_PLUG_LOCALITY,
	BFQ_PLUG_SHARES,
	BFQ_PLUG_CLASS,
	BFQ_PLUG_BEHIND,
	BFQ_PLUG_LEARN,
};

/**
 * struct bfq_turn - the service of one queue, from its selection to its end
 * @open: a turn has begun, and its end is not noted yet.  Which queue is in
 *	service is the engine's fact (bfq_in_service()): when a queue in service
 *	moves or goes, the engine has none, and the end is noted afterwards
 * @preempt: it has to end at the next occasion
 * @pid, @cgroup: whose turn it is, for the notes
 * @since: jiffies when it began
 * @sectors: served in it; 0: nothing yet
 * @charged: and what the queue was charged for that
 * @little: sectors let into a full device since somebody was chosen (bfq-idle.c)
 * @along: charged to other queues that were served in it (bfq-along.c, bfq-idle.c)
 * @plugged_for: why the device is plugged, or was last
 * @beside: the device is plugged, but a request of another queue may be taken along; or it is
 *	kept for raised queues, and has arms.  Written under the lock, and set by completions
 *	that have been asked to, after it has been cleared; read without
 * @head: where a disk's head has been sent last
 * @since_ns, @plug_ns: ktime of its begin and of the plug's; 0 without traces and moving parts
 * @timer: ends the wait for a queue for which the device is plugged
 * @ended: how often a turn ended for which reason
 * @nr_along: how many requests were taken along so far
 */
struct bfq_turn {
	bool open;
	bool preempt;
	pid_t pid;
	u64 cgroup;
	unsigned long since;
	u32 sectors;
	u32 charged;
	u32 along;
	u32 little;
	enum bfq_plug_for plugged_for;
	bool beside;
	sector_t head;
	u64 since_ns;
	u64 plug_ns;
	struct hrtimer timer;
	unsigned long ended[BFQ_NR_WHY];
	unsigned long nr_along;
};

/**
 * struct bfq_active - the queues that compete
 * @queues: by the time of their last arrival that did not pass
 * @nr: how many they are
 * @nr_behind: how many of them are behind their guarantees
 * @nr_first: how many others are held back for
 * @first_waiting: requests that wait in these
 * @looked: jiffies when their shares were looked at last
 * @looked_at: jiffies when it was seen last what one of them does alone
 * @look_wait: for so many jiffies not again
 * @known_ns: what a request of a kind was last seen to take alone (bfq-habit.c); 0: not known yet
 * @stale: the set has changed since
 * @claims_differ: they have different shares or classes
 * @highest_differ: those of the highest class have different shares
 * @mixed: they have different classes
 * @highest: the highest class of them
 * @alike: unless @stale, of the same share and kind all, so nobody can be kept from what it is
 *	guaranteed (bfq-habit.c)
 * @nr_async, @async_share: how many of them are for asynchronous requests, and the sum of their
 *	shares.  Written under the lock, read without
 */
struct bfq_active {
	struct list_head queues;
	unsigned int nr;
	unsigned int nr_behind;
	unsigned int nr_first;
	unsigned int first_waiting;
	unsigned long looked;
	unsigned long looked_at;
	unsigned long look_wait;
	u32 known_ns[BFQ_KINDS];
	bool stale;
	bool claims_differ;
	bool highest_differ;
	bool mixed;
	u8 highest;
	bool alike;
	unsigned int nr_async;
	u32 async_share;
};

/* So many active queues are looked at in a tick, more less often: never more than 10 us of one. */
#define BFQ_LOOKS_PER_TICK	64

/* Is it time for bfq_active_refresh()? */
static inline bool bfq_active_due(const struct bfq_active *active)
{
	return jiffies - READ_ONCE(active->looked) > READ_ONCE(active->nr) / BFQ_LOOKS_PER_TICK;
}

/**
 * struct bfq_kind - what follows from the kind of a device
 * @seeks: it has moving parts: where a request lies matters
 * @few: requests at a time, 8 at most: who asks for no more is judged by what it makes alone
 * @batch: requests chosen under one hold of the lock, at most; of those that pass more
 * @budget: sectors that a queue may be charged in one turn; 0: what is moved in timeout_sync
 * @overhead: sectors that a request counts for against the limit, beside its data
 * @limit: sectors in the device, to begin with
 * @beside_raised: and as long as it is the turn of somebody else than a raised queue
 * @raise_ms: how long the credit of a queue lasts at least that never rests
 * @raise_hold_ms: how long others are held back in a go
 * @raise_think_ms: how long a raised queue may stay away and is still waited for
 * @rest_ms: a group that rests keeps its share of the last so much time
 * @first_part: others are held back for a group for one in so many parts of its share of the time
 */
struct bfq_kind {
	bool seeks;
	unsigned int few;
	unsigned int batch;
	u32 budget;
	u32 overhead;
	u32 limit;
	u32 beside_raised;
	u32 raise_ms;
	u32 raise_hold_ms;
	u32 raise_think_ms;
	u32 rest_ms;
	u32 first_part;
};

/*
 * What is in the device, in one word: the load in sectors below, above how many requests
 * have been sent so far, so that a completion sees whether others came after it.
 */
#define BFQ_SENDS_SHIFT		32
#define BFQ_ONE_SEND		BIT_ULL(BFQ_SENDS_SHIFT)

/* Fraction bits of a rate in sectors a ns: a disk's 60 sectors a ms and a drive's million fit. */
#define BFQ_RATE_SHIFT		30

/**
 * enum bfq_wanted - what a completion is to look for: bits of bfq_device.wanted
 * @BFQ_WANTED_ROOM: that there is room in the device
 * @BFQ_WANTED_ARM: that an arm of the disk has done something (bfq-arm.c)
 * @BFQ_WANTED_STUCK: that a request is back which the disk kept (bfq-stuck.c)
 * @BFQ_WANTED_LEVEL: that no more than a level is in the device, which is plugged, and nothing of
 *	whom it is plugged for
 */
enum bfq_wanted {
	BFQ_WANTED_ROOM,
	BFQ_WANTED_ARM,
	BFQ_WANTED_STUCK,
	BFQ_WANTED_LEVEL,
};

/**
 * struct bfq_device - what is in the device, and how much may be (bfq-device.c)
 * @inside: load and number of sends, see BFQ_ONE_SEND; changes without a lock
 * @done_ns: when a request completed last (ktime); written without a lock
 * @wanted: what is waited for, enum bfq_wanted; bits are cleared without a lock
 * @dry: it has run empty while somebody waited; set without a lock
 * @said: the kernel says that it has moving parts; refreshed once a tick, under the lock
 * @limit: the limit in force, in sectors.  Written under the lock, read without
 * @level: the load of BFQ_WANTED_LEVEL.  Likewise
 * @beside: the smaller one beside a raised queue is in force.  Likewise
 * @learned: the limit that has been learned
 * @chosen: load of all requests chosen so far
 * @since_ns: completion with which the window began
 * @since_done: load that had been completed by then
 * @rate: of the last base window, in sectors a ns
 * @up_rate: of the up window behind it; 0 while there is none
 * @unsettled: others were held back for who goes first until a moment ago, or it was empty
 * @kept_back: how often requests were kept back in the window
 * @up: the window tries a larger limit
 */
struct bfq_device {
	atomic64_t inside;
	u64 done_ns;
	unsigned long wanted;
	bool dry;
	bool beside;
	bool said;
	u32 limit;
	u32 level;
	u32 learned;
	u64 chosen;
	u64 since_ns;
	u64 since_done;
	u64 rate;
	u64 up_rate;
	bool unsettled;
	unsigned int kept_back;
	bool up;
};

/**
 * struct bfq_data - a scheduled device
 *
 * @queue: the device's request queue
 * @root: the group of requests that no other group claims
 * @fallback: a queue that always exists, where no other could be allocated
 * @stage: arrivals, one for each possible CPU
 * @staged: CPUs whose stage is not empty
 * @gate: enum bfq_gate bits: why nothing is chosen.  Written under @lock, read without
 * @kind: what follows from the kind of device; refreshed once a tick.  Written under @lock,
 *	read without
 * @tags: scheduler tags that one task can draw from (bfq-depth.c); refreshed likewise
 * @one_map: all tasks draw from the same
 * @room: requests that the driver takes at a time, at least; refreshed likewise
 * @tun: tunables
 * @line: who stands in line for a tag; written only where there are few
 *
 * @lock: guards the engine, groups, queues and every field not said otherwise
 * @dispatching: a dispatcher holds @lock; a hint for others, which read it without
 * @nr_waiting: requests in queues (not staged, not ready).  Written under @lock, read without
 * @nr_parked: those of them in parked queues.  Likewise
 * @groups: those that are online
 * @nr_groups: how many they are
 * @turn: whose turn it is
 * @active: which queues compete
 * @raise: which of them go first
 * @stuck: the wait for a request that the disk keeps
 *
 * @in_flight: requests chosen, or sent without a choice, and not completed
 * @device: what they are to the device, and how much may be in it
 * @price: and what they cost it
 * @arms: its arms, if it has more than one
 *
 * @contended: a dispatcher found @lock taken and left (bit 0)
 * @arrived: perhaps a stage is not empty; to ask @staged would take longer
 * @reap: queues without owners (llist; bfq_queue.reap)
 * @deferred_work: frees queues and runs the device, for contexts that can't
 *
 * @ready: requests that wait for nothing but a driver
 *
 * The first part is what every insert reads: it is hardly ever written, and
 * nothing that dispatchers or completions write shares its cache lines.
 */
struct bfq_data {
	struct request_queue *queue;
	struct bfq_group *root;
	struct bfq_queue *fallback;
	struct bfq_stage *stage;
	cpumask_var_t staged;
	unsigned int gate;
	unsigned int tags;
	unsigned int room;
	bool one_map;
	const struct bfq_kind *kind;
	struct bfq_tunables tun;
	struct bfq_line line;

	/* the engine, queues, groups, and what is not said otherwise */
	spinlock_t lock ____cacheline_aligned_in_smp;
	bool dispatching;
	unsigned int nr_waiting;
	unsigned int nr_parked;
	struct list_head groups;
	unsigned int nr_groups;
	struct bfq_turn turn;
	struct bfq_active active;
	struct bfq_raise raise;
	struct bfq_price price;
	struct bfq_stuck stuck;
	struct bfq_parts parts;

	atomic_t in_flight ____cacheline_aligned_in_smp;
	struct bfq_device device;
	struct bfq_arms arms;

	unsigned long contended ____cacheline_aligned_in_smp;
	bool arrived;
	struct llist_head reap;
	struct work_struct deferred_work;

	struct bfq_ready ready ____cacheline_aligned_in_smp;
};

static inline struct bfq_group *bfq_group_parent(const struct bfq_group *group)
{
	struct wf2q_group *parent = group->node.entity.parent;

	return parent ? container_of(parent, struct bfq_group, node) : NULL;
}

static inline struct bfq_queue *bfq_entity_queue(struct wf2q_entity *entity)
{
	return container_of(entity, struct bfq_queue, entity);
}

/* Is it this queue's turn? Under the lock for certain, without it a good guess. */
static inline bool bfq_queue_serving(const struct bfq_queue *q)
{
	return data_race(READ_ONCE(q->entity.state)) == WF2Q_SERVING;	/* perhaps just written */
}

/* The sector at which its last request has ended. Under the lock. */
static inline sector_t bfq_queue_last(const struct bfq_queue *q)
{
	return q->head ? q->head - 1 : 0;
}

/* The queue in service, or NULL. Under the lock. */
static inline struct bfq_queue *bfq_in_service(const struct bfq_data *bfqd)
{
	struct wf2q_entity *entity = wf2q_in_service(&bfqd->root->node);

	return entity ? bfq_entity_queue(entity) : NULL;
}

/* Close the gate for one reason more, or open it for one reason less. Under the lock. */
static inline void bfq_gate_close(struct bfq_data *bfqd, enum bfq_gate why)
{
	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->gate, bfqd->gate | why);
}

static inline void bfq_gate_open(struct bfq_data *bfqd, enum bfq_gate why)
{
	lockdep_assert_held(&bfqd->lock);
	WRITE_ONCE(bfqd->gate, bfqd->gate & ~why);
}

/*
 * A request of a queue is sent: the device's send number @number, if it found nobody else's in the
 * device, else 0.  Context: any.
 */
static inline void bfq_habit_sent(struct bfq_queue *q, u32 number)
{
	WRITE_ONCE(q->habit.sent, number);
}

/* Times are kept in 32 bits: no request counts for more than a second. */
#define BFQ_TOOK_MOST		((u32)NSEC_PER_SEC)

/*
 * And has completed, @now; @sends is the number of the device's last send.
 * Context: any; before the request is taken off @q->in_flight.
 */
static inline void bfq_habit_completed(struct bfq_queue *q, const struct request *rq, u64 now,
				       u32 sends)
{
	struct bfq_habit *habit = &q->habit;
	u32 sent = READ_ONCE(habit->sent);

	WRITE_ONCE(habit->lone, sent && sent == sends);
	WRITE_ONCE(habit->took_ns, min(now - min(now, rq->start_time_ns), (u64)BFQ_TOOK_MOST));
	WRITE_ONCE(habit->completed_ns, now);
}

/* So far from where the last ended is a seek: 512 KiB, the reach of a usual read-ahead window. */
#define BFQ_SEEK_FAR		1024
#define BFQ_TASK_UNIT		32768	/* ns; BFQ_SLEPT of it are 134 ms, more than waits last */
#define BFQ_SLEPT		BIT(12)
#define BFQ_THOUGHT_UNIT	16384	/* ns; 16 bits of it are more than BFQ_TOOK_MOST */

static inline bool bfq_far(sector_t pos, sector_t head)
{
	return (pos > head ? pos - head : head - pos) > BFQ_SEEK_FAR;
}

/* A disk is about to serve a request; the one before has ended at @q->head.  Under the lock. */
static inline void bfq_habit_passed(struct bfq_queue *q, const struct request *rq)
{
	q->habit.seeks = (q->habit.seeks << 1) | bfq_far(blk_rq_pos(rq), q->head);
}

/* So many requests in a row, asked for while no more than a few were under way, tell of it. */
#define BFQ_FEW_IN_A_ROW	4

/* Does a process ask for few at a time (bfq_kind)?  No also if it is not known.  Under the lock. */
static inline bool bfq_habit_few(const struct bfq_queue *q)
{
	return q->habit.few == BFQ_FEW_IN_A_ROW;
}

/* Does a process usually think for longer than it is waited for?  Under the lock. */
static inline bool bfq_habit_pauses(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return q->habit.think_ns > READ_ONCE(bfqd->tun.slice_idle_ns);
}

/* So often is the device plugged for a queue only to see what it does alone. */
#define BFQ_TRIALS		32

/* May it be?  A process that asks for many requests at a time tells nothing.  Under the lock. */
static inline bool bfq_habit_trial(const struct bfq_queue *q)
{
	return q->habit.trials < BFQ_TRIALS && bfq_habit_few(q);
}

/* A process asks for a tag, and may have to wait for it.  Context: any, as of the next. */
static inline void bfq_habit_asked(struct bfq_queue *q)
{
	WRITE_ONCE(q->habit.asked_ns, ktime_get_ns());
}

/* It wants more tags than it is due: it does not ask for few, even if it gets one at a time. */
static inline void bfq_habit_held(struct bfq_queue *q)
{
	WRITE_ONCE(q->habit.held, true);
}

/* A request has passed: its queue keeps its place in the list, which is for those that wait. */
static inline void bfq_active_passed(struct bfq_queue *q)
{
	q->active_seen = jiffies;
}

static inline bool bfq_plugged(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->gate) & BFQ_GATE_PLUG;
}

/* The device is kept no longer, nor is it asked what may be served meanwhile. */
static inline void bfq_plug_over(struct bfq_data *bfqd)
{
	bfq_gate_open(bfqd, BFQ_GATE_PLUG);
	WRITE_ONCE(bfqd->turn.beside, false);
}

/*
 * strict_guarantees lets one request into the device at a time: is one there, or
 * on its way?  Chosen ones that no driver has fetched yet are not.
 */
static inline bool bfq_device_holds_one(struct bfq_data *bfqd)
{
	return atomic_read(&bfqd->in_flight) > READ_ONCE(bfqd->ready.nr_chosen);
}

/* What is in the device counts for this many sectors. */
static inline u32 bfq_device_load(const struct bfq_device *dev)
{
	return atomic64_read(&dev->inside);
}

/* How much may be in the device. */
static inline u32 bfq_device_bound(const struct bfq_data *bfqd)
{
	u32 limit = READ_ONCE(bfqd->device.limit);

	if (likely(!READ_ONCE(bfqd->device.beside)))
		return limit;
	return min(limit, READ_ONCE(bfqd->kind)->beside_raised);
}

/* Is as much in the device as may be? Whether somebody has to heed that is another question. */
static inline bool bfq_device_at_limit(struct bfq_data *bfqd)
{
	if (unlikely(READ_ONCE(bfqd->tun.strict_guarantees)))
		return bfq_device_holds_one(bfqd);
	return bfq_device_load(&bfqd->device) >= bfq_device_bound(bfqd);
}

/*
 * Is the device full, and will a completion run it?  Once one has been told to, a dispatcher has
 * to look, whatever is in the device by then (a chosen request may have been fetched, or
 * the limit lowered): bfq_device_full() alone can ask for the next completion.
 */
static inline bool bfq_gate_full(struct bfq_data *bfqd)
{
	return unlikely(READ_ONCE(bfqd->gate) & BFQ_GATE_FULL) &&
	       test_bit(BFQ_WANTED_ROOM, &bfqd->device.wanted) && bfq_device_at_limit(bfqd);
}

/* Must even requests that have been chosen wait? Only strict_guarantees makes them. */
static inline bool bfq_ready_waits(struct bfq_data *bfqd)
{
	return unlikely(READ_ONCE(bfqd->tun.strict_guarantees)) && bfq_gate_full(bfqd);
}

/* Is there a request that a driver may fetch without the lock? */
static inline bool bfq_has_ready(struct bfq_data *bfqd)
{
	if (READ_ONCE(bfqd->ready.slot) || READ_ONCE(bfqd->ready.nr_direct))
		return true;
	return READ_ONCE(bfqd->ready.nr_chosen) && !bfq_ready_waits(bfqd);
}

/* Does a request wait that could be chosen? */
static inline bool bfq_any_choosable(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->nr_waiting) != READ_ONCE(bfqd->nr_parked);
}

/* Is this queue held back for raised ones? Under the lock. */
static inline bool bfq_beside_raised(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	return unlikely(bfqd->active.nr_first) && !q->first && q->prio.class != WF2Q_RT;
}

/* May there be something for an arm of the disk, whatever is kept for the others? */
static inline bool bfq_arm_beside(const struct bfq_data *bfqd)
{
	return bfqd->arms.nr && READ_ONCE(bfqd->turn.beside);
}

/* Is nothing chosen, whatever waits? A stuck request that is back is seen by who looks next. */
static inline bool bfq_gate_keeps(const struct bfq_data *bfqd)
{
	return (READ_ONCE(bfqd->gate) & BFQ_GATE_HELD && !bfq_arm_beside(bfqd)) ||
	       test_bit(BFQ_WANTED_STUCK, &bfqd->device.wanted);
}

/* Is there something to do with the lock: arrivals to sort in, or a request to choose? */
static inline bool bfq_has_waiting(struct bfq_data *bfqd)
{
	if (READ_ONCE(bfqd->arrived))
		return true;
	if (unlikely(READ_ONCE(bfqd->gate) & (BFQ_GATE_HELD | BFQ_GATE_STUCK)) &&
	    bfq_gate_keeps(bfqd))
		return false;
	if (bfq_plugged(bfqd) && !READ_ONCE(bfqd->turn.beside))
		return false;
	return bfq_any_choosable(bfqd) && !bfq_gate_full(bfqd);
}

/*
 * Does nothing wait but on stages, does nothing keep requests from the device, and is nothing to be
 * looked at (bfq_active_refresh())?  Then one that arrives may pass.  Context: bfqd->lock held.
 */
static inline bool bfq_quiet(const struct bfq_data *bfqd)
{
	return !(bfqd->nr_waiting | bfqd->gate | READ_ONCE(bfqd->ready.nr_chosen) |
		 READ_ONCE(bfqd->ready.nr_direct) |
		 READ_ONCE(bfqd->tun.strict_guarantees)) && !bfq_active_due(&bfqd->active);
}

/* Is there anything that a dispatch would find? A hint: some of it changes without the lock. */
static inline bool bfq_pending(struct bfq_data *bfqd)
{
	return bfq_has_ready(bfqd) || bfq_has_waiting(bfqd);
}

/*
 * What a queue is charged for a request beside its size, in sectors (bfq-price.c); its head still
 * stands where the request before has ended.  Context: bfqd->lock held.
 */
static inline u32 bfq_price_of_seek(const struct bfq_data *bfqd, const struct bfq_queue *q,
				    const struct request *rq)
{
	if (likely(!bfqd->kind->seeks) || (q->sync && !bfq_far(blk_rq_pos(rq), q->head)))
		return 0;
	return bfqd->price.seek;
}

/* How many sectors may be charged for in one turn. Context: bfqd->lock held. */
static inline u32 bfq_turn_most(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->tun.max_budget) ?: bfqd->kind->budget ?: bfqd->price.turn;
}

/* How long ago was this, in ns? 0 if it is not known. */
static inline u64 bfq_since(u64 then_ns)
{
	return then_ns ? ktime_get_ns() - then_ns : 0;
}

/* bfq-stage.c */
void bfq_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list, blk_insert_t flags);
bool bfq_bio_merge(struct request_queue *rqq, struct bio *bio, unsigned int nr_segs);
struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx);
bool bfq_has_work(struct blk_mq_hw_ctx *hctx);
void bfq_prepare_request(struct request *rq);
void bfq_finish_request(struct request *rq);
int bfq_stage_init(struct bfq_data *bfqd);
void bfq_stage_exit(struct bfq_data *bfqd);

/* bfq-depth.c */
void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data);
void bfq_depth_init(struct request_queue *rqq);
void bfq_depth_updated(struct request_queue *rqq);
void bfq_depth_refresh(struct bfq_data *bfqd);
void bfq_depth_admit(struct bfq_data *bfqd, struct bio *bio);
void bfq_depth_moved(struct bfq_queue *to);
void bfq_depth_taken(struct bfq_queue *q, const struct request *rq);
void bfq_depth_given(struct bfq_queue *q);
void bfq_depth_invite(struct bfq_queue *q);
void bfq_depth_check_plug(struct bfq_data *bfqd);
unsigned int bfq_depth_limit(const struct bfq_data *bfqd, const struct bfq_queue *q);

/* bfq-turn.c */
void bfq_turn_init(struct bfq_data *bfqd);
void bfq_turn_exit(struct bfq_data *bfqd);
void bfq_turn_arrival(struct bfq_data *bfqd, struct bfq_queue *q);
struct bfq_queue *bfq_turn_next(struct bfq_data *bfqd, struct request **next);
struct bfq_queue *bfq_turn_though_full(struct bfq_data *bfqd, struct request **next);
void bfq_turn_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
bool bfq_turn_pass(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
bool bfq_turn_goes_on(const struct bfq_data *bfqd);
void bfq_turn_end(struct bfq_data *bfqd, enum bfq_why why);

/* bfq-idle.c */
enum bfq_plug_for bfq_idle_worth(const struct bfq_data *bfqd, struct bfq_queue *q);
u64 bfq_idle_left(const struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_idle_claims_for(const struct bfq_data *bfqd, const struct bfq_queue *q,
			 enum bfq_plug_for what);
bool bfq_idle_claims(const struct bfq_data *bfqd, struct bfq_queue *q);
struct request *bfq_idle_inject(struct bfq_data *bfqd, struct bfq_queue *served);
struct request *bfq_idle_little(struct bfq_data *bfqd);

/* bfq-along.c */
void bfq_along_look(struct bfq_data *bfqd, const struct bfq_queue *served);
struct request *bfq_along_choose(struct bfq_data *bfqd, const struct bfq_queue *served,
				 struct request *next);

/* bfq-device.c */
void bfq_device_init(struct bfq_data *bfqd);
bool bfq_device_limited(const struct bfq_data *bfqd);
void bfq_device_refresh(struct bfq_data *bfqd);
void bfq_device_sent(struct bfq_data *bfqd, struct request *rq, u32 load);
bool bfq_device_full(struct bfq_data *bfqd, bool beside);
bool bfq_device_down_to(struct bfq_data *bfqd, const struct bfq_queue *q, u32 level);
void bfq_completed_request(struct request *rq, u64 now);

/* bfq-raise.c */
void bfq_raise_init(struct bfq_data *bfqd);
void bfq_raise_guess(struct bfq_data *bfqd, bool few);
u32 bfq_raise_lasts_ms(const struct bfq_data *bfqd);
void bfq_raise_arrival(struct bfq_data *bfqd, struct bfq_queue *q, u64 rest_ns, u64 now);
void bfq_raise_refresh(struct bfq_data *bfqd);
bool bfq_raise_ousts(struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_raise_holds(struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_raise_lets_pass(const struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_raise_writes_wait(const struct bfq_data *bfqd);
bool bfq_raise_parks(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_raise_writes(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_raise_sent(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_raise_done(struct bfq_data *bfqd, const struct bfq_queue *q, u64 now);
void bfq_raise_release(struct bfq_data *bfqd);

/* Shorter pauses of a process are thinking, not rest: a greedy one makes them, too. */
#define BFQ_REST_NS		(2 * NSEC_PER_MSEC)

/* bfq-habit.c */
void bfq_habit_waited(struct bfq_queue *q, u64 since_ns);
u64 bfq_habit_rest(const struct bfq_queue *q);
u64 bfq_habit_arrival(struct bfq_data *bfqd, struct bfq_queue *q, const struct request *rq, u32 nr);
void bfq_habit_arrival_of_many(struct bfq_data *bfqd, struct bfq_queue *q, u32 nr);
bool bfq_habit_seeks(const struct bfq_queue *q);
bool bfq_habit_looks_at_mates(const struct bfq_queue *q);
void bfq_habit_see_place(struct bfq_queue *q, const struct request *rq, u32 ns);
bool bfq_habit_gaps(const struct bfq_queue *q);
bool bfq_habit_of_reads(const struct bfq_queue *q);
bool bfq_habit_fills(const struct bfq_data *bfqd, const struct bfq_queue *q);
void bfq_habit_refresh(struct bfq_data *bfqd);
void bfq_habit_stayed_away(struct bfq_data *bfqd, struct bfq_queue *q);
struct bfq_beside *bfq_habit_beside(const struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_habit_served_beside(const struct bfq_data *bfqd, struct bfq_queue *q, u32 load);
u32 bfq_habit_quota(const struct bfq_data *bfqd, struct bfq_queue *q);

/* bfq-cgroup-files.c */
int bfq_cgroup_register(void);
void bfq_cgroup_unregister(void);
int bfq_cgroup_attach(struct bfq_data *bfqd);
void bfq_cgroup_detach(struct bfq_data *bfqd);

/* bfq-queue.c */
void bfq_queue_park(struct bfq_data *bfqd, struct bfq_queue *q, bool parked);
void bfq_queue_add(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
void bfq_queue_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq);
struct request *bfq_queue_from(const struct bfq_queue *q, sector_t pos);
struct request *bfq_queue_peek(const struct bfq_data *bfqd, const struct bfq_queue *q);
bool bfq_queue_absorb(struct bfq_queue *q, struct request *rq, struct list_head *free);
bool bfq_queue_join(struct bfq_data *bfqd, struct bio *bio, unsigned int nr_segs,
		    struct list_head *free);
bool bfq_allow_merge(struct request_queue *rqq, struct request *rq, struct bio *bio);
int bfq_request_merge(struct request_queue *rqq, struct request **rqp, struct bio *bio);
void bfq_request_merged(struct request_queue *rqq, struct request *rq, enum elv_merge how);
void bfq_requests_merged(struct request_queue *rqq, struct request *rq, struct request *next);

/* bfq-owner.c */
int bfq_owner_init(void);
void bfq_owner_exit(void);
struct bfq_queue *bfq_owner_alloc(struct bfq_data *bfqd, struct bfq_group *group,
				  struct bfq_prio prio, bool sync, gfp_t gfp);
struct bfq_queue *bfq_owner_current(struct request_queue *rqq, bool create);
struct bfq_queue *bfq_owner_assign(struct bfq_data *bfqd, struct request *rq);
struct bfq_queue *bfq_owner_of_bio(struct bfq_data *bfqd, struct bio *bio);
void bfq_owner_move(struct bfq_data *bfqd, struct bfq_queue *q, struct bfq_group *group);
void bfq_owner_put(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_owner_reap(struct bfq_data *bfqd);
void bfq_exit_icq(struct io_cq *icq);

/* bfq-active.c */
void bfq_active_init(struct bfq_data *bfqd);
void bfq_active_note(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_active_drop(struct bfq_data *bfqd, struct bfq_queue *q);
void bfq_active_reweigh(struct bfq_data *bfqd, struct bfq_group *group);
void bfq_active_behind(struct bfq_data *bfqd, struct bfq_queue *q, bool behind);
void bfq_active_first(struct bfq_data *bfqd, struct bfq_queue *q, bool first);
void bfq_active_raise(struct bfq_data *bfqd, struct bfq_queue *q, bool raised);
bool bfq_active_refresh(struct bfq_data *bfqd);

/* bfq-cgroup.c */
struct bfq_group *bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio);
void bfq_group_set_online(struct bfq_group *group, bool online);
void bfq_group_attach(struct bfq_group *group);
void bfq_group_detach(struct bfq_group *group);
void bfq_group_leave(struct bfq_group *group);
u64 bfq_group_id(const struct bfq_group *group);
#ifdef CONFIG_BLK_CGROUP
extern struct blkcg_policy bfq_policy;
struct bfq_group *bfq_group_nearest(struct bfq_data *bfqd, struct blkcg_gq *blkg);

static inline struct bfq_group *bfq_pd_group(struct blkg_policy_data *pd)
{
	return container_of(pd, struct bfq_group, pd);
}

/* Our group of a blkg; NULL while it has none. */
static inline struct bfq_group *bfq_blkg_group(struct blkcg_gq *blkg)
{
	struct blkg_policy_data *pd = blkg_to_pd(blkg, &bfq_policy);

	return pd ? bfq_pd_group(pd) : NULL;
}

/* Is a bio charged to this group for certain?  If not bfq_group_of_bio() knows. */
static inline bool bfq_group_has_bio(const struct bfq_group *group, const struct bio *bio)
{
	return bio && bio->bi_blkg == group->pd.blkg && group->online;
}
#else
static inline bool bfq_group_has_bio(const struct bfq_group *group, const struct bio *bio)
{
	return true;
}
#endif

/* bfq-lock.c */
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags) __releases(&bfqd->lock);
void bfq_unlock_nested(struct bfq_data *bfqd, unsigned long flags) __releases(&bfqd->lock);
void bfq_leave_mark(struct bfq_data *bfqd);

/* bfq-sysfs.c */
extern struct elv_fs_entry bfq_attrs[];
void bfq_tunables_init(struct bfq_tunables *tun);

/* bfq-debugfs.c */
#ifdef CONFIG_BLK_DEBUG_FS
extern const struct blk_mq_debugfs_attr bfq_debugfs_attrs[];
#endif

/* bfq-test.c */
#ifdef BFQ_TEST
void bfq_test_point(const char *name);
#else
static inline void bfq_test_point(const char *name)
{
}
#endif

#endif /* BFQ_IOSCHED_H */
