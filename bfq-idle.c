// SPDX-License-Identifier: GPL-2.0
/*
 * Plugging: keeping the device for a queue that has just run empty.
 *
 * A process that reads synchronously asks for its next block only when it has
 * the last.  The moment its queue is empty somebody else would be served, and
 * two things are lost: on a disk, the head's position, next to which the next
 * request will very likely be; and on any device the process's share, for the
 * engine can give service only to those who ask for it, and this process
 * would ask again too late every time (J. Iyer, P. Druschel, "Anticipatory
 * scheduling: a disk scheduling framework to overcome deceptive idleness in
 * synchronous I/O", SOSP 2001; P. Valente, A. Avanzini, "Evolution of the BFQ
 * Storage I/O Scheduler", MST 2015, for the second).
 *
 * So dispatch is plugged: the queue stays in service, empty, for at most
 * slice_idle after its last request has completed.  Plugging costs throughput
 * wherever the device could have done something else meanwhile, so it is
 * done only
 *
 *	- for synchronous queues, and while anybody else is active;
 *	- on disks with moving parts: for processes that read along the disk
 *	  (not seeking), and for all while shares have to be kept apart;
 *	- on others: only while shares have to be kept apart, that is, when
 *	  active queues are due different shares (bfq-active.c);
 *	- for processes that usually come back within slice_idle.
 *
 * With strict_guarantees it is done for every synchronous queue.
 *
 * The timer is lazy: arming and cancelling it for every request would cost
 * more than the request.  Once armed it is left to run; when it fires it
 * looks what became of the plug and, if that is a later one, runs on.
 */
#include "bfq-iosched.h"

/*
 * A queue that has had timeout_sync is still waited for while its request is in the
 * device: to drop it then would forget what it is behind with, and a process with one
 * large request at a time would never get its share.  But a device that does not
 * answer must not be kept for one queue for ever: a second, or timeout_sync where that
 * is longer.  (An ordinary disk answers in tens of ms.)
 */
#define BFQ_PLUG_MOST_MS	1000U

/* While requests are in flight, how often the timer looks again, at least: ns. */
#define BFQ_LOOK_AGAIN_NS	NSEC_PER_MSEC

/* Think time is averaged over about this many requests. */
#define BFQ_THINK_SAMPLES	8

/* More than this many of the last 32 requests were far from the one before: a seeking queue. */
#define BFQ_SEEKS_OF_32		8

/**
 * bfq_idle_arrival - note a process's think time
 * @q: its queue
 * @rq: a new request, not in the queue yet
 *
 * Only a request that the process made after all before it had completed
 * tells how long it thinks.
 *
 * Context: bfqd->lock held.
 */
void bfq_idle_arrival(struct bfq_queue *q, const struct request *rq)
{
	u64 completed = READ_ONCE(q->completed_ns);
	u64 think;

	if (q->nr_queued || !completed || atomic_read(&q->in_flight))
		return;

	think = rq->start_time_ns > completed ? rq->start_time_ns - completed : 0;
	if (q->think_samples < BFQ_THINK_SAMPLES)
		q->think_samples++;
	q->think_ns += div_s64((s64)think - (s64)q->think_ns, q->think_samples);
}

static bool bfq_worth_waiting(const struct bfq_data *bfqd, const struct bfq_queue *q)
{
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);
	bool seeking = hweight32(q->seek_history) > BFQ_SEEKS_OF_32;

	if (!q->sync || !slice_idle)
		return false;
	if (READ_ONCE(bfqd->tun.strict_guarantees))
		return true;
	if (q->prio.class == WF2Q_IDLE || bfqd->nr_active < 2)
		return false;
	if (q->think_ns > slice_idle)
		return false;
	if (bfq_rotational(bfqd->queue) && !seeking)
		return true;
	return bfqd->claims_differ;
}

/*
 * A timer that is armed does not notice that slice_idle has been lowered, so it is never
 * armed for longer than a second, however long the wait.
 */
static ktime_t bfq_look_after(u64 wait_ns)
{
	return ns_to_ktime(min_t(u64, wait_ns, BFQ_PLUG_MOST_MS * NSEC_PER_MSEC));
}

/**
 * bfq_idle_plug - keep the device for the queue in service, if it is worth it
 * @bfqd: the device
 * @q: the queue in service, which has just run empty
 *
 * Context: bfqd->lock held.
 * Return: whether the device is plugged now.
 */
bool bfq_idle_plug(struct bfq_data *bfqd, struct bfq_queue *q)
{
	lockdep_assert_held(&bfqd->lock);
	if (!bfq_worth_waiting(bfqd, q))
		return false;

	WRITE_ONCE(bfqd->plugged, true);
	if (!hrtimer_is_queued(&bfqd->plug_timer))
		hrtimer_start(&bfqd->plug_timer,
			      bfq_look_after(READ_ONCE(bfqd->tun.slice_idle_ns)),
			      HRTIMER_MODE_REL);
	return true;
}

/**
 * bfq_idle_unplug - wait no longer
 * @bfqd: the device
 *
 * Context: bfqd->lock held.
 */
void bfq_idle_unplug(struct bfq_data *bfqd)
{
	WRITE_ONCE(bfqd->plugged, false);
}

/**
 * bfq_idle_recheck - others have got requests in: is the plug still any good?
 * @bfqd: the device
 *
 * If they hold every tag there is, the process that is waited for can't get one
 * before theirs complete, and theirs wait for the plug.
 *
 * Context: bfqd->lock held.
 */
void bfq_idle_recheck(struct bfq_data *bfqd)
{
	lockdep_assert_held(&bfqd->lock);
	if (bfqd->plugged && !atomic_read(&bfqd->in_service->in_flight) &&
	    bfq_tags_used(bfqd) >= bfq_all_tags(bfqd->queue))
		bfq_expire(bfqd, BFQ_EXPIRE_IDLE);
}

/* How long the plug has to stay yet, in ns; 0 when the wait is over. */
static u64 bfq_plug_left(const struct bfq_data *bfqd)
{
	const struct bfq_queue *q = bfqd->in_service;
	u64 slice_idle = READ_ONCE(bfqd->tun.slice_idle_ns);
	u64 now = ktime_get_ns();
	u64 until;

	if (bfq_served_for(bfqd, max(READ_ONCE(bfqd->tun.timeout_ms), BFQ_PLUG_MOST_MS)))
		return 0;
	if (atomic_read(&q->in_flight))
		return max_t(u64, slice_idle, BFQ_LOOK_AGAIN_NS);
	until = READ_ONCE(q->completed_ns) + slice_idle;
	return until > now ? min(until - now, slice_idle) : 0;
}

static enum hrtimer_restart bfq_plug_timer_fn(struct hrtimer *timer)
{
	struct bfq_data *bfqd = container_of(timer, struct bfq_data, plug_timer);
	bool over = false;
	unsigned long flags;
	u64 left = 0;

	spin_lock_irqsave(&bfqd->lock, flags);
	/* queued again already: plugged anew while we waited for the lock */
	if (bfqd->plugged && !hrtimer_is_queued(timer)) {
		left = bfq_plug_left(bfqd);
		over = !left;
		if (over)
			bfq_expire(bfqd, BFQ_EXPIRE_IDLE);
		else
			hrtimer_forward_now(timer, bfq_look_after(left));
	}
	bfq_unlock(bfqd, flags);

	if (over)
		blk_mq_run_hw_queues(bfqd->queue, true);
	return left ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/**
 * bfq_idle_init - prepare the plug timer of a new device
 * @bfqd: the device
 */
void bfq_idle_init(struct bfq_data *bfqd)
{
	bfq_hrtimer_setup(&bfqd->plug_timer, bfq_plug_timer_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL);
}

/**
 * bfq_idle_exit - stop the plug timer for good
 * @bfqd: the device, which has no requests and gets none any more
 *
 * Context: may sleep; bfqd->lock not held.
 */
void bfq_idle_exit(struct bfq_data *bfqd)
{
	hrtimer_cancel(&bfqd->plug_timer);
}
