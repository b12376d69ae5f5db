/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of a device as the protocol touches. Fields have the names that they have in
 * bfq-iosched.h; what the module's own text is compiled with stands in rooms.c, which
 * tests/orders/check makes.
 */
#ifndef ORDERS_WORLD_H
#define ORDERS_WORLD_H

#include "words.h"

struct bfq_data;

struct elevator_queue { struct bfq_data *elevator_data; };
struct request_queue { struct elevator_queue *elevator; int q_usage_counter; };
struct blk_mq_hw_ctx {
	struct request_queue *queue;
	unsigned int queue_num;
};

struct blk_mq_alloc_data {
	struct request_queue *q;
	unsigned int flags;
};

enum bfq_rq_state { BFQ_RQ_NEW, BFQ_RQ_QUEUED, BFQ_RQ_CHOSEN };
struct request {
	struct list_head queuelist;
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	enum bfq_rq_state state;
	u32 load;
};

/* One queue stands for all: which is chosen is not the protocol's business. */
struct bfq_queue {
	atomic_t in_flight;
	struct { u64 completed_ns; } habit;
	struct list_head fifo, active;
	bool watched, sync;
	unsigned int nr_queued, map;
	u32 share;
	atomic_t tags, asking, sleepers;
	wait_queue_head_t line;
};

/* What debugfs says of a queue and a group: one word each is enough to race. */
struct bfq_group {
	struct list_head link;
	unsigned int weight;
};

struct bfq_queue_line { unsigned int waiting; };
struct bfq_group_line { unsigned int weight; };
#define BFQ_MOST_LINES 4

struct bfq_tunables { bool strict_guarantees; };
struct bfq_kind { unsigned int few, batch; u32 beside_raised; bool seeks; };
struct bfq_turn { u32 sectors; bool beside; };
struct work_struct { int nothing; };

#endif
