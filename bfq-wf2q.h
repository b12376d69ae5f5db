/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduling engine: hierarchical B-WF2Q+. What it does and why it works
 * stands at the top of bfq-wf2q.c, what it promises in Documentation/engine.md.
 *
 * The engine knows no block layer, allocates nothing and takes no lock: the caller owns the memory
 * of every entity and group, and serialises all calls on one hierarchy.
 */
#ifndef BFQ_WF2Q_H
#define BFQ_WF2Q_H

#include <linux/types.h>
#include <linux/rbtree.h>

/*
 * Virtual time is a fixed-point number of sectors per unit of weight. 36 fraction bits are what
 * makes both ends fit: the reciprocal of the largest weight still has 20 significant bits, and the
 * largest allotment at weight 1 spans 2^61, an eighth of the 64-bit circle, so that the timestamps
 * of one tree always stay within half of the circle and compare correctly.
 */
#define WF2Q_SHIFT		36

/*
 * 2^25 sectors (16 GiB) are the most that one allotment may have. Larger budgets are
 * cut to it; no request is longer than 2^23 sectors.
 */
#define WF2Q_MAX_BUDGET		0x2000000U

/*
 * Who is ahead by less virtual time than this (2^-12 sectors for each unit of weight) is not, when
 * V goes back: rounding must not decide who is counted then.
 */
#define WF2Q_NOTHING		0x1000000U

/*
 * Who stands in line keeps what it is due up to so many sectors (64 MiB): as much as one turn has
 * at most (BFQ_TURN_MOST). What is more than that is given up, and nobody has to wait for it.
 */
#define WF2Q_MOST_KEPT		0x20000U

/*
 * And who is in service, so many (8 MiB) of what others of its class get beside it, out of turn: a
 * few turns of theirs. It may never leave, and they would be ahead by all that they have had.
 */
#define WF2Q_KEPT_BESIDE	0x4000U

/* Room for an io.bfq.weight of 1000 or a raised process of 80 * 30. */
#define WF2Q_MAX_WEIGHT		65535U

/*
 * While a class keeps a level busy, one of those below it is served once the
 * class has had this many times the sectors that it asks for: they get 1 sector
 * in 32, enough to make progress and to let go of locks, too little to be felt.
 */
#define WF2Q_THIN_PACE		31

/**
 * enum wf2q_class - priorities among the children of one group
 * @WF2Q_RT:	served before all others
 * @WF2Q_RAISED: BE children that go first for a while
 * @WF2Q_BE:	served when no child of those is backlogged; groups are always BE
 * @WF2Q_IDLE:	served when nobody else wants to be
 * @WF2Q_CLASSES: how many there are
 *
 * A class leaves a thin share to those below it: see WF2Q_THIN_PACE.
 */
enum wf2q_class { WF2Q_RT, WF2Q_RAISED, WF2Q_BE, WF2Q_IDLE, WF2Q_CLASSES };

/**
 * enum wf2q_state - where an entity stands at its level
 * @WF2Q_OUT:		idle or parked, and in no tree
 * @WF2Q_REMEMBERED:	idle or parked, but served ahead of its share: in the
 *			idle tree until virtual time reaches its finish
 * @WF2Q_STANDING:	not backlogged, but stands in line, and served ahead of its share: in the
 *			idle tree until virtual time reaches its finish
 * @WF2Q_DUE:		not backlogged, but stands in line, and was not ahead when it was looked at:
 *			counted, and in no tree
 * @WF2Q_WAITING:	backlogged, in the waiting tree (or the sole to wait)
 * @WF2Q_SERVING:	backlogged and chosen: in no tree, in_service of its group
 */
enum wf2q_state {
	WF2Q_OUT, WF2Q_REMEMBERED, WF2Q_STANDING, WF2Q_DUE, WF2Q_WAITING, WF2Q_SERVING
};

/**
 * struct wf2q_entity - what is scheduled: a leaf (queue) or a group
 * @node:	link in the waiting or the idle tree of its group and class
 * @parent:	the group it is a child of; NULL for the root's own entity
 * @start:	virtual time of all service received so far; moves as it is served
 * @finish:	virtual time at which its allotment ends; while idle, @start
 * @min_start:	smallest @start in the waiting subtree below @node
 * @inverse:	2^WF2Q_SHIFT / @weight, rounded to nearest
 * @budget:	sectors of the current allotment; of a group, those that its next child still has
 * @service:	sectors received in the current allotment
 * @weight:	the weight its timestamps are made with
 * @new_weight:	the weight last asked for; differs while a change waits
 * @class:	one of enum wf2q_class
 * @new_class:	the class last asked for; differs while a change waits
 * @state:	one of enum wf2q_state
 * @is_group:	embedded in a struct wf2q_group
 * @parked:	a leaf not to be served for now; in service, when that has ended
 * @held:	a leaf that is backlogged, but parked
 * @changed:	a new weight or class, or parking, waits for the end of its
 *		service (or did, and took effect already)
 * @stands:	wants more than it can ask for: wf2q_stand(); of a group, a child does
 */
struct wf2q_entity {
	struct rb_node		node;
	struct wf2q_group	*parent;
	u64			start;
	u64			finish;
	u64			min_start;
	u64			inverse;
	u32			budget;
	u32			service;
	u16			weight;
	u16			new_weight;
	u8			class;
	u8			new_class;
	u8			state;
	bool			is_group:1;
	bool			parked:1;
	bool			held:1;
	bool			changed:1;
	bool			stands:1;
};

/**
 * struct wf2q_tree - the children of one class in one group
 * @waiting:	backlogged ones by finish, augmented with the smallest start
 * @idle:	those remembered, or ahead in line, by finish
 * @vtime:	virtual time; goes back only where a group returns (wf2q_set_credit())
 * @wsum:	weights of all that are waiting, served, remembered or stand in line
 * @carry:	served sectors << WF2Q_SHIFT that were too few to move @vtime
 *		by 1; less than the @wsum they were divided by
 * @nr_due:	children in line that are not ahead
 */
struct wf2q_tree {
	struct rb_root_cached	waiting;
	struct rb_root_cached	idle;
	u64			vtime;
	u64			wsum;
	u64			carry;
	u32			nr_due;
};

/**
 * struct wf2q_group - an inner node of the hierarchy, or its root
 * @entity:	the group as a child of its parent
 * @tree:	its children, by class
 * @next:	the child to serve next; valid while none is in service and one is waiting
 * @in_service:	the child in service
 * @sole:	the only waiting child, which then stands in no tree
 * @nr_waiting:	waiting children
 * @nr_standing: children that stand in line, also if they wait or are served
 * @owed:	by class: sectors that it got while one of a class below it
 *		waited, less WF2Q_THIN_PACE times those that they got
 * @nr_backlogged:	backlogged leaves anywhere below, but for those that are parked
 * @mixed:	has had children to serve that are not BE
 * @credit:	of the root: wf2q_set_credit()
 * @nr_traces:	of the root: children counted in a @wsum, and classes in @owed, anywhere below
 * @root:	root of the hierarchy
 */
struct wf2q_group {
	struct wf2q_entity	entity;
	struct wf2q_tree	tree[WF2Q_CLASSES];
	struct wf2q_entity	*next;
	struct wf2q_entity	*in_service;
	struct wf2q_entity	*sole;
	u64			owed[WF2Q_IDLE];
	u32			nr_waiting;
	u32			nr_standing;
	u32			nr_backlogged;
	bool			mixed;
	u32			credit;
	u32			nr_traces;
	struct wf2q_group	*root;
};

void wf2q_group_init(struct wf2q_group *g, struct wf2q_group *parent, unsigned int weight);
void wf2q_entity_init(struct wf2q_entity *e, struct wf2q_group *parent,
		      unsigned int weight, enum wf2q_class class);
void wf2q_enter(struct wf2q_entity *leaf, u32 budget);
void wf2q_leave(struct wf2q_entity *leaf);
struct wf2q_entity *wf2q_select(struct wf2q_group *root);
struct wf2q_entity *wf2q_second(struct wf2q_group *root);
void wf2q_charge(struct wf2q_entity *leaf, u32 sectors);
void wf2q_pass_traced(struct wf2q_entity *leaf, u32 sectors);
void wf2q_requeue(struct wf2q_entity *leaf, u32 budget);
void wf2q_set_budget(struct wf2q_entity *leaf, u32 budget);
void wf2q_set_prio(struct wf2q_entity *leaf, unsigned int weight, enum wf2q_class class);
void wf2q_park(struct wf2q_entity *leaf);
void wf2q_unpark(struct wf2q_entity *leaf);
void wf2q_stand(struct wf2q_entity *leaf);
void wf2q_unstand(struct wf2q_entity *leaf);
void wf2q_move(struct wf2q_entity *leaf, struct wf2q_group *to);
void wf2q_exit(struct wf2q_entity *e);

/* bfq-wf2q-ask.c */
bool wf2q_outranks(const struct wf2q_entity *leaf);
bool wf2q_outranked(const struct wf2q_entity *leaf);
bool wf2q_equal_waits(struct wf2q_group *root);
bool wf2q_precedes(const struct wf2q_entity *leaf);
bool wf2q_leads(const struct wf2q_entity *leaf, u32 sectors);
bool wf2q_had_less(const struct wf2q_entity *a, const struct wf2q_entity *b);
bool wf2q_goes_before(const struct wf2q_entity *a, const struct wf2q_entity *b);

/**
 * wf2q_before - is one virtual time before another?
 * @a: the one
 * @b: the other, less than half of the circle away
 */
static inline bool wf2q_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/**
 * wf2q_tree_of - the tree of an entity among those of its group
 * @e: the entity, not the root's
 */
static inline struct wf2q_tree *wf2q_tree_of(const struct wf2q_entity *e)
{
	return &e->parent->tree[e->class];
}

/**
 * wf2q_group_of - the group that an entity with @is_group set belongs to
 * @e: the entity
 *
 * Return: the group.
 */
static inline struct wf2q_group *wf2q_group_of(struct wf2q_entity *e)
{
	return container_of(e, struct wf2q_group, entity);
}

/* The innermost group of the leaf in service in which another child waits; or NULL. */
static inline struct wf2q_group *wf2q_where_others_wait(struct wf2q_group *root)
{
	struct wf2q_group *g = root, *inner = NULL;
	struct wf2q_entity *e;

	for (e = g->in_service; e; e = g->in_service) {
		if (g->nr_waiting)
			inner = g;
		if (!e->is_group)
			break;
		g = wf2q_group_of(e);
	}
	return inner;
}

/**
 * wf2q_backlogged - is this entity waiting or in service?
 * @e: a leaf or a group's entity (but the root's)
 *
 * Return: true if so; of a leaf also, if it were but for being parked.
 */
static inline bool wf2q_backlogged(const struct wf2q_entity *e)
{
	return e->state >= WF2Q_WAITING || e->held;
}

/**
 * wf2q_remaining - what is left of the current allotment
 * @e: a backlogged entity
 *
 * Return: sectors, 0 if it is used up.
 */
static inline u32 wf2q_remaining(const struct wf2q_entity *e)
{
	return e->budget > e->service ? e->budget - e->service : 0;
}

/**
 * wf2q_pass - a leaf becomes backlogged, is served, and is idle again
 * @leaf:	the leaf; it is not parked, and no leaf of the hierarchy is backlogged
 * @sectors:	how much it gets, 1..WF2Q_MAX_BUDGET
 *
 * The same as to enter, select, charge and leave it.  Where nobody is counted in W on any level,
 * V would move just as far as S, and it is differences that decide: nothing has to be done.  (But
 * an idle group that may have credit earns none of what passes.)  Mostly nobody is counted
 * anywhere, and then the levels need not be looked at, however many.
 */
static inline void wf2q_pass(struct wf2q_entity *leaf, u32 sectors)
{
	if (leaf->parent->root->nr_traces)
		wf2q_pass_traced(leaf, sectors);
}

/**
 * wf2q_nr_backlogged - how many leaves below a group wait, or are in service?
 * @g: the group, or the root of the hierarchy
 *
 * What is parked does not count.
 *
 * Return: their number.
 */
static inline u32 wf2q_nr_backlogged(const struct wf2q_group *g)
{
	return g->nr_backlogged;
}

/**
 * wf2q_in_service - the leaf in service
 * @root: root of the hierarchy
 *
 * Return: the leaf, or NULL when none is.
 */
static inline struct wf2q_entity *wf2q_in_service(struct wf2q_group *root)
{
	struct wf2q_entity *e = root->in_service;

	while (e && e->is_group)
		e = wf2q_group_of(e)->in_service;
	return e;
}

/**
 * wf2q_set_weight - change the weight of a leaf or a group
 * @e:		the leaf, or the group's entity
 * @weight:	its new weight, 1..WF2Q_MAX_WEIGHT
 *
 * When that takes effect: as for wf2q_set_prio().
 */
static inline void wf2q_set_weight(struct wf2q_entity *e, unsigned int weight)
{
	wf2q_set_prio(e, weight, e->new_class);
}

/**
 * wf2q_set_credit - what may groups keep of what they are due while they are idle?
 * @root:	root of the hierarchy
 * @sectors:	those of one group all together, each up to its share by weight of the ones
 *		that are counted then; 0: nothing; cut to WF2Q_MAX_BUDGET
 *
 * Takes effect when a group becomes backlogged.
 */
static inline void wf2q_set_credit(struct wf2q_group *root, u64 sectors)
{
	root->credit = sectors < WF2Q_MAX_BUDGET ? sectors : WF2Q_MAX_BUDGET;
}

/**
 * wf2q_lags - has a child had less than it is due?
 * @e: the child; an idle one if it would come back so (wf2q_set_credit())
 *
 * Return: true if so.
 */
static inline bool wf2q_lags(const struct wf2q_entity *e)
{
	return wf2q_before(e->start, wf2q_tree_of(e)->vtime);
}

/* While so many sectors are served virtual time goes by an eighth of its round at most. */
#define WF2Q_EIGHTH		WF2Q_MAX_BUDGET

/**
 * wf2q_keep_near - keep an idle group's start comparable with virtual time
 * @e: the group's entity
 *
 * To be called about once in WF2Q_EIGHTH sectors.  What is given up is more than any credit.
 */
static inline void wf2q_keep_near(struct wf2q_entity *e)
{
	u64 least = wf2q_tree_of(e)->vtime - 2 * ((u64)WF2Q_EIGHTH << WF2Q_SHIFT);

	if (e->state == WF2Q_OUT && wf2q_before(e->start, least))
		e->start = least;
}

#endif /* BFQ_WF2Q_H */
