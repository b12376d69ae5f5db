// SPDX-License-Identifier: GPL-2.0
/*
 * What the engine is asked.
 *
 * Between two decisions those who use the engine (bfq-wf2q.c) want to know how two of its leaves
 * stand: would one be chosen before the other, has it had less, is it ahead.  The engine's order is
 * one among siblings, so two leaves are compared where their paths part: in the innermost group
 * that both are in, by its two children that they are or are below.
 *
 * To ask changes nothing, virtual time neither.
 */

#include <linux/minmax.h>

#include "bfq-wf2q.h"

/*
 * By how many classes is a waiting leaf below what is in service?  They are compared where the path
 * to the leaf leaves the path in service: between the leaf, or the group above it, and its sibling
 * in service.  0 also when nothing is in service.
 */
static int wf2q_classes_below(const struct wf2q_entity *leaf)
{
	const struct wf2q_entity *e;

	/* On the way up all wait, or are in service. */
	for (e = leaf; e->state == WF2Q_WAITING; e = &e->parent->entity)
		if (e->parent->in_service)
			return e->class - e->parent->in_service->class;
	return 0;
}

/**
 * wf2q_outranks - is a waiting leaf of a higher class than what is in service?
 * @leaf:	the leaf
 *
 * Return: true if so; false also when nothing is in service.
 */
bool wf2q_outranks(const struct wf2q_entity *leaf)
{
	return wf2q_classes_below(leaf) < 0;
}

/**
 * wf2q_outranked - is a waiting leaf of a lower class than what is in service?
 * @leaf:	the leaf
 *
 * Return: true if so; false also when nothing is in service.
 */
bool wf2q_outranked(const struct wf2q_entity *leaf)
{
	return wf2q_classes_below(leaf) > 0;
}

/**
 * wf2q_equal_waits - does somebody wait whose class is no lower than that of what is in service?
 * @root: root of the hierarchy
 *
 * Looked at are the children of the innermost group of the leaf in service in which another one
 * waits, as for wf2q_second(): that may name one of a lower class which is due its thin share.
 *
 * Return: true if so; false also when nothing is in service.
 */
bool wf2q_equal_waits(struct wf2q_group *root)
{
	const struct wf2q_group *inner = wf2q_where_others_wait(root);
	int class;

	if (!inner)
		return false;
	if (inner->sole)
		return inner->sole->class <= inner->in_service->class;
	for (class = inner->in_service->class; class >= WF2Q_RT; class--)
		if (inner->tree[class].waiting.rb_root.rb_node)
			return true;
	return false;
}

/**
 * wf2q_precedes - would a waiting leaf be chosen before what is in service?
 * @leaf:	the leaf
 *
 * That is, if the choice that began the service were made again: where the path to
 * @leaf leaves the path in service, its side is of a higher class, or it is of the
 * same, eligible, and has the smaller finish. What is in service counts as eligible,
 * though it may be ahead of V by now, or else its first request would end most turns.
 * Of two sides of different classes, what they owe does not count. To end the service
 * breaks no bound, since what is in service is charged what it has had.
 *
 * Return: true if so; false also when nothing is in service.
 */
bool wf2q_precedes(const struct wf2q_entity *leaf)
{
	const struct wf2q_entity *e, *served;

	for (e = leaf; e->state == WF2Q_WAITING; e = &e->parent->entity) {
		served = e->parent->in_service;
		if (!served)
			continue;
		if (e->class != served->class)
			return e->class < served->class;
		return !wf2q_before(wf2q_tree_of(e)->vtime, e->start) &&
		       wf2q_before(e->finish, served->finish);
	}
	return false;
}

/**
 * wf2q_leads - is a leaf ahead of its share, or a group above it?
 * @leaf:	the leaf, backlogged or in line
 * @sectors:	by so many at least, up to WF2Q_MAX_BUDGET
 */
bool wf2q_leads(const struct wf2q_entity *leaf, u32 sectors)
{
	const struct wf2q_entity *e;

	/* a parked one's start may be old */
	for (e = leaf; e->parent && e->state >= WF2Q_STANDING; e = &e->parent->entity)
		if (!wf2q_before(e->start, wf2q_tree_of(e)->vtime + sectors * e->inverse))
			return true;
	return false;
}

static unsigned int wf2q_depth(const struct wf2q_entity *e)
{
	unsigned int depth = 0;

	for (; e->parent; e = &e->parent->entity)
		depth++;
	return depth;
}

/* Where has a child got to?  No further than V, if it is out: it may never have been here. */
static u64 wf2q_got_to(const struct wf2q_entity *e)
{
	u64 vtime = wf2q_tree_of(e)->vtime;

	return e->state == WF2Q_OUT && !wf2q_before(e->start, vtime) ? vtime : e->start;
}

/* Go up from two leaves to where their paths part: to children of one group. */
static void wf2q_go_up(const struct wf2q_entity **one, const struct wf2q_entity **other)
{
	const struct wf2q_entity *a = *one, *b = *other;
	unsigned int da = wf2q_depth(a), db = wf2q_depth(b);

	for (; da > db; da--)
		a = &a->parent->entity;
	for (; db > da; db--)
		b = &b->parent->entity;
	for (; a->parent != b->parent; b = &b->parent->entity)
		a = &a->parent->entity;
	*one = a;
	*other = b;
}

/**
 * wf2q_had_less - has one leaf had less than another, for its weight?
 * @a:	the one
 * @b:	the other, of the same hierarchy
 *
 * They are compared where their paths part, by class and then by start.
 */
bool wf2q_had_less(const struct wf2q_entity *a, const struct wf2q_entity *b)
{
	wf2q_go_up(&a, &b);
	if (a->class != b->class)
		return a->class < b->class;
	return wf2q_before(wf2q_got_to(a), wf2q_got_to(b));
}

/* Where will a child's turn end; of an idle one, if it is to be as long as its last? */
static u64 wf2q_ends_at(const struct wf2q_entity *e)
{
	if (e->state >= WF2Q_WAITING)
		return e->finish;
	return wf2q_got_to(e) + min(e->service, WF2Q_MAX_BUDGET) * e->inverse;
}

/**
 * wf2q_goes_before - would one leaf be chosen before another, if both were backlogged?
 * @a:	the one, which is backlogged or stands in line
 * @b:	the other, which is or does likewise, of the same hierarchy
 *
 * Where their paths part: by class, then who is eligible, of these by finish, of others by start.
 * One in line is expected to need as much as it had in its last turn.  What classes owe does not
 * count.
 */
bool wf2q_goes_before(const struct wf2q_entity *a, const struct wf2q_entity *b)
{
	bool eligible;

	wf2q_go_up(&a, &b);
	if (a->class != b->class)
		return a->class < b->class;
	eligible = !wf2q_before(wf2q_tree_of(a)->vtime, wf2q_got_to(a));
	if (eligible == wf2q_before(wf2q_tree_of(b)->vtime, wf2q_got_to(b)))
		return eligible;
	if (!eligible)
		return wf2q_before(wf2q_got_to(a), wf2q_got_to(b));
	return wf2q_before(wf2q_ends_at(a), wf2q_ends_at(b));
}
