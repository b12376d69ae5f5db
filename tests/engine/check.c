// SPDX-License-Identifier: GPL-2.0
/* The structure checker: see check_group() in check.h. */
#include <stdarg.h>

#include <linux/minmax.h>

#include "check.h"

char check_context[256] = "start";
jmp_buf *check_escape;

void check_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "# %s:%d: %s: ", file, line, check_context);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (check_escape)
		longjmp(*check_escape, 1);
	abort();
}

/* What a walk through one tree finds. */
struct count {
	u64 weights;
	u32 busy;
	unsigned long nodes;
	const struct wf2q_entity *last;
};

static bool later(u64 a, u64 b)
{
	return (s64)(a - b) > 0;
}

static struct wf2q_entity *at(struct rb_node *node)
{
	return rb_entry(node, struct wf2q_entity, node);
}

static u32 busy_below(struct wf2q_entity *e)
{
	return e->is_group ? wf2q_group_of(e)->nr_backlogged : 1;
}

/* Returns the height; checks links, order and, for waiting, min_start. */
static int walk(struct wf2q_group *g, int class, struct rb_node *node,
		bool waiting, struct count *c)
{
	struct wf2q_entity *e;
	int left, right;
	u64 least;

	if (!node)
		return 0;
	e = at(node);
	left = walk(g, class, node->rb_left, waiting, c);
	if (c->last && later(c->last->finish, e->finish))
		FAIL("a tree is out of order");
	c->last = e;
	c->nodes++;
	c->weights += e->weight;
	EXPECT("state", e->state, waiting ? WF2Q_WAITING :
	       e->stands ? WF2Q_STANDING : WF2Q_REMEMBERED);
	EXPECT("class", e->class, class);
	if (e->parent != g)
		FAIL("an entity stands in another group's tree");
	if (waiting)
		c->busy += busy_below(e);
	right = walk(g, class, node->rb_right, waiting, c);

	least = e->start;
	if (node->rb_left) {
		if (node->rb_left->rb_up != node)
			FAIL("a left link is broken");
		if (later(least, at(node->rb_left)->min_start))
			least = at(node->rb_left)->min_start;
	}
	if (node->rb_right) {
		if (node->rb_right->rb_up != node)
			FAIL("a right link is broken");
		if (later(least, at(node->rb_right)->min_start))
			least = at(node->rb_right)->min_start;
	}
	if (waiting)
		EXPECT("smallest start below", e->min_start, least);
	return 1 + (left > right ? left : right);
}

static void check_tree(struct wf2q_group *g, int class, bool waiting,
		       struct count *c)
{
	struct wf2q_tree *t = &g->tree[class];
	struct rb_root_cached *root = waiting ? &t->waiting : &t->idle;
	struct rb_node *first = root->rb_root.rb_node;
	unsigned long nodes = c->nodes;
	int height, limit;

	c->last = NULL;
	height = walk(g, class, first, waiting, c);
	nodes = c->nodes - nodes;
	for (limit = 0; (nodes + 1) >> limit; limit++)
		;
	if (height > 2 * limit)
		FAIL("%lu nodes stand %d high", nodes, height);
	while (first && first->rb_left)
		first = first->rb_left;
	if (first != root->rb_leftmost)
		FAIL("the leftmost node is not the one that is cached");
	if (!waiting && first && !later(at(first)->finish, t->vtime))
		FAIL("virtual time has passed an idle entity");
}

/* Recursion into groups, and what only their entities have. */
static void check_child(struct wf2q_entity *e)
{
	struct wf2q_group *g;

	if (later(e->start, e->finish) && e->state != WF2Q_SERVING)
		FAIL("an entity finishes before it starts");
	if (e->held && (!e->parked || e->is_group || e->state >= WF2Q_WAITING))
		FAIL("an entity is held though it is not parked, or waits");
	if (e->parked && e->state == WF2Q_WAITING)
		FAIL("an entity waits though it is parked");
	if (!e->changed && (e->new_weight != e->weight || e->new_class != e->class ||
			    (e->parked && e->state == WF2Q_SERVING)))
		FAIL("an entity does not know of a change");
	if (!e->is_group)
		return;
	g = wf2q_group_of(e);
	check_group(g);
	EXPECT("a backlogged group has backlogged leaves", !!g->nr_backlogged,
	       wf2q_backlogged(e));
	if (e->state == WF2Q_WAITING)
		EXPECT("what a group asks for", wf2q_remaining(e),
		       wf2q_remaining(g->next));
}

static void check_children(struct rb_root_cached *tree)
{
	struct rb_node *node;

	for (node = rb_first_cached(tree); node; node = rb_next(node))
		check_child(at(node));
}

/* The eligible child of a class with the smallest finish, if V were to jump. */
static struct wf2q_entity *first_of_class(struct wf2q_group *g, int class)
{
	struct wf2q_tree *t = &g->tree[class];
	struct rb_node *node = t->waiting.rb_root.rb_node;
	u64 vtime = t->vtime;

	if (g->sole)
		return g->sole->class == class ? g->sole : NULL;
	if (!node)
		return NULL;
	if (later(at(node)->min_start, vtime))
		vtime = at(node)->min_start;
	for (node = rb_first_cached(&t->waiting); node; node = rb_next(node))
		if (!later(at(node)->start, vtime))
			return at(node);
	FAIL("nobody is eligible");
}

/* By looking at all that wait: who is next? */
static struct wf2q_entity *first_of(struct wf2q_group *g)
{
	struct wf2q_entity *first = NULL, *e;
	int class;

	for (class = WF2Q_CLASSES - 1; class >= 0; class--) {
		e = first_of_class(g, class);
		if (e && !(first && g->owed[class] >=
			   (u64)WF2Q_THIN_PACE * max(wf2q_remaining(first), 1U)))
			first = e;
	}
	return first;
}

static void check_choice(struct wf2q_group *g)
{
	struct wf2q_entity *next = g->next;

	if (next->parent != g || next->state != WF2Q_WAITING)
		FAIL("the next child is none that waits here");
	if (later(next->start, g->tree[next->class].vtime) && !g->tree[next->class].nr_due)
		FAIL("the next child is not eligible");
	if (next != first_of(g))
		FAIL("the next child is not the first");
}

/* Who goes next below @g, were what is in service not there; innermost first. */
static struct wf2q_entity *second_of(struct wf2q_group *g)
{
	struct wf2q_entity *e = g->in_service;

	if (e && e->is_group) {
		e = second_of(wf2q_group_of(e));
		if (e)
			return e;
	}
	e = first_of(g);
	while (e && e->is_group)
		e = first_of(wf2q_group_of(e));
	return e;
}

/* The same of those of no lower class, whatever the others are due. */
static bool equal_of(struct wf2q_group *g)
{
	struct wf2q_entity *e = g->in_service;
	int class;

	if (!e)
		return false;
	if (e->is_group && second_of(wf2q_group_of(e)))
		return equal_of(wf2q_group_of(e));
	for (class = 0; class <= e->class; class++)
		if (first_of_class(g, class))
			return true;
	return false;
}

void check_second(struct wf2q_group *root)
{
	struct wf2q_entity *second = wf2q_second(root);

	if (second != (root->in_service ? second_of(root) : NULL))
		FAIL("the second choice is not the first of those that wait");
	if (wf2q_equal_waits(root) != equal_of(root))
		FAIL("somebody of no lower class is overlooked, or is none");
}

static bool stands_below(const struct wf2q_entity *e, const struct wf2q_entity *above)
{
	while (e != above && e->parent)
		e = &e->parent->entity;
	return e == above;
}

/* The child of @g that is @leaf or has it below, if @leaf can be chosen through it. */
static const struct wf2q_entity *way_to(struct wf2q_group *g,
					const struct wf2q_entity *leaf)
{
	const struct wf2q_entity *e, *side = NULL;

	for (e = leaf; e != &g->entity; e = &e->parent->entity) {
		if (e->state != WF2Q_WAITING)
			return NULL;
		side = e;
	}
	return side;
}

void check_precedes(struct wf2q_group *root, const struct wf2q_entity *leaf)
{
	const struct wf2q_entity *served, *side;
	struct wf2q_group *g = root;
	bool precedes = false;

	while (g->in_service && g->in_service->is_group &&
	       stands_below(leaf, g->in_service))
		g = wf2q_group_of(g->in_service);
	served = g->in_service;
	side = served ? way_to(g, leaf) : NULL;
	if (side && side->class == served->class)
		precedes = later(served->finish, side->finish) &&
			   !later(side->start, g->tree[side->class].vtime);
	else if (side)
		precedes = served->class > side->class;
	EXPECT("a leaf precedes what is in service", wf2q_precedes(leaf), precedes);
}

/* Where the ways to two leaves part: that of @a is returned, that of @b left in *@other. */
static const struct wf2q_entity *parts(const struct wf2q_entity *a, const struct wf2q_entity *b,
				       const struct wf2q_entity **other)
{
	const struct wf2q_entity *x, *y;

	for (x = a; x->parent; x = &x->parent->entity)
		for (y = b; y->parent; y = &y->parent->entity)
			if (x->parent == y->parent && x != y) {
				*other = y;
				return x;
			}
	return NULL;
}

/* What one has got to; one that is not counted no further than virtual time. */
static u64 starts(const struct wf2q_entity *e)
{
	u64 vtime = e->parent->tree[e->class].vtime;

	return e->state == WF2Q_OUT && later(e->start, vtime) ? vtime : e->start;
}

static bool eligible(const struct wf2q_entity *e)
{
	return !later(starts(e), e->parent->tree[e->class].vtime);
}

/* Where the turn of one ends that waits, or would end of one that wants as much as in its last. */
static u64 ends(const struct wf2q_entity *e)
{
	if (e->state == WF2Q_WAITING || e->state == WF2Q_SERVING)
		return e->finish;
	return starts(e) + e->inverse * (e->service < WF2Q_MAX_BUDGET ? e->service : WF2Q_MAX_BUDGET);
}

void check_leads(const struct wf2q_entity *a, const struct wf2q_entity *b)
{
	static const u32 sectors[] = { 0, 1, 16, WF2Q_MAX_BUDGET };
	const struct wf2q_entity *x, *y = NULL;
	bool less = false;
	size_t i;

	for (i = 0; i < sizeof(sectors) / sizeof(*sectors); i++) {
		bool leads = false;

		for (x = a; x->parent && x->state >= WF2Q_STANDING; x = &x->parent->entity)
			leads |= (s64)(x->start - x->parent->tree[x->class].vtime) >=
				 (s64)(sectors[i] * x->inverse);
		EXPECT("a leaf leads", wf2q_leads(a, sectors[i]), leads);
	}
	x = parts(a, b, &y);
	if (x)
		less = x->class < y->class ||	/* who has never been here may be half round away */
		       (x->class == y->class && (s64)(starts(x) - starts(y)) < 0);
	EXPECT("a leaf had less", wf2q_had_less(a, b), less);
	if (x && x->class == y->class && eligible(x) != eligible(y))
		less = eligible(x);
	else if (x && x->class == y->class && eligible(x))
		less = (s64)(ends(x) - ends(y)) < 0;
	EXPECT("a leaf goes before another", wf2q_goes_before(a, b), less);
}

void check_group(struct wf2q_group *g)
{
	struct count all = { 0 };
	bool waiting = false, others = false;
	int class;

	for (class = 0; class < WF2Q_CLASSES; class++) {
		struct wf2q_tree *t = &g->tree[class];
		struct count c = { 0 };

		check_tree(g, class, true, &c);
		all.nodes += c.nodes;
		check_tree(g, class, false, &c);
		waiting |= t->waiting.rb_root.rb_node != NULL;
		others |= class != WF2Q_BE && (c.nodes || (g->sole && g->sole->class == class));
		if (g->in_service && g->in_service->class == class) {
			c.weights += g->in_service->weight;
			c.busy += busy_below(g->in_service);
		}
		if (!t->wsum && t->carry)
			FAIL("an empty tree carries service over");
		if (g->sole && g->sole->class == class) {
			c.weights += g->sole->weight;
			c.busy += busy_below(g->sole);
		}
		if (!t->nr_due || t->wsum < c.weights)	/* who is due is in no tree */
			EXPECT("sum of weights", t->wsum, c.weights);
		all.busy += c.busy;
		check_children(&t->waiting);
		check_children(&t->idle);
	}
	if (g->sole) {
		EXPECT("state of the sole to wait", g->sole->state, WF2Q_WAITING);
		EXPECT("somebody waits beside it", waiting, false);
		all.nodes++;
		check_child(g->sole);
		waiting = true;
	}
	if (others && !g->mixed)
		FAIL("a group does not know of its classes");
	EXPECT("waiting children", g->nr_waiting, all.nodes);
	EXPECT("backlogged leaves", g->nr_backlogged, all.busy);
	if (g->in_service) {
		EXPECT("state in service", g->in_service->state, WF2Q_SERVING);
		if (g->in_service->parent != g)
			FAIL("another group's child is in service");
		check_child(g->in_service);
	} else if (waiting) {
		check_choice(g);
	}
}
