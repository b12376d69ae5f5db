// SPDX-License-Identifier: GPL-2.0
/*
 * Disks that misbehave: what real ones do to a scheduler that has just learned how
 * fast they are.
 *
 *	gc	every gc_every_ms the flash collects its garbage for gc_ms, in which
 *		programming takes gc_factor times as long
 *	fast	programming goes at full speed until fast_kb are used, which come back
 *		at fast_refill_kb_s; beyond, it takes slow_factor times as long
 *	erase	after every erase_kb that a channel has programmed it erases, erase_us
 *	keep	every keep_every_ms the firmware keeps one read for keep_ms before it
 *		begins; others go on
 *	steal	every steal_every_ms the host takes the CPU away for steal_ms: nothing
 *		runs there, interrupts included, while the disk goes on
 *
 * What comes now and then does so from when the disk was made, by its clock and not by
 * what it has done, so that every scheduler meets the same.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "diskmodel.h"
#include "compat.h"

static u64 ms_to_ns(u32 ms)
{
	return (u64)ms * NSEC_PER_MSEC;
}

/* How many of these periods have gone by; *into: since when the last one ended. */
static u64 periods(struct disk *disk, u32 every_ms, u64 t, u64 *into)
{
	u64 n;

	if (!every_ms || !disk->made || t < disk->made)
		return 0;
	n = div64_u64(t - disk->made, ms_to_ns(every_ms));
	*into = t - disk->made - n * ms_to_ns(every_ms);
	return n;
}

static bool collecting(struct disk *disk, u64 t)
{
	u64 into;

	return periods(disk, disk->p.gc_every_ms, t, &into) && into < ms_to_ns(disk->p.gc_ms);
}

/* What has come back until @t of the fast room, in whole KiB. */
static void refill_fast(struct disk *disk, u64 t)
{
	u64 rate = disk->p.fast_refill_kb_s, kb;

	if (!rate || t <= disk->fast_since)
		return;
	kb = div_u64((t - disk->fast_since) * rate, NSEC_PER_SEC);
	disk->fast_used -= min(disk->fast_used, kb << 10);
	disk->fast_since += div64_u64(kb * NSEC_PER_SEC, rate);
}

/* Is there fast room for so many bytes?  Then it is used. */
static bool take_fast(struct disk *disk, u64 t, u32 bytes)
{
	if (!disk->p.fast_kb)
		return true;
	refill_fast(disk, t);
	if (disk->fast_used + bytes > (u64)disk->p.fast_kb << 10)
		return false;
	disk->fast_used += bytes;
	return true;
}

/* How long a channel, which has programmed *@since_erase bytes, needs from @t for these. */
u64 disk_program_ns(struct disk *disk, u64 *since_erase, u64 t, u32 bytes)
{
	u64 usual = disk->p.write_us * 1000ull, ns = usual;

	if (collecting(disk, t))
		ns *= disk->p.gc_factor;
	if (!take_fast(disk, t, bytes))
		ns *= disk->p.slow_factor;
	disk->stats.slow_programs += ns > usual;
	*since_erase += bytes;
	if (disk->p.erase_kb && *since_erase >= (u64)disk->p.erase_kb << 10) {
		*since_erase = 0;
		disk->stats.erases++;
		ns += disk->p.erase_us * 1000ull;
	}
	return ns;
}

/* For how long the firmware keeps this request before it begins. */
u64 disk_keep_ns(struct disk *disk, struct request *rq, u64 t)
{
	u64 into, n = periods(disk, disk->p.keep_every_ms, t, &into);

	if (n <= disk->kept_periods || req_op(rq) != REQ_OP_READ)
		return 0;
	disk->kept_periods = n;
	disk->stats.kept++;
	return ms_to_ns(disk->p.keep_ms);
}

static enum hrtimer_restart on_steal(struct hrtimer *timer)
{
	struct disk *disk = container_of(timer, struct disk, steal_timer);
	unsigned long flags;

	mdelay(disk->p.steal_ms);
	spin_lock_irqsave(&disk->lock, flags);
	disk->stats.stolen++;
	spin_unlock_irqrestore(&disk->lock, flags);
	hrtimer_forward_now(timer, ms_to_ktime(disk->p.steal_every_ms));
	return HRTIMER_RESTART;
}

void disk_fault_init(struct disk *disk)
{
	compat_hrtimer(&disk->steal_timer, on_steal);
}

/* A CPU that is always taken away would be no guest. */
bool disk_fault_valid(struct disk *disk)
{
	return !disk->p.steal_every_ms || disk->p.steal_ms < disk->p.steal_every_ms;
}

/* The disk is there, and from now on it misbehaves. */
void disk_fault_begin(struct disk *disk)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	disk->made = ktime_get_ns();
	disk->stats.made_ns = disk->made;
	disk->fast_since = disk->made;
	spin_unlock_irqrestore(&disk->lock, flags);
	if (disk->p.steal_every_ms)
		hrtimer_start(&disk->steal_timer,
			      ktime_add_ms(ktime_get(), disk->p.steal_every_ms), HRTIMER_MODE_ABS);
}

void disk_fault_end(struct disk *disk)
{
	hrtimer_cancel(&disk->steal_timer);
}
