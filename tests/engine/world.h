/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A random hierarchy, engine and model side by side: every operation is done
 * in the engine first and then in the model.
 */
#ifndef ENGINE_WORLD_H
#define ENGINE_WORLD_H

#include <linux/bug.h>

#include "model.h"

/* How a world is made and what happens in it. */
struct plan {
	int groups;		/* besides the root */
	int depth;		/* of leaves; 1: all are children of the root */
	int leaves;
	u32 max_weight;
	u32 max_budget;
	int same_weight;	/* percent of entities that have weight 100 */
	int small_budget;	/* percent of allotments that are 8 sectors */
	int stop_early;		/* percent of turns that use part of a budget */
	bool cutting;		/* turns end when a leaf precedes what is in service */
	int sleep;		/* percent of turns after which a leaf is idle */
	int wake;		/* percent of steps at which a leaf wakes */
	int change;		/* percent of steps at which something changes */
	bool classes;		/* leaves of all classes, not just BE */
	bool leaving;		/* leaves that are ahead may leave for good */
	int parking;		/* percent of steps at which one is parked or not */
	u32 credit;		/* what groups may return with */
	bool injecting;		/* leaves may be charged out of turn */
	u64 base;		/* where virtual time starts */
};

struct world {
	struct plan plan;
	int groups, leaves;
	unsigned int asked;		/* in turn, whether they precede */
	struct wf2q_group *group;	/* [0] is the root */
	struct node *group_node;
	int *depth;			/* of each group's children */
	struct wf2q_entity *leaf;
	struct node *leaf_node;
};

u32 roll(u32 below);			/* 0 .. below - 1 */
void roll_seed(u64 seed);
static inline bool chance(int percent)
{
	return roll(100) < (u32)percent;
}

void world_make(struct world *w, const struct plan *plan);
void world_free(struct world *w);
u32 world_budget(struct world *w);
u32 world_weight(struct world *w);

/* The calls, on engine and model. */
void world_activate(struct world *w, int leaf, u32 budget);
void world_deactivate(struct world *w, int leaf);
int world_select(struct world *w);	/* the leaf, -1 if none */
void world_charge(struct world *w, int leaf, u32 sectors);
void world_requeue(struct world *w, int leaf, u32 budget);
void world_set_budget(struct world *w, int leaf, u32 budget);
void world_set_weight(struct world *w, int leaf, u32 weight);
void world_set_group_weight(struct world *w, int group, u32 weight);
void world_set_prio(struct world *w, int leaf, u32 weight, u8 class);
void world_set_class(struct world *w, int leaf, u8 class);
bool world_outranks(struct world *w, int leaf);
bool world_precedes(struct world *w, int leaf);
void world_cut(struct world *w, int leaf);	/* is a turn cut short for who goes next? */
int world_second(struct world *w);	/* the leaf, -1 if none */
void world_park(struct world *w, int leaf, bool park);
void world_move(struct world *w, int leaf, int group);
void world_rebirth(struct world *w, int leaf, int group);
bool world_remake_group(struct world *w, int group);

/* A root and its leaves, all BE and of one weight. */
void world_flat(struct world *w, int leaves, u32 weight);

/* One whole turn: the leaf. It sleeps after it if @next_budget is 0. */
int world_turn(struct world *w, u32 next_budget);

#endif
