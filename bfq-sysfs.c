// SPDX-License-Identifier: GPL-2.0
/*
 * Tunables: the files in /sys/block/X/queue/iosched/.
 *
 * Names, units and defaults are those that users, udev rules and tuning daemons write for the
 * in-tree scheduler (Documentation/block/bfq-iosched.rst of the kernel).  A value that is no number
 * or out of range is refused with EINVAL and changes nothing.
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
#define BFQ_TIME_MAX_US			(60 * USEC_PER_SEC)

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
	tun->exact_shares = false;
	tun->low_latency = true;
	tun->device_limit = BFQ_LIMIT_AUTO;
}

static struct bfq_tunables *bfq_eq_tunables(struct elevator_queue *eq)
{
	struct bfq_data *bfqd = eq->elevator_data;

	return &bfqd->tun;
}

static ssize_t bfq_show(char *page, u64 value, u32 unit)
{
	return sysfs_emit(page, "%llu\n", div_u64(value, unit));
}

static int bfq_parse(const char *page, u64 min, u64 max, u32 unit, u64 *value)
{
	u64 parsed;

	if (kstrtou64(page, 10, &parsed) || parsed < min || parsed > max)
		return -EINVAL;
	*value = parsed * unit;
	return 0;
}

/* How a field is kept and how its file shows it: multiply by the factor to keep, divide to show. */
#define BFQ_PLAIN	1
#define BFQ_IN_KIB	(SZ_1K >> SECTOR_SHIFT)		/* kept in sectors */
#define BFQ_IN_MS	NSEC_PER_MSEC			/* kept in ns */
#define BFQ_IN_US	NSEC_PER_USEC			/* kept in ns */

/* A file: field of struct bfq_tunables, least and greatest value and unit of the file. */
#define BFQ_FILE(file, field, min, max, unit)				\
static ssize_t bfq_show_##file(struct elevator_queue *eq, char *page)		\
{										\
	return bfq_show(page, READ_ONCE(bfq_eq_tunables(eq)->field), unit);	\
}										\
static ssize_t bfq_set_##file(struct elevator_queue *eq, const char *page,	\
			      size_t count)					\
{										\
	u64 value;								\
	int ret = bfq_parse(page, min, max, unit, &value);			\
										\
	if (!ret)								\
		WRITE_ONCE(bfq_eq_tunables(eq)->field, value);			\
	return ret ?: count;							\
}

BFQ_FILE(slice_idle, slice_idle_ns, 0, BFQ_TIME_MAX_MS, BFQ_IN_MS)
BFQ_FILE(slice_idle_us, slice_idle_ns, 0, BFQ_TIME_MAX_US, BFQ_IN_US)
BFQ_FILE(strict_guarantees, strict_guarantees, 0, 1, BFQ_PLAIN)
BFQ_FILE(exact_shares, exact_shares, 0, 1, BFQ_PLAIN)
BFQ_FILE(low_latency, low_latency, 0, 1, BFQ_PLAIN)
BFQ_FILE(max_budget, max_budget, 0, WF2Q_MAX_BUDGET, BFQ_PLAIN)
BFQ_FILE(timeout_sync, timeout_ms, 1, BFQ_TIME_MAX_MS, BFQ_PLAIN)
BFQ_FILE(fifo_expire_async, fifo_expire_ms[0], 0, BFQ_TIME_MAX_MS, BFQ_PLAIN)
BFQ_FILE(fifo_expire_sync, fifo_expire_ms[1], 0, BFQ_TIME_MAX_MS, BFQ_PLAIN)
BFQ_FILE(back_seek_penalty, back_seek_penalty, 1, INT_MAX, BFQ_PLAIN)
BFQ_FILE(back_seek_max, back_seek_max, 0, INT_MAX / BFQ_IN_KIB, BFQ_IN_KIB)

/* The largest limit in KiB that can be set: what no device takes. */
#define BFQ_LIMIT_MAX_KIB	(SZ_1G / SZ_1K)

static ssize_t bfq_show_device_limit(struct elevator_queue *eq, char *page)
{
	u32 limit = READ_ONCE(bfq_eq_tunables(eq)->device_limit);

	if (limit == BFQ_LIMIT_AUTO)
		return sysfs_emit(page, "auto\n");
	return limit ? bfq_show(page, limit, BFQ_IN_KIB) : sysfs_emit(page, "off\n");
}

static ssize_t bfq_set_device_limit(struct elevator_queue *eq, const char *page, size_t count)
{
	int ret = 0;
	u64 value;

	if (sysfs_streq(page, "auto"))
		value = BFQ_LIMIT_AUTO;
	else if (sysfs_streq(page, "off"))
		value = 0;
	else
		ret = bfq_parse(page, 1, BFQ_LIMIT_MAX_KIB, BFQ_IN_KIB, &value);
	if (!ret)
		WRITE_ONCE(bfq_eq_tunables(eq)->device_limit, value);
	return ret ?: count;
}

#define BFQ_ENTRY(file)	__ATTR(file, 0644, bfq_show_##file, bfq_set_##file)

struct elv_fs_entry bfq_attrs[] = {
	BFQ_ENTRY(slice_idle),
	BFQ_ENTRY(slice_idle_us),
	BFQ_ENTRY(strict_guarantees),
	BFQ_ENTRY(exact_shares),
	BFQ_ENTRY(low_latency),
	BFQ_ENTRY(device_limit),
	BFQ_ENTRY(max_budget),
	BFQ_ENTRY(timeout_sync),
	BFQ_ENTRY(fifo_expire_async),
	BFQ_ENTRY(fifo_expire_sync),
	BFQ_ENTRY(back_seek_penalty),
	BFQ_ENTRY(back_seek_max),
	__ATTR_NULL
};
