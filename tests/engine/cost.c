// SPDX-License-Identifier: GPL-2.0
/*
 * What the engine costs: run by cost.py under callgrind, which counts the
 * instructions of measure() and what it calls.
 *
 * usage: cost decide N TURNS	N leaves, all backlogged: select, charge, requeue
 *	  cost sleep N TURNS	the same, and each leaf sleeps for a turn of others
 *	  cost lone DEPTH TURNS	one leaf: activate, select, charge, deactivate
 */
#include <string.h>

#include "world.h"

static struct world w;
static u32 *budget;
static int asleep = -1;

static noinline void measure(void)
{
	struct wf2q_entity *leaf = wf2q_select(w.group);

	wf2q_charge(leaf, wf2q_remaining(leaf));
	wf2q_requeue(leaf, budget[leaf - w.leaf]);
}

static noinline void measure_sleep(void)
{
	struct wf2q_entity *leaf = wf2q_select(w.group);

	wf2q_charge(leaf, wf2q_remaining(leaf));
	wf2q_leave(leaf);
	if (asleep >= 0)
		wf2q_enter(&w.leaf[asleep], budget[asleep]);
	asleep = leaf - w.leaf;
}

static noinline void measure_lone(void)
{
	struct wf2q_entity *leaf = w.leaf;

	wf2q_enter(leaf, 8);
	leaf = wf2q_select(w.group);
	wf2q_charge(leaf, 8);
	wf2q_leave(leaf);
}

int main(int argc, char **argv)
{
	struct plan p = { .max_weight = 1000, .max_budget = 1024, .depth = 1 };
	bool lone = argc == 4 && !strcmp(argv[1], "lone");
	long i, turns, n;

	if (argc != 4) {
		fprintf(stderr, "usage: %s decide|sleep|lone N TURNS\n", argv[0]);
		return 2;
	}
	n = atol(argv[2]);
	turns = atol(argv[3]);
	roll_seed(1);
	p.leaves = lone ? 1 : n;
	if (lone) {
		p.depth = n;
		p.groups = n - 1;
	}
	world_make(&w, &p);
	budget = calloc(p.leaves, sizeof(*budget));
	if (!budget)
		return 1;
	for (i = 0; i < p.leaves; i++)
		budget[i] = world_budget(&w);
	if (lone && n > 1)
		wf2q_move(w.leaf, &w.group[n - 1]);
	for (i = 0; !lone && i < p.leaves; i++)
		wf2q_enter(&w.leaf[i], budget[i]);
	while (turns--) {
		if (lone)
			measure_lone();
		else if (!strcmp(argv[1], "sleep"))
			measure_sleep();
		else
			measure();
	}
	free(budget);
	world_free(&w);
	return 0;
}
