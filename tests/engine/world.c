// SPDX-License-Identifier: GPL-2.0
/* Random hierarchies: see world.h. */
#include <string.h>

#include "world.h"

static u64 roll_state;

/* Mixed well (as by splitmix64), or worlds of consecutive seeds are much alike. */
void roll_seed(u64 seed)
{
	seed *= 0x9e3779b97f4a7c15ULL;
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ULL;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111ebULL;
	roll_state = seed ^ seed >> 31;
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
	case 3:
		return WF2Q_RAISED;
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
	w->asked = 0;
	w->group = array(w->groups, sizeof(*w->group));
	w->group_node = array(w->groups, sizeof(*w->group_node));
	w->depth = array(w->groups, sizeof(*w->depth));
	w->leaf = array(w->leaves, sizeof(*w->leaf));
	w->leaf_node = array(w->leaves, sizeof(*w->leaf_node));
	seen.sectors = 0;
	seen.changes = 0;

	make_group(w, 0, -1);
	wf2q_set_credit(w->group, plan->credit);
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
	wf2q_enter(&w->leaf[i], budget);
	model_activate(&w->leaf_node[i], budget);
}

void world_deactivate(struct world *w, int i)
{
	wf2q_leave(&w->leaf[i]);
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

void world_set_prio(struct world *w, int i, u32 weight, u8 class)
{
	wf2q_set_prio(&w->leaf[i], weight, class);
	model_prio(&w->leaf_node[i], weight, class);
}

void world_set_class(struct world *w, int i, u8 class)
{
	world_set_prio(w, i, w->leaf[i].new_weight, class);
}

bool world_outranks(struct world *w, int i)
{
	bool outranks = wf2q_outranks(&w->leaf[i]);

	EXPECT("a leaf outranks what is in service", outranks,
	       model_classes_below(&w->leaf_node[i]) < 0);
	EXPECT("what is in service outranks a leaf", wf2q_outranked(&w->leaf[i]),
	       model_classes_below(&w->leaf_node[i]) > 0);
	return outranks;
}

bool world_precedes(struct world *w, int i)
{
	bool precedes = wf2q_precedes(&w->leaf[i]);
	enum verdict model = model_precedes(&w->leaf_node[i]);

	check_precedes(w->group, &w->leaf[i]);
	check_leads(&w->leaf[i], &w->leaf[(i + 1) % w->leaves]);
	seen.precedes[model]++;
	if (model != OPEN)
		EXPECT("a leaf precedes what is in service", precedes, model == YES);
	return precedes;
}

/* What is chosen in @g, if the service ends now and nothing else changes. */
static void cut(struct wf2q_group *g, struct wf2q_entity *e,
		struct wf2q_entity *served, bool precedes, struct wf2q_group *root)
{
	struct wf2q_entity *leaf = wf2q_in_service(root);
	u64 vtime = g->tree[e->class].vtime, finish = served->finish;
	u32 left = wf2q_remaining(leaf);

	wf2q_requeue(leaf, left ? left : 1);
	if (served->state != WF2Q_WAITING)
		return;
	if (precedes && g->next == served && (s64)(served->finish - finish) >= 0)
		FAIL("what a leaf precedes is chosen again");
	/*
	 * The other way round this holds while what was in service is eligible itself,
	 * and nobody had to be made so; of equal ones the engine may choose either.
	 */
	if (!precedes && g->next == e && served->finish == finish && e->finish != finish &&
	    g->tree[e->class].vtime == vtime && (s64)(served->start - vtime) <= 0)
		FAIL("a leaf is chosen before what it does not precede");
}

/* Try it on the engine alone, and take it back. */
void world_cut(struct world *w, int i)
{
	size_t groups = w->groups * sizeof(*w->group);
	size_t leaves = w->leaves * sizeof(*w->leaf);
	bool precedes = wf2q_precedes(&w->leaf[i]);
	struct wf2q_entity *e = &w->leaf[i], *served;
	struct wf2q_group *group;
	struct wf2q_entity *leaf;

	while (e->state == WF2Q_WAITING && e->parent && !e->parent->in_service)
		e = &e->parent->entity;
	served = e->state == WF2Q_WAITING && e->parent ? e->parent->in_service : NULL;
	/* What a class owes may turn the choice: bounds 6 and 7. */
	if (!served || e->class != served->class || e->parent->mixed)
		return;
	group = array(w->groups, sizeof(*group));
	leaf = array(w->leaves, sizeof(*leaf));
	memcpy(group, w->group, groups);
	memcpy(leaf, w->leaf, leaves);
	cut(e->parent, e, served, precedes, w->group);
	memcpy(w->group, group, groups);
	memcpy(w->leaf, leaf, leaves);
	free(group);
	free(leaf);
}

void world_park(struct world *w, int i, bool how)
{
	if (how)
		wf2q_park(&w->leaf[i]);
	else
		wf2q_unpark(&w->leaf[i]);
	model_park(&w->leaf_node[i], how);
}

/* To ask for the second choice changes nothing. */
int world_second(struct world *w)
{
	size_t groups = w->groups * sizeof(*w->group);
	size_t leaves = w->leaves * sizeof(*w->leaf);
	struct wf2q_group *group = array(w->groups, sizeof(*group));
	struct wf2q_entity *leaf = array(w->leaves, sizeof(*leaf)), *second;

	memcpy(group, w->group, groups);
	memcpy(leaf, w->leaf, leaves);
	second = wf2q_second(w->group);
	if (memcmp(group, w->group, groups) || memcmp(leaf, w->leaf, leaves))
		FAIL("to ask for the second choice changes something");
	free(group);
	free(leaf);
	return second ? second - w->leaf : -1;
}

void world_move(struct world *w, int i, int to)
{
	struct node *n = &w->leaf_node[i];
	bool backlogged = model_wants(n);
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

	if (!g || w->group[g].nr_backlogged)
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

void world_flat(struct world *w, int leaves, u32 weight)
{
	struct plan p = { .leaves = leaves, .max_weight = 1000,
			  .max_budget = 8192, .depth = 1 };
	int i;

	world_make(w, &p);
	for (i = 0; i < leaves; i++)
		world_set_weight(w, i, weight);
}

int world_turn(struct world *w, u32 next_budget)
{
	int leaf = world_select(w);

	if (leaf < 0)
		FAIL("nothing served");
	world_charge(w, leaf, wf2q_remaining(&w->leaf[leaf]));
	if (next_budget)
		world_requeue(w, leaf, next_budget);
	else
		world_deactivate(w, leaf);
	return leaf;
}
