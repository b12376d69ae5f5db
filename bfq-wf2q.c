// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduling engine: hierarchical B-WF2Q+.
 *
 * The children of a group share its service by weight. Imagine a fluid server
 * that serves all of them at once, each at a rate proportional to its weight.
 * The virtual time V of the children grows, while s sectors are served to
 * them, by s / W, where W is the sum of their weights: a child of weight w is
 * due w sectors per unit of V. A disk is no fluid: it serves one child for a
 * whole budget at a time. So each child carries two timestamps,
 *
 *	start	 S	the virtual time up to which it has been served,
 *	finish	 F	S + b / w, where its allotment of b sectors will end,
 *
 * and the engine serves, among the children that the fluid server would have
 * begun to serve (S <= V: eligible), the one with the smallest F. That rule is
 * WF2Q+. Serving by budgets of the children's own choosing, which need not be
 * used up, makes it B-WF2Q+: S moves by s / w with every s sectors served, so
 * when a child stops early its S is exactly right, and nothing is left to be
 * corrected.
 *
 * w * (V - S) is a child's lag: the sectors that it is behind the fluid server
 * (ahead, when negative). The engine rests on this invariant of each tree:
 *
 *	the lags of all that are counted in W sum up to zero or less.
 *
 * Serving keeps the sum. A child that becomes backlogged starts at V, with no
 * lag; but if it had been ahead, where it stopped, or else going to sleep for
 * a moment would pay. To remember that, a child that goes idle ahead of V
 * stays counted in W and in the idle tree until V reaches its S; the fluid
 * server would serve it until just then. A child that goes idle behind V gives
 * its lag up. When V has come to a point where nobody is eligible, it jumps to
 * the smallest S.
 *
 * That a child's lag is at most one maximum budget, and its lead at most its
 * own, follows from that and from one more rule: the finish of a child that is
 * behind never moves earlier while it waits, as many children doing so at once
 * would overload the near future. A smaller budget or a new weight shows in
 * the finish when its owner is not behind or has been served. (A larger weight
 * may be worth giving up a lag for: wf2q_set_weight().) The proof stands in
 * Documentation/engine.md.
 *
 * A child that is ahead and leaves for good (exit, another group or class)
 * cannot be remembered. What it was ahead stays with the others as their lag,
 * so that they come before who might follow in its place.
 *
 * Groups are children of their parents, and are backlogged as long as any leaf
 * below is. A group's budget is what its next child, which it serves when its
 * turn comes, has left. So whenever a group's next child or its budget changes,
 * the group's own place may change, and with it its parent's next child; that
 * goes on upwards as long as something has changed, but not into groups that
 * are being served: these find their next child when that service ends.
 *
 * The waiting tree is ordered by F and augmented by the smallest S below each
 * node: the eligible child with the smallest F is found in one descent, mostly
 * at the cached leftmost node, and the S to jump to stands in the top node. As
 * long as only one child of a group waits it need not be put in order, and
 * stands in no tree: a process that reads one block after another, alone or
 * in a cgroup of its own, is spared all work on trees.
 */

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rbtree_augmented.h>

#include "bfq-wf2q.h"

static inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static inline struct wf2q_entity *entity_at(struct rb_node *node)
{
	return rb_entry(node, struct wf2q_entity, node);
}

static inline struct wf2q_tree *tree_of(const struct wf2q_entity *e)
{
	return &e->parent->tree[e->class];
}

static inline bool tree_waits(const struct wf2q_group *g, enum wf2q_class class)
{
	return g->tree[class].waiting.rb_root.rb_node;
}

static inline bool idle_class_waits(const struct wf2q_group *g)
{
	return g->sole ? g->sole->class == WF2Q_IDLE :
			 tree_waits(g, WF2Q_IDLE);
}

/* The waiting tree. */

static bool update_min_start(struct wf2q_entity *e, bool stop_if_same)
{
	struct rb_node *side[] = { e->node.rb_left, e->node.rb_right };
	u64 least = e->start;
	int i;

	for (i = 0; i < 2; i++)
		if (side[i] && before(entity_at(side[i])->min_start, least))
			least = entity_at(side[i])->min_start;
	if (stop_if_same && e->min_start == least)
		return true;
	e->min_start = least;
	return false;
}

RB_DECLARE_CALLBACKS(static, keep_min_start, struct wf2q_entity, node,
		     min_start, update_min_start)

static void insert_ordered(struct wf2q_tree *t, struct wf2q_entity *e)
{
	struct rb_node **link = &t->waiting.rb_root.rb_node, *above = NULL;
	bool leftmost = true;

	while (*link) {
		struct wf2q_entity *at = entity_at(*link);

		above = *link;
		if (before(e->start, at->min_start))
			at->min_start = e->start;
		if (before(e->finish, at->finish)) {
			link = &above->rb_left;
		} else {
			link = &above->rb_right;
			leftmost = false;
		}
	}
	e->min_start = e->start;
	rb_link_node(&e->node, above, link);
	rb_insert_augmented_cached(&e->node, &t->waiting, leftmost,
				   &keep_min_start);
}

static void insert_waiting(struct wf2q_entity *e)
{
	struct wf2q_group *g = e->parent;

	if (!g->nr_waiting++) {
		g->sole = e;
		return;
	}
	if (g->sole) {
		insert_ordered(tree_of(g->sole), g->sole);
		g->sole = NULL;
	}
	insert_ordered(tree_of(e), e);
}

static void erase_waiting(struct wf2q_entity *e)
{
	struct wf2q_group *g = e->parent;

	g->nr_waiting--;
	if (g->sole == e)
		g->sole = NULL;
	else
		rb_erase_augmented_cached(&e->node, &tree_of(e)->waiting,
					  &keep_min_start);
}

/* The idle tree. */

static void insert_idle(struct wf2q_tree *t, struct wf2q_entity *e)
{
	struct rb_node **link = &t->idle.rb_root.rb_node, *above = NULL;
	bool leftmost = true;

	while (*link) {
		above = *link;
		if (before(e->finish, entity_at(above)->finish)) {
			link = &above->rb_left;
		} else {
			link = &above->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&e->node, above, link);
	rb_insert_color_cached(&e->node, &t->idle, leftmost);
}

static inline struct wf2q_entity *first_idle(struct wf2q_tree *t)
{
	struct rb_node *node = rb_first_cached(&t->idle);

	return node ? entity_at(node) : NULL;
}

/* Stop counting a child that is in neither tree any more. */
static void uncount(struct wf2q_tree *t, struct wf2q_entity *e)
{
	t->wsum -= e->weight;
	if (!t->wsum)
		t->carry = 0;
	e->state = WF2Q_OUT;
}

static void forget(struct wf2q_tree *t, struct wf2q_entity *e)
{
	rb_erase_cached(&e->node, &t->idle);
	uncount(t, e);
}

/* Virtual time. */

static noinline void jump_to(struct wf2q_tree *t, u64 vtime)
{
	struct wf2q_entity *e;

	t->vtime = vtime;
	t->carry = 0;
	while ((e = first_idle(t)) && !before(vtime, e->finish))
		forget(t, e);
}

/*
 * Move V by @sectors of service, exactly as the fluid server would: where V
 * passes the finish of a remembered child, the rest goes to fewer. What the
 * division leaves over is carried, so that V does not fall behind however
 * small the requests and however many the children.
 */
static void advance(struct wf2q_tree *t, u64 sectors)
{
	u64 work = (sectors << WF2Q_SHIFT) + t->carry;
	struct wf2q_entity *e;
	u64 step;

	while (t->wsum) {
		step = div64_u64_rem(work, t->wsum, &t->carry);
		e = first_idle(t);
		if (!e || before(t->vtime + step, e->finish)) {
			t->vtime += step;
			return;
		}
		work -= (e->finish - t->vtime) * t->wsum;
		t->vtime = e->finish;
		forget(t, e);
	}
}

/* One child's weight, timestamps and place. */

static void adopt_weight(struct wf2q_entity *e)
{
	e->weight = e->new_weight;
	e->inverse = ((1ULL << WF2Q_SHIFT) + e->weight / 2) / e->weight;
}

/* Give a counted child, which is in no tree, its new weight; its lag stays. */
static void reweigh(struct wf2q_tree *t, struct wf2q_entity *e)
{
	u32 old = e->weight;

	adopt_weight(e);
	t->wsum += (u64)e->weight - old;
	if (before(e->start, t->vtime))
		e->start = t->vtime - mul_u64_u64_div_u64(t->vtime - e->start,
							  old, e->weight);
	else
		e->start = t->vtime + mul_u64_u64_div_u64(e->start - t->vtime,
							  old, e->weight);
}

static inline u64 finish_of(const struct wf2q_entity *e)
{
	return e->start + wf2q_remaining(e) * e->inverse;
}

static void wait_from_start(struct wf2q_entity *e)
{
	e->finish = finish_of(e);
	e->state = WF2Q_WAITING;
	insert_waiting(e);
}

/* Idle or remembered -> waiting. */
static void join(struct wf2q_entity *e)
{
	struct wf2q_tree *t = tree_of(e);

	if (e->state == WF2Q_REMEMBERED) {
		rb_erase_cached(&e->node, &t->idle);
	} else {
		t->wsum += e->weight;
		e->start = t->vtime;
	}
	wait_from_start(e);
}

/* Counted, but in no tree, and not backlogged any more: remembered or out. */
static void rest(struct wf2q_tree *t, struct wf2q_entity *e)
{
	if (unlikely(e->new_weight != e->weight))
		reweigh(t, e);
	if (!before(t->vtime, e->start)) {
		uncount(t, e);
		return;
	}
	e->finish = e->start;
	e->state = WF2Q_REMEMBERED;
	insert_idle(t, e);
}

/* An idle child leaves its tree for good. */
static void part(struct wf2q_entity *e)
{
	if (e->state == WF2Q_REMEMBERED)
		forget(tree_of(e), e);
}

/*
 * A waiting child needs another number of sectors, or has been served. Return
 * whether that changed anything its group sees.
 */
static bool retime(struct wf2q_entity *e, u32 budget, u32 service)
{
	struct wf2q_tree *t = tree_of(e);
	u32 had = wf2q_remaining(e);
	u64 finish;

	e->budget = budget;
	e->service = service;
	finish = finish_of(e);
	if (finish != e->finish &&
	    !(before(finish, e->finish) && before(e->start, t->vtime))) {
		erase_waiting(e);
		e->finish = finish;
		insert_waiting(e);
		return true;
	}
	return had != wf2q_remaining(e);
}

/* Groups. */

/* The child of one class to serve next; @t has somebody waiting. */
static struct wf2q_entity *choose_in(struct wf2q_tree *t)
{
	struct wf2q_entity *e = entity_at(t->waiting.rb_root.rb_node);
	struct rb_node *left;

	if (before(t->vtime, e->min_start))
		jump_to(t, e->min_start);

	e = entity_at(rb_first_cached(&t->waiting));
	if (!before(t->vtime, e->start))
		return e;

	/* Somebody below @e is eligible, all through the descent. */
	e = entity_at(t->waiting.rb_root.rb_node);
	for (;;) {
		left = e->node.rb_left;
		if (left && !before(t->vtime, entity_at(left)->min_start))
			e = entity_at(left);
		else if (before(t->vtime, e->start))
			e = entity_at(e->node.rb_right);
		else
			return e;
	}
}

/* As choose(), below, when several children wait. */
static noinline struct wf2q_entity *choose_among(struct wf2q_group *g)
{
	struct wf2q_entity *first = NULL, *idle;

	if (unlikely(tree_waits(g, WF2Q_RT)))
		first = choose_in(&g->tree[WF2Q_RT]);
	else if (tree_waits(g, WF2Q_BE))
		first = choose_in(&g->tree[WF2Q_BE]);
	if (likely(!tree_waits(g, WF2Q_IDLE)))
		return first;

	idle = choose_in(&g->tree[WF2Q_IDLE]);
	if (!first ||
	    g->idle_due >= (u64)WF2Q_IDLE_PACE * wf2q_remaining(idle))
		return idle;
	return first;
}

/* The child to serve next, or NULL; none is in service. */
static inline struct wf2q_entity *choose(struct wf2q_group *g)
{
	struct wf2q_entity *sole = g->sole;

	if (!g->nr_waiting)
		return NULL;
	if (!sole)
		return choose_among(g);
	if (before(tree_of(sole)->vtime, sole->start))
		jump_to(tree_of(sole), sole->start);
	return sole;
}

/* Let a group's own place follow its next child. Return whether it changed. */
static bool follow_next(struct wf2q_entity *e, const struct wf2q_entity *next)
{
	if (e->state == WF2Q_WAITING) {
		if (next)
			return retime(e, wf2q_remaining(next), 0);
		erase_waiting(e);
		rest(tree_of(e), e);
		return true;
	}
	if (!next)
		return false;
	e->budget = wf2q_remaining(next);
	e->service = 0;
	join(e);
	return true;
}

/*
 * The waiting children of @g have changed: find its next child, and so up, as
 * long as something changes (or always, when virtual times have changed too),
 * but not into what is in service.
 */
static void settle(struct wf2q_group *g, bool always)
{
	while (!g->in_service) {
		struct wf2q_entity *e = &g->entity;

		g->next = choose(g);
		if (!e->parent)
			return;
		if (!follow_next(e, g->next) && !always)
			return;
		g = e->parent;
	}
}

static void count_busy(struct wf2q_group *g, int change)
{
	for (; g; g = g->entity.parent)
		g->nr_busy += change;
}

/* Take on the class that was asked for while in service. */
static void change_class_resting(struct wf2q_entity *e)
{
	rest(tree_of(e), e);
	part(e);
	e->class = e->new_class;
}

/*
 * The service of @leaf ends: it and the groups above it go back to wait, or
 * to rest if nothing below them is backlogged.
 */
static void end_service(struct wf2q_entity *leaf, bool again)
{
	struct wf2q_entity *e = leaf;

	for (;;) {
		struct wf2q_group *g = e->parent;
		struct wf2q_tree *t = tree_of(e);

		g->in_service = NULL;
		if (unlikely(e->new_class != e->class)) {
			change_class_resting(e);
			if (again)
				join(e);
		} else if (again) {
			if (unlikely(e->new_weight != e->weight))
				reweigh(t, e);
			wait_from_start(e);
		} else {
			rest(t, e);
		}

		g->next = choose(g);
		e = &g->entity;
		if (!e->parent)
			return;
		again = g->next;
		if (again) {
			e->budget = wf2q_remaining(g->next);
			e->service = 0;
		}
	}
}

static u32 valid_budget(u32 budget)
{
	return clamp(budget, 1U, WF2Q_MAX_BUDGET);
}

static u16 valid_weight(unsigned int weight)
{
	return clamp(weight, 1U, WF2Q_MAX_WEIGHT);
}

/**
 * wf2q_entity_init - make an idle leaf
 * @e:		the leaf
 * @parent:	the group that it is a child of
 * @weight:	its weight, 1..WF2Q_MAX_WEIGHT
 * @class:	its class
 */
void wf2q_entity_init(struct wf2q_entity *e, struct wf2q_group *parent,
		      unsigned int weight, enum wf2q_class class)
{
	*e = (struct wf2q_entity) {
		.parent = parent,
		.new_weight = valid_weight(weight),
		.class = class,
		.new_class = class,
		.state = WF2Q_OUT,
	};
	adopt_weight(e);
}

/**
 * wf2q_group_init - make an empty group
 * @g:		the group
 * @parent:	the group that it is a child of, NULL for the root of a
 *		hierarchy; it never changes
 * @weight:	its weight among its parent's children, 1..WF2Q_MAX_WEIGHT
 */
void wf2q_group_init(struct wf2q_group *g, struct wf2q_group *parent,
		     unsigned int weight)
{
	*g = (struct wf2q_group) { };
	wf2q_entity_init(&g->entity, parent, weight, WF2Q_BE);
	g->entity.is_group = true;
}

/**
 * wf2q_activate - an idle leaf has become backlogged
 * @leaf:	the leaf
 * @budget:	its allotment in sectors, 1..WF2Q_MAX_BUDGET
 */
void wf2q_activate(struct wf2q_entity *leaf, u32 budget)
{
	if (WARN_ON_ONCE(wf2q_backlogged(leaf)))
		return;
	leaf->budget = valid_budget(budget);
	leaf->service = 0;
	count_busy(leaf->parent, 1);
	join(leaf);
	settle(leaf->parent, false);
}

/**
 * wf2q_deactivate - a backlogged leaf has nothing left to serve
 * @leaf:	the leaf, waiting or in service
 *
 * If it has been served ahead of its share, that is remembered until its share
 * has caught up.
 */
void wf2q_deactivate(struct wf2q_entity *leaf)
{
	if (WARN_ON_ONCE(!wf2q_backlogged(leaf)))
		return;
	count_busy(leaf->parent, -1);
	if (leaf->state == WF2Q_SERVING) {
		end_service(leaf, false);
		return;
	}
	erase_waiting(leaf);
	rest(tree_of(leaf), leaf);
	settle(leaf->parent, false);
}

/**
 * wf2q_select - put the leaf whose turn it is in service
 * @root:	root of the hierarchy; no leaf may be in service
 *
 * Return: the leaf, or NULL if none is backlogged.
 */
struct wf2q_entity *wf2q_select(struct wf2q_group *root)
{
	struct wf2q_group *g = root;
	struct wf2q_entity *e;

	if (!root->nr_busy)
		return NULL;
	if (WARN_ON_ONCE(root->in_service))
		return wf2q_in_service(root);
	for (;;) {
		e = g->next;
		erase_waiting(e);
		e->state = WF2Q_SERVING;
		g->in_service = e;
		g->next = NULL;
		if (!e->is_group)
			return e;
		g = wf2q_group_of(e);
	}
}

/* Account service to one child: its own timestamps, and its group's V. */
static void serve(struct wf2q_entity *e, u32 sectors)
{
	struct wf2q_group *g = e->parent;
	struct wf2q_tree *t = tree_of(e);
	u64 step = sectors * e->inverse;

	e->service += sectors;
	if (unlikely(e->class == WF2Q_IDLE))
		g->idle_due -= min(g->idle_due, (u64)WF2Q_IDLE_PACE * sectors);
	else if (unlikely(idle_class_waits(g)))
		g->idle_due += sectors;

	if (likely(e->state == WF2Q_SERVING)) {
		e->start += step;
		if (t->wsum == e->weight)
			t->vtime += step;	/* it is alone */
		else
			advance(t, sectors);
		return;
	}

	if (e->state == WF2Q_WAITING) {
		erase_waiting(e);
		e->start += step;
		if (before(e->finish, e->start))
			e->finish = e->start;
		insert_waiting(e);
	} else {
		if (e->state == WF2Q_REMEMBERED) {
			rb_erase_cached(&e->node, &t->idle);
		} else {
			t->wsum += e->weight;
			e->start = t->vtime;
		}
		e->start += step;
		e->finish = e->start;
		e->state = WF2Q_REMEMBERED;
		insert_idle(t, e);
	}
	advance(t, sectors);
}

/**
 * wf2q_charge - a leaf has received service
 * @leaf:	the leaf, normally the one in service; any other is charged
 *		for what it got out of turn, and its place follows
 * @sectors:	how much, up to WF2Q_MAX_BUDGET
 *
 * The caller ends the service (wf2q_requeue() or wf2q_deactivate()) when the
 * budget is used up; what is charged beyond it counts, but the engine cannot
 * keep others from waiting longer for it than it promised.
 */
void wf2q_charge(struct wf2q_entity *leaf, u32 sectors)
{
	struct wf2q_entity *e;

	if (WARN_ON_ONCE(sectors > WF2Q_MAX_BUDGET))
		sectors = WF2Q_MAX_BUDGET;
	for (e = leaf; e->parent; e = &e->parent->entity)
		serve(e, sectors);
	if (unlikely(leaf->state != WF2Q_SERVING))
		settle(leaf->parent, true);
}

/**
 * wf2q_requeue - the service of a leaf ends, but it stays backlogged
 * @leaf:	the leaf in service
 * @budget:	its next allotment in sectors, 1..WF2Q_MAX_BUDGET
 */
void wf2q_requeue(struct wf2q_entity *leaf, u32 budget)
{
	if (WARN_ON_ONCE(leaf->state != WF2Q_SERVING))
		return;
	leaf->budget = valid_budget(budget);
	leaf->service = 0;
	end_service(leaf, true);
}

/**
 * wf2q_set_budget - change the current allotment of a leaf
 * @leaf:	the leaf, waiting or in service
 * @budget:	all of its allotment in sectors, 1..WF2Q_MAX_BUDGET, of which
 *		leaf->service are already used
 *
 * Of a waiting leaf, a larger budget shows in its finish at once, a smaller one
 * unless it lags. To enlarge the allotment of the leaf in service is possible,
 * but lets the others wait for so much longer than promised; to requeue it
 * instead does not.
 */
void wf2q_set_budget(struct wf2q_entity *leaf, u32 budget)
{
	if (WARN_ON_ONCE(!wf2q_backlogged(leaf)))
		return;
	budget = valid_budget(budget);
	if (leaf->state == WF2Q_SERVING)
		leaf->budget = budget;
	else if (retime(leaf, budget, leaf->service))
		settle(leaf->parent, false);
}

/* A waiting child has a new weight to take on, or to keep for later. */
static void reweigh_waiting(struct wf2q_entity *e)
{
	struct wf2q_tree *t = tree_of(e);
	u64 need = wf2q_remaining(e);

	if (before(e->start, t->vtime)) {
		u64 finish = t->vtime +
			     div_u64(need << WF2Q_SHIFT, e->new_weight);

		if (!before(finish, e->finish))
			return;
		e->start = t->vtime;
	}
	erase_waiting(e);
	reweigh(t, e);
	wait_from_start(e);
	settle(e->parent, false);
}

/**
 * wf2q_set_weight - change the weight of a leaf or a group
 * @e:		the leaf, or the group's entity
 * @weight:	its new weight, 1..WF2Q_MAX_WEIGHT
 *
 * It takes effect at once for an idle entity, and for a waiting one that does
 * not lag; for the one in service and those above it, when the service ends.
 * A waiting entity that lags takes on a weight at once if that, counted from
 * now on, brings its turn nearer (it gives its lag up for it), else when it
 * has been served.
 */
void wf2q_set_weight(struct wf2q_entity *e, unsigned int weight)
{
	struct wf2q_tree *t;

	e->new_weight = valid_weight(weight);
	if (e->new_weight == e->weight)
		return;

	switch (e->state) {
	case WF2Q_OUT:
		adopt_weight(e);
		break;
	case WF2Q_REMEMBERED:
		t = tree_of(e);
		rb_erase_cached(&e->node, &t->idle);
		rest(t, e);
		break;
	case WF2Q_WAITING:
		reweigh_waiting(e);
		break;
	}
}

/**
 * wf2q_set_class - change the class of a leaf
 * @leaf:	the leaf
 * @class:	its new class
 *
 * It takes effect at once, for a leaf in service when the service ends.
 */
void wf2q_set_class(struct wf2q_entity *leaf, enum wf2q_class class)
{
	bool waiting = leaf->state == WF2Q_WAITING;

	leaf->new_class = class;
	if (class == leaf->class || leaf->state == WF2Q_SERVING)
		return;
	if (waiting) {
		erase_waiting(leaf);
		rest(tree_of(leaf), leaf);
	}
	part(leaf);
	leaf->class = class;
	if (waiting) {
		join(leaf);
		settle(leaf->parent, false);
	}
}

/**
 * wf2q_move - make a leaf a child of another group
 * @leaf:	the leaf
 * @to:		the group, of the same hierarchy
 *
 * A backlogged leaf waits in its new group with what its allotment had left;
 * if it was in service, that has ended and nothing is in service.
 */
void wf2q_move(struct wf2q_entity *leaf, struct wf2q_group *to)
{
	u32 left = wf2q_remaining(leaf);
	bool backlogged = wf2q_backlogged(leaf);

	if (leaf->parent == to)
		return;
	wf2q_exit(leaf);
	leaf->parent = to;
	if (backlogged)
		wf2q_activate(leaf, left);
}

/**
 * wf2q_exit - take a leaf or a group out of every tree
 * @e:		the leaf, or the entity of a group below which no leaf is
 *		backlogged
 *
 * Its memory may be freed afterwards. Idle children of a group are taken out of
 * its trees: before they become backlogged again they have to be moved.
 */
void wf2q_exit(struct wf2q_entity *e)
{
	struct wf2q_entity *child;
	int class;

	if (e->is_group) {
		struct wf2q_group *g = wf2q_group_of(e);

		if (WARN_ON_ONCE(g->nr_busy))
			return;
		for (class = 0; class < WF2Q_CLASSES; class++)
			while ((child = first_idle(&g->tree[class])))
				forget(&g->tree[class], child);
	} else if (wf2q_backlogged(e)) {
		wf2q_deactivate(e);
	}
	part(e);
	e->class = e->new_class;
}
