/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One tracepoint, under the elevator's own name: it shows that a header of ours
 * can be found by <trace/define_trace.h>, wherever the module is built.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM BFQ_TOKEN

#if !defined(BFQ_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define BFQ_TRACE_H

#include <linux/blkdev.h>
#include <linux/tracepoint.h>

TRACE_EVENT(probe_inserted,
	TP_PROTO(const struct request *rq, unsigned int nr),
	TP_ARGS(rq, nr),
	TP_STRUCT__entry(
		__field(sector_t, sector)
		__field(unsigned int, nr)
	),
	TP_fast_assign(
		__entry->sector = blk_rq_pos(rq);
		__entry->nr = nr;
	),
	TP_printk("sector %llu nr %u", (unsigned long long)__entry->sector, __entry->nr)
);

#endif /* BFQ_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bfq-trace
#include <trace/define_trace.h>
