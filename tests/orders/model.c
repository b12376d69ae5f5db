// SPDX-License-Identifier: GPL-2.0
/*
 * The device, and what processors do with it in every order, see ./check.
 *
 * usage: model			lists the scenarios
 *	  model NUMBER		tries all orders of one; says the first that leaves a request behind
 *	  model NUMBER races	or in which accesses meet of which one should be marked, or under a lock
 */
#include <stdio.h>
#include <string.h>

#include "explore.h"
#include "world.h"
#include "types.inc"

#define MOST_REQUESTS		4

/* What a request counts for in the device. */
#define LOAD			8

struct bfq_data {
	struct request_queue *queue;
	struct bfq_stage stage[CPUS];
	cpumask_t staged;
	unsigned int gate;
	const struct bfq_kind *kind;
	unsigned int room;
	struct { u32 noted; } price;
	struct { bool forms; bool crowd; u32 need; } line;
	struct { unsigned int nr; } arms;
	struct bfq_tunables tun;
	spinlock_t lock;
	bool dispatching;
	unsigned int nr_waiting, nr_parked, tags;
	bool one_map;
	struct bfq_turn turn;
	struct { struct list_head queues; unsigned int nr; bool mixed; } active;
	struct list_head groups;
	unsigned int nr_groups;
	atomic_t in_flight;
	struct bfq_device device;
	unsigned long contended;
	bool arrived;
	struct work_struct deferred_work;
	struct bfq_ready ready;
};

/* --- the device --- */

static struct elevator_queue elevator;
static struct request_queue rqq;
static struct blk_mq_hw_ctx hctx;
static struct request requests[MOST_REQUESTS];
static bool sent[MOST_REQUESTS], done[MOST_REQUESTS];
static int nr_requests, nr_sent;
static struct bfq_queue only, other;
static struct bfq_group group;
static struct bfq_kind kind;
static struct bfq_data data, *device = &data;

static void bfq_unlock(struct bfq_data *bfqd, unsigned long flags);
static void bfq_unlock_nested(struct bfq_data *bfqd, unsigned long flags);
static void bfq_leave_mark(struct bfq_data *bfqd);
static bool passing;	/* requests may pass, where nothing waits */
static bool bfq_active_due(const void *active) { return !passing; }
#include "header.inc"

static struct bfq_queue *bfq_rq_queue(const struct request *rq) { return &only; }
static bool bfq_rq_prepared(const struct request *rq) { return true; }
static enum bfq_rq_state bfq_rq_state(const struct request *rq) { return rq->state; }
static void bfq_rq_set_state(struct request *rq, enum bfq_rq_state state) { rq->state = state; }
static u32 bfq_rq_load(const struct request *rq) { return rq->load; }
enum { BFQ_RQ_WATCHED = 4, BFQ_RQ_PRICED = 8, BFQ_RQ_ASKS = 64, BFQ_RQ_ARMED = 32 };
static unsigned long bfq_rq_noted(const struct request *rq, unsigned long bits) { return 0; }
static void bfq_raise_sent(struct bfq_data *bfqd, struct bfq_queue *q) { }
static void bfq_price_done(struct bfq_data *bfqd, const struct request *rq) { }
static void bfq_parts_done(struct bfq_data *bfqd, u64 now) { }
static unsigned long bfq_arm_sent(struct bfq_data *bfqd, const struct request *rq) { return 0; }
static bool bfq_arm_done(struct bfq_data *bfqd, const struct request *rq, u64 now) { return false; }
static void bfq_price_refresh(struct bfq_data *bfqd) { }
static void bfq_raise_done(struct bfq_data *bfqd, const struct bfq_queue *q, u64 now) { }
static void bfq_rq_set_sent(struct request *rq, u32 load, unsigned long bits)
{
	rq->state = BFQ_RQ_CHOSEN;
	rq->load = load;
}
static unsigned int blk_rq_sectors(const struct request *rq) { return 8; }
static bool bfq_bypasses(struct request *rq) { return false; }
static bool bfq_active_refresh(struct bfq_data *bfqd) { return false; }
static void bfq_make_direct(struct bfq_data *bfqd, struct list_head *list, bool at_head) { abort(); }
static void bfq_active_passed(struct bfq_queue *q) { }
static void bfq_line_came(struct bfq_queue *q) { }
static void bfq_owner_reap(struct bfq_data *bfqd) { }
static void bfq_depth_refresh(struct bfq_data *bfqd) { }
static void bfq_device_refresh(struct bfq_data *bfqd) { }
static void bfq_habit_refresh(struct bfq_data *bfqd) { }
static void bfq_raise_refresh(struct bfq_data *bfqd) { }
static void bfq_raise_release(struct bfq_data *bfqd) { }
/* no request is kept by the disk, and it has one arm */
static void bfq_stuck_refresh(struct bfq_data *bfqd) { }
static bool bfq_stuck_waits(struct bfq_data *bfqd) { return false; }
static bool bfq_stuck_done(struct bfq_data *bfqd, const struct bfq_queue *q) { return false; }
static struct bfq_queue *bfq_turn_though_full(struct bfq_data *bfqd, struct request **rq) { return NULL; }
static bool bfq_device_limited(const struct bfq_data *bfqd) { return bfqd->active.nr > 1; }
static void bfq_habit_sent(struct bfq_queue *q, u32 number) { }
static void bfq_habit_held(struct bfq_queue *q) { }
static void bfq_habit_completed(struct bfq_queue *q, const struct request *rq, u64 now, u32 sends)
{
	WRITE_ONCE(q->habit.completed_ns, now);
}
static void bfq_depth_check_plug(struct bfq_data *bfqd) { }
static void bfq_depth_invite(struct bfq_queue *q) { }
static bool bfq_claim_in_vain(struct bfq_data *bfqd) { return false; }
static bool bfq_queue_serving(const struct bfq_queue *q) { return false; }
static void bfq_free_requests(struct list_head *list) { }
static void bfq_test_point(const char *name) { }
#include "device.inc"

/* Beside whom the device is plugged for, two requests at a time may be in it while it has none there. */
static bool injecting;
static struct bfq_queue *bfq_in_service(const struct bfq_data *bfqd) { return &only; }
static bool bfq_beside_raised(const struct bfq_data *bfqd, const struct bfq_queue *q) { return false; }
static struct request *bfq_idle_inject(struct bfq_data *bfqd, const struct bfq_queue *served)
{
	struct request *rq = list_first_entry_or_null(&only.fifo, struct request, queuelist);

	return rq && bfq_device_down_to(bfqd, served, LOAD) ? rq : NULL;
}
#include "turn.inc"

/* A request that arrives ends the plug, or is injected. */
static void bfq_admit(struct bfq_data *bfqd, struct request *rq, struct list_head *free)
{
	list_add_tail(&rq->queuelist, &only.fifo);
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting + 1);
	if (!(bfqd->gate & BFQ_GATE_PLUG))
		return;
	if (injecting)
		bfq_turn_injected(bfqd);
	else
		bfq_gate_open(bfqd, BFQ_GATE_PLUG);
}

static struct bfq_queue *bfq_turn_next(struct bfq_data *bfqd, struct request **rq)
{
	if (!(bfqd->gate & BFQ_GATE_PLUG))
		*rq = list_first_entry_or_null(&only.fifo, struct request, queuelist);
	else
		*rq = READ_ONCE(bfqd->turn.beside) ? bfq_turn_injected(bfqd) : NULL;
	return *rq ? &only : NULL;
}

static void bfq_turn_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	list_del_init(&rq->queuelist);
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting - 1);
	bfq_device_sent(bfqd, rq, LOAD);
	if (bfqd->gate & BFQ_GATE_PLUG)
		bfq_turn_injected(bfqd);
}

static struct bfq_queue *bfq_arrive(struct bfq_data *bfqd, struct request *rq) { return &only; }
static void bfq_take_note(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq) { }
static void bfq_wait(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	bfq_admit(bfqd, rq, NULL);
}

static bool bfq_turn_pass(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	if (bfq_device_at_limit(bfqd))
		return false;
	bfq_device_sent(bfqd, rq, LOAD);
	return true;
}

static void bfq_arm_look(struct bfq_data *bfqd) { }

static void bfq_copy_queue(const struct bfq_data *bfqd, const struct bfq_queue *q,
			   struct bfq_queue_line *line)
{
	line->waiting = q->nr_queued;
}

static void bfq_copy_group(const struct bfq_group *group, struct bfq_group_line *line)
{
	line->weight = group->weight;
}

#include "lock.inc"
#include "debugfs.inc"
#include "stage.inc"

static bool op_is_sync(blk_opf_t opf) { return true; }
static void bfq_limit_async(struct bfq_data *bfqd, blk_opf_t opf, struct blk_mq_alloc_data *alloc) { }
static unsigned int bfq_depth_share_async(const struct bfq_data *bfqd, u64 share) { return 1; }
static void bfq_limit_to_none(struct blk_mq_alloc_data *alloc) { }
static unsigned int bfq_cpu_map(struct request_queue *q, blk_opf_t opf) { return 0; }
static unsigned int bfq_tags_used(struct request_queue *q, unsigned int map) { return 0; }
static struct bfq_queue *bfq_owner_current(struct request_queue *q, bool create) { return &only; }
static void bfq_habit_asked(struct bfq_queue *q) { }

/* Tags are not few here. */
static bool bfq_line_few(const struct bfq_data *bfqd) { return false; }
static bool bfq_line_forms(struct bfq_data *bfqd, const struct bfq_queue *q) { return false; }
static u32 bfq_line_need(const struct bfq_queue *q) { return 0; }
static void bfq_line_wait(struct bfq_data *bfqd, struct bfq_queue *q) { }
static void trace_bfq_depth_wait(struct bfq_data *bfqd, struct bfq_queue *q, u64 began) { }
#include "depth.inc"

/*
 * The block layer, as far as it is to be relied on: it asks whether there is work, and then
 * for requests as long as it gets some. (Where it gets none although there was work it
 * asks again after 3 ms; a request that had to wait for that would have been left behind.)
 */
static void to_driver(const struct request *rq)
{
	sent[rq - requests] = true;
	nr_sent++;
}

static void run_queue(void)
{
	struct request *rq;

	while (bfq_has_work(&hctx)) {
		rq = bfq_dispatch_request(&hctx);
		if (!rq)
			break;
		to_driver(rq);
	}
}

static void worker(void)
{
	while (wait_for_work())
		run_queue();
}

/* --- scenarios --- */

static void insert(int i)
{
	LIST_HEAD(list);

	list_add_tail(&requests[i].queuelist, &list);
	bfq_insert_requests(&hctx, &list, 0);
	run_queue();
}

static void insert_first(void) { insert(0); }
static void insert_second(void) { insert(1); }
static void insert_third(void) { insert(2); }
static void insert_two(void) { insert(1); insert(2); }

/* What a task has plugged comes as one list. */
static void insert_list(int from, int to)
{
	LIST_HEAD(list);

	for (int i = from; i < to; i++)
		list_add_tail(&requests[i].queuelist, &list);
	bfq_insert_requests(&hctx, &list, 0);
	run_queue();
}

static void insert_pair(void) { insert_list(1, 3); }
static void insert_all(void) { insert_list(0, 3); }

/* Somebody who looks at the queues: debugfs, or a bio that might be merged. */
static void look(void)
{
	unsigned long flags;

	spin_lock_irqsave(&device->lock, flags);
	bfq_unlock(device, flags);
}

/* Somebody reads debugfs' lists. */
static void show(void)
{
	struct bfq_queue_line queues[BFQ_MOST_LINES];
	struct bfq_group_line groups[BFQ_MOST_LINES];

	bfq_copy_queues(device, queues);
	bfq_copy_groups(device, groups);
}

/* A queue begins to compete, and one does no more; a group comes, and one goes. */
static void come_and_go(void)
{
	unsigned long flags;

	spin_lock_irqsave(&device->lock, flags);
	list_del_init(&only.active);
	list_add_tail(&other.active, &device->active.queues);
	other.nr_queued = 0;
	list_del_init(&group.link);
	device->nr_groups--;
	bfq_unlock(device, flags);
}

static void start_shown(void)
{
	list_add_tail(&only.active, &device->active.queues);
	device->active.nr = 1;
	INIT_LIST_HEAD(&other.active);
	list_add_tail(&group.link, &device->groups);
	device->nr_groups = 1;
}

/* A dispatcher that has come for nothing. */
static void dispatch(void)
{
	struct request *rq = bfq_dispatch_request(&hctx);

	if (!rq)
		return;
	to_driver(rq);
	run_queue();
}

/* The process that the device is plugged for goes, inside a lock of the block layer. */
static void leave(void)
{
	unsigned long flags;

	spin_lock_irqsave(&device->lock, flags);
	bfq_gate_open(device, BFQ_GATE_PLUG);
	bfq_unlock_nested(device, flags);
}

static bool one_is_in_the_driver(void)
{
	for (int i = 0; i < nr_requests; i++)
		if (sent[i] && !done[i])
			return true;
	return false;
}

/* The driver: what has been sent completes. */
static void complete(void)
{
	for (int i = 0; i < nr_requests; i++) {
		if (READ_ONCE(sent[i]) && !done[i]) {
			done[i] = true;
			bfq_device_done(device, &requests[i], 1);
		}
	}
}

/* And what is sent later, as long as there is any. */
static void complete_all(void)
{
	for (;;) {
		wait_until(one_is_in_the_driver);
		complete();
	}
}

/* Nothing waits: who comes may pass. */
static void start_quiet(void)
{
	passing = true;
	device->device.limit = 4 * LOAD;
}

/* And one has passed, and waits for the driver. */
static void start_passed(void)
{
	start_quiet();
	bfq_device_sent(device, &requests[0], LOAD);
	bfq_make_pass(device, &requests[0]);
}

/* But for the last of three there is no room. */
static void start_filling(void)
{
	start_quiet();
	device->active.nr = 2;
	device->device.limit = 2 * LOAD;
}

/* But for one there is no room. */
static void start_nearly_full(void)
{
	start_quiet();
	device->active.nr = 2;
	device->device.limit = LOAD;
}

static void start_plugged(void)
{
	LIST_HEAD(free);

	bfq_admit(device, &requests[0], &free);
	device->gate = BFQ_GATE_PLUG;
}

/* One is in the device already, and no more than that may be. */
static void start_strict(void)
{
	device->tun.strict_guarantees = true;
	to_driver(&requests[0]);
	bfq_device_sent(device, &requests[0], LOAD);
}

/* The same, because queues compete and the device is as full as it may be. */
static void start_limited(void)
{
	start_strict();
	device->tun.strict_guarantees = false;
	device->active.nr = 2;
	device->device.limit = LOAD;
}

/* Or because the device is plugged: there would be room for more. */
static void start_injecting(void)
{
	start_limited();
	device->device.limit = 8 * LOAD;
	device->gate = BFQ_GATE_PLUG;
	injecting = true;
}

/* Strict from now on: one has been chosen, and will be sent before the one that waits. */
static void start_strict_late(void)
{
	LIST_HEAD(list);
	LIST_HEAD(free);

	start_strict();
	bfq_device_sent(device, &requests[1], LOAD);
	list_add_tail(&requests[1].queuelist, &list);
	bfq_make_ready(device, &list, 1);
	bfq_admit(device, &requests[2], &free);
	device->lock.held = true;
	bfq_device_full(device, false);
	device->lock.held = false;
}

/* A task that may have one tag at a time takes one, and its request ends. */
static void ask(int i)
{
	struct blk_mq_alloc_data alloc = { .q = &rqq };

	bfq_limit_depth(0, &alloc);
	bfq_depth_taken(&only, &requests[i]);
	bfq_depth_given(&only);
	to_driver(&requests[i]);
}

/* The same, and it keeps its tag. */
static void ask_and_keep(void)
{
	struct blk_mq_alloc_data alloc = { .q = &rqq };

	bfq_limit_depth(0, &alloc);
	bfq_depth_taken(&only, &requests[running]);
	nr_sent++;
}

static void ask_first(void) { ask(1); }
static void ask_second(void) { ask(2); }
static void give(void) { bfq_depth_given(&only); nr_sent++; }

/* Requests of other queues end, too. */
static void give_plenty(void)
{
	atomic_dec(&device->in_flight);
	atomic_dec(&device->in_flight);
	give();
}

/* All tags are in use; one of them is the queue's, which is its due. */
static void start_scarce(void)
{
	data.tags = 2;
	data.one_map = true;
	data.in_flight.counter = 2;
	only.share = 1;
	only.tags.counter = 1;
}

/* A group of writers has the one that is its due, be tags scarce or not. */
static void start_flusher(void)
{
	start_scarce();
	only.sync = false;
}

static const struct scenario {
	const char *what;
	int requests;
	act start;
	act body[MOST_THREADS];
} scenarios[] = {
	{ "two processors insert a request each, and both are sent", 2, NULL,
	  { insert_first, insert_second, worker } },
	{ "one inserts while another has come for nothing", 1, NULL,
	  { insert_first, dispatch, worker } },
	{ "one inserts while another looks at the queues", 1, NULL,
	  { insert_first, look, worker } },
	{ "one inserts two while another inserts one", 3, NULL,
	  { insert_first, insert_two, worker } },
	{ "a process goes that the device was kept for, and what waited is sent", 1, start_plugged,
	  { leave, worker } },
	{ "a request arrives that ends the plug while another looks", 2, start_plugged,
	  { insert_second, look, worker } },
	{ "a process goes that the device was kept for while another inserts", 2, start_plugged,
	  { leave, insert_second, worker } },
	{ "a request waits for the one in the device, which ends", 2, start_strict,
	  { insert_second, complete, worker } },
	{ "two requests wait, one of them chosen before, and each is sent when the last ends", 3,
	  start_strict_late, { complete_all, worker } },
	{ "a request waits for room in the device, and the one there ends", 2, start_limited,
	  { insert_second, complete, worker } },
	{ "a request waits until little is in the plugged device, and the one there ends", 2, start_injecting,
	  { insert_second, complete, worker } },
	{ "two do, and each is sent when the last ends", 3, start_injecting,
	  { insert_two, complete_all, worker } },
	{ "two processors insert a request each, and both pass", 2, start_quiet,
	  { insert_first, insert_second, worker } },
	{ "one passes while another has come for nothing, and another looks", 1, start_quiet,
	  { insert_first, dispatch, look, worker } },
	{ "two pass together while another inserts one", 3, start_quiet,
	  { insert_first, insert_two, worker } },
	{ "a list of two passes, at once or staged, while another inserts one", 3, start_quiet,
	  { insert_first, insert_pair, worker } },
	{ "a list of three comes, and for its last there is no room until one ends", 3, start_filling,
	  { insert_all, complete_all, worker } },
	{ "two pass while one that has passed waits for the driver", 3, start_passed,
	  { insert_second, insert_third, worker } },
	{ "one passes, and for the second there is no room until it ends", 2, start_nearly_full,
	  { insert_first, insert_second, complete_all, worker } },
	{ "queues and groups come and go while they are shown", 0, start_shown,
	  { come_and_go, show } },
	{ "a task waits for the tag of its queue's only request, which ends", 2, start_scarce,
	  { ask_first, give } },
	{ "a flusher does", 2, start_flusher,
	  { ask_first, give } },
	{ "two tasks do", 3, start_scarce,
	  { ask_first, ask_second, give } },
	{ "two tasks do, and tags become plenty: neither waits for the other's", 3, start_scarce,
	  { ask_and_keep, ask_and_keep, give_plenty } },
};

static void reset(const struct scenario *s)
{
	memset(&data, 0, sizeof(data));
	memset(requests, 0, sizeof(requests));
	memset(&only, 0, sizeof(only));
	memset(&other, 0, sizeof(other));
	memset(&group, 0, sizeof(group));
	memset(sent, 0, sizeof(sent));
	memset(done, 0, sizeof(done));
	passing = false;
	injecting = false;
	nr_sent = 0;
	nr_requests = s->requests;
	elevator.elevator_data = &data;
	rqq.elevator = &elevator;
	hctx.queue = &rqq;
	kind.few = 1;
	kind.batch = 2;
	data.room = 2;
	data.kind = &kind;
	data.queue = &rqq;
	for (int i = 0; i < CPUS; i++)
		INIT_LIST_HEAD(&data.stage[i].list);
	INIT_LIST_HEAD(&data.ready.direct);
	INIT_LIST_HEAD(&data.ready.chosen);
	INIT_LIST_HEAD(&data.active.queues);
	INIT_LIST_HEAD(&data.groups);
	INIT_LIST_HEAD(&only.fifo);
	only.sync = true;
	for (int i = 0; i < nr_requests; i++) {
		INIT_LIST_HEAD(&requests[i].queuelist);
		requests[i].q = &rqq;
		requests[i].mq_hctx = &hctx;
	}
}

/* Does everything agree, at the end of a run?  What is wrong, or NULL. */
static const char *wrong_at_end(const struct scenario *s)
{
	static char text[120];

	if (nr_sent != s->requests) {
		snprintf(text, sizeof(text), "%d of %d requests were sent or ended", nr_sent, s->requests);
		return text;
	}
	if (data.ready.nr_chosen || !list_empty(&data.ready.chosen))
		return "requests that are ready were not counted right";
	return NULL;
}

int main(int argc, char **argv)
{
	int n = sizeof(scenarios) / sizeof(scenarios[0]), which;
	unsigned long runs = 0;

	if (argc < 2) {
		for (int i = 0; i < n; i++)
			printf("%d %s\n", i, scenarios[i].what);
		return 0;
	}
	which = atoi(argv[1]);
	if (which < 0 || which >= n)
		return 2;
	explore_share(&data, sizeof(data));
	explore_share(requests, sizeof(requests));
	explore_share(&only, sizeof(only));
	explore_share(&other, sizeof(other));
	explore_share(&group, sizeof(group));
	if (argc > 2)
		explore_races();
	do {
		const char *wrong;

		reset(&scenarios[which]);
		if (scenarios[which].start)
			scenarios[which].start();
		explore_run(scenarios[which].body);
		runs++;
		wrong = wrong_at_end(&scenarios[which]);
		if (wrong) {
			printf("after %lu orders: %s; threads went on like this:%s\n", runs, wrong,
			       explore_order());
			return 1;
		}
	} while (explore_more());
	printf("%lu orders\n", runs);
	return 0;
}
