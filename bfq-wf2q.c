// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduling engine: hierarchical B-WF2Q+.
 *
 * The children of a group share its service by weight. Imagine a fluid server that serves all of
 * them at once, each at a rate proportional to its weight. The virtual time V of the children
 * grows, while s sectors are served to them, by s / W, where W is the sum of their weights: a child
 * of weight w is due w sectors per unit of V. A disk is no fluid: it serves one child for a whole
 * budget at a time. So each child carries two timestamps,
 *
 *	start	 S	the virtual time up to which it has been served,
 *	finish	 F	S + b / w, where its allotment of b sectors will end,
 *
 * and the engine serves, among the children that the fluid server would have begun to serve (S <=
 * V: eligible), the one with the smallest F. That rule is WF2Q+. Serving by budgets of the
 * children's own choosing, which need not be used up, makes it B-WF2Q+: S moves by s / w with every
 * s sectors served, so when a child stops early its S is exactly right.
 *
 * w * (V - S) is a child's lag: the sectors that it is behind the fluid server (ahead, when
 * negative). The engine rests on this invariant of each tree:
 *
 *	the lags of all that are counted in W sum up to zero or less.
 *
 * Serving keeps the sum. A child that becomes backlogged starts at V, with no lag; but if it had
 * been ahead, where it stopped, or else going to sleep for a moment would pay. To remember that, a
 * child that goes idle ahead of V stays counted in W and in the idle tree until V reaches its S;
 * the fluid server would serve it until just then. A child that goes idle behind V gives its lag
 * up. When V has come to a point where nobody is eligible, it jumps to the smallest S.
 *
 * But a group may be let keep its lag while it is idle (wf2q_set_credit()): what others get
 * meanwhile and would have been its, up to its share of so many sectors.  It comes back where it
 * was, and so that the sum of the lags stays what it is, V goes back by what its return adds,
 * w (V - S) / W.  Then it is as if the group had been counted all the time; those who have had its
 * part are ahead by that, and wait.  One that was not counted just then comes ahead of V, which
 * goes on by w (S - V) / W, to where it would be.
 *
 * That a child's lag is at most one maximum budget, and its lead at most its own, follows from that
 * and from one more rule: the finish of a child that is behind never moves earlier while it waits,
 * as many children doing so at once would overload the near future. A smaller budget or a new
 * weight shows in the finish when its owner is not behind or has been served. (A larger weight may
 * be worth giving up a lag for: wf2q_reweigh_waiting().) The proof stands in
 * Documentation/engine.md.
 *
 * A child may want more than it can ask for yet (bfq-line.c): it stands in line.  The fluid server
 * would serve it, so it is counted in W and its lag is kept as if it waited, but it is not chosen:
 * what is chosen beside it may be ahead of V.  V does not jump past its S: while that is ahead it
 * stands in the idle tree, and when V has come there it is due, and V does not jump at all.
 *
 * A child that is ahead and leaves for good (exit, another group or class) cannot be remembered.
 * What it was ahead stays with the others as their lag, so that they come before who may follow it.
 *
 * Children are of four classes, each with a V of its own. The highest class of which a child waits
 * is served, but a class owes those below it a thin share: while one of them waits, what the class
 * gets is added to what it owes, and WF2Q_THIN_PACE times what they get is taken off. When it owes
 * the next of them its whole allotment, that goes first. Those below are one party, among which the
 * same rule holds: while all wait, BE and IDLE together get 1 sector in 32 beside RT (or RAISED),
 * and IDLE 1 in 32 of that. No class starves, or is served while one above it is starved more.
 *
 * Groups are children of their parents, and are backlogged as long as any leaf below is. A group's
 * budget is what its next child, which it serves when its turn comes, has left. So whenever a
 * group's next child or its budget changes, the group's own place may change, and with it its
 * parent's next child; that goes on upwards as long as something has changed, but not into groups
 * that are being served: these find their next child when that service ends.
 *
 * A leaf that must not be served for now, because of a cap, say, is parked. To its group it is
 * then asleep: it gives its lag up, its lead is remembered, and a group of which all leaves are
 * parked rests. So parking gains a leaf nothing, and costs the others nothing.
 *
 * The waiting tree is ordered by F and augmented by the smallest S below each node: the eligible
 * child with the smallest F is found in one descent, mostly at the cached leftmost node, and the S
 * to jump to stands in the top node. As long as only one child of a group waits it need not be put
 * in order, and stands in no tree: a process that reads one block after another, alone or in a
 * cgroup of its own, is spared all work on trees.
 */

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rbtree_augmented.h>

#include "bfq-wf2q.h"

static inline struct wf2q_entity *wf2q_entity_at(struct rb_node *node)
{
	return rb_entry(node, struct wf2q_entity, node);
}

/* The waiting tree. */

static bool wf2q_update_min_start(struct wf2q_entity *e, bool stop_if_same)
{
	struct rb_node *side[] = { e->node.rb_left, e->node.rb_right };
	u64 least = e->start;
	int i;

	for (i = 0; i < 2; i++)
		if (side[i] && wf2q_before(wf2q_entity_at(side[i])->min_start, least))
			least = wf2q_entity_at(side[i])->min_start;
	if (stop_if_same && e->min_start == least)
		return true;
	e->min_start = least;
	return false;
}

RB_DECLARE_CALLBACKS(static, wf2q_keep_min_start, struct wf2q_entity, node,
		     min_start, wf2q_update_min_start)

static void wf2q_insert_ordered(struct wf2q_tree *t, struct wf2q_entity *e)
{
	struct rb_node **link = &t->waiting.rb_root.rb_node, *above = NULL;
	bool leftmost = true;

	while (*link) {
		struct wf2q_entity *at = wf2q_entity_at(*link);

		above = *link;
		if (wf2q_before(e->start, at->min_start))
			at->min_start = e->start;
		if (wf2q_before(e->finish, at->finish)) {
			link = &above->rb_left;
		} else {
			link = &above->rb_right;
			leftmost = false;
		}
	}
	e->min_start = e->start;
	rb_link_node(&e->node, above, link);
	rb_insert_augmented_cached(&e->node, &t->waiting, leftmost, &wf2q_keep_min_start);
}

static void wf2q_insert_waiting(struct wf2q_entity *e)
{
	struct wf2q_group *g = e->parent;

	if (!g->nr_waiting++) {
		g->sole = e;
		return;
	}
	if (g->sole) {
		wf2q_insert_ordered(wf2q_tree_of(g->sole), g->sole);
		g->sole = NULL;
	}
	wf2q_insert_ordered(wf2q_tree_of(e), e);
}

static void wf2q_erase_waiting(struct wf2q_entity *e)
{
	struct wf2q_group *g = e->parent;

	g->nr_waiting--;
	if (g->sole == e)
		g->sole = NULL;
	else
		rb_erase_augmented_cached(&e->node, &wf2q_tree_of(e)->waiting,
					  &wf2q_keep_min_start);
}

/* The idle tree. */

static bool wf2q_ends_before(struct rb_node *a, const struct rb_node *b)
{
	return wf2q_before(rb_entry(a, struct wf2q_entity, node)->finish,
			   rb_entry(b, struct wf2q_entity, node)->finish);
}

static inline struct wf2q_entity *wf2q_first_idle(struct wf2q_tree *t)
{
	struct rb_node *node = rb_first_cached(&t->idle);

	return node ? wf2q_entity_at(node) : NULL;
}

/* Stop counting a child that is in neither tree any more. */
static void wf2q_uncount(struct wf2q_tree *t, struct wf2q_entity *e)
{
	e->parent->root->nr_traces--;
	t->wsum -= e->weight;
	if (!t->wsum)
		t->carry = 0;
	e->state = WF2Q_OUT;
}

/* An idle child, in no tree, is not ahead of V: stop counting it, unless it stands in line. */
static void wf2q_not_ahead(struct wf2q_tree *t, struct wf2q_entity *e)
{
	if (likely(!e->stands)) {
		wf2q_uncount(t, e);
		return;
	}
	e->state = WF2Q_DUE;
	t->nr_due++;
}

/* V has come to where an idle child has got to. */
static void wf2q_forget(struct wf2q_tree *t, struct wf2q_entity *e)
{
	rb_erase_cached(&e->node, &t->idle);
	wf2q_not_ahead(t, e);
}

static void wf2q_remember(struct wf2q_tree *t, struct wf2q_entity *e)
{
	e->finish = e->start;
	e->state = likely(!e->stands) ? WF2Q_REMEMBERED : WF2Q_STANDING;
	rb_add_cached(&e->node, &t->idle, wf2q_ends_before);
}

static noinline void wf2q_go_to(struct wf2q_tree *t, u64 vtime)
{
	struct wf2q_entity *e;

	t->vtime = vtime;
	t->carry = 0;
	while ((e = wf2q_first_idle(t)) && !wf2q_before(vtime, e->finish))
		wf2q_forget(t, e);
}

/* No child that waits is eligible before @vtime: go there, or to where one in line is. */
static noinline void wf2q_jump_to(struct wf2q_tree *t, u64 vtime)
{
	struct wf2q_entity *e;

	while (!t->nr_due) {
		e = wf2q_first_idle(t);
		if (!e || !wf2q_before(e->finish, vtime)) {
			wf2q_go_to(t, vtime);
			return;
		}
		wf2q_go_to(t, e->finish);
	}
}

/*
 * Move V by @sectors of service, exactly as the fluid server would: where V passes the finish of a
 * remembered child, the rest goes to fewer. What the division leaves over is carried, so that V
 * does not fall behind however small the requests and however many the children.
 */
static void wf2q_advance(struct wf2q_tree *t, u64 sectors)
{
	u64 work = (sectors << WF2Q_SHIFT) + t->carry;
	struct wf2q_entity *e;
	u64 step;

	while (t->wsum) {
		step = div64_u64_rem(work, t->wsum, &t->carry);
		e = wf2q_first_idle(t);
		if (!e || wf2q_before(t->vtime + step, e->finish)) {
			t->vtime += step;
			return;
		}
		work -= (e->finish - t->vtime) * t->wsum;
		t->vtime = e->finish;
		wf2q_forget(t, e);
	}
}

/* Classes. */

static bool wf2q_waits_below(const struct wf2q_group *g, int class)
{
	if (g->sole)
		return g->sole->class > class;
	while (++class < WF2Q_CLASSES)
		if (g->tree[class].waiting.rb_root.rb_node)
			return true;
	return false;
}

static void wf2q_owe(struct wf2q_group *g, int class, u64 sectors)
{
	g->root->nr_traces += !!sectors - !!g->owed[class];
	g->owed[class] = sectors;
}

/*
 * @e joins a group that knows other classes than BE. If it is the first of its class and below to
 * be backlogged, it is owed no more than it asks for: what those before it have left must not add
 * up to a long turn for it.
 */
static noinline void wf2q_join_classes(const struct wf2q_entity *e)
{
	const u64 most = (u64)WF2Q_THIN_PACE * wf2q_remaining(e);
	struct wf2q_group *g = e->parent;
	int class;

	g->mixed = true;
	for (class = 0; class < e->class; class++)
		if (!wf2q_waits_below(g, class) && !(g->in_service && g->in_service->class > class))
			wf2q_owe(g, class, min(g->owed[class], most));
}

static noinline void wf2q_account_classes(struct wf2q_group *g, int class, u32 sectors)
{
	const u64 paid = (u64)WF2Q_THIN_PACE * sectors;
	int above;

	for (above = 0; above < class; above++)
		wf2q_owe(g, above, g->owed[above] - min(g->owed[above], paid));
	if (wf2q_waits_below(g, class))
		wf2q_owe(g, class, g->owed[class] + sectors);
}

/* One child's weight, timestamps and place. */

static void wf2q_adopt_weight(struct wf2q_entity *e)
{
	e->weight = e->new_weight;
	e->inverse = div_u64((1ULL << WF2Q_SHIFT) + e->weight / 2, e->weight);
}

/* Give a counted child, which is in no tree, its new weight; its lag stays. */
static void wf2q_reweigh(struct wf2q_tree *t, struct wf2q_entity *e)
{
	u32 old = e->weight;

	wf2q_adopt_weight(e);
	t->wsum += (u64)e->weight - old;
	if (wf2q_before(e->start, t->vtime))
		e->start = t->vtime - mul_u64_u64_div_u64(t->vtime - e->start, old, e->weight);
	else
		e->start = t->vtime + mul_u64_u64_div_u64(e->start - t->vtime, old, e->weight);
}

static inline u64 wf2q_finish_of(const struct wf2q_entity *e)
{
	return e->start + wf2q_remaining(e) * e->inverse;
}

static void wf2q_wait_from_start(struct wf2q_entity *e)
{
	e->finish = wf2q_finish_of(e);
	e->state = WF2Q_WAITING;
	wf2q_insert_waiting(e);
}

static void wf2q_forget_nothing(struct wf2q_tree *t)
{
	struct wf2q_entity *e;

	while ((e = wf2q_first_idle(t)) && wf2q_before(e->finish, t->vtime + WF2Q_NOTHING))
		wf2q_forget(t, e);
}

/* Of the credit, what a child's group would have had: its share on every level above. */
static u64 wf2q_credit_of(const struct wf2q_entity *e)
{
	u64 credit = e->parent->root->credit;

	for (e = &e->parent->entity; e->parent; e = &e->parent->entity) {
		wf2q_forget_nothing(wf2q_tree_of(e));
		credit = div64_u64(credit * e->weight, wf2q_tree_of(e)->wsum +
				   (e->state == WF2Q_OUT ? e->weight : 0));
	}
	return credit;
}

/* A group comes back where it was, within its credit. */
static noinline void wf2q_return(struct wf2q_tree *t, struct wf2q_entity *e)
{
	u64 by, most;

	wf2q_forget_nothing(t);
	t->wsum += e->weight;
	most = div64_u64(wf2q_credit_of(e) << WF2Q_SHIFT, t->wsum);
	if (wf2q_before(e->start, t->vtime)) {
		by = min(t->vtime - e->start, most);
		e->start = t->vtime - by;
		/* rounded up, or the lags would sum up to more than zero in the end */
		t->vtime -= div64_u64(by * e->weight + t->wsum - 1, t->wsum);
	} else {
		by = min(e->start - t->vtime, most);
		e->start = t->vtime + by;
		wf2q_go_to(t, t->vtime + div64_u64(by * e->weight, t->wsum));
	}
}

/* Count who is in no tree, from V on. */
static void wf2q_count(struct wf2q_tree *t, struct wf2q_entity *e)
{
	e->parent->root->nr_traces++;
	if (e->is_group && e->parent->root->credit) {
		wf2q_return(t, e);
		return;
	}
	t->wsum += e->weight;
	e->start = t->vtime;
}

/* Take an idle child from where it is. */
static void wf2q_rouse(struct wf2q_tree *t, struct wf2q_entity *e)
{
	if (e->state == WF2Q_REMEMBERED || e->state == WF2Q_STANDING)
		rb_erase_cached(&e->node, &t->idle);
	else if (e->state == WF2Q_DUE)
		t->nr_due--;
}

/* And count it, if it is not yet. */
static void wf2q_be_counted(struct wf2q_tree *t, struct wf2q_entity *e)
{
	if (e->state == WF2Q_OUT)
		wf2q_count(t, e);
	else
		wf2q_rouse(t, e);
}

/*
 * Of what is due to one in line, or in service, all but @kept sectors is given up. The others have
 * had that: V goes on by it, so that they do not have to wait for it.
 */
static noinline void wf2q_give_up(struct wf2q_tree *t, struct wf2q_entity *e, u32 kept)
{
	u64 least = t->vtime - kept * e->inverse, by = least - e->start;

	if (wf2q_before(e->start, least)) {
		e->start = least;
		wf2q_go_to(t, t->vtime + mul_u64_u64_div_u64(by, e->weight, t->wsum));
		e->finish = wf2q_finish_of(e);
	}
}

/* Idle -> waiting. */
static void wf2q_join(struct wf2q_entity *e)
{
	struct wf2q_tree *t = wf2q_tree_of(e);

	wf2q_be_counted(t, e);
	if (unlikely(e->state == WF2Q_DUE))
		wf2q_give_up(t, e, WF2Q_MOST_KEPT);
	if (unlikely(e->class != WF2Q_BE || e->parent->mixed))
		wf2q_join_classes(e);
	wf2q_wait_from_start(e);
}

/* Counted, but in no tree, and not backlogged any more: remembered, out, or in line. */
static void wf2q_rest(struct wf2q_tree *t, struct wf2q_entity *e)
{
	if (unlikely(e->new_weight != e->weight))
		wf2q_reweigh(t, e);
	if (wf2q_before(t->vtime, e->start))
		wf2q_remember(t, e);
	else
		wf2q_not_ahead(t, e);
}

/* What an idle child is has changed: to where it belongs now. */
static void wf2q_rest_anew(struct wf2q_entity *e)
{
	wf2q_be_counted(wf2q_tree_of(e), e);
	wf2q_rest(wf2q_tree_of(e), e);
}

/*
 * A waiting child needs another number of sectors, or has been served. Return whether that changed
 * anything its group sees.
 */
static bool wf2q_retime(struct wf2q_entity *e, u32 budget, u32 service)
{
	struct wf2q_tree *t = wf2q_tree_of(e);
	u32 had = wf2q_remaining(e);
	u64 finish;

	e->budget = budget;
	e->service = service;
	finish = wf2q_finish_of(e);
	if (finish != e->finish &&
	    !(wf2q_before(finish, e->finish) && wf2q_before(e->start, t->vtime))) {
		wf2q_erase_waiting(e);
		e->finish = finish;
		wf2q_insert_waiting(e);
		return true;
	}
	return had != wf2q_remaining(e);
}

/* Groups. */

/*
 * The child of one class to serve next; @t has somebody waiting.
 *
 * Which one is chosen does not depend on @jump, which says whether V may: it may not while one of
 * the class is in service.
 */
static struct wf2q_entity *wf2q_choose_in(struct wf2q_tree *t, bool jump)
{
	struct wf2q_entity *e = wf2q_entity_at(t->waiting.rb_root.rb_node);
	u64 vtime = t->vtime;
	struct rb_node *left;

	if (wf2q_before(vtime, e->min_start)) {
		vtime = e->min_start;
		if (jump)
			wf2q_jump_to(t, vtime);
	}

	e = wf2q_entity_at(rb_first_cached(&t->waiting));
	if (!wf2q_before(vtime, e->start))
		return e;

	/* Somebody below @e is eligible, all through the descent. */
	e = wf2q_entity_at(t->waiting.rb_root.rb_node);
	for (;;) {
		left = e->node.rb_left;
		if (left && !wf2q_before(vtime, wf2q_entity_at(left)->min_start))
			e = wf2q_entity_at(left);
		else if (wf2q_before(vtime, e->start))
			e = wf2q_entity_at(e->node.rb_right);
		else
			return e;
	}
}

/*
 * The child to serve next, when several wait and not all are BE: of the highest class, unless that
 * owes the one that would go first without it its allotment. What was charged beyond its allotment
 * (wf2q_charge()) has none left, and is owed something all the same before it goes first.
 */
static noinline struct wf2q_entity *wf2q_choose_class(struct wf2q_group *g, bool jump)
{
	struct wf2q_entity *first = NULL, *own;
	int class;

	for (class = WF2Q_IDLE; class >= WF2Q_RT; class--) {
		if (!g->tree[class].waiting.rb_root.rb_node)
			continue;
		own = wf2q_choose_in(&g->tree[class], jump);
		if (!first || g->owed[class] < (u64)WF2Q_THIN_PACE * max(wf2q_remaining(first), 1U))
			first = own;
	}
	return first;
}

/* The child to serve next when several wait. */
static inline struct wf2q_entity *wf2q_choose_among(struct wf2q_group *g, bool jump)
{
	return likely(!g->mixed) ? wf2q_choose_in(&g->tree[WF2Q_BE], jump) :
				   wf2q_choose_class(g, jump);
}

/* The child to serve next, or NULL; none is in service. */
static inline struct wf2q_entity *wf2q_choose(struct wf2q_group *g)
{
	struct wf2q_entity *sole = g->sole;

	if (!g->nr_waiting)
		return NULL;
	if (!sole)
		return wf2q_choose_among(g, true);
	if (wf2q_before(wf2q_tree_of(sole)->vtime, sole->start))
		wf2q_jump_to(wf2q_tree_of(sole), sole->start);
	return sole;
}

/* Let a group's own place follow its next child. Return whether it changed. */
static bool wf2q_follow_next(struct wf2q_entity *e, const struct wf2q_entity *next)
{
	if (e->state == WF2Q_WAITING) {
		if (next)
			return wf2q_retime(e, wf2q_remaining(next), 0);
		wf2q_erase_waiting(e);
		wf2q_rest(wf2q_tree_of(e), e);
		return true;
	}
	if (!next)
		return false;
	e->budget = wf2q_remaining(next);
	e->service = 0;
	wf2q_join(e);
	return true;
}

/*
 * The waiting children of @g have changed: find its next child, and so up, as long as something
 * changes (or always, when virtual times have changed too), but not into what is in service.
 */
static void wf2q_settle(struct wf2q_group *g, bool always)
{
	while (!g->in_service) {
		struct wf2q_entity *e = &g->entity;

		g->next = wf2q_choose(g);
		if (!e->parent)
			return;
		if (!wf2q_follow_next(e, g->next) && !always)
			return;
		g = e->parent;
	}
}

static void wf2q_count_backlogged(struct wf2q_group *g, int change)
{
	for (; g; g = g->entity.parent)
		g->nr_backlogged += change;
}

/*
 * Take on the class and the weight that were asked for. The child is in neither tree of its class,
 * or remembered there; afterwards it is out, or stands in line.
 */
static void wf2q_change_class(struct wf2q_entity *e)
{
	wf2q_rouse(wf2q_tree_of(e), e);
	if (e->state != WF2Q_OUT)
		wf2q_uncount(wf2q_tree_of(e), e);
	e->class = e->new_class;
	wf2q_adopt_weight(e);
	if (unlikely(e->stands))
		wf2q_rest_anew(e);
}

/*
 * @e is taken out of service or from the waiting tree, to wait @again or to rest, and what was
 * asked for meanwhile takes effect.
 */
static noinline void wf2q_rejoin_changed(struct wf2q_entity *e, bool again)
{
	struct wf2q_tree *t = wf2q_tree_of(e);

	e->changed = false;
	if (again && e->parked) {
		again = false;
		e->held = true;
		wf2q_count_backlogged(e->parent, -1);
	}
	if (e->new_class != e->class) {
		wf2q_change_class(e);
		if (again)
			wf2q_join(e);
	} else if (again) {
		if (e->new_weight != e->weight)
			wf2q_reweigh(t, e);
		wf2q_wait_from_start(e);
	} else {
		wf2q_rest(t, e);
	}
}

/*
 * The service of @leaf ends: it and the groups above it go back to wait, or to rest if nothing
 * below them is backlogged.
 */
static void wf2q_end_service(struct wf2q_entity *leaf, bool again)
{
	struct wf2q_entity *e = leaf;

	for (;;) {
		struct wf2q_group *g = e->parent;
		struct wf2q_tree *t = wf2q_tree_of(e);

		g->in_service = NULL;
		if (unlikely(e->changed))
			wf2q_rejoin_changed(e, again);
		else if (again)
			wf2q_wait_from_start(e);
		else
			wf2q_rest(t, e);

		g->next = wf2q_choose(g);
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

static u32 wf2q_valid_budget(u32 budget)
{
	return clamp(budget, 1U, WF2Q_MAX_BUDGET);
}

static u16 wf2q_valid_weight(unsigned int weight)
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
		.new_weight = wf2q_valid_weight(weight),
		.class = class,
		.new_class = class,
		.state = WF2Q_OUT,
	};
	wf2q_adopt_weight(e);
}

/**
 * wf2q_group_init - make an empty group
 * @g:		the group
 * @parent:	the group that it is a child of, NULL for the root of a
 *		hierarchy; it never changes
 * @weight:	its weight among its parent's children, 1..WF2Q_MAX_WEIGHT
 */
void wf2q_group_init(struct wf2q_group *g, struct wf2q_group *parent, unsigned int weight)
{
	*g = (struct wf2q_group) { };
	wf2q_entity_init(&g->entity, parent, weight, WF2Q_BE);
	g->root = parent ? parent->root : g;
	g->entity.is_group = true;
	/* due something from here on; not serialised, and any value will do */
	if (parent)
		g->entity.start = READ_ONCE(parent->tree[WF2Q_BE].vtime);
}

/**
 * wf2q_enter - an idle leaf has become backlogged
 * @leaf:	the leaf
 * @budget:	its allotment in sectors, 1..WF2Q_MAX_BUDGET
 */
void wf2q_enter(struct wf2q_entity *leaf, u32 budget)
{
	if (WARN_ON_ONCE(wf2q_backlogged(leaf)))
		return;
	leaf->budget = wf2q_valid_budget(budget);
	leaf->service = 0;
	if (unlikely(leaf->parked)) {
		leaf->held = true;
		return;
	}
	wf2q_count_backlogged(leaf->parent, 1);
	wf2q_join(leaf);
	wf2q_settle(leaf->parent, false);
}

/**
 * wf2q_leave - a backlogged leaf has nothing left to serve
 * @leaf:	the leaf, waiting, in service or parked
 *
 * If it has been served ahead of its share, that is remembered until its share has caught up.
 */
void wf2q_leave(struct wf2q_entity *leaf)
{
	if (WARN_ON_ONCE(!wf2q_backlogged(leaf)))
		return;
	if (unlikely(leaf->held)) {
		leaf->held = false;
		return;
	}
	wf2q_count_backlogged(leaf->parent, -1);
	if (leaf->state == WF2Q_SERVING) {
		wf2q_end_service(leaf, false);
		return;
	}
	wf2q_erase_waiting(leaf);
	wf2q_rest(wf2q_tree_of(leaf), leaf);
	wf2q_settle(leaf->parent, false);
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

	if (!root->nr_backlogged)
		return NULL;
	if (WARN_ON_ONCE(root->in_service))
		return wf2q_in_service(root);
	for (;;) {
		e = g->next;
		wf2q_erase_waiting(e);
		e->state = WF2Q_SERVING;
		g->in_service = e;
		g->next = NULL;
		if (!e->is_group)
			return e;
		g = wf2q_group_of(e);
	}
}

/**
 * wf2q_second - name the leaf that would go next, were the one in service gone
 * @root:	root of the hierarchy
 *
 * That is the next of the innermost group of the leaf in service in which another child waits.
 * Nothing changes, no virtual time either. To serve that leaf beside the one in service means to
 * charge it out of turn, by wf2q_charge().
 *
 * Return: the leaf, or NULL if none waits or none is in service.
 */
struct wf2q_entity *wf2q_second(struct wf2q_group *root)
{
	struct wf2q_group *inner = wf2q_where_others_wait(root);
	struct wf2q_entity *e;

	if (!inner)
		return NULL;
	e = inner->sole ? inner->sole : wf2q_choose_among(inner, false);
	while (e->is_group)
		e = wf2q_group_of(e)->next;
	return e;
}

/* A child that is not in service has been served all the same. */
static noinline void wf2q_serve_out_of_turn(struct wf2q_entity *e, u32 sectors)
{
	struct wf2q_entity *served = e->parent->in_service;
	struct wf2q_group *g = e->parent;
	struct wf2q_tree *t = wf2q_tree_of(e);
	u64 step = sectors * e->inverse;

	e->service += sectors;
	g->mixed |= e->class != WF2Q_BE;
	if (g->mixed)
		wf2q_account_classes(g, e->class, sectors);

	if (e->state == WF2Q_WAITING) {
		wf2q_erase_waiting(e);
		e->start += step;
		if (wf2q_before(e->finish, e->start))
			e->finish = e->start;
		wf2q_insert_waiting(e);
	} else {
		/* If it still is not ahead, the fluid server has no service to share with it. */
		wf2q_be_counted(t, e);
		e->start += step;
		wf2q_rest(t, e);
	}
	wf2q_advance(t, sectors);
	if (served && served->class == e->class)
		wf2q_give_up(t, served, WF2Q_KEPT_BESIDE);
}

/* Account service to one child: its own timestamps, and its group's V. */
static void wf2q_serve(struct wf2q_entity *e, u32 sectors)
{
	struct wf2q_group *g = e->parent;
	struct wf2q_tree *t = wf2q_tree_of(e);
	u64 step = sectors * e->inverse;

	if (unlikely(e->state != WF2Q_SERVING)) {
		wf2q_serve_out_of_turn(e, sectors);
		return;
	}
	e->service += sectors;
	if (unlikely(g->mixed))
		wf2q_account_classes(g, e->class, sectors);
	e->start += step;
	if (t->wsum == e->weight)
		t->vtime += step;	/* it is alone */
	else
		wf2q_advance(t, sectors);
}

/**
 * wf2q_charge - a leaf has received service
 * @leaf:	the leaf, normally the one in service; any other is charged
 *		for what it got out of turn, and its place follows
 * @sectors:	how much, up to WF2Q_MAX_BUDGET
 *
 * The caller ends the service (wf2q_requeue() or wf2q_leave()) when the budget is used up; what is
 * charged beyond it counts, but the engine cannot keep others from waiting longer for it than it
 * promised.
 */
void wf2q_charge(struct wf2q_entity *leaf, u32 sectors)
{
	struct wf2q_entity *e;

	if (WARN_ON_ONCE(sectors > WF2Q_MAX_BUDGET))
		sectors = WF2Q_MAX_BUDGET;
	for (e = leaf; e->parent; e = &e->parent->entity)
		wf2q_serve(e, sectors);
	if (unlikely(leaf->state != WF2Q_SERVING))
		wf2q_settle(leaf->parent, true);
}

/* Is anything owed to a class by those above it? */
static bool wf2q_any_owed(const struct wf2q_group *g, int class)
{
	while (--class >= 0)
		if (g->owed[class])
			return true;
	return false;
}

/* Would service to @e, which is idle, leave a trace: is anybody counted, or its class owed? */
static bool wf2q_leaves_trace(const struct wf2q_entity *e)
{
	for (; e->parent; e = &e->parent->entity)
		if (wf2q_tree_of(e)->wsum ||
		    (unlikely(e->parent->mixed) && wf2q_any_owed(e->parent, e->class)))
			return true;
	return false;
}

/* wf2q_pass() where service to some leaf would leave a trace: perhaps not to this one. */
void wf2q_pass_traced(struct wf2q_entity *leaf, u32 sectors)
{
	if (likely(!wf2q_leaves_trace(leaf)))
		return;
	wf2q_enter(leaf, sectors);
	if (WARN_ON_ONCE(wf2q_select(leaf->parent->root) != leaf))
		return;
	wf2q_charge(leaf, sectors);
	wf2q_leave(leaf);
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
	leaf->budget = wf2q_valid_budget(budget);
	leaf->service = 0;
	wf2q_end_service(leaf, true);
}

/**
 * wf2q_set_budget - change the current allotment of a leaf
 * @leaf:	the leaf, waiting, in service or parked
 * @budget:	all of its allotment in sectors, 1..WF2Q_MAX_BUDGET, of which
 *		leaf->service are already used
 *
 * Of a waiting leaf, a larger budget shows in its finish at once, a smaller one unless it lags. To
 * enlarge the allotment of the leaf in service is possible, but lets the others wait for so much
 * longer than promised; to requeue it instead does not.
 */
void wf2q_set_budget(struct wf2q_entity *leaf, u32 budget)
{
	if (WARN_ON_ONCE(!wf2q_backlogged(leaf)))
		return;
	budget = wf2q_valid_budget(budget);
	if (leaf->state == WF2Q_SERVING || leaf->held)
		leaf->budget = budget;
	else if (wf2q_retime(leaf, budget, leaf->service))
		wf2q_settle(leaf->parent, false);
}

/* A waiting child has a new weight to take on, or to keep for later. */
static void wf2q_reweigh_waiting(struct wf2q_entity *e)
{
	struct wf2q_tree *t = wf2q_tree_of(e);
	u64 need = wf2q_remaining(e);

	if (wf2q_before(e->start, t->vtime)) {
		u64 finish = t->vtime + div_u64(need << WF2Q_SHIFT, e->new_weight);

		if (!wf2q_before(finish, e->finish)) {
			e->changed = true;
			return;
		}
		e->start = t->vtime;
	}
	wf2q_erase_waiting(e);
	wf2q_reweigh(t, e);
	wf2q_wait_from_start(e);
	wf2q_settle(e->parent, false);
}

static void wf2q_set_weight_in_class(struct wf2q_entity *e)
{
	if (e->state == WF2Q_OUT)
		wf2q_adopt_weight(e);
	else if (e->state == WF2Q_WAITING)
		wf2q_reweigh_waiting(e);
	else
		wf2q_rest_anew(e);
}

/**
 * wf2q_set_prio - change the weight and the class of a leaf together
 * @leaf:	the leaf
 * @weight:	its new weight, 1..WF2Q_MAX_WEIGHT
 * @class:	its new class
 *
 * When that takes effect says a table in Documentation/engine.md; for the leaf in service, when the
 * service ends.
 */
void wf2q_set_prio(struct wf2q_entity *leaf, unsigned int weight, enum wf2q_class class)
{
	leaf->new_weight = wf2q_valid_weight(weight);
	leaf->new_class = class;
	if (leaf->state == WF2Q_SERVING) {
		leaf->changed = true;
		return;
	}
	if (class != leaf->class) {
		bool waiting = leaf->state == WF2Q_WAITING;

		if (waiting)
			wf2q_erase_waiting(leaf);
		wf2q_change_class(leaf);
		if (waiting) {
			wf2q_join(leaf);
			wf2q_settle(leaf->parent, false);
		} else if (leaf->stands) {
			wf2q_settle(leaf->parent, true);
		}
	} else if (leaf->new_weight != leaf->weight) {
		wf2q_set_weight_in_class(leaf);
	}
}

/**
 * wf2q_park - a leaf is not to be served for now
 * @leaf:	the leaf; in service, when that ends
 *
 * To its group it sleeps: a lag is given up, unless it stands in line, a lead remembered. It may be
 * entered, left, changed, moved and charged out of turn as any other.
 */
void wf2q_park(struct wf2q_entity *leaf)
{
	if (leaf->parked)
		return;
	leaf->parked = true;
	if (leaf->state == WF2Q_SERVING) {
		leaf->changed = true;
	} else if (leaf->state == WF2Q_WAITING) {
		wf2q_erase_waiting(leaf);
		wf2q_rejoin_changed(leaf, true);
		wf2q_settle(leaf->parent, false);
	}
}

/**
 * wf2q_unpark - a leaf may be served again
 * @leaf:	the leaf
 *
 * If it is backlogged it waits, with what its allotment has left, as if it had been asleep.
 */
void wf2q_unpark(struct wf2q_entity *leaf)
{
	leaf->parked = false;
	if (!leaf->held)	/* it is in service, or has nothing to serve */
		return;
	leaf->held = false;
	wf2q_count_backlogged(leaf->parent, 1);
	wf2q_join(leaf);
	wf2q_settle(leaf->parent, false);
}

/**
 * wf2q_stand - a leaf stands in line: it wants more than it can ask for
 * @leaf:	the leaf, backlogged or not
 *
 * From now on it is counted, with or without anything to serve.  What it is due meanwhile it has
 * when it becomes backlogged, up to WF2Q_MOST_KEPT sectors.
 */
void wf2q_stand(struct wf2q_entity *leaf)
{
	struct wf2q_entity *e;

	if (leaf->stands)
		return;
	for (e = leaf; e->parent && !e->stands; e = &e->parent->entity) {
		e->stands = true;
		e->parent->nr_standing++;
		if (e->state < WF2Q_WAITING)
			wf2q_rest_anew(e);
	}
	wf2q_settle(leaf->parent, true);	/* V is elsewhere where a group has returned */
}

/**
 * wf2q_unstand - a leaf does not stand in line any more
 * @leaf:	the leaf, backlogged or not
 *
 * If it is not backlogged it rests: a lag is given up (of a group, within its credit, it is kept),
 * a lead remembered.
 */
void wf2q_unstand(struct wf2q_entity *leaf)
{
	struct wf2q_entity *e;

	if (!leaf->stands)
		return;
	for (e = leaf; e->parent; e = &e->parent->entity) {
		e->stands = false;
		if (e->state < WF2Q_WAITING)
			wf2q_rest_anew(e);
		if (--e->parent->nr_standing)
			break;
	}
	wf2q_settle(leaf->parent, true);	/* V may jump again */
}

/**
 * wf2q_move - make a leaf a child of another group
 * @leaf:	the leaf
 * @to:		the group, of the same hierarchy
 *
 * If it is parked or stands in line it stays so; if it was in service nothing is.
 */
void wf2q_move(struct wf2q_entity *leaf, struct wf2q_group *to)
{
	u32 left = wf2q_remaining(leaf);
	bool backlogged = wf2q_backlogged(leaf), stands = leaf->stands;

	if (leaf->parent == to)
		return;
	wf2q_exit(leaf);
	leaf->parent = to;
	if (stands)
		wf2q_stand(leaf);
	if (backlogged)
		wf2q_enter(leaf, left);
}

/**
 * wf2q_exit - take a leaf or a group out of every tree
 * @e:		the leaf, or the entity of a group below which no leaf is
 *		backlogged, parked ones included, or stands in line
 *
 * Its memory may be freed afterwards. Idle children of a group are taken out of its trees: before
 * they become backlogged again they have to be moved.
 */
void wf2q_exit(struct wf2q_entity *e)
{
	struct wf2q_entity *child;
	int class;

	if (e->is_group) {
		struct wf2q_group *g = wf2q_group_of(e);

		if (WARN_ON_ONCE(g->nr_backlogged || g->nr_standing))
			return;
		for (class = 0; class < WF2Q_CLASSES; class++)
			while ((child = wf2q_first_idle(&g->tree[class])))
				wf2q_forget(&g->tree[class], child);
		for (class = 0; class < WF2Q_IDLE; class++)
			wf2q_owe(g, class, 0);
	} else {
		wf2q_unstand(e);
		if (wf2q_backlogged(e))
			wf2q_leave(e);
	}
	if (e->state == WF2Q_REMEMBERED)
		wf2q_forget(wf2q_tree_of(e), e);
}
