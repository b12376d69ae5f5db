// SPDX-License-Identifier: GPL-2.0
/*
 * The lock: how it is released, and how the device runs after it.
 *
 * Choosing the next request is serial by nature: there is one order, and one lock, bfq_data.lock,
 * around the structures that it is made from.  Nobody waits for it on the fast path: a dispatcher
 * only tries, and if the lock is taken it leaves a mark and goes away.  It trusts the holder to do
 * its work; but the holder may just have looked for arrivals for the last time.  So that no wake-up
 * is lost:
 *
 *	dispatcher:	set mark; smp_mb(); look again if the lock is free
 *	holder:		unlock; smp_mb(); test mark -> run the hardware queues
 *
 * Either the second look finds it free or the holder sees the mark (the
 * pattern of two flags, Dekker's).  That is why bfq_unlock() and
 * bfq_unlock_nested() are the only ways to release the lock.
 *
 * The gate is the other half of the question whether to run the device: one word that says why
 * nothing is chosen although requests wait.  It is written under the lock, and read without it by
 * bfq_pending(), which answers: would a dispatch find something?  That answer may be a wrong no for
 * a moment, while a dispatcher takes the arrivals; it looks again itself before the device rests.
 */
#include "bfq-iosched.h"

#define BFQ_CONTENDED		0	/* bit in bfq_data.contended */

/**
 * bfq_leave_mark - tell the holder of the lock that a dispatcher was here
 * @bfqd: the device
 *
 * The caller looks again afterwards whether the lock is still held.
 *
 * Context: any.
 */
void bfq_leave_mark(struct bfq_data *bfqd)
{
	set_bit(BFQ_CONTENDED, &bfqd->contended);
	smp_mb();	/* pairs with bfq_was_contended() */
}

/* Has a mark been left since the lock was last released? */
static bool bfq_was_contended(struct bfq_data *bfqd)
{
	smp_mb();	/* pairs with bfq_leave_mark() */
	return test_bit(BFQ_CONTENDED, &bfqd->contended) &&
	       test_and_clear_bit(BFQ_CONTENDED, &bfqd->contended);
}

static void bfq_release(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	if (bfqd->dispatching)
		WRITE_ONCE(bfqd->dispatching, false);
	spin_unlock_irqrestore(&bfqd->lock, flags);
}

/**
 * bfq_unlock - release bfq_data.lock
 * @bfqd: the device; the caller keeps it beyond the unlock, by something else
 *	than a request that may complete meanwhile
 * @flags: from spin_lock_irqsave()
 *
 * Runs the hardware queues if a dispatcher went away because of us.
 *
 * Context: any, but without queue_lock, which that may take.
 */
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	bfq_release(bfqd, flags);
	if (bfq_was_contended(bfqd) && bfq_pending(bfqd))
		blk_mq_run_hw_queues(bfqd->queue, true);
}

/**
 * bfq_unlock_nested - release bfq_data.lock inside locks of the block layer
 * @bfqd: the device; as for bfq_unlock()
 * @flags: from spin_lock_irqsave()
 *
 * The same as bfq_unlock(), from a work item.
 *
 * Context: any, also with queue_lock or ioc->lock held.
 */
void bfq_unlock_nested(struct bfq_data *bfqd, unsigned long flags)
	__releases(&bfqd->lock)
{
	bfq_release(bfqd, flags);
	/* without a mark too: we may have ended a plug */
	if (bfq_was_contended(bfqd) || bfq_pending(bfqd))
		kblockd_schedule_work(&bfqd->deferred_work);
}
