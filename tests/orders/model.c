// SPDX-License-Identifier: GPL-2.0
/*
 * All orders in which processors may act, see ./check.
 *
 * usage: model			lists the scenarios
 *	  model NUMBER		tries all orders of one; says the first that leaves a request behind
 *
 * A run is a sequence of choices, one at each access to what is shared: go on, or let another
 * thread go on, with the stores of this one on their way or not. Runs are repeated with the
 * last choice that has another value changed, until none has (a search in depth, without
 * saved states). Only MOST_INTERRUPTIONS times may a thread be interrupted that could go
 * on: an order that breaks such a protocol hardly ever needs more.
 */
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "world.h"
#include "types.inc"

#define MOST_THREADS		4
#define MOST_INTERRUPTIONS	2
#define MOST_CHOICES		4096
#define MOST_PENDING		64
#define STACK			(64 << 10)
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
	struct { unsigned int nr; } arms;
	struct bfq_tunables tun;
	spinlock_t lock;
	bool dispatching;
	unsigned int nr_waiting, nr_parked, tags;
	bool one_map;
	struct bfq_turn turn;
	struct { unsigned int nr; } active;
	atomic_t in_flight;
	struct bfq_device device;
	unsigned long contended;
	bool arrived;
	struct work_struct deferred_work;
	struct bfq_ready ready;
};

/* --- threads, and what of their stores the others do not see yet --- */

struct pending {
	void *at;
	size_t size;
	u64 old;
	unsigned long bits;	/* only these have been set */
};

struct thread {
	ucontext_t context;
	char *stack;
	void (*body)(void);
	bool ended;
	bool *waits_for;	/* a lock that is taken */
	bool waits_for_work;
	bool waits_for_sent;
	bool sleeps, woken;
	unsigned int nr_pending;
	struct pending pending[MOST_PENDING];
};

static struct thread threads[MOST_THREADS];
static int nr_threads, running;
static ucontext_t explorer;

/* --- choices --- */

static unsigned char chosen[MOST_CHOICES], options[MOST_CHOICES];
static int depth, known, interruptions;
static char order[MOST_CHOICES * 24];

static int choose(int n)
{
	if (depth == MOST_CHOICES) {
		puts("the run does not end");
		exit(1);
	}
	if (depth >= known) {
		chosen[depth] = 0;
		known = depth + 1;
	}
	options[depth] = n;
	return chosen[depth++];
}

/* The next run, or false if there is none. */
static bool next_run(void)
{
	while (depth && chosen[depth - 1] + 1 >= options[depth - 1])
		depth--;
	if (!depth)
		return false;
	chosen[depth - 1]++;
	known = depth;
	return true;
}

/* Work that the module has asked for, and whether somebody may still ask. */
static bool work_wanted;

static bool others_ended(int me)
{
	for (int i = 0; i < nr_threads; i++)
		if (i != me && !threads[i].ended)
			return false;
	return true;
}

static bool one_is_in_the_driver(void);

static bool can_run(int i)
{
	struct thread *t = &threads[i];

	if (t->ended || t->sleeps || (t->waits_for && *t->waits_for))
		return false;
	if (t->waits_for_sent)
		return one_is_in_the_driver();
	return !t->waits_for_work || work_wanted || others_ended(i);
}

static void note(const char *what, int who)
{
	char text[24];

	snprintf(text, sizeof(text), "%s%d", what, who);
	strcat(order, text);
}

static void go_to(int next)
{
	int me = running;

	running = next;
	note(" ->", next);
	if (me != next)
		swapcontext(&threads[me].context, &threads[next].context);
}

static void forget_pending(struct thread *t)
{
	t->nr_pending = 0;
}

/* Another thread goes on: one of those that can, with our stores on their way or not. */
static void give_way(bool could_go_on)
{
	int able[MOST_THREADS], n = 0, pick;
	struct thread *t = &threads[running];

	for (int i = 0; i < nr_threads; i++)
		if (i != running && can_run(i))
			able[n++] = i;
	if (!n && !could_go_on) {
		swapcontext(&t->context, &explorer);	/* all wait: the run is over */
		return;
	}
	if (could_go_on && (interruptions == MOST_INTERRUPTIONS || !n))
		return;
	pick = choose((could_go_on ? 1 : 0) + n * (t->nr_pending ? 2 : 1));
	if (could_go_on && pick-- == 0)
		return;
	interruptions += could_go_on;
	if (pick < n)
		forget_pending(t);
	else
		note(" (holds back)", t->nr_pending);
	go_to(able[pick % n]);
}

static void may_switch(void)
{
	give_way(true);
}

/* --- the words of words.h --- */

static u64 value_at(const void *at, size_t size)
{
	u64 value = 0;

	memcpy(&value, at, size);
	return value;
}

static void hold_back(void *at, size_t size, unsigned long bits)
{
	struct thread *t = &threads[running];

	if (t->nr_pending == MOST_PENDING) {
		puts("too many stores without a barrier");
		exit(1);
	}
	t->pending[t->nr_pending++] = (struct pending){ at, size, value_at(at, size), bits };
}

void model_store(void *at, size_t size, u64 value)
{
	may_switch();
	hold_back(at, size, 0);
	memcpy(at, &value, size);
}

void model_set(unsigned long *at, unsigned long bits)
{
	may_switch();
	hold_back(at, sizeof(*at), bits);
	*at |= bits;
}

/* What this thread sees: not what another has not let go of. */
static u64 seen(const void *at, size_t size)
{
	u64 value = value_at(at, size);

	for (int i = 0; i < nr_threads; i++) {
		for (unsigned int k = 0; i != running && k < threads[i].nr_pending; k++) {
			const struct pending *p = &threads[i].pending[k];

			if (p->at != at)
				continue;
			if (!p->bits)
				return p->old;
			value &= ~p->bits;
		}
	}
	return value;
}

u64 model_load(const void *at, size_t size)
{
	may_switch();
	return seen(at, size);
}

void model_fence(void)
{
	forget_pending(&threads[running]);
}

u64 model_exchange(unsigned long *at, unsigned long set, unsigned long clear)
{
	unsigned long old;

	may_switch();
	model_fence();
	old = *at;
	*at = (old | set) & ~clear;
	return old;
}

void *model_swap(void *at, void *value, bool only_if_null)
{
	void **word = at, *old;

	may_switch();
	model_fence();
	old = *word;
	if (!old || !only_if_null)
		*word = value;
	return old;
}

int model_add(int *at, int change)
{
	may_switch();
	model_fence();
	return *at += change;
}

u64 model_add64(u64 *at, u64 change)
{
	may_switch();
	model_fence();
	return *at += change;
}

bool model_trylock(bool *held)
{
	may_switch();
	model_fence();
	if (seen(held, sizeof(*held)))
		return false;
	*held = true;
	return true;
}

void model_lock(bool *held)
{
	struct thread *t = &threads[running];

	may_switch();
	while (*held) {
		t->waits_for = held;
		forget_pending(t);
		give_way(false);
	}
	t->waits_for = NULL;
	model_fence();
	/* who has released it has let go of what he stored before that */
	for (int i = 0; i < nr_threads; i++)
		for (unsigned int k = 0; k < threads[i].nr_pending; k++)
			if (threads[i].pending[k].at == held)
				forget_pending(&threads[i]);
	*held = true;
}

void model_unlock(bool *held)
{
	model_store(held, sizeof(*held), false);
}

int model_dec_if_positive(int *at)
{
	may_switch();
	model_fence();
	return *at > 0 ? --*at : -1;
}

/* To sleep, as the kernel does it: the state is set, and seen, before it is looked again. */
void model_prepare_to_wait(wait_queue_head_t *head)
{
	may_switch();
	model_fence();
	threads[running].woken = false;
	for (int i = 0; i < head->nr; i++)
		if (head->sleeper[i] == running)
			return;
	head->sleeper[head->nr++] = running;
}

void model_finish_wait(wait_queue_head_t *head)
{
	may_switch();
	model_fence();
	for (int i = 0; i < head->nr; i++) {
		if (head->sleeper[i] != running)
			continue;
		head->nr--;
		memmove(&head->sleeper[i], &head->sleeper[i + 1], (head->nr - i) * sizeof(int));
		return;
	}
}

/* One is woken, who leaves the line at once. */
void model_wake_up(wait_queue_head_t *head)
{
	may_switch();
	model_fence();
	if (!head->nr)
		return;
	threads[head->sleeper[0]].sleeps = false;
	threads[head->sleeper[0]].woken = true;
	head->nr--;
	memmove(&head->sleeper[0], &head->sleeper[1], head->nr * sizeof(int));
}

bool model_has_sleeper(wait_queue_head_t *head)
{
	may_switch();
	return head->nr;
}

/* Until it is woken. Nobody's patience ends here: a task that nobody wakes has been forgotten. */
long model_sleep(void)
{
	struct thread *t = &threads[running];

	may_switch();
	model_fence();
	if (!t->woken) {
		t->sleeps = true;
		give_way(false);
	}
	t->woken = false;
	return 1;
}

/* The hardware queues are run by a worker. */
void model_run_device(void)
{
	model_fence();
	work_wanted = true;
	may_switch();
}

unsigned int model_cpu(void)
{
	return running % CPUS;
}

/* --- the device --- */

static struct elevator_queue elevator;
static struct request_queue rqq;
static struct blk_mq_hw_ctx hctx;
static struct request requests[MOST_REQUESTS];
static int nr_requests, nr_sent;
static struct bfq_queue only;
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
enum { BFQ_RQ_WATCHED = 4, BFQ_RQ_PRICED = 8, BFQ_RQ_ARMED = 32 };
static unsigned long bfq_rq_noted(const struct request *rq, unsigned long bits) { return 0; }
static void bfq_raise_sent(struct bfq_data *bfqd, struct bfq_queue *q) { }
static void bfq_price_done(struct bfq_data *bfqd, const struct request *rq) { }
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
static bool bfq_limited(const struct bfq_data *bfqd) { return bfqd->active.nr > 1; }
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

/* A request that arrives ends the plug. */
static void bfq_admit(struct bfq_data *bfqd, struct request *rq, struct list_head *free)
{
	list_add_tail(&rq->queuelist, &only.fifo);
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting + 1);
	if (bfqd->gate & BFQ_GATE_PLUG)
		bfq_gate_open(bfqd, BFQ_GATE_PLUG);
}

static struct bfq_queue *bfq_turn_next(struct bfq_data *bfqd, struct request **rq)
{
	if (bfqd->gate & BFQ_GATE_PLUG)
		return NULL;
	*rq = list_first_entry_or_null(&only.fifo, struct request, queuelist);
	return *rq ? &only : NULL;
}

static void bfq_turn_take(struct bfq_data *bfqd, struct bfq_queue *q, struct request *rq)
{
	list_del_init(&rq->queuelist);
	WRITE_ONCE(bfqd->nr_waiting, bfqd->nr_waiting - 1);
	bfq_device_sent(bfqd, rq, LOAD);
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

#include "lock.inc"
#include "stage.inc"

static bool op_is_sync(blk_opf_t opf) { return true; }
static void bfq_limit_async(struct bfq_data *bfqd, blk_opf_t opf, struct blk_mq_alloc_data *alloc) { }
static unsigned int bfq_depth_share_async(const struct bfq_data *bfqd, u64 share) { return 1; }
static void bfq_limit_to_none(struct blk_mq_alloc_data *alloc) { }
static unsigned int bfq_cpu_map(struct request_queue *q, blk_opf_t opf) { return 0; }
static unsigned int bfq_tags_used(struct request_queue *q, unsigned int map) { return 0; }
static struct bfq_queue *bfq_owner_current(struct request_queue *q, bool create) { return &only; }
static void bfq_habit_asked(struct bfq_queue *q) { }
static void trace_bfq_depth_wait(struct bfq_data *bfqd, struct bfq_queue *q, u64 began) { }
#include "depth.inc"

/*
 * The block layer, as far as it is to be relied on: it asks whether there is work, and then
 * for requests as long as it gets some. (Where it gets none although there was work it
 * asks again after 3 ms; a request that had to wait for that would have been left behind.)
 */
static void run_queue(void)
{
	struct request *rq;

	while (bfq_has_work(&hctx)) {
		rq = bfq_dispatch_request(&hctx);
		if (!rq)
			break;
		rq->sent = true;
		nr_sent++;
	}
}

static void worker(void)
{
	struct thread *t = &threads[running];

	for (;;) {
		t->waits_for_work = true;
		if (!work_wanted && !others_ended(running))
			give_way(false);
		t->waits_for_work = false;
		if (!work_wanted)
			return;
		work_wanted = false;
		run_queue();
	}
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
static void insert_two(void) { insert(1); insert(2); }

/* Somebody who looks at the queues: debugfs, or a bio that might be merged. */
static void look(void)
{
	unsigned long flags;

	spin_lock_irqsave(&device->lock, flags);
	bfq_unlock(device, flags);
}

/* A dispatcher that has come for nothing. */
static void dispatch(void)
{
	struct request *rq = bfq_dispatch_request(&hctx);

	if (!rq)
		return;
	rq->sent = true;
	nr_sent++;
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
		if (requests[i].sent && !requests[i].done)
			return true;
	return false;
}

/* The driver: what has been sent completes. */
static void complete(void)
{
	for (int i = 0; i < nr_requests; i++) {
		struct request *rq = &requests[i];

		if (READ_ONCE(rq->sent) && !rq->done) {
			rq->done = true;
			bfq_device_done(device, rq, 1);
		}
	}
}

/* And what is sent later, as long as there is any. */
static void complete_all(void)
{
	struct thread *t = &threads[running];

	for (;;) {
		t->waits_for_sent = true;
		if (!one_is_in_the_driver())
			give_way(false);
		t->waits_for_sent = false;
		complete();
	}
}

/* Nothing waits: who comes may pass. */
static void start_quiet(void)
{
	passing = true;
	device->device.limit = 4 * LOAD;
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
	requests[0].sent = true;
	nr_sent = 1;
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
	requests[i].sent = true;
	nr_sent++;
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

typedef void (*act)(void);

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
	{ "a request waits for the one in the device, which ends", 2, start_strict,
	  { insert_second, complete, worker } },
	{ "two requests wait, one of them chosen before, and each is sent when the last ends", 3,
	  start_strict_late, { complete_all, worker } },
	{ "a request waits for room in the device, and the one there ends", 2, start_limited,
	  { insert_second, complete, worker } },
	{ "two processors insert a request each, and both pass", 2, start_quiet,
	  { insert_first, insert_second, worker } },
	{ "one passes while another has come for nothing, and another looks", 1, start_quiet,
	  { insert_first, dispatch, look, worker } },
	{ "two pass together while another inserts one", 3, start_quiet,
	  { insert_first, insert_two, worker } },
	{ "one passes, and for the second there is no room until it ends", 2, start_nearly_full,
	  { insert_first, insert_second, complete_all, worker } },
	{ "a task waits for the tag of its queue's only request, which ends", 2, start_scarce,
	  { ask_first, give } },
	{ "a flusher does", 2, start_flusher,
	  { ask_first, give } },
	{ "two tasks do", 3, start_scarce,
	  { ask_first, ask_second, give } },
	{ "two tasks do, and tags become plenty: neither waits for the other's", 3, start_scarce,
	  { ask_and_keep, ask_and_keep, give_plenty } },
};

static void start_body(int i)
{
	threads[i].body();
	threads[i].ended = true;
	forget_pending(&threads[i]);
	give_way(false);
}

static void reset(const struct scenario *s)
{
	memset(&data, 0, sizeof(data));
	memset(requests, 0, sizeof(requests));
	memset(&only, 0, sizeof(only));
	work_wanted = false;
	passing = false;
	nr_sent = 0;
	nr_requests = s->requests;
	elevator.elevator_data = &data;
	rqq.elevator = &elevator;
	hctx.queue = &rqq;
	kind.batch = 2;
	data.room = 2;
	data.kind = &kind;
	data.queue = &rqq;
	for (int i = 0; i < CPUS; i++)
		INIT_LIST_HEAD(&data.stage[i].list);
	INIT_LIST_HEAD(&data.ready.direct);
	INIT_LIST_HEAD(&data.ready.chosen);
	INIT_LIST_HEAD(&only.fifo);
	only.sync = true;
	for (int i = 0; i < nr_requests; i++) {
		INIT_LIST_HEAD(&requests[i].queuelist);
		requests[i].q = &rqq;
		requests[i].mq_hctx = &hctx;
	}
}

static void run_once(const struct scenario *s)
{
	depth = interruptions = 0;
	order[0] = '\0';
	nr_threads = 0;
	reset(s);
	if (s->start)
		s->start();
	for (int i = 0; i < MOST_THREADS && s->body[i]; i++, nr_threads++) {
		struct thread *t = &threads[i];
		char *stack = t->stack ? t->stack : malloc(STACK);

		memset(t, 0, offsetof(struct thread, pending));
		t->stack = stack;
		t->body = s->body[i];
		getcontext(&t->context);
		t->context.uc_stack.ss_sp = stack;
		t->context.uc_stack.ss_size = STACK;
		makecontext(&t->context, (void (*)(void))start_body, 1, i);
	}
	running = choose(nr_threads);
	note(" ->", running);
	swapcontext(&explorer, &threads[running].context);
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
	known = 0;
	do {
		run_once(&scenarios[which]);
		runs++;
		if (nr_sent != scenarios[which].requests) {
			printf("after %lu orders: %d of %d requests were sent or ended; threads went on like this:%s\n",
			       runs, nr_sent, scenarios[which].requests, order);
			return 1;
		}
	} while (next_run());
	printf("%lu orders\n", runs);
	return 0;
}
