// SPDX-License-Identifier: GPL-2.0
/* Random hierarchies: see world.h. */
#include "world.h"

static u64 roll_state;

void roll_seed(u64 seed)
{
	roll_state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

/* A 64-bit congruential generator (Knuth's constants); its high bits. */
u32 roll(u32 below)
{
	roll_state = roll_state * 6364136223846793005ULL +
		     1442695040888963407ULL;
	return ((roll_state >> 32) * below) >> 32;
}

u32 world_budget(struct world *w)
{
	if (chance(w->plan.small_budget))
		return 1 + roll(8);
	return 1 + roll(w->plan.max_budget);
}

u32 world_weight(struct world *w)
{
	if (chance(w->plan.same_weight))
		return 100;
	switch (roll(4)) {
	case 0:
		return 1;
	case 1:
		return w->plan.max_weight;
	default:
		return 1 + roll(w->plan.max_weight);
	}
}

static void *array(int n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		FAIL("out of memory");
	return p;
}

static u8 any_class(struct world *w)
{
	if (!w->plan.classes)
		return WF2Q_BE;
	switch (roll(10)) {
	case 0:
		return WF2Q_RT;
	case 1:
	case 2:
		return WF2Q_IDLE;
	default:
		return WF2Q_BE;
	}
}

static void make_group(struct world *w, int i, int up)
{
	wf2q_group_init(&w->group[i], up < 0 ? NULL : &w->group[up],
			world_weight(w));
	model_group(&w->group_node[i], &w->group[i],
		    up < 0 ? NULL : &w->group_node[up], w->plan.base);
	w->depth[i] = up < 0 ? 1 : w->depth[up] + 1;
}

static void make_leaf(struct world *w, int i, int up)
{
	wf2q_entity_init(&w->leaf[i], &w->group[up], world_weight(w),
			 any_class(w));
	model_leaf(&w->leaf_node[i], &w->leaf[i], &w->group_node[up]);
}

void world_make(struct world *w, const struct plan *plan)
{
	int i, up;

	w->plan = *plan;
	w->groups = plan->groups + 1;
	w->leaves = plan->leaves;
	w->group = array(w->groups, sizeof(*w->group));
	w->group_node = array(w->groups, sizeof(*w->group_node));
	w->depth = array(w->groups, sizeof(*w->depth));
	w->leaf = array(w->leaves, sizeof(*w->leaf));
	w->leaf_node = array(w->leaves, sizeof(*w->leaf_node));
	seen.sectors = 0;
	seen.changes = 0;

	make_group(w, 0, -1);
	for (i = 1; i < w->groups; i++) {
		/* A first chain makes sure that the depth is reached. */
		up = i < plan->depth ? i - 1 : (int)roll(i);
		while (w->depth[up] >= plan->depth)
			up = roll(i);
		make_group(w, i, up);
	}
	for (i = 0; i < w->leaves; i++)
		make_leaf(w, i, roll(w->groups));
}

void world_free(struct world *w)
{
	int i;

	for (i = 0; i < w->groups; i++)
		model_free(&w->group_node[i]);
	free(w->group);
	free(w->group_node);
	free(w->depth);
	free(w->leaf);
	free(w->leaf_node);
}

void world_activate(struct world *w, int i, u32 budget)
{
	wf2q_activate(&w->leaf[i], budget);
	model_activate(&w->leaf_node[i], budget);
}

void world_deactivate(struct world *w, int i)
{
	wf2q_deactivate(&w->leaf[i]);
	model_deactivate(&w->leaf_node[i]);
}

int world_select(struct world *w)
{
	struct wf2q_entity *leaf = wf2q_select(w->group);

	if (!leaf)
		return -1;
	if (leaf < w->leaf || leaf >= w->leaf + w->leaves)
		FAIL("no leaf was chosen");
	model_select(w->group_node, &w->leaf_node[leaf - w->leaf]);
	return leaf - w->leaf;
}

void world_charge(struct world *w, int i, u32 sectors)
{
	wf2q_charge(&w->leaf[i], sectors);
	model_charge(&w->leaf_node[i], sectors);
}

void world_requeue(struct world *w, int i, u32 budget)
{
	wf2q_requeue(&w->leaf[i], budget);
	model_requeue(&w->leaf_node[i], budget);
}

void world_set_budget(struct world *w, int i, u32 budget)
{
	wf2q_set_budget(&w->leaf[i], budget);
	model_budget(&w->leaf_node[i], budget);
}

void world_set_weight(struct world *w, int i, u32 weight)
{
	wf2q_set_weight(&w->leaf[i], weight);
	model_weight(&w->leaf_node[i], weight);
}

void world_set_group_weight(struct world *w, int i, u32 weight)
{
	wf2q_set_weight(&w->group[i].entity, weight);
	model_weight(&w->group_node[i], weight);
}

void world_set_class(struct world *w, int i, u8 class)
{
	wf2q_set_class(&w->leaf[i], class);
	model_class(&w->leaf_node[i], class);
}

void world_move(struct world *w, int i, int to)
{
	struct node *n = &w->leaf_node[i];
	bool backlogged = n->backlogged;
	u32 left = wf2q_remaining(&w->leaf[i]);

	if (n->up == &w->group_node[to])
		return;
	wf2q_move(&w->leaf[i], &w->group[to]);
	model_exit(n);
	n->up = &w->group_node[to];
	if (backlogged)
		model_activate(n, left ? left : 1);
}

/* The leaf exits; another is born in its place. */
void world_rebirth(struct world *w, int i, int up)
{
	wf2q_exit(&w->leaf[i]);
	model_exit(&w->leaf_node[i]);
	make_leaf(w, i, up);
}

/* A group without backlogged leaves or child groups is removed, and made anew. */
bool world_remake_group(struct world *w, int g)
{
	struct node *n = &w->group_node[g];
	int i, up = n->up - w->group_node;

	if (!g || w->group[g].nr_busy)
		return false;
	for (i = 1; i < w->groups; i++)
		if (w->group_node[i].up == n)
			return false;
	wf2q_exit(&w->group[g].entity);
	model_exit(n);
	model_free(n);
	make_group(w, g, up);
	/* Its old leaves were taken out: the new group starts them afresh. */
	for (i = 0; i < w->leaves; i++)
		if (w->leaf_node[i].up == n)
			EXPECT("state of a removed group's leaf",
			       w->leaf[i].state, WF2Q_OUT);
	return true;
}
