/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: every decision, so that somebody who asks "why was my process not
 * served just now?" can read the answer (Documentation/follow-a-request.md).
 *
 *	/sys/kernel/tracing/events/bfq/			(the elevator's name)
 *
 * A queue is named by the pid of its process, 0 for a group's shared queue, and a group by its
 * cgroup's id, which is the inode number of the cgroup's directory.  The way of each request is
 * shown by the block layer's own block_rq_insert, block_rq_issue and block_rq_complete.
 *
 * Switched off, a tracepoint costs a no-op where it stands.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM BFQ_TOKEN

#if !defined(BFQ_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define BFQ_TRACE_H

#include <linux/tracepoint.h>
#include "bfq-iosched.h"

#ifndef BFQ_TRACE_WORDS
#define BFQ_TRACE_WORDS
static inline dev_t bfq_trace_dev(const struct bfq_data *bfqd)
{
	return bfqd->queue->disk ? disk_devt(bfqd->queue->disk) : 0;
}
#endif

#define bfq_show_class(class)						\
	__print_symbolic(class, { WF2Q_RT, "rt" }, { WF2Q_BE, "be" }, { WF2Q_IDLE, "idle" })

#define bfq_show_why(why)						\
	__print_symbolic(why, { -1, "arrived" },			\
			 { BFQ_WHY_EMPTY, "empty" },			\
			 { BFQ_WHY_IDLE, "idle" },			\
			 { BFQ_WHY_BUDGET, "budget" },			\
			 { BFQ_WHY_TIMEOUT, "timeout" },		\
			 { BFQ_WHY_PREEMPTED, "preempted" },		\
			 { BFQ_WHY_GONE, "gone" })

#define bfq_show_plug(what)						\
	__print_symbolic(what, { BFQ_PLUG_STRICT, "strict" },		\
			 { BFQ_PLUG_LOCALITY, "locality" },		\
			 { BFQ_PLUG_SHARES, "shares" },			\
			 { BFQ_PLUG_CLASS, "class" },			\
			 { BFQ_PLUG_BEHIND, "behind" },			\
			 { BFQ_PLUG_LEARN, "learn" })

/*
 * A tracepoint of a device, or of a queue, which has the device's numbers, or these and the queue's
 * pid, before its own entries.  At the end stands how those are shown.
 */
#define TRACE_EVENT_OF_DEVICE(name, proto, args, entries, assign, format, shown...)		\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args),						\
		    TP_STRUCT__entry(__field(dev_t, dev) entries),				\
		    TP_fast_assign(__entry->dev = bfq_trace_dev(bfqd); assign),			\
		    TP_printk("%d,%d " format, MAJOR(__entry->dev), MINOR(__entry->dev), shown))

#define TRACE_EVENT_OF_QUEUE(name, proto, args, entries, assign, format, shown...)		\
	TRACE_EVENT_OF_DEVICE(name, PARAMS(proto), PARAMS(args),				\
			      PARAMS(__field(pid_t, pid) entries),				\
			      PARAMS(__entry->pid = q->pid; assign),				\
			      "pid=%d " format, __entry->pid, shown)

TRACE_EVENT_OF_QUEUE(bfq_turn_begin,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q),
	TP_ARGS(bfqd, q),
	TP_STRUCT__entry(__field(u64, cgroup) __field(u32, budget) __field(int, class)),
	TP_fast_assign(__entry->cgroup = bfq_group_id(q->group);
		       __entry->budget = q->entity.budget;
		       __entry->class = q->prio.class;),
	"cgroup=%llu class=%s budget=%u", __entry->cgroup, bfq_show_class(__entry->class),
	__entry->budget);

TRACE_EVENT_OF_DEVICE(bfq_turn_end,
	TP_PROTO(const struct bfq_data *bfqd, int why, u64 ns),
	TP_ARGS(bfqd, why, ns),
	TP_STRUCT__entry(__field(pid_t, pid) __field(u64, cgroup) __field(u64, us)
			 __field(u32, sectors) __field(int, why)),
	TP_fast_assign(__entry->pid = bfqd->turn.pid;
		       __entry->cgroup = bfqd->turn.cgroup;
		       __entry->us = div_u64(ns, NSEC_PER_USEC);
		       __entry->sectors = bfqd->turn.sectors;
		       __entry->why = why;),
	"pid=%d cgroup=%llu why=%s sectors=%u us=%llu", __entry->pid, __entry->cgroup,
	bfq_show_why(__entry->why), __entry->sectors, __entry->us);

TRACE_EVENT_OF_QUEUE(bfq_choose,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q, const struct request *rq),
	TP_ARGS(bfqd, q, rq),
	TP_STRUCT__entry(__field(sector_t, sector) __field(u32, sectors)),
	TP_fast_assign(__entry->sector = blk_rq_pos(rq);
		       __entry->sectors = blk_rq_sectors(rq);),
	"sector=%llu sectors=%u", (unsigned long long)__entry->sector, __entry->sectors);

TRACE_EVENT_OF_QUEUE(bfq_plug,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q, int what),
	TP_ARGS(bfqd, q, what),
	TP_STRUCT__entry(__field(int, what)),
	TP_fast_assign(__entry->what = what;),
	"why=%s", bfq_show_plug(__entry->what));

TRACE_EVENT_OF_QUEUE(bfq_unplug,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q, int why, u64 ns),
	TP_ARGS(bfqd, q, why, ns),
	TP_STRUCT__entry(__field(u64, us) __field(int, why)),
	TP_fast_assign(__entry->us = div_u64(ns, NSEC_PER_USEC);
		       __entry->why = why;),
	"outcome=%s us=%llu", bfq_show_why(__entry->why), __entry->us);

TRACE_EVENT_OF_DEVICE(bfq_limit,
	TP_PROTO(const struct bfq_data *bfqd, u32 limit),
	TP_ARGS(bfqd, limit),
	TP_STRUCT__entry(__field(u32, limit)),
	TP_fast_assign(__entry->limit = limit;),
	"limit=%u sectors", __entry->limit);

TRACE_EVENT_OF_DEVICE(bfq_kind,
	TP_PROTO(const struct bfq_data *bfqd),
	TP_ARGS(bfqd),
	TP_STRUCT__entry(__field(bool, seeks) __field(bool, said)),
	TP_fast_assign(__entry->seeks = bfqd->kind->seeks;
		       __entry->said = bfqd->device.said;),
	"moving parts: %d, it says: %d", __entry->seeks, __entry->said);

TRACE_EVENT_OF_DEVICE(bfq_price,
	TP_PROTO(const struct bfq_data *bfqd),
	TP_ARGS(bfqd),
	TP_STRUCT__entry(__field(u32, seek) __field(u32, seek_us) __field(u32, data_us)),
	TP_fast_assign(__entry->seek = bfqd->price.seek;
		       __entry->seek_us = bfqd->price.seek_ns / (u32)NSEC_PER_USEC;
		       __entry->data_us = bfqd->price.data_ns / (u32)NSEC_PER_USEC;),
	"seek=%u sectors (%u us) data=%u us for 512 KiB", __entry->seek, __entry->seek_us,
	__entry->data_us);

TRACE_EVENT_OF_QUEUE(bfq_depth_wait,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q, u64 began),
	TP_ARGS(bfqd, q, began),
	TP_STRUCT__entry(__field(u64, us) __field(int, held) __field(u32, limit)),
	TP_fast_assign(__entry->us = div_u64(ktime_get_ns() - began, NSEC_PER_USEC);
		       __entry->held = atomic_read(&q->tags);
		       __entry->limit = bfq_depth_limit(bfqd, q);),
	"held=%d limit=%u us=%llu", __entry->held, __entry->limit, __entry->us);

TRACE_EVENT_OF_QUEUE(bfq_line_wait,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q, u64 began),
	TP_ARGS(bfqd, q, began),
	TP_STRUCT__entry(__field(u64, us) __field(unsigned int, left)),
	TP_fast_assign(__entry->us = div_u64(ktime_get_ns() - began, NSEC_PER_USEC);
		       __entry->left = READ_ONCE(bfqd->line.nr);),
	"left=%u us=%llu", __entry->left, __entry->us);

TRACE_EVENT_OF_QUEUE(bfq_queue_move,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q,
		 const struct bfq_group *to),
	TP_ARGS(bfqd, q, to),
	TP_STRUCT__entry(__field(u64, from) __field(u64, to)),
	TP_fast_assign(__entry->from = bfq_group_id(q->group);
		       __entry->to = bfq_group_id(to);),
	"from=%llu to=%llu", __entry->from, __entry->to);

TRACE_EVENT_OF_QUEUE(bfq_queue_prio,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q),
	TP_ARGS(bfqd, q),
	TP_STRUCT__entry(__field(u32, weight) __field(int, class)),
	TP_fast_assign(__entry->weight = q->entity.new_weight;
		       __entry->class = q->prio.class;),
	"class=%s weight=%u", bfq_show_class(__entry->class), __entry->weight);

TRACE_EVENT_OF_QUEUE(bfq_raise,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_queue *q),
	TP_ARGS(bfqd, q),
	TP_STRUCT__entry(__field(u32, credit) __field(bool, raised) __field(bool, first)),
	TP_fast_assign(__entry->credit = q->credit;
		       __entry->raised = q->raised;
		       __entry->first = q->first;),
	"raised=%d first=%d credit=%u", __entry->raised, __entry->first, __entry->credit);

TRACE_EVENT_OF_DEVICE(bfq_group_weight,
	TP_PROTO(const struct bfq_data *bfqd, const struct bfq_group *group, unsigned int weight),
	TP_ARGS(bfqd, group, weight),
	TP_STRUCT__entry(__field(u64, cgroup) __field(u32, from) __field(u32, to)),
	TP_fast_assign(__entry->cgroup = bfq_group_id(group);
		       __entry->from = group->node.entity.new_weight;
		       __entry->to = weight;),
	"cgroup=%llu from=%u to=%u", __entry->cgroup, __entry->from, __entry->to);

#endif /* BFQ_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bfq-trace
#include <trace/define_trace.h>
