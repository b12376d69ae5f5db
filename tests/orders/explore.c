// SPDX-License-Identifier: GPL-2.0
/*
 * Threads, and all orders in which they may act.
 *
 * A run is a sequence of choices, one at each access to what is shared: go on, or let another
 * thread go on, with the stores of this one on their way or not. Runs are repeated with the
 * last choice that has another value changed, until none has (a search in depth, without
 * saved states). Only MOST_INTERRUPTIONS times may a thread be interrupted that could go
 * on: an order that breaks such a protocol hardly ever needs more.
 *
 * An access that the text does not mark (READ_ONCE() and the like) is one that nobody else may
 * come between: the compiler may tear it, or do it twice. The compiler tells us of each (its
 * -fsanitize=thread, with the functions at the end here in place of its library), so where one
 * thread stands before such an access, and another makes one to the same word, and either
 * writes, it is a race, as in the kernel's KCSAN. When these are looked for, threads are
 * interrupted there, and nowhere else.
 */
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "explore.h"
#include "words.h"

#define MOST_INTERRUPTIONS	2
#define MOST_CHOICES		4096
#define MOST_PENDING		64
#define MOST_SHARED		8
#define STACK			(64 << 10)

/* --- threads, and what of their stores the others do not see yet --- */

struct pending {
	void *at;
	size_t size;
	u64 old;
	unsigned long bits;	/* only these have been set */
};

/* What a thread does next, or does. */
struct access {
	const char *at;
	size_t size;
	bool writes, plain;
	void *where;
};

struct thread {
	ucontext_t context;
	char *stack;
	act body;
	bool ended;
	bool *waits_for;	/* a lock that is taken */
	bool waits_for_work;
	bool (*waits_until)(void);
	bool sleeps, woken;
	struct access next;
	int may_race;
	unsigned int nr_pending;
	struct pending pending[MOST_PENDING];
};

static struct thread threads[MOST_THREADS];
static int nr_threads;
int running;
static ucontext_t explorer;
static bool races;		/* are looked for */

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

bool explore_more(void)
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

static bool can_run(int i)
{
	struct thread *t = &threads[i];

	if (t->ended || t->sleeps || (t->waits_for && *t->waits_for))
		return false;
	if (t->waits_until)
		return t->waits_until();
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
	pick = choose((could_go_on ? 1 : 0) + n * (t->nr_pending && !races ? 2 : 1));
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
	if (!races)
		give_way(true);
}

/* --- what is shared, and who stands before which access to it --- */

static struct { const char *at; size_t size; } shared[MOST_SHARED];
static int nr_shared;

void explore_share(void *at, size_t size)
{
	if (nr_shared == MOST_SHARED)
		abort();
	shared[nr_shared].at = at;
	shared[nr_shared++].size = size;
}

void explore_races(void)
{
	races = true;
}

static bool is_shared(const char *at)
{
	for (int i = 0; i < nr_shared; i++)
		if (at >= shared[i].at && at < shared[i].at + shared[i].size)
			return true;
	return false;
}

static const char *kind_of(const struct access *a)
{
	return a->plain ? a->writes ? "a plain store" : "a plain load" : a->writes ? "a marked store" : "a marked load";
}

static void see_race(const struct access *a, int other)
{
	const struct access *b = &threads[other].next;

	if (!b->at || a->at >= b->at + b->size || b->at >= a->at + a->size)
		return;
	if (!(a->writes || b->writes) || !(a->plain || b->plain))
		return;
	printf("%s of thread %d at <%p> meets %s of thread %d at <%p>; threads went on like this:%s\n",
	       kind_of(a), running, a->where, kind_of(b), other, b->where, order);
	exit(1);
}

/* The thread is about to do this: another may come before, and meet it. */
static void stand(const void *at, size_t size, bool writes, bool plain, void *where)
{
	struct access *next = &threads[running].next;

	*next = (struct access){ at, size, writes, plain, where };
	if (races == plain)
		give_way(true);
	for (int i = 0; i < nr_threads; i++)
		if (i != running)
			see_race(next, i);
	next->at = NULL;
}

/* --- the words of words.h --- */

/* Who has said the word. */
#define WHERE __builtin_return_address(0)

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
	stand(at, size, true, false, WHERE);
	hold_back(at, size, 0);
	memcpy(at, &value, size);
}

void model_set(unsigned long *at, unsigned long bits)
{
	stand(at, sizeof(*at), true, false, WHERE);
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

void model_may_race(int change)
{
	threads[running].may_race += change;
}

u64 model_load(const void *at, size_t size)
{
	stand(at, size, false, false, WHERE);
	return seen(at, size);
}

void model_fence(void)
{
	forget_pending(&threads[running]);
}

u64 model_exchange(unsigned long *at, unsigned long set, unsigned long clear)
{
	unsigned long old;

	stand(at, sizeof(*at), true, false, WHERE);
	model_fence();
	old = *at;
	*at = (old | set) & ~clear;
	return old;
}

void *model_swap(void *at, void *value, bool only_if_null)
{
	void **word = at, *old;

	stand(at, sizeof(old), true, false, WHERE);
	model_fence();
	old = *word;
	if (!old || !only_if_null)
		*word = value;
	return old;
}

int model_add(int *at, int change)
{
	stand(at, sizeof(*at), true, false, WHERE);
	model_fence();
	return *at += change;
}

u64 model_add64(u64 *at, u64 change)
{
	stand(at, sizeof(*at), true, false, WHERE);
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

bool model_holds(const bool *held)
{
	return *held;
}

void model_unlock(bool *held)
{
	model_store(held, sizeof(*held), false);
}

int model_dec_if_positive(int *at)
{
	stand(at, sizeof(*at), true, false, WHERE);
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

bool wait_for_work(void)
{
	struct thread *t = &threads[running];

	t->waits_for_work = true;
	if (!work_wanted && !others_ended(running))
		give_way(false);
	t->waits_for_work = false;
	if (!work_wanted)
		return false;
	work_wanted = false;
	return true;
}

void wait_until(bool (*holds)(void))
{
	struct thread *t = &threads[running];

	t->waits_until = holds;
	if (!holds())
		give_way(false);
	t->waits_until = NULL;
}

/* --- a run --- */

static void start_body(int i)
{
	threads[i].body();
	threads[i].ended = true;
	forget_pending(&threads[i]);
	give_way(false);
}

void explore_run(const act *bodies)
{
	depth = interruptions = 0;
	order[0] = '\0';
	work_wanted = false;
	nr_threads = 0;
	for (int i = 0; i < MOST_THREADS && bodies[i]; i++, nr_threads++) {
		struct thread *t = &threads[i];
		char *stack = t->stack ? t->stack : malloc(STACK);

		memset(t, 0, offsetof(struct thread, pending));
		t->stack = stack;
		t->body = bodies[i];
		getcontext(&t->context);
		t->context.uc_stack.ss_sp = stack;
		t->context.uc_stack.ss_size = STACK;
		makecontext(&t->context, (void (*)(void))start_body, 1, i);
	}
	running = choose(nr_threads);
	note(" ->", running);
	swapcontext(&explorer, &threads[running].context);
	nr_threads = 0;		/* what the scenarios do between runs meets nobody */
}

const char *explore_order(void)
{
	return order;
}

/* --- what the compiler calls at each access that the text does not mark --- */

static void plain(const void *at, size_t size, bool writes, void *where)
{
	if (nr_threads && !threads[running].may_race && is_shared(at))
		stand(at, size, writes, true, where);
}

#define PLAIN(bytes) \
	void __tsan_read##bytes(void *at) { plain(at, bytes, false, WHERE); } \
	void __tsan_write##bytes(void *at) { plain(at, bytes, true, WHERE); } \
	void __tsan_unaligned_read##bytes(void *at) { plain(at, bytes, false, WHERE); } \
	void __tsan_unaligned_write##bytes(void *at) { plain(at, bytes, true, WHERE); }
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8) PLAIN(16)
void __tsan_read_range(void *at, size_t size) { plain(at, size, false, WHERE); }
void __tsan_write_range(void *at, size_t size) { plain(at, size, true, WHERE); }
void __tsan_func_entry(void *at) { }
void __tsan_func_exit(void) { }
void __tsan_init(void) { }
