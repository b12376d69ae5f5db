// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that are not made yet (bfq-line.c), simulated: a device that serves one at a time, one
 * more that waits in the engine, and all others stand in line, where wf2q_goes_before() chooses.
 */
#include <math.h>

#include <linux/minmax.h>

#include "small.h"
#include "world.h"

#define GROUPS	3	/* the root and two below it */
#define LEAVES	12

struct stander {
	struct wf2q_entity leaf;
	u32 size;		/* sectors of each of its requests */
	bool deep;		/* asks for the next one when the last one is begun, not done */
	bool stands;
	u64 got;		/* sectors */
	unsigned long reads, waited;	/* for so many of others' in all */
};

struct line {
	struct wf2q_group group[GROUPS];
	struct stander stander[LEAVES];
	struct stander *device;	/* whose request it serves */
};

static void line_make(struct line *l, bool groups)
{
	int i;

	for (i = 0; i < GROUPS; i++)
		wf2q_group_init(&l->group[i], i ? l->group : NULL, 1 + roll(MAX_TEST_WEIGHT));
	for (i = 0; i < LEAVES; i++) {
		struct wf2q_group *parent = &l->group[groups ? i % GROUPS : 0];

		l->stander[i] = (struct stander) { .size = 8 << roll(8), .deep = true,
						   .stands = true };
		wf2q_entity_init(&l->stander[i].leaf, parent, 1 + roll(MAX_TEST_WEIGHT), WF2Q_BE);
		l->stander[i].leaf.service = l->stander[i].size;
	}
	l->device = NULL;
}

/* Somebody has the tag that is free. */
static void line_let_go(struct line *l)
{
	struct stander *best = NULL;
	int i;

	for (i = 0; i < LEAVES; i++)
		if (l->stander[i].stands)
			wf2q_stand(&l->stander[i].leaf);
	for (i = 0; i < LEAVES; i++)
		if (l->stander[i].stands &&
		    (!best || wf2q_goes_before(&l->stander[i].leaf, &best->leaf)))
			best = &l->stander[i];
	if (!best)
		return;
	best->stands = false;
	wf2q_enter(&best->leaf, best->size);
	if (!best->deep)
		wf2q_unstand(&best->leaf);
}

/* One request ends, and the next one begins. */
static void line_step(struct line *l)
{
	struct wf2q_entity *leaf;
	struct stander *done = l->device;
	int i;

	if (!l->group->nr_backlogged)
		line_let_go(l);
	leaf = wf2q_select(l->group);
	l->device = container_of(leaf, struct stander, leaf);
	wf2q_charge(leaf, l->device->size);
	wf2q_leave(leaf);
	l->device->got += l->device->size;
	l->device->reads++;
	l->device->stands = l->device->deep;
	if (done)
		done->stands = true;
	for (i = 0; i < LEAVES; i++)
		l->stander[i].waited += &l->stander[i] != l->device;
	line_let_go(l);
	check_group(l->group);
}

/* How far are the children of one group from what their weights say, in the largest requests? */
static void line_judge(const struct line *l, const struct wf2q_group *g)
{
	u64 got[GROUPS + LEAVES] = { 0 }, all = 0;
	u32 weight[GROUPS + LEAVES] = { 0 }, weights = 0, largest = 0;
	int i;

	for (i = 0; i < LEAVES; i++) {
		const struct stander *a = &l->stander[i];
		const struct wf2q_entity *child = &a->leaf;
		int nr = GROUPS + i;

		if (child->parent != g && child->parent->entity.parent == g) {
			child = &child->parent->entity;
			nr = wf2q_group_of((struct wf2q_entity *)child) - l->group;
		}
		if (child->parent != g)
			continue;
		weight[nr] = child->weight;
		got[nr] += a->got;
		all += a->got;
		largest = max(largest, a->size);
	}
	for (i = 0; i < GROUPS + LEAVES; i++)
		weights += weight[i];
	for (i = 0; i < GROUPS + LEAVES; i++) {
		double due = (double)all * weight[i] / weights;

		if (fabs(due - got[i]) > 2 * largest)
			FAIL("%llu of %llu sectors to a weight of %u in %u: expected %.0f, %u more or less",
			     (unsigned long long)got[i], (unsigned long long)all, weight[i], weights,
			     due, 2 * largest);
	}
}

/*
 * Everybody always wants more: all have what their weights say, within two of the largest requests: one
 * by the fluid server's bound, and one that is in the engine and not charged yet when the next is let go.
 */
static void line_of_deep(bool groups)
{
	struct line l;
	int n, i;

	line_make(&l, groups);
	for (n = 0; n < 20000; n++) {
		line_step(&l);
		if (n % 100)
			continue;
		for (i = 0; i < (groups ? GROUPS : 1); i++)
			line_judge(&l, &l.group[i]);
	}
}

/*
 * Who asks for little, one after the other, waits for the request that waits for the device, and for
 * what is left of the one that is in it.
 */
static void line_of_one(bool groups)
{
	struct stander *little;
	struct line l;
	int n, i;

	line_make(&l, groups);
	for (i = 0; i < LEAVES; i++) {
		wf2q_set_weight(&l.stander[i].leaf, 100);
		l.stander[i].size = 256;
	}
	little = &l.stander[0];
	little->size = 16;
	little->deep = false;
	for (n = 0; n < 20000; n++)
		line_step(&l);
	EXPECT("others' requests for each that it waits for", little->waited / little->reads, 1);
}

/* A root, a group below it, and some leaves of the root, all of one weight. */
struct few {
	struct wf2q_group root, group;
	struct wf2q_entity leaf[3];
};

static void few_make(struct few *f)
{
	int i;

	wf2q_group_init(&f->root, NULL, 100);
	wf2q_group_init(&f->group, &f->root, 100);
	for (i = 0; i < 3; i++)
		wf2q_entity_init(&f->leaf[i], &f->root, 100, WF2Q_BE);
}

/* One gets so much, without another to wait. */
static void few_serve(struct few *f, struct wf2q_entity *leaf, u32 sectors)
{
	wf2q_enter(leaf, sectors);
	check_group(&f->root);
	EXPECT("who goes", wf2q_select(&f->root) == leaf, true);
	wf2q_charge(leaf, sectors);
	wf2q_leave(leaf);
	check_group(&f->root);
}

/* What is due to who stands in line stays, up to a limit; and V does not jump past it. */
static void stand_is_due(void)
{
	struct few f;
	const u64 half = (1000ULL << WF2Q_SHIFT) / 200, third = (1000ULL << WF2Q_SHIFT) / 300;
	struct wf2q_tree *of_root = &f.root.tree[WF2Q_BE], was;
	u64 least, more;
	int i;

	few_make(&f);
	wf2q_stand(&f.leaf[0]);
	few_serve(&f, &f.leaf[1], 1000);
	EXPECT("V after 1000 sectors for one of two", of_root->vtime, half);
	wf2q_enter(&f.leaf[1], 1000);
	EXPECT("V while one that is ahead waits alone", of_root->vtime, half);
	wf2q_leave(&f.leaf[1]);
	few_serve(&f, &f.leaf[2], 1000);
	wf2q_enter(&f.leaf[1], 1000);
	wf2q_enter(&f.leaf[2], 1000);
	EXPECT("V while two that are ahead wait", of_root->vtime, half + third);
	wf2q_enter(&f.leaf[0], 1000);
	EXPECT("start of who stood in line", f.leaf[0].start, 0);
	check_group(&f.root);
	for (i = 0; i < 3; i++)
		wf2q_leave(&f.leaf[i]);
	for (i = 0; i < 4; i++)
		few_serve(&f, &f.leaf[1], WF2Q_MOST_KEPT);
	was = *of_root;
	least = was.vtime - WF2Q_MOST_KEPT * f.leaf[0].inverse;
	more = least - f.leaf[0].start;
	EXPECT("more is due than is kept", (s64)more > 0, true);
	wf2q_enter(&f.leaf[0], 1000);
	EXPECT("what is kept of it", f.leaf[0].start, least);
	EXPECT("V when the rest is given up", of_root->vtime, was.vtime + more / (was.wsum / 100));
	wf2q_leave(&f.leaf[0]);
	wf2q_enter(&f.leaf[1], 1000);
	wf2q_unstand(&f.leaf[0]);
	EXPECT("V when nobody stands in line any more", of_root->vtime, f.leaf[1].start);
	check_group(&f.root);
}

/* V jumps to who waits, or to who stands in line if it is there before. */
static void jumps_to_first(u32 waits, u32 stands)
{
	struct few f;

	few_make(&f);
	wf2q_stand(&f.leaf[0]);		/* holds V back until all are ahead */
	wf2q_stand(&f.leaf[1]);
	few_serve(&f, &f.leaf[1], stands);
	few_serve(&f, &f.leaf[2], waits);
	wf2q_unstand(&f.leaf[0]);
	EXPECT("who stands in line is ahead", f.leaf[1].state, WF2Q_STANDING);
	wf2q_enter(&f.leaf[2], 1000);
	EXPECT("V when all are ahead", f.root.tree[WF2Q_BE].vtime,
	       f.leaf[stands < waits ? 1 : 2].start);
	check_group(&f.root);
}

/* Who stands in line is counted on each level, wherever it goes, until it does not. */
static void stand_is_counted(void)
{
	struct few f;
	struct wf2q_tree *of_root = &f.root.tree[WF2Q_BE], *of_group = &f.group.tree[WF2Q_BE];

	few_make(&f);
	wf2q_stand(&f.leaf[0]);
	wf2q_stand(&f.leaf[1]);
	EXPECT("two in line", of_root->wsum, 200);
	wf2q_move(&f.leaf[0], &f.group);
	EXPECT("one in the group", of_group->wsum, 100);
	EXPECT("that and its group", of_root->wsum, 200);
	wf2q_move(&f.leaf[1], &f.group);
	EXPECT("both in the group", of_group->wsum, 200);
	EXPECT("their group", of_root->wsum, 100);
	wf2q_unstand(&f.leaf[0]);
	EXPECT("the group, while one of it is in line", of_root->wsum, 100);
	wf2q_set_prio(&f.leaf[1], 50, WF2Q_IDLE);
	EXPECT("who has changed its class, in its old one", of_group->wsum, 0);
	EXPECT("who has changed its class", f.group.tree[WF2Q_IDLE].wsum, 50);
	wf2q_set_weight(&f.leaf[1], 70);
	EXPECT("who has changed its weight", f.group.tree[WF2Q_IDLE].wsum, 70);
	wf2q_exit(&f.leaf[1]);
	EXPECT("the group, when nobody of it is in line", of_root->wsum, 0);
	EXPECT("children in line", f.root.nr_standing + f.group.nr_standing, 0);
	EXPECT("traces", f.root.nr_traces, 0);
}

/* Who is charged out of turn and still has had less than it is due, in line or by its credit. */
static void charged_behind(void)
{
	struct few f;
	struct wf2q_tree *of_root = &f.root.tree[WF2Q_BE];
	s64 off;

	few_make(&f);
	wf2q_stand(&f.leaf[0]);
	few_serve(&f, &f.leaf[1], 1000);
	wf2q_charge(&f.leaf[0], 200);
	EXPECT("V after 1200 sectors for two", of_root->vtime, (1200ULL << WF2Q_SHIFT) / 200);
	EXPECT("start of who had 200 of them", f.leaf[0].start, 200 * f.leaf[0].inverse);
	EXPECT("who is due", of_root->nr_due, 1);
	check_group(&f.root);

	few_make(&f);
	wf2q_set_credit(&f.root, WF2Q_MAX_BUDGET);
	wf2q_move(&f.leaf[0], &f.group);
	wf2q_enter(&f.leaf[1], 1000);
	wf2q_select(&f.root);
	wf2q_charge(&f.leaf[1], 1000);
	wf2q_charge(&f.leaf[0], 100);
	/* V has gone back to 5; the 100 are the other's due, as the group does not wait for more. */
	off = of_root->vtime - (6ULL << WF2Q_SHIFT);
	EXPECT("V after 1100 sectors, 100 of them for a group that is due more",
	       off < (s64)WF2Q_NOTHING && -off < (s64)WF2Q_NOTHING, true);
	check_group(&f.root);
}

/* Requests that are not made yet: whose turn is it to make one? */
void test_line(void)
{
	int i;

	stand_is_due();
	jumps_to_first(3000, 2500);
	jumps_to_first(600, 3000);
	stand_is_counted();
	charged_behind();
	for (i = 0; i < 200; i++)
		line_of_deep(i & 1);
	line_of_one(false);
	line_of_one(true);
}
