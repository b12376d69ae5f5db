// SPDX-License-Identifier: GPL-2.0
/*
 * Tunables: the files in /sys/block/X/queue/iosched/.
 *
 * Names, units and defaults are those that users, udev rules and tuning
 * daemons write for the in-tree scheduler (Documentation/block/bfq-iosched.rst
 * of the kernel).  A value that is no number or out of range is refused with
 * EINVAL and changes nothing.
 */
#include "bfq-iosched.h"

/* Defaults, in the units of the files. */
#define BFQ_FIFO_EXPIRE_ASYNC_MS	250	/* nobody waits for these */
#define BFQ_FIFO_EXPIRE_SYNC_MS		125
#define BFQ_BACK_SEEK_MAX_KIB		(16 * 1024)
#define BFQ_BACK_SEEK_PENALTY		2
#define BFQ_SLICE_IDLE_MS		8	/* about the time of a seek */
#define BFQ_TIMEOUT_MS			125	/* a seeking queue's turn on a disk: ten requests */

/*
 * The largest number of seconds for anything that is a time: a scheduler that
 * waits longer is a scheduler that hangs.
 */
#define BFQ_TIME_MAX_MS			(60 * MSEC_PER_SEC)

/**
 * bfq_tunables_init - the defaults
 * @tun: to be filled in
 */
void bfq_tunables_init(struct bfq_tunables *tun)
{
	tun->fifo_expire_ms[0] = BFQ_FIFO_EXPIRE_ASYNC_MS;
	tun->fifo_expire_ms[1] = BFQ_FIFO_EXPIRE_SYNC_MS;
	tun->back_seek_max = BFQ_BACK_SEEK_MAX_KIB * (SZ_1K >> SECTOR_SHIFT);
	tun->back_seek_penalty = BFQ_BACK_SEEK_PENALTY;
	tun->slice_idle_ns = BFQ_SLICE_IDLE_MS * NSEC_PER_MSEC;
	tun->timeout_ms = BFQ_TIMEOUT_MS;
	tun->max_budget = 0;
	tun->strict_guarantees = false;
}

static struct bfq_tunables *bfq_eq_tunables(struct elevator_queue *eq)
{
	struct bfq_data *bfqd = eq->elevator_data;

	return &bfqd->tun;
}

static int bfq_parse(const char *page, unsigned long min, unsigned long max,
		     unsigned long *value)
{
	unsigned long parsed;

	if (kstrtoul(page, 10, &parsed) || parsed < min || parsed > max)
		return -EINVAL;
	*value = parsed;
	return 0;
}

/* One file: @field in the unit of the file is @out of the one that is kept, and @in back. */
#define BFQ_TUNABLE(name, field, min, max, out, in)				\
static ssize_t bfq_##name##_show(struct elevator_queue *eq, char *page)		\
{										\
	return sysfs_emit(page, "%llu\n",					\
			  (u64)out(READ_ONCE(bfq_eq_tunables(eq)->field)));	\
}										\
										\
static ssize_t bfq_##name##_store(struct elevator_queue *eq, const char *page,	\
				  size_t count)					\
{										\
	unsigned long value;							\
	int ret = bfq_parse(page, min, max, &value);				\
										\
	if (ret)								\
		return ret;							\
	WRITE_ONCE(bfq_eq_tunables(eq)->field, in(value));			\
	return count;								\
}

#define bfq_same(value)			(value)
#define bfq_sectors_to_kib(value)	((value) / (SZ_1K >> SECTOR_SHIFT))
#define bfq_kib_to_sectors(value)	((value) * (SZ_1K >> SECTOR_SHIFT))
#define bfq_ns_to_ms(value)		div_u64(value, NSEC_PER_MSEC)
#define bfq_ms_to_ns(value)		((u64)(value) * NSEC_PER_MSEC)
#define bfq_ns_to_us(value)		div_u64(value, NSEC_PER_USEC)
#define bfq_us_to_ns(value)		((u64)(value) * NSEC_PER_USEC)

BFQ_TUNABLE(fifo_expire_sync, fifo_expire_ms[1], 0, BFQ_TIME_MAX_MS, bfq_same, bfq_same)
BFQ_TUNABLE(fifo_expire_async, fifo_expire_ms[0], 0, BFQ_TIME_MAX_MS, bfq_same, bfq_same)
BFQ_TUNABLE(back_seek_max, back_seek_max, 0, INT_MAX / 2,
	    bfq_sectors_to_kib, bfq_kib_to_sectors)
BFQ_TUNABLE(back_seek_penalty, back_seek_penalty, 1, INT_MAX, bfq_same, bfq_same)
BFQ_TUNABLE(slice_idle, slice_idle_ns, 0, BFQ_TIME_MAX_MS, bfq_ns_to_ms, bfq_ms_to_ns)
BFQ_TUNABLE(slice_idle_us, slice_idle_ns, 0, BFQ_TIME_MAX_MS * USEC_PER_MSEC,
	    bfq_ns_to_us, bfq_us_to_ns)
BFQ_TUNABLE(timeout_sync, timeout_ms, 1, BFQ_TIME_MAX_MS, bfq_same, bfq_same)
BFQ_TUNABLE(max_budget, max_budget, 0, WF2Q_MAX_BUDGET, bfq_same, bfq_same)
BFQ_TUNABLE(strict_guarantees, strict_guarantees, 0, 1, bfq_same, bfq_same)

#define BFQ_ATTR(name)	__ATTR(name, 0644, bfq_##name##_show, bfq_##name##_store)

struct elv_fs_entry bfq_attrs[] = {
	BFQ_ATTR(fifo_expire_sync),
	BFQ_ATTR(fifo_expire_async),
	BFQ_ATTR(back_seek_max),
	BFQ_ATTR(back_seek_penalty),
	BFQ_ATTR(slice_idle),
	BFQ_ATTR(slice_idle_us),
	BFQ_ATTR(timeout_sync),
	BFQ_ATTR(max_budget),
	BFQ_ATTR(strict_guarantees),
	__ATTR_NULL
};
