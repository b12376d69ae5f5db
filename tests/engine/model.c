// SPDX-License-Identifier: GPL-2.0
/* The fluid reference: see model.h. */
#include <string.h>

#include <linux/minmax.h>

#include "model.h"

struct seen seen;

/* A heap of nodes, the one with the smallest S on top. */

static void put(struct heap *h, int pos, struct node *n)
{
	h->slot[pos] = n;
	n->pos = pos;
}

static void sift(struct heap *h, int pos)
{
	struct node *n = h->slot[pos];

	while (pos && n->s < h->slot[(pos - 1) / 2]->s) {
		put(h, pos, h->slot[(pos - 1) / 2]);
		pos = (pos - 1) / 2;
	}
	for (;;) {
		int below = 2 * pos + 1;

		if (below + 1 < h->n && h->slot[below + 1]->s < h->slot[below]->s)
			below++;
		if (below >= h->n || h->slot[below]->s >= n->s)
			break;
		put(h, pos, h->slot[below]);
		pos = below;
	}
	put(h, pos, n);
}

static void heap_add(struct heap *h, struct node *n)
{
	if (h->n == h->room) {
		h->room = h->room ? 2 * h->room : 8;
		h->slot = realloc(h->slot, h->room * sizeof(*h->slot));
		if (!h->slot)
			FAIL("out of memory");
	}
	put(h, h->n, n);
	sift(h, h->n++);
}

static void heap_del(struct heap *h, struct node *n)
{
	int pos = n->pos;

	if (pos == --h->n)
		return;
	put(h, pos, h->slot[h->n]);
	sift(h, pos);
}

static struct level *level_of(const struct node *n)
{
	return &n->up->level[n->class];
}

/* The bounds. */

/*
 * A node's weight is off by up to w^2 / 2^37, so lags drift by that part of
 * what has been served; and each operation may round a few timestamps by one
 * unit of 2^-36.
 */
static double slack_of(void)
{
	return MAX_TEST_WEIGHT * (seen.sectors / 0x1p37 +
				  4.0 * (seen.changes + 1) / 0x1p36);
}

bool model_exhausted(void)
{
	return slack_of() > 0.9;
}

static double sectors_of(vt v)
{
	return (double)v / 0x1p64;
}

static double lag_of(const struct node *n)
{
	return n->weight * sectors_of(level_of(n)->v - n->s);
}

void model_judge(struct node *n)
{
	double slack = slack_of();
	double lag = lag_of(n), allowed = level_of(n)->largest;

	/* One budget; after leavers or injection, one of each backlogged. */
	if (level_of(n)->wide)
		allowed = allowed * level_of(n)->peak + level_of(n)->injected;
	allowed += level_of(n)->returned + n->weight * sectors_of(level_of(n)->forth);

	if (slack > 1)
		FAIL("this world is too long: rounding counts");
	seen.bounds++;
	if (lag > allowed + slack)
		FAIL("a child of weight %u lags %.3f sectors, allowed %.0f",
		     n->weight, lag, allowed);
	if (!level_of(n)->wide && !level_of(n)->returned && lag / allowed > seen.lag)
		seen.lag = lag / allowed;
}

void model_judge_level(struct node *g)
{
	int class, i;

	for (class = 0; class < WF2Q_CLASSES; class++) {
		struct level *l = &g->level[class];
		double sum = 0;
		double slack = l->weights * slack_of() + l->forgiven;

		for (i = 0; i < l->waiting.n; i++) {
			model_judge(l->waiting.slot[i]);
			sum += lag_of(l->waiting.slot[i]);
		}
		for (i = 0; i < l->ahead.n; i++)
			sum += lag_of(l->ahead.slot[i]);
		if (g->service && g->service->class == class)
			sum += lag_of(g->service);
		if (!l->wide && sum > slack)
			FAIL("lags sum up to %.6f, allowed %.6f",
			     sum, slack);
	}
}

/* The turn that ends now went to a node that was eligible: no greater lead. */
static void judge_turn(struct node *n)
{
	double slack = slack_of();
	double lead = -lag_of(n) - n->weight * sectors_of(level_of(n)->back - n->back);

	seen.bounds++;
	if (lead > n->turn + slack)
		FAIL("a child of weight %u leads %.3f sectors, allowed %u",
		     n->weight, lead, n->turn);
	if (n->turn && lead / n->turn > seen.lead)
		seen.lead = lead / n->turn;
}

/* Rounding of virtual times, passed on once from the heaviest to the lightest. */
static double time_slack(void)
{
	return MAX_TEST_WEIGHT * 4.0 * (seen.changes + 1) / 0x1p36;
}

void model_compare(struct node *g)
{
	int class;

	for (class = 0; class < WF2Q_CLASSES; class++) {
		struct level *l = &g->level[class];
		s64 got = wf2q_group_of(g->e)->tree[class].vtime - l->base;
		double off = (double)got / 0x1p36 - sectors_of(l->v);
		double slack = time_slack();

		if (off > slack || off < -slack)
			FAIL("virtual time is %.12f off the fluid server's, allowed %.12f",
			     off, slack);
	}
}

/* Classes. */

static bool waits_below(const struct node *g, int class)
{
	while (++class < WF2Q_CLASSES)
		if (g->level[class].waiting.n)
			return true;
	return false;
}

static bool busy_below(const struct node *g, int class)
{
	return waits_below(g, class) || (g->service && g->service->class > class);
}

/* The first of its class or below to be backlogged is owed no more than it asks. */
static void begin_thin(struct node *n)
{
	int class;

	for (class = 0; class < n->class; class++) {
		struct thin *d = &n->up->thin[class];
		u64 most = (u64)WF2Q_THIN_PACE * wf2q_remaining(n->e);

		if (busy_below(n->up, class))
			continue;
		if (d->owed > most)
			d->owed = most;
		d->above = 0;
		d->below = 0;
		d->early = 0;
	}
}

static void account_thin(struct node *n, u32 sectors)
{
	u64 paid = (u64)WF2Q_THIN_PACE * sectors;
	struct thin *d = n->up->thin;
	int class;

	for (class = 0; class < n->class; class++, d++) {
		d->owed = d->owed > paid ? d->owed - paid : 0;
		d->below += sectors;
		if (n->serving && n->over & 1 << class) {
			d->early += sectors;
			d->early_ever += sectors;
		}
	}
	if (waits_below(n->up, class)) {
		d->owed += sectors;
		d->above += sectors;
		d->above_ever += sectors;
	}
}

/* Bounds 6 and 7: what those below a class get at least, and at most. */
static void judge_thin(const struct node *g)
{
	int class, lower;

	for (class = 0; class < WF2Q_IDLE; class++) {
		const struct thin *d = &g->thin[class];
		const struct level *l = &g->level[class];
		u64 below = 0, injected = 0, least;

		for (lower = class + 1; lower < WF2Q_CLASSES; lower++) {
			if (below < g->level[lower].largest)
				below = g->level[lower].largest;
			injected += g->level[lower].injected;
		}
		seen.bounds++;
		least = WF2Q_THIN_PACE * (d->below + below) + l->largest +
			l->injected;
		if (busy_below(g, class) && d->above > least)
			FAIL("class %d got %llu sectors while those below, who wait, got %llu",
			     class, (unsigned long long)d->above,
			     (unsigned long long)d->below);
		if (WF2Q_THIN_PACE * d->early >
		    d->above + WF2Q_THIN_PACE * (below + injected) ||
		    WF2Q_THIN_PACE * d->early_ever >
		    d->above_ever + WF2Q_THIN_PACE * injected)
			FAIL("those below class %d got %llu (%llu ever) sectors before it, while it got %llu (%llu)",
			     class, (unsigned long long)d->early,
			     (unsigned long long)d->early_ever,
			     (unsigned long long)d->above,
			     (unsigned long long)d->above_ever);
	}
}

/* Virtual time. */

static void uncount(struct level *l, struct node *n)
{
	n->counted = false;
	l->weights -= n->weight;
	if (!l->weights) {
		l->wide = false;
		l->returned = 0;
	}
}

/* What the fluid server has caught up with is counted no more. */
static void drop_passed(struct level *l)
{
	while (l->ahead.n && l->ahead.slot[0]->s <= l->v) {
		struct node *n = l->ahead.slot[0];

		heap_del(&l->ahead, n);
		uncount(l, n);
	}
}

/* 1 / w, as the engine rounds it. */
static vt inverse_of(const struct node *n)
{
	return (vt)(((1ULL << 36) + n->weight / 2) / n->weight) << 28;
}

static void flow(struct level *l, u32 sectors)
{
	vt work = (vt)sectors << VT_SHIFT;

	while (work && l->weights) {
		vt until = l->v + work / l->weights;

		if (!l->ahead.n || until < l->ahead.slot[0]->s) {
			l->v = until;
			return;
		}
		until = l->ahead.slot[0]->s;
		work -= (until - l->v) * l->weights;
		l->v = until;
		drop_passed(l);
	}
}

static void jump(struct level *l)
{
	if (!l->waiting.n || l->waiting.slot[0]->s <= l->v)
		return;
	l->v = l->waiting.slot[0]->s;
	drop_passed(l);
}

/* One node's comings and goings. */

static void reweigh(struct node *n)
{
	struct level *l = level_of(n);

	l->weights += (u64)n->want_weight - n->weight;
	n->s = l->v + (n->s - l->v) * n->weight / n->want_weight;
	n->weight = n->want_weight;
}

/* Who is ahead by next to nothing is not. */
static void forget_nothing(struct level *l)
{
	while (l->ahead.n && l->ahead.slot[0]->s < l->v + ((vt)1 << (VT_SHIFT - 12))) {
		struct node *passed = l->ahead.slot[0];

		l->forgiven -= lag_of(passed);
		heap_del(&l->ahead, passed);
		uncount(l, passed);
	}
}

/* A part of the credit: the share, on each level, of what the node is below. */
static u64 credit_of(struct node *n)
{
	u64 credit = wf2q_group_of(n->up->e)->root->credit;

	for (n = n->up; n->up; n = n->up) {
		forget_nothing(level_of(n));
		credit = credit * n->weight / (level_of(n)->weights + (n->counted ? 0 : n->weight));
	}
	return credit;
}

/*
 * Count one that is in no heap.  A group has been due its share all the time, up to its part of
 * the credit; the others have had that.  Or it is one of these, and was in no heap when another
 * came back.
 */
static void count(struct node *n)
{
	struct level *l = level_of(n);
	vt most, back;

	n->counted = true;
	if (!n->level || !wf2q_group_of(n->up->e)->root->credit) {
		l->weights += n->weight;
		n->s = l->v;
		return;
	}
	forget_nothing(l);
	l->weights += n->weight;
	most = ((vt)credit_of(n) << VT_SHIFT) / l->weights;
	if (n->s >= l->v) {
		vt lead = n->s - l->v < most ? n->s - l->v : most;

		n->s = l->v + lead;
		l->v += lead * n->weight / l->weights;
		l->forth += lead * n->weight / l->weights;
		drop_passed(l);
		return;
	}
	if (n->s < l->v - most)
		n->s = l->v - most;
	back = (l->v - n->s) * n->weight / l->weights;
	l->v -= back;
	l->back += back;
	l->returned += lag_of(n);
}

static void join(struct node *n)
{
	struct level *l = level_of(n);

	if (n->counted)
		heap_del(&l->ahead, n);
	else
		count(n);
	n->backlogged = true;
	begin_thin(n);
	heap_add(&l->waiting, n);
	if (l->peak <= l->waiting.n)
		l->peak = l->waiting.n + 1;	/* and one in service */
}

/* Counted, in no heap. */
static void rest(struct node *n)
{
	struct level *l = level_of(n);

	model_judge(n);
	n->backlogged = false;
	if (n->want_weight != n->weight)
		reweigh(n);
	if (n->s > l->v)
		heap_add(&l->ahead, n);
	else
		uncount(l, n);
}

static void part(struct node *n)
{
	struct level *l = level_of(n);

	if (!n->counted)
		return;
	heap_del(&l->ahead, n);
	l->wide = true;
	uncount(l, n);
}

static void unwait(struct node *n)
{
	heap_del(&level_of(n)->waiting, n);
	rest(n);
}

/* Where nothing is in service, somebody must be eligible. */
static void jump_group(struct node *g)
{
	int class;

	for (class = 0; class < WF2Q_CLASSES; class++)
		jump(&g->level[class]);
}

static bool any_waiting(struct node *g)
{
	int class;

	for (class = 0; class < WF2Q_CLASSES; class++)
		if (g->level[class].waiting.n)
			return true;
	return false;
}

static void settle(struct node *g)
{
	for (; g && !g->service; g = g->up) {
		jump_group(g);
		if (!g->up)
			return;
		if (any_waiting(g) && !g->backlogged)
			join(g);
		else if (!any_waiting(g) && g->backlogged)
			unwait(g);
	}
}

/* The calls. */

void model_leaf(struct node *n, struct wf2q_entity *e, struct node *up)
{
	*n = (struct node) {
		.e = e, .up = up, .weight = e->weight,
		.want_weight = e->weight, .class = e->class,
		.want_class = e->class,
	};
}

void model_group(struct node *n, struct wf2q_group *g, struct node *up,
		 u64 base)
{
	int class;

	model_leaf(n, &g->entity, up);
	if (up)		/* due something from here on */
		n->s = level_of(n)->v;
	n->level = calloc(WF2Q_CLASSES, sizeof(*n->level));
	if (!n->level)
		FAIL("out of memory");
	for (class = 0; class < WF2Q_CLASSES; class++) {
		n->level[class].base = base;
		g->tree[class].vtime = base;
	}
}

void model_free(struct node *g)
{
	int class;

	for (class = 0; class < WF2Q_CLASSES; class++) {
		free(g->level[class].waiting.slot);
		free(g->level[class].ahead.slot);
	}
	free(g->level);
}

void model_allot(struct node *leaf, u32 budget)
{
	struct node *n;

	for (n = leaf; n->up; n = n->up)
		if (level_of(n)->largest < budget)
			level_of(n)->largest = budget;
}

void model_activate(struct node *leaf, u32 budget)
{
	seen.changes++;
	model_allot(leaf, budget);
	if (leaf->parked) {
		leaf->held = true;
		return;
	}
	join(leaf);
	settle(leaf->up);
}

/* The turn of a whole path ends; what is backlogged goes back to wait. */
static void end_turn(struct node *leaf, bool again)
{
	struct node *n;

	for (n = leaf; n->up; n = n->up) {
		judge_thin(n->up);
		n->up->service = NULL;
		n->serving = false;
		judge_turn(n);
		if (again && n->parked) {
			again = false;
			n->held = true;
		}
		if (n->want_class != n->class) {
			rest(n);
			part(n);
			n->class = n->want_class;
			if (again) {
				model_allot(n, n->e->budget);
				join(n);
			}
		} else if (again) {
			if (n->want_weight != n->weight)
				reweigh(n);
			heap_add(&level_of(n)->waiting, n);
		} else {
			rest(n);
		}
		jump_group(n->up);
		again = any_waiting(n->up);
	}
}

void model_deactivate(struct node *leaf)
{
	seen.changes++;
	if (leaf->held) {
		leaf->held = false;
	} else if (leaf->serving) {
		end_turn(leaf, false);
	} else {
		unwait(leaf);
		settle(leaf->up);
	}
}

void model_requeue(struct node *leaf, u32 budget)
{
	seen.changes++;
	model_allot(leaf, budget);
	end_turn(leaf, true);
}

/* Of a child that waits, or is chosen and not yet served. */
static vt finish_of(const struct node *n)
{
	return n->s + ((vt)(n->e->finish - n->e->start) << (VT_SHIFT - WF2Q_SHIFT));
}

/* The highest class that waits, unless it owes those below one allotment. */
static void judge_class(struct node *n)
{
	const struct node *g = n->up;
	u64 need = (u64)WF2Q_THIN_PACE * max(wf2q_remaining(n->e), 1U);
	u32 most = 0;
	int class;

	n->over = 0;
	for (class = 0; class < n->class; class++) {
		if (!g->level[class].waiting.n)
			continue;
		n->over |= 1 << class;
		if (g->thin[class].owed < need)
			FAIL("class %d served before class %d, which owes %llu of %llu sectors",
			     n->class, class,
			     (unsigned long long)g->thin[class].owed,
			     (unsigned long long)need);
	}
	while (++class < WF2Q_CLASSES)
		if (g->level[class].waiting.n && most < g->level[class].largest)
			most = g->level[class].largest;
	if (most && g->thin[n->class].owed >= (u64)WF2Q_THIN_PACE * most)
		FAIL("class %d served though it owes %llu sectors to those below",
		     n->class, (unsigned long long)g->thin[n->class].owed);
}

void model_select(struct node *root, struct node *leaf)
{
	struct node *n;

	seen.decisions++;
	seen.changes++;
	for (n = leaf; n->up; n = n->up) {
		struct level *l = level_of(n);

		if (!n->backlogged || n->up->service)
			FAIL("chosen while not waiting");
		judge_class(n);
		judge_thin(n->up);
		model_judge(n);
		if (l->waiting.n > 1)
			model_judge(l->waiting.slot[0]);
		if (sectors_of(n->s - l->v) > slack_of())
			FAIL("chosen %.9f ahead of virtual time",
			     sectors_of(n->s - l->v));
		heap_del(&l->waiting, n);
		n->serving = true;
		n->up->service = n;
		n->turn = 0;
		n->back = l->back;
		n->due = finish_of(n);
	}
	if (n != root)
		FAIL("chosen from another hierarchy");
}

void model_charge(struct node *leaf, u32 sectors)
{
	struct node *n;

	seen.sectors += sectors;
	for (n = leaf; n->up; n = n->up) {
		struct level *l = level_of(n);
		vt step = sectors * inverse_of(n);

		account_thin(n, sectors);
		n->total += sectors;
		n->turn += sectors;
		if (!leaf->serving) {
			l->wide = true;
			l->injected += sectors;
		}
		if (n->serving) {
			n->s += step;
		} else if (n->backlogged) {
			n->s += step;
			sift(&l->waiting, n->pos);
		} else {
			if (n->counted)
				heap_del(&l->ahead, n);
			else
				count(n);
			n->s += step;
			if (n->s > l->v)
				heap_add(&l->ahead, n);
			else
				uncount(l, n);
		}
		if (l->weights == n->weight && n->serving)
			l->v += step;
		else
			flow(l, sectors);
	}
	n->total += sectors;	/* of the root */
	if (!leaf->serving)
		settle(leaf->up);
}

void model_weight(struct node *n, u32 weight)
{
	struct level *l;

	seen.changes++;
	n->want_weight = weight;
	if (weight == n->weight)
		return;
	if (!n->counted) {
		n->weight = weight;
		return;
	}
	if (n->serving)
		return;
	l = level_of(n);
	if (!n->backlogged) {
		heap_del(&l->ahead, n);
		rest(n);
		return;
	}
	/* Whether a new weight is worth a lag is the engine's own business. */
	if (n->e->weight != weight)
		return;
	heap_del(&l->waiting, n);
	if (n->s < l->v)
		n->s = l->v;
	reweigh(n);
	heap_add(&l->waiting, n);
	settle(n->up);
}

void model_budget(struct node *leaf, u32 budget)
{
	seen.changes++;
	model_allot(leaf, budget);
	if (!leaf->serving && !leaf->held)
		settle(leaf->up);
}

/* To its level, a leaf that is parked sleeps. */
void model_park(struct node *leaf, bool park)
{
	if (leaf->parked == park)
		return;
	seen.changes++;
	leaf->parked = park;
	if (leaf->serving)
		return;
	if (park) {
		if (!leaf->backlogged)
			return;
		unwait(leaf);
		leaf->held = true;
	} else {
		if (!leaf->held)
			return;
		leaf->held = false;
		model_allot(leaf, leaf->e->budget);
		join(leaf);
	}
	settle(leaf->up);
}

bool model_servable(const struct node *leaf)
{
	return model_wants(leaf) && !leaf->held;
}

void model_prio(struct node *leaf, u32 weight, u8 class)
{
	bool waiting = leaf->backlogged;

	leaf->want_class = class;
	if (class == leaf->class || leaf->serving) {
		model_weight(leaf, weight);
		return;
	}
	seen.changes++;
	leaf->want_weight = weight;
	if (waiting)
		unwait(leaf);
	part(leaf);
	leaf->weight = weight;
	leaf->class = class;
	if (waiting) {
		model_allot(leaf, leaf->e->budget);
		join(leaf);
		settle(leaf->up);
	}
}

/*
 * From the root down: where does the way to @leaf part from what is served? NULL if
 * it does not, or @leaf cannot be served.
 */
static const struct node *parting(const struct node *leaf)
{
	const struct node *path[64], *n;
	int depth = 0;

	if (leaf->serving || !model_servable(leaf))
		return NULL;
	for (n = leaf; n->up; n = n->up)
		path[depth++] = n;
	while (depth && path[depth - 1]->serving)
		depth--;
	return path[depth - 1];
}

int model_classes_below(const struct node *leaf)
{
	const struct node *n = parting(leaf);

	return n && n->up->service ? (int)n->class - (int)n->up->service->class : 0;
}

/* a <= b, as far as what may be rounded lets one tell. */
static enum verdict at_most(vt a, vt b)
{
	double off = sectors_of(b - a);

	if (off <= time_slack() && off >= -time_slack())
		return OPEN;
	return off > 0 ? YES : NO;
}

enum verdict model_precedes(const struct node *leaf)
{
	const struct node *n = parting(leaf), *served = n ? n->up->service : NULL;
	enum verdict eligible, sooner;

	if (!served)
		return NO;
	if (n->class != served->class)
		return n->class < served->class ? YES : NO;
	eligible = at_most(n->s, level_of(n)->v);
	sooner = at_most(finish_of(n), served->due);
	if (eligible == NO || sooner == NO)
		return NO;
	return eligible == YES && sooner == YES ? YES : OPEN;
}

void model_exit(struct node *n)
{
	struct level *l;

	seen.changes++;
	if (model_wants(n))
		model_deactivate(n);
	if (n->level)
		for (l = n->level; l < n->level + WF2Q_CLASSES; l++)
			while (l->ahead.n) {
				struct node *child = l->ahead.slot[0];

				heap_del(&l->ahead, child);
				uncount(l, child);
			}
	part(n);
	n->class = n->want_class;
}
