// SPDX-License-Identifier: GPL-2.0
/*
 * Property tests: the engine against a fluid server.
 *
 * usage: property [--decisions N] [--seed N] [--only NAME] [--world N] [--failures N]
 *
 * --world N runs the random world N alone, as a failure names it; --failures N stops after so many.
 *
 * What is checked and what is allowed is derived in Documentation/engine.md;
 * README.md lists the tests.
 */
#include <string.h>
#include <time.h>

#include "small.h"
#include "tap.h"
#include "world.h"

/* A world with credit ends after so many operations: then rounding counts (model.h). */
#define MOST_RETURNS	10000

static unsigned long decisions = 300000;	/* in all random worlds */
static unsigned long failures = -1UL;		/* that are left until it stops */
static u64 seed = 1;
static u64 only_world;
static const char *only;

static void progress(const char *what, unsigned long done, unsigned long all)
{
	static time_t last;
	time_t now = time(NULL);

	if (now - last < 5)
		return;
	last = now;
	fprintf(stderr, "# %s: %lu of %lu decisions\n", what, done, all);
}

/* Random life. */

static int some_leaf(struct world *w, bool backlogged)
{
	int tries, i;

	for (tries = 0; tries < 8; tries++) {
		i = roll(w->leaves);
		if (model_wants(&w->leaf_node[i]) == backlogged &&
		    !w->leaf_node[i].serving)
			return i;
	}
	return -1;
}

/* Leaving ahead of virtual time widens the others' bounds (engine.md). */
static bool may_leave(struct world *w, int i)
{
	struct node *n = &w->leaf_node[i];

	return w->plan.leaving || !n->counted ||
	       n->s <= n->up->level[n->class].v;
}

/* One of the things that may happen to a hierarchy at any time. */
static void change_something(struct world *w)
{
	int i = some_leaf(w, chance(60));

	if (w->plan.injecting && chance(10)) {
		i = roll(w->leaves);
		if (!w->leaf_node[i].serving)
			world_charge(w, i, 1 + roll(16));
		return;
	}
	if (w->plan.leaving && chance(5))
		i = roll(w->leaves);
	if (i < 0)
		return;
	switch (roll(10)) {
	case 0:
	case 1:
		if (model_wants(&w->leaf_node[i]))
			world_deactivate(w, i);
		else
			world_activate(w, i, world_budget(w));
		break;
	case 2:
	case 3:
		world_set_weight(w, roll(w->leaves), world_weight(w));
		break;
	case 4:
		i = roll(w->groups);
		if (i)
			world_set_group_weight(w, i, world_weight(w));
		break;
	case 5:
		if (!may_leave(w, i))
			break;
		world_move(w, i, roll(w->groups));
		break;
	case 6:
		if (w->plan.classes && may_leave(w, i))
			world_set_prio(w, i, chance(50) ? w->leaf[i].weight :
				       world_weight(w), roll(WF2Q_CLASSES));
		break;
	case 7:
		if (model_wants(&w->leaf_node[i]) && !w->leaf_node[i].serving)
			world_set_budget(w, i, world_budget(w));
		break;
	case 8:
		if (!may_leave(w, i))
			break;
		world_rebirth(w, i, roll(w->groups));
		break;
	case 9:
		i = roll(w->groups);
		if (w->plan.leaving || !w->group_node[i].counted)
			world_remake_group(w, i);
		break;
	}
}

static void wake_somebody(struct world *w)
{
	int i = some_leaf(w, false);

	if (i >= 0)
		world_activate(w, i, world_budget(w));
}

/* Who is parked stays so for a few steps. */
static void park_somebody(struct world *w)
{
	int i = roll(w->leaves);

	world_park(w, i, !w->leaf_node[i].parked);
}

static void unpark_all(struct world *w)
{
	int i;

	for (i = 0; i < w->leaves; i++)
		world_park(w, i, false);
}

/* Return whether a leaf precedes what is in service. */
static bool ask_precedes(struct world *w)
{
	int i = w->asked++ % w->leaves;

	if (w->leaves <= 16)
		world_cut(w, i);
	return world_precedes(w, i);
}

/* What service could leave a trace on is known: who is counted, and which class is owed something. */
static void check_traces(const struct world *w)
{
	u32 traces = 0;
	int i, class;

	for (i = 0; i < w->leaves; i++)
		traces += w->leaf[i].state != WF2Q_OUT;
	for (i = 0; i < w->groups; i++) {
		traces += i && w->group[i].entity.state != WF2Q_OUT;
		for (class = 0; class < WF2Q_IDLE; class++)
			traces += !!w->group[i].owed[class];
	}
	EXPECT("traces", w->group->nr_traces, traces);
}

/* Return whether some leaf precedes what is in service now. */
static bool happen(struct world *w)
{
	if (chance(w->plan.parking))
		park_somebody(w);
	if (w->plan.parking && chance(1))
		unpark_all(w);
	if (chance(w->plan.wake))
		wake_somebody(w);
	if (chance(w->plan.change))
		change_something(w);
	if (w->plan.classes)
		world_outranks(w, roll(w->leaves));
	return ask_precedes(w);
}

/*
 * The leaf in service goes to sleep: whoever goes next in the innermost group in
 * which somebody waits was the second choice.
 */
static void sleep_and_compare(struct world *w, int leaf)
{
	struct wf2q_group *g = w->leaf[leaf].parent;
	struct wf2q_entity *e = NULL;
	int second;

	if (w->leaves > 16) {
		world_deactivate(w, leaf);
		return;
	}
	second = world_second(w);
	check_second(w->group);
	world_deactivate(w, leaf);
	while (g && !g->nr_waiting)
		g = g->entity.parent;
	while (g) {
		e = g->next;
		g = e->is_group ? wf2q_group_of(e) : NULL;
	}
	EXPECT("the second choice", second, e ? e - w->leaf : -1);
}

/* Serve the chosen leaf some or all of its budget, in a few requests. */
static void serve_turn(struct world *w, int leaf)
{
	u32 left = wf2q_remaining(&w->leaf[leaf]);
	bool preceded;

	if (chance(w->plan.stop_early))
		left = roll(left + 1);
	while (left) {
		u32 request = chance(50) ? left : 1 + roll(left);

		world_charge(w, leaf, request);
		left -= request;
		preceded = happen(w);
		if (!w->leaf_node[leaf].serving)
			return;		/* it was moved, or is another now */
		if (preceded && w->plan.cutting)
			break;
	}
	if (chance(w->plan.sleep))
		sleep_and_compare(w, leaf);
	else
		world_requeue(w, leaf, world_budget(w));
}

static void judge_all(struct world *w)
{
	int i;

	for (i = 0; i < w->groups; i++)
		model_judge_level(&w->group_node[i]);
}

/* Returns a hash of all decisions. */
static u64 live(struct world *w, unsigned long turns)
{
	u64 hash = 0, vtime[WF2Q_CLASSES];
	unsigned long turn;
	int class, leaf, i;

	for (i = 0; i < w->leaves; i++)
		if (chance(70))
			world_activate(w, i, world_budget(w));
	for (turn = 0; turn < turns && !model_exhausted(); turn++) {
		/* each return passes rounding of V on, by the ratio of two weights */
		if (w->plan.credit && seen.changes > MOST_RETURNS)
			break;
		for (class = 0; class < WF2Q_CLASSES; class++)
			vtime[class] = w->group->tree[class].vtime;
		happen(w);
		leaf = world_select(w);
		if (leaf < 0) {
			for (i = 0; i < w->leaves; i++)
				if (model_servable(&w->leaf_node[i]))
					FAIL("nothing served though leaf %d waits", i);
			EXPECT("busy", wf2q_nr_backlogged(w->group), 0);
			unpark_all(w);
			wake_somebody(w);
			check_traces(w);
			continue;
		}
		hash = (hash ^ leaf) * 0x100000001b3ULL;
		serve_turn(w, leaf);
		for (class = 0; class < WF2Q_CLASSES; class++)
			if (!w->plan.credit && (s64)(w->group->tree[class].vtime - vtime[class]) < 0)
				FAIL("virtual time goes back");
		if (w->leaves <= 16 || turn % 1024 == 0) {
			check_group(w->group);
			judge_all(w);
		}
	}
	check_group(w->group);
	check_traces(w);
	judge_all(w);
	for (i = 0; i < w->groups; i++)
		model_compare(&w->group_node[i]);
	return hash;
}

static u64 some_base(void)
{
	switch (roll(4)) {
	case 0:
		return 0;
	case 1:		/* timestamps wrap soon */
		return -(1ULL << (34 + roll(16)));
	case 2:		/* their sign changes soon */
		return (1ULL << 63) - (1ULL << (34 + roll(16)));
	default:
		return (u64)roll(~0U) << 32 | roll(~0U);
	}
}

static struct plan some_plan(void)
{
	static const u32 budgets[] = { 16, 128, 1024, 8192 };
	static const int percent[] = { 0, 5, 30, 80 };
	struct plan p = {
		.depth = 1 + roll(6),
		.max_weight = roll(4) ? 1000 : 10,
		.max_budget = budgets[roll(4)],
		.same_weight = percent[roll(4)],
		.small_budget = percent[roll(4)],
		.stop_early = percent[roll(4)],
		.sleep = percent[roll(4)],
		.wake = 10 + roll(90),
		.change = percent[roll(4)] / 2,
		.classes = roll(2),
		.cutting = !roll(3),
		.leaving = !roll(4),
		.injecting = !roll(8),
		.parking = roll(3) ? 0 : percent[roll(4)],
		.base = some_base(),
	};

	if (!roll(3))
		p.credit = 1 + roll(16 * p.max_budget);

	switch (roll(8)) {
	case 0:
		p.leaves = 1000 + roll(9001);
		p.groups = p.depth - 1 + roll(500);
		break;
	case 1:
	case 2:
	case 3:
		p.leaves = 20 + roll(300);
		p.groups = p.depth - 1 + roll(40);
		break;
	default:
		p.leaves = 2 + roll(14);
		p.groups = p.depth - 1 + roll(4);
	}
	if (p.depth == 1)
		p.groups = 0;
	return p;
}

/* Arrivals, departures and changes of all kinds: no bound is ever broken. */
static void test_random(void)
{
	unsigned long end = seen.decisions + decisions / 10 * 6;
	u64 world = seed << 32;

	while (seen.decisions < end) {
		struct plan p;
		struct world w;
		unsigned long turns;

		roll_seed(only_world ? only_world : ++world);
		p = some_plan();
		turns = p.leaves < 20 ? 4000 : p.leaves < 1000 ? 20000 : 50000;
		if (turns > end - seen.decisions)
			turns = end - seen.decisions + 1;
		snprintf(check_context, sizeof(check_context),
			 "world %llu: %d leaves, %d groups, depth %d",
			 (unsigned long long)(only_world ? only_world : world),
			 p.leaves, p.groups, p.depth);
		world_make(&w, &p);
		live(&w, turns);
		world_free(&w);
		if (only_world)
			return;
		progress("random worlds", end - seen.decisions > decisions ?
			 decisions : decisions / 10 * 6 - (end - seen.decisions),
			 decisions / 10 * 6);
	}
	if (!seen.precedes[YES] || !seen.precedes[NO] ||
	    seen.precedes[OPEN] > seen.precedes[YES] + seen.precedes[NO])
		FAIL("who precedes what is in service was hardly compared");
}

/*
 * A hierarchy in which everybody is always backlogged, against the true fluid
 * server: each leaf's sectors are compared with its weight's share, level by
 * level from the root, of all that was served.
 */
struct fair {
	double share, lag, lead;	/* of everything; allowed in sectors */
};

static void fair_child(struct fair *f, const struct fair *up, struct node *n)
{
	struct level *l = &n->up->level[n->class];
	double part = (double)n->weight / l->weights;

	f->share = up->share * part;
	f->lag = up->lag * part + l->largest;
	f->lead = up->lead * part + l->largest * (1 - part);
}

static void judge_shares(struct world *w, struct fair *fair, double *worst)
{
	double all = w->group_node->total;
	int i;

	fair[0] = (struct fair){ .share = 1 };
	for (i = 1; i < w->groups; i++)
		if (w->group_node[i].backlogged)
			fair_child(&fair[i], &fair[w->group_node[i].up - w->group_node],
				   &w->group_node[i]);
	for (i = 0; i < w->leaves; i++) {
		struct node *n = &w->leaf_node[i];
		double due, slack = n->weight * (double)seen.sectors / 0x1p36;
		struct fair f;

		fair_child(&f, &fair[n->up - w->group_node], n);
		due = all * f.share;
		seen.bounds++;
		if (n->total < due - f.lag - slack ||
		    n->total > due + f.lead + slack)
			FAIL("leaf %d got %llu of %.0f sectors, due %.3f, may lag %.3f, lead %.3f",
			     i, (unsigned long long)n->total, all, due, f.lag,
			     f.lead);
		if ((due - n->total) / f.lag > worst[0])
			worst[0] = (due - n->total) / f.lag;
		if (f.lead && (n->total - due) / f.lead > worst[1])
			worst[1] = (n->total - due) / f.lead;
	}
}

/* What is served below a group is what the group is charged, at each level. */
static void judge_totals(struct world *w)
{
	u64 *below = calloc(w->groups, sizeof(*below));
	int i;

	if (!below)
		FAIL("out of memory");
	for (i = 0; i < w->leaves; i++)
		below[w->leaf_node[i].up - w->group_node] +=
			w->leaf_node[i].total;
	for (i = 1; i < w->groups; i++)
		below[w->group_node[i].up - w->group_node] +=
			w->group_node[i].total;
	for (i = 0; i < w->groups; i++) {
		struct node *n = &w->group_node[i];
		double charged;

		EXPECT("sectors served below and charged", n->total, below[i]);
		if (!n->up || !n->total)
			continue;
		/* The engine's own account: how far its start has moved. */
		charged = (double)(n->e->start - w->plan.base) / 0x1p36 *
			  n->weight;
		if (charged < n->total - 1e-3 - n->total / 0x1p26 ||
		    charged > n->total + 1e-3 + n->total / 0x1p26)
			FAIL("group %d was charged %.3f sectors of %llu", i,
			     charged, (unsigned long long)n->total);
	}
	free(below);
}

static void test_shares(void)
{
	unsigned long end = seen.decisions + decisions / 10 * 4;
	unsigned long all = end - seen.decisions;
	double worst[2] = { 0, 0 };
	u64 world = seed << 32 | 1ULL << 31;

	while (seen.decisions < end) {
		struct plan p;
		struct world w;
		struct fair *fair;
		unsigned long turn, turns;
		int i, leaf;

		roll_seed(++world);
		p = some_plan();
		p.classes = false;
		p.sleep = 0;
		p.parking = 0;
		p.wake = 0;
		p.change = 0;
		p.credit = 0;	/* new groups would begin with it */
		turns = p.leaves < 20 ? 4000 : p.leaves < 1000 ? 20000 : 60000;
		if (turns > end - seen.decisions)
			turns = end - seen.decisions;
		snprintf(check_context, sizeof(check_context),
			 "shares, world %llu: %d leaves, %d groups, depth %d",
			 (unsigned long long)world, p.leaves, p.groups, p.depth);
		world_make(&w, &p);
		fair = calloc(w.groups, sizeof(*fair));
		for (i = 0; i < w.leaves; i++)
			world_activate(&w, i, world_budget(&w));
		for (turn = 0; turn < turns && !model_exhausted(); turn++) {
			leaf = world_select(&w);
			if (leaf < 0)
				FAIL("nothing served though all wait");
			serve_turn(&w, leaf);
			if (w.leaves <= 16 || turn % 2048 == 0)
				judge_shares(&w, fair, worst);
		}
		judge_shares(&w, fair, worst);
		judge_totals(&w);
		free(fair);
		world_free(&w);
		progress("shares", all - (end > seen.decisions ?
					  end - seen.decisions : 0), all);
	}
	printf("# shares: largest lag %.3f of the allowed, largest lead %.3f\n",
	       worst[0], worst[1]);
}

/* The same life at different places of the 64-bit circle: same decisions. */
static void test_wrap(void)
{
	static const u64 base[] = {
		0, -1ULL, -(1ULL << 40), -(1ULL << 44), (1ULL << 63) - 1,
		(1ULL << 63) - (1ULL << 40), (1ULL << 63) - (1ULL << 44),
	};
	unsigned int round, i;

	for (round = 0; round < 20; round++) {
		u64 first = 0;

		for (i = 0; i < sizeof(base) / sizeof(base[0]); i++) {
			struct plan p;
			struct world w;
			u64 hash;

			roll_seed(seed + 1000 + round);
			p = some_plan();
			p.leaves = 2 + p.leaves % 100;
			p.base = base[i];
			snprintf(check_context, sizeof(check_context),
				 "wrap %u, base %#llx", round,
				 (unsigned long long)base[i]);
			world_make(&w, &p);
			hash = live(&w, 400);
			world_free(&w);
			if (!i)
				first = hash;
			EXPECT("hash of the decisions", hash, first);
		}
	}
}

/*
 * Attacks on the bounds that random worlds would find only by luck: children
 * that lag with large budgets and all become urgent at the same moment, by a
 * smaller budget (how = 0), a larger weight (1), or a new class (2).
 */
static void attack_by_urgency(int how)
{
	enum { MANY = 50 };
	struct world w;
	int i, turn;

	snprintf(check_context, sizeof(check_context), "urgency attack %d", how);
	world_flat(&w, MANY + 1, 10);
	for (i = 0; i < MANY; i++)
		world_activate(&w, i, 8000);
	for (turn = 0; turn < MANY / 2; turn++)
		world_turn(&w, 8000);
	/* Half of them lag by half a budget. A heavy newcomer is in a hurry. */
	world_set_weight(&w, MANY, 1000);
	world_activate(&w, MANY, 100);
	for (i = 0; i < MANY; i++) {
		if (how == 0)
			world_set_budget(&w, i, 8);
		else if (how == 1)
			world_set_weight(&w, i, 1000);
		else
			world_set_class(&w, i, WF2Q_RT);
	}
	if (how == 2)
		for (i = 0; i < MANY; i++)
			world_set_class(&w, i, WF2Q_BE);
	for (turn = 0; turn < 400 * MANY; turn++) {
		world_turn(&w, 8);
		judge_all(&w);
	}
	world_free(&w);
}

/*
 * Processes that come, use a budget and leave for good, one after another: who
 * stays gets its share all the same. Likewise one that changes group or
 * class after each turn, or sleeps for a moment (remembering), or is parked for
 * a moment, after its turn (4) or in it (5).
 */
static void attack_by_leaving(int how)
{
	struct world w;
	double got, due;
	int turn, leaf;

	snprintf(check_context, sizeof(check_context), "leaving attack %d", how);
	world_flat(&w, 3, 100);
	world_set_weight(&w, 1, 10);
	world_set_weight(&w, 2, 10);
	world_activate(&w, 0, 100);
	world_activate(&w, 1, 8000);
	world_activate(&w, 2, 8000);
	for (turn = 0; turn < 20000; turn++) {
		leaf = world_select(&w);
		world_charge(&w, leaf, wf2q_remaining(&w.leaf[leaf]));
		if (!leaf) {
			world_requeue(&w, leaf, 100);
			continue;
		}
		if (how >= 4) {
			world_park(&w, leaf, how == 5);
			world_requeue(&w, leaf, 8000);
			world_park(&w, leaf, true);
			world_park(&w, leaf, false);
			judge_all(&w);
			continue;
		}
		world_deactivate(&w, leaf);
		if (how == 0) {
			u64 total = w.leaf_node[leaf].total;

			world_rebirth(&w, leaf, 0);
			world_set_weight(&w, leaf, 10);
			w.leaf_node[leaf].total = total;
		} else if (how == 1) {
			world_set_class(&w, leaf, WF2Q_IDLE);
			world_set_class(&w, leaf, WF2Q_BE);
		} else if (how == 2) {
			world_set_weight(&w, leaf, 1000);
			world_set_weight(&w, leaf, 10);
		}
		world_activate(&w, leaf, 8000);
		judge_all(&w);
	}
	got = w.leaf_node[0].total;
	due = w.group_node->total * 100. / 120.;
	/* It may lag by its largest lag, and by one lead of each other. */
	if (got < due - 3 * 8000)
		FAIL("who stays gets %.0f sectors of %.0f", got, due);
	world_free(&w);
}

static void test_attacks(void)
{
	int how;

	for (how = 0; how < 3; how++)
		attack_by_urgency(how);
	for (how = 0; how < 6; how++)
		attack_by_leaving(how);
}

/*
 * Charges out of turn, of leaves in any state: the engine accounts them as the
 * model does, and still gives everybody their shares in the long run.
 */
static void test_injection(void)
{
	struct plan p = { .groups = 4, .depth = 3, .leaves = 12,
			  .same_weight = 100, .max_budget = 1024 };
	struct world w;
	double worst[2] = { 0, 0 };
	struct fair fair[5];
	u64 injected = 0;
	int i, turn, leaf;

	roll_seed(seed);
	world_make(&w, &p);
	for (i = 0; i < w.leaves; i++)
		world_activate(&w, i, world_budget(&w));
	for (turn = 0; turn < 20000; turn++) {
		leaf = world_select(&w);
		world_charge(&w, leaf, wf2q_remaining(&w.leaf[leaf]));
		if (chance(10) && turn < 15000) {
			i = roll(w.leaves);
			if (i != leaf) {
				world_charge(&w, i, 8);
				injected += 8;
			}
		}
		world_requeue(&w, leaf, world_budget(&w));
		check_group(w.group);
	}
	if (!injected)
		FAIL("nothing was injected");
	judge_shares(&w, fair, worst);
	judge_totals(&w);

	/* An idle leaf that is charged is not served again before its time. */
	world_deactivate(&w, 3);
	world_charge(&w, 3, 500);
	EXPECT("state of an idle leaf that was charged", w.leaf[3].state,
	       WF2Q_REMEMBERED);
	check_group(w.group);
	for (i = 0; i < w.groups; i++)
		model_compare(&w.group_node[i]);
	world_free(&w);

	/* The first that is heard of RT: it has had its share already. */
	world_flat(&w, 2, 100);
	world_set_class(&w, 1, WF2Q_RT);
	world_activate(&w, 0, 8);
	world_charge(&w, 1, 8 * WF2Q_THIN_PACE);
	check_group(w.group);
	world_activate(&w, 1, 8);
	EXPECT("first, after RT was charged", world_turn(&w, 8), 0);
	EXPECT("then", world_turn(&w, 8), 1);
	world_free(&w);

	/* A waiting leaf that was charged more than its allotment stays behind RT. */
	world_flat(&w, 2, 100);
	world_set_class(&w, 1, WF2Q_RT);
	world_activate(&w, 0, 8);
	world_charge(&w, 0, 20);
	world_activate(&w, 1, 8);
	EXPECT("first, after BE was charged beyond its allotment", world_turn(&w, 8), 1);
	world_free(&w);
}

/*
 * One leaf never leaves, and another gets much more out of turn beside it, for ever (as beside who
 * is behind a guarantee): it is not kept out for that when a third comes, nor the third for it.
 */
static void test_beside(void)
{
	const u32 most = WF2Q_KEPT_BESIDE + 1024;
	u64 had[3] = { 0 }, all = 0;
	struct wf2q_entity *e;
	struct world w;
	int i;

	world_flat(&w, 3, 100);
	world_activate(&w, 0, 8);
	e = wf2q_select(w.group);
	world_activate(&w, 1, 8);
	for (i = 0; i < 100000; i++) {
		wf2q_charge(e, 8);
		wf2q_charge(&w.leaf[1], 1000);
		EXPECT("its lag, of what is kept", w.group->tree[e->class].vtime - e->start <=
		       most * e->inverse, true);
		EXPECT("the other's lead", w.leaf[1].start - w.group->tree[e->class].vtime <=
		       most * e->inverse, true);
		EXPECT("where its allotment ends", e->finish - e->start,
		       wf2q_remaining(e) * e->inverse);
		wf2q_requeue(e, 8);
		e = wf2q_select(w.group);
		EXPECT("who is in service beside others", e - w.leaf, 0);
	}
	check_group(w.group);
	world_activate(&w, 2, 8);
	while (!had[1] && all < 100ULL * most) {
		wf2q_charge(e, 8);
		had[e - w.leaf] += 8;
		all += 8;
		wf2q_requeue(e, 8);
		e = wf2q_select(w.group);
	}
	EXPECT("served before the other is again, of what is kept", all <= 3 * most, true);
	EXPECT("and the third meanwhile at least", had[2] >= WF2Q_KEPT_BESIDE / 2, true);
	world_free(&w);
}

/* Two engines are in the same state if all differences are the same. */
static void same_state(const struct world *a, const struct world *b)
{
	int i, class;

	check_traces(a);
	check_traces(b);
	for (i = 0; i < a->leaves + a->groups - 1; i++) {
		const struct wf2q_entity *e = i < a->leaves ? &a->leaf[i] :
					      &a->group[i - a->leaves + 1].entity;
		const struct wf2q_entity *f = i < a->leaves ? &b->leaf[i] :
					      &b->group[i - a->leaves + 1].entity;

		EXPECT("state after passing", e->state, f->state);
		if (e->state != WF2Q_OUT)
			EXPECT("lead after passing", e->start - e->parent->tree[e->class].vtime,
			       f->start - f->parent->tree[f->class].vtime);
	}
	for (i = 0; i < a->groups; i++)
		for (class = 0; class < WF2Q_CLASSES; class++) {
			EXPECT("weights counted after passing", a->group[i].tree[class].wsum,
			       b->group[i].tree[class].wsum);
			if (class < WF2Q_IDLE)
				EXPECT("owed after passing", a->group[i].owed[class],
				       b->group[i].owed[class]);
		}
}

/* One turn in both: the same leaf is served. */
static bool same_turn(struct world *a, struct world *b, u32 next_budget)
{
	struct wf2q_entity *e = wf2q_select(a->group), *f = wf2q_select(b->group);

	EXPECT("who is chosen after passing", e ? e - a->leaf : -1, f ? f - b->leaf : -1);
	if (!e)
		return false;
	wf2q_charge(e, wf2q_remaining(e));
	wf2q_charge(f, wf2q_remaining(f));
	if (next_budget) {
		wf2q_requeue(e, next_budget);
		wf2q_requeue(f, next_budget);
	} else {
		wf2q_leave(e);
		wf2q_leave(f);
	}
	return true;
}

/*
 * To pass is the same as to enter, be selected, be charged and leave: two engines, one of
 * which is called the long way, choose the same ever after.
 */
static void test_pass(void)
{
	struct plan p = { .groups = 2, .depth = 3, .leaves = 10, .classes = true,
			  .max_weight = 1000, .max_budget = 1024 };
	unsigned int passed = 0, traces = 0, i, round, many;
	struct world a, b;

	roll_seed(seed);
	world_make(&a, &p);
	roll_seed(seed);
	world_make(&b, &p);
	for (round = 0; round < 20000; round++) {
		for (many = 1; many; many--) {
			u32 sectors = 1 + roll(256);

			i = roll(a.leaves);
			traces += a.leaf[i].parent->tree[a.leaf[i].class].wsum != 0;
			wf2q_pass(&a.leaf[i], sectors);
			wf2q_enter(&b.leaf[i], sectors);
			EXPECT("who is alone", wf2q_select(b.group) == &b.leaf[i], true);
			wf2q_charge(&b.leaf[i], sectors);
			wf2q_leave(&b.leaf[i]);
			passed++;
		}
		same_state(&a, &b);
		for (many = roll(5); many; many--) {
			u32 budget = 1 + roll(1024);

			i = roll(a.leaves);
			if (wf2q_backlogged(&a.leaf[i]))
				continue;
			wf2q_enter(&a.leaf[i], budget);
			wf2q_enter(&b.leaf[i], budget);
		}
		for (many = roll(20); many && same_turn(&a, &b, 1 + roll(1024)); many--)
			;
		/* all go at once, some ahead of their shares */
		for (i = 0; (int)i < a.leaves; i++) {
			if (!wf2q_backlogged(&a.leaf[i]))
				continue;
			wf2q_leave(&a.leaf[i]);
			wf2q_leave(&b.leaf[i]);
		}
	}
	if (traces < passed / 20)
		FAIL("only %u of %u that passed met somebody ahead", traces, passed);
	world_free(&a);
	world_free(&b);
}

/* The accessors, and what misuse does: a warning and nothing else. */
static void test_calls(void)
{
	struct world w;
	struct wf2q_entity *a, *b;
	unsigned long warned = shim_warnings;

	world_flat(&w, 2, 100);
	a = &w.leaf[0];
	b = &w.leaf[1];
	EXPECT("busy when empty", wf2q_nr_backlogged(w.group), 0);
	EXPECT("selected when empty", !wf2q_select(w.group), true);
	wf2q_enter(a, 0);
	EXPECT("smallest budget", wf2q_remaining(a), 1);
	wf2q_set_budget(a, ~0U);
	EXPECT("largest budget", wf2q_remaining(a), WF2Q_MAX_BUDGET);
	EXPECT("in service before", !wf2q_in_service(w.group), true);
	EXPECT("selected", wf2q_select(w.group) == a, true);
	EXPECT("in service", wf2q_in_service(w.group) == a, true);
	wf2q_enter(b, 10);
	EXPECT("backlogged leaves", wf2q_nr_backlogged(w.group), 2);
	wf2q_charge(a, 100);
	EXPECT("remaining", wf2q_remaining(a), WF2Q_MAX_BUDGET - 100);
	check_group(w.group);

	shim_warnings_expected = true;
	wf2q_enter(a, 5);
	wf2q_requeue(b, 5);
	EXPECT("selected twice", wf2q_select(w.group) == a, true);
	wf2q_exit(&w.group->entity);
	wf2q_leave(b);
	wf2q_leave(b);
	wf2q_set_budget(b, 5);
	shim_warnings_expected = false;
	EXPECT("warnings", shim_warnings - warned, 6);
	check_group(w.group);

	/* Leaving while in service, by move and by exit. */
	wf2q_exit(a);
	EXPECT("in service after exit", !wf2q_in_service(w.group), true);
	EXPECT("busy after exit", wf2q_nr_backlogged(w.group), 0);
	EXPECT("sum of weights after exit", w.group->tree[WF2Q_BE].wsum, 0);
	wf2q_set_weight(a, 0);
	EXPECT("smallest weight", a->weight, 1);
	wf2q_set_weight(a, 100000);
	EXPECT("largest weight", a->weight, WF2Q_MAX_WEIGHT);
	wf2q_set_weight(&w.group->entity, 7);
	EXPECT("weight of the root", w.group->entity.weight, 7);
	check_group(w.group);
	world_free(&w);
}

/* Reciprocals are right to half a unit for every weight there is. */
static void test_weights(void)
{
	struct wf2q_group root;
	struct wf2q_entity e;
	unsigned int weight;

	wf2q_group_init(&root, NULL, 1);
	for (weight = 1; weight <= WF2Q_MAX_WEIGHT; weight++) {
		s64 off;

		wf2q_entity_init(&e, &root, weight, WF2Q_BE);
		off = (s64)(e.inverse * weight - (1ULL << WF2Q_SHIFT));
		if (2 * off > (s64)weight || 2 * off < -(s64)weight)
			FAIL("weight %u times its reciprocal is %lld / 2^36 off 1",
			     weight, (long long)off);
	}
}

/*
 * Small requests of many heavy children: what each moves virtual time by is
 * a fraction of its last bit, and none of it may get lost.
 */
static void test_precision(void)
{
	enum { MANY = 10000, ROUNDS = 200000 };
	struct world w;
	double due, got;
	int i;

	world_flat(&w, MANY, 999);
	for (i = 0; i < MANY; i++)
		world_activate(&w, i, 1);
	for (i = 1; i <= ROUNDS; i++) {
		world_turn(&w, 1);
		due = i / (999. * MANY);
		got = w.group->tree[WF2Q_BE].vtime / 0x1p36;
		if (got < due - 0x1p-35 || got > due + 0x1p-35)
			FAIL("virtual time is %.12f, due %.12f", got, due);
	}
	world_free(&w);
}

static const struct {
	const char *name, *shows;
	void (*run)(void);
} tests[] = {
	{ "calls", "calls and misuse", test_calls },
	{ "weights", "reciprocals of all weights", test_weights },
	{ "precision", "virtual time loses nothing to rounding", test_precision },
	{ "rejoin", "a lone leaf that sleeps and wakes owes nothing", test_rejoin },
	{ "classes", "RT before BE before IDLE, and 1 sector in 32 for those below",
	  test_classes },
	{ "burst", "a lower class cannot save up its thin share", test_burst },
	{ "kept", "what a lower class is owed stays when another of it wakes", test_kept },
	{ "prio", "weight and class change together in every state", test_prio },
	{ "outranks", "classes compare where the way parts from what is in service",
	  test_outranks },
	{ "precedes", "who arrives goes before what is in service, if eligible and sooner done",
	  test_precedes },
	{ "second", "the second choice is who goes next, and choosing it moves nothing",
	  test_second },
	{ "park", "what is parked is passed by, and comes back as from sleep", test_park },
	{ "park-group", "a group of parked children seems idle",
	  test_park_group },
	{ "credit", "a group that returns has what it was due meanwhile, and no more",
	  test_credit },
	{ "raise", "a raised weight counts at once, a lowered one after the turn",
	  test_raise },
	{ "resize", "a larger budget shows at once, a smaller one unless it lags",
	  test_resize },
	{ "removal", "a removed group leaves no trace in its children",
	  test_removal },
	{ "line", "requests that are not made yet: shares by weight, and who asks for little waits for few",
	  test_line },
	{ "pass", "to pass is the same as a turn, where nobody else waits", test_pass },
	{ "injection", "charges out of turn are accounted exactly", test_injection },
	{ "beside", "nobody waits for what was served out of turn for ever", test_beside },
	{ "attacks", "nobody gains by leaving, nobody lags by others' urgency",
	  test_attacks },
	{ "wrap", "decisions do not depend on where virtual time starts",
	  test_wrap },
	{ "shares", "all backlogged: shares of the fluid server, within the bound",
	  test_shares },
	{ "random", "arrivals, departures, changes: lag and lead within the bound",
	  test_random },
};

static bool run(void (*test)(void))
{
	jmp_buf escape;

	if (setjmp(escape)) {
		check_escape = NULL;
		return false;
	}
	check_escape = &escape;
	shim_warnings_expected = false;
	test();
	check_escape = NULL;
	return true;
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 1; i + 1 < (unsigned int)argc; i += 2) {
		if (!strcmp(argv[i], "--decisions"))
			decisions = strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--only"))
			only = argv[i + 1];
		else if (!strcmp(argv[i], "--world"))
			only_world = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--failures"))
			failures = strtoul(argv[i + 1], NULL, 0);
		else
			break;
	}
	if (i < (unsigned int)argc || decisions < 1000) {
		fprintf(stderr, "usage: %s [--decisions N (1000 or more)] [--seed N] [--only NAME] [--world N] [--failures N]\n",
			argv[0]);
		return 2;
	}
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]) && failures; i++) {
		bool good;

		if (only && strcmp(only, tests[i].name))
			continue;
		if (only_world && strcmp("random", tests[i].name))
			continue;
		snprintf(check_context, sizeof(check_context), "%s",
			 tests[i].name);
		good = run(tests[i].run);
		tap_result(good, "engine %s: %s", tests[i].name, tests[i].shows);
		failures -= !good;
	}
	printf("# %lu scheduling decisions, %lu comparisons with bounds; per level, largest lag %.4f of the allowed, largest lead %.4f\n",
	       seen.decisions, seen.bounds, seen.lag, seen.lead);
	printf("# who precedes what is in service: %lu no, %lu yes, %lu too close for the model to tell\n",
	       seen.precedes[NO], seen.precedes[YES], seen.precedes[OPEN]);
	return tap_done();
}
