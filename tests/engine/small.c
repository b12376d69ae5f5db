// SPDX-License-Identifier: GPL-2.0
/*
 * What single calls do, shown in worlds of a few leaves: part of the property
 * tests, see property.c. Every call is made on the model, too, which judges it.
 */
#include "small.h"
#include "world.h"

/* A lone child sleeps and wakes: no memory of the past slows it or others. */
void test_rejoin(void)
{
	struct world w;
	int turn, leaf, of[2] = { 0, 0 };

	world_flat(&w, 2, 100);
	for (turn = 0; turn < 1000; turn++) {
		world_activate(&w, 0, 8);
		EXPECT("the lone leaf", world_turn(&w, 0), 0);
		EXPECT("its state, idle", w.leaf[0].state, WF2Q_OUT);
	}
	/* A newcomer does not get what the other had while it was alone. */
	world_activate(&w, 0, 8);
	world_activate(&w, 1, 8);
	for (turn = 0; turn < 100; turn++) {
		leaf = world_turn(&w, 8);
		of[leaf]++;
	}
	EXPECT("turns of the newcomer", of[1], 50);
	world_free(&w);
}

/*
 * RT goes before BE and BE before IDLE, and whoever is below gets 1 sector in
 * 32: of three classes that always wait, BE gets 31 in 1024 and IDLE 1. Alone,
 * each gets all.
 */
void test_classes(void)
{
	struct world w;
	int turn, of[3] = { 0, 0, 0 };

	world_flat(&w, 3, 100);
	world_set_class(&w, 1, WF2Q_IDLE);
	world_set_class(&w, 2, WF2Q_RT);
	world_activate(&w, 1, 64);
	EXPECT("IDLE alone", world_turn(&w, 64), 1);
	world_activate(&w, 0, 64);
	for (turn = 0; turn < 32000; turn++)
		world_turn(&w, 64);
	EXPECT("IDLE's sectors against BE's", w.leaf_node[1].total,
	       64 + 32000 / 32 * 64);
	EXPECT("BE's sectors", w.leaf_node[0].total, 32000 / 32 * 31 * 64);

	world_activate(&w, 2, 64);
	for (turn = 0; turn < 10240; turn++)
		of[world_turn(&w, 64)]++;
	EXPECT("RT's turns of 10240", of[2], 9920);
	EXPECT("BE's turns beside RT", of[0], 310);
	EXPECT("IDLE's turns beside RT and BE", of[1], 10);
	world_deactivate(&w, 0);
	for (turn = 0, of[1] = 0; turn < 3200; turn++)
		of[world_turn(&w, 64)]++;
	EXPECT("IDLE's turns beside RT", of[1], 100);
	world_deactivate(&w, 2);
	EXPECT("IDLE alone again", world_turn(&w, 0), 1);
	world_activate(&w, 0, 64);
	EXPECT("BE alone", world_turn(&w, 64), 0);
	world_free(&w);
}

/*
 * A leaf of a lower class that asks for much, uses little, and sleeps, again
 * and again: what it could have had does not add up to a burst.
 */
void test_burst(void)
{
	struct world w;
	int turn, leaf, burst = 0, most = 0;

	world_flat(&w, 2, 100);
	world_set_class(&w, 1, WF2Q_IDLE);
	world_activate(&w, 0, 1024);
	for (turn = 0; turn < 10000; turn++) {
		leaf = world_select(&w);
		if (leaf == 1) {
			world_charge(&w, 1, 8);
			world_deactivate(&w, 1);
			continue;
		}
		if (!w.leaf_node[1].backlogged)
			world_activate(&w, 1, 1024);
		world_charge(&w, 0, 1024);
		world_requeue(&w, 0, 1024);
	}
	if (w.leaf_node[1].total < 9900 / 2 * 8)
		FAIL("IDLE got %llu sectors in small requests",
		     (unsigned long long)w.leaf_node[1].total);
	if (!w.leaf_node[1].backlogged)
		world_activate(&w, 1, 1024);
	for (turn = 0; turn < 1000; turn++) {
		burst = world_turn(&w, 1024) ? burst + 1 : 0;
		if (burst > most)
			most = burst;
	}
	if (most > 2)
		FAIL("IDLE got %d turns in a row, allowed 2", most);
	world_free(&w);
}

/*
 * A leaf that asks for little wakes in the service of another of its class,
 * which has asked for much and then stops early: what both are owed stays.
 */
void test_kept(void)
{
	struct world w;
	u64 got;
	int turn, leaf;

	world_flat(&w, 3, 100);
	world_set_class(&w, 1, WF2Q_IDLE);
	world_set_class(&w, 2, WF2Q_IDLE);
	world_activate(&w, 0, 64);
	world_activate(&w, 1, 1024);
	for (turn = 0; turn < 20000; turn++) {
		leaf = world_select(&w);
		if (leaf == 1)
			world_activate(&w, 2, 8);
		world_charge(&w, leaf, leaf ? 8 : 64);
		if (leaf == 2)
			world_deactivate(&w, 2);
		else
			world_requeue(&w, leaf, leaf ? 1024 : 64);
	}
	/* By bound 6, less the 1024 and the 64 that it allows once. */
	got = w.leaf_node[1].total + w.leaf_node[2].total;
	if (got + 1024 < (w.leaf_node[0].total - 64) / WF2Q_THIN_PACE)
		FAIL("IDLE got %llu sectors, expected 1 for 31 of BE's %llu",
		     (unsigned long long)got,
		     (unsigned long long)w.leaf_node[0].total);
	world_free(&w);
}

/* Weight and class change together, whatever the leaf is doing. */
void test_prio(void)
{
	struct world w;
	struct wf2q_entity *e;
	int i;

	world_flat(&w, 4, 100);
	e = w.leaf;
	world_set_prio(&w, 0, 10, WF2Q_RT);		/* idle */
	EXPECT("class of an idle leaf", e->class, WF2Q_RT);
	EXPECT("weight of an idle leaf", e->weight, 10);
	for (i = 0; i < 3; i++)
		world_activate(&w, i, 8);
	world_set_prio(&w, 0, 20, WF2Q_BE);		/* waiting */
	EXPECT("class of a waiting leaf", e->class, WF2Q_BE);
	EXPECT("weight of a waiting leaf", e->weight, 20);
	check_group(w.group);
	while ((i = world_select(&w))) {
		world_charge(&w, i, 8);
		world_requeue(&w, i, 8);
	}
	world_set_prio(&w, 0, 30, WF2Q_RT);		/* in service */
	EXPECT("class in force in service", e->class, WF2Q_BE);
	EXPECT("weight in force in service", e->weight, 20);
	world_charge(&w, 0, 8);
	world_requeue(&w, 0, 8);
	EXPECT("class after the turn", e->class, WF2Q_RT);
	EXPECT("weight after the turn", e->weight, 30);
	check_group(w.group);
	world_set_prio(&w, 0, 40, WF2Q_BE);
	while (world_turn(&w, 8))
		;
	world_deactivate(&w, 0);			/* remembered */
	EXPECT("state", e->state, WF2Q_REMEMBERED);
	world_set_prio(&w, 0, 50, WF2Q_IDLE);
	EXPECT("state of a remembered leaf in another class", e->state, WF2Q_OUT);
	EXPECT("its weight", e->weight, 50);
	check_group(w.group);
	world_free(&w);
}

/* Who may interrupt whom: classes compare where two paths part. */
void test_outranks(void)
{
	struct plan p = { .groups = 2, .depth = 2, .leaves = 4,
			  .same_weight = 100, .max_budget = 8 };
	struct world w;
	int i;

	world_make(&w, &p);
	/* 0 and 1 below a group, 2 and 3 in the root; of each, one is RT. */
	for (i = 0; i < 4; i++) {
		world_move(&w, i, i < 2 ? 1 : 0);
		world_set_class(&w, i, i % 2 ? WF2Q_RT : WF2Q_BE);
	}
	world_activate(&w, 0, 8);
	EXPECT("nothing in service", world_outranks(&w, 0), false);
	EXPECT("selected", world_select(&w), 0);
	EXPECT("itself", world_outranks(&w, 0), false);
	EXPECT("RT, idle", world_outranks(&w, 1), false);
	for (i = 1; i < 4; i++)
		world_activate(&w, i, 8);
	EXPECT("RT in the same group", world_outranks(&w, 1), true);
	EXPECT("BE in the root, against a group", world_outranks(&w, 2), false);
	EXPECT("RT in the root, against a group", world_outranks(&w, 3), true);
	world_requeue(&w, 0, 8);
	EXPECT("nothing in service any more", world_outranks(&w, 3), false);
	world_deactivate(&w, 3);
	world_deactivate(&w, 1);
	world_deactivate(&w, 0);
	world_set_class(&w, 2, WF2Q_IDLE);
	EXPECT("IDLE is selected", world_select(&w), 2);
	world_activate(&w, 0, 8);
	EXPECT("a group against IDLE", world_outranks(&w, 0), true);
	world_requeue(&w, 2, 8);
	world_deactivate(&w, 2);
	world_activate(&w, 3, 8);
	EXPECT("RT in the root is selected", world_select(&w), 3);
	world_activate(&w, 1, 8);
	EXPECT("RT in a group against RT in the root", world_outranks(&w, 1),
	       false);
	world_free(&w);
}

/* Who arrives goes before what is in service, if eligible and sooner done. */
void test_precedes(void)
{
	struct plan p = { .groups = 1, .depth = 2, .leaves = 4,
			  .same_weight = 100, .max_budget = 64 };
	struct world w;
	int i;

	world_make(&w, &p);
	/* 0 and 1 below a group, 2 and 3 in the root. */
	for (i = 0; i < 4; i++)
		world_move(&w, i, i < 2 ? 1 : 0);
	world_activate(&w, 0, 64);
	EXPECT("nothing in service", world_precedes(&w, 0), false);
	EXPECT("selected", world_select(&w), 0);
	EXPECT("itself", world_precedes(&w, 0), false);
	EXPECT("idle", world_precedes(&w, 1), false);
	world_activate(&w, 1, 8);
	world_activate(&w, 2, 64);
	world_activate(&w, 3, 8);
	EXPECT("less to do in the same group", world_precedes(&w, 1), true);
	EXPECT("as much to do, in the root", world_precedes(&w, 2), false);
	EXPECT("less to do, in the root", world_precedes(&w, 3), true);
	world_charge(&w, 3, 16);	/* is ahead of V now */
	EXPECT("ahead of V", (s64)(w.leaf[3].start -
				   w.group->tree[WF2Q_BE].vtime) > 0, true);
	EXPECT("not eligible, though sooner done", world_precedes(&w, 3), false);
	world_charge(&w, 0, 48);
	EXPECT("eligible again", world_precedes(&w, 3), true);
	world_set_class(&w, 3, WF2Q_IDLE);
	EXPECT("of a lower class", world_precedes(&w, 3), false);
	world_set_budget(&w, 3, 1);
	world_set_class(&w, 2, WF2Q_RT);
	EXPECT("of a higher class", world_precedes(&w, 2), true);
	EXPECT("a lower class that asks for least", world_precedes(&w, 3), false);
	world_park(&w, 2, true);
	EXPECT("parked", world_precedes(&w, 2), false);
	world_requeue(&w, 0, 64);
	EXPECT("nothing in service any more", world_precedes(&w, 1), false);
	world_free(&w);
}

/* Whom to serve beside what is in service: near ones first, far ones too. */
void test_second(void)
{
	struct plan p = { .groups = 2, .depth = 2, .leaves = 4,
			  .same_weight = 100, .max_budget = 64 };
	struct world w;
	u64 vtime;
	int i;

	world_make(&w, &p);
	/* 0 and 1 below one group, 2 below another, 3 in the root. */
	for (i = 0; i < 4; i++)
		world_move(&w, i, i < 2 ? 1 : i == 2 ? 2 : 0);
	EXPECT("second when nobody waits", world_second(&w), -1);
	world_activate(&w, 0, 8);
	EXPECT("second when nothing is in service", world_second(&w), -1);
	EXPECT("selected", world_select(&w), 0);
	EXPECT("second to the only one", world_second(&w), -1);
	world_activate(&w, 2, 16);
	EXPECT("second in another group", world_second(&w), 2);
	world_activate(&w, 3, 8);
	EXPECT("second in the root", world_second(&w), 3);
	world_activate(&w, 1, 64);
	EXPECT("second in the same group", world_second(&w), 1);

	/* Where nobody is eligible, choosing would let V jump. */
	world_move(&w, 2, 1);
	world_charge(&w, 1, 64);
	world_charge(&w, 2, 48);
	vtime = w.group[1].tree[WF2Q_BE].vtime;
	for (i = 1; i <= 2; i++)
		EXPECT("a waiting leaf is eligible",
		       (s64)(w.leaf[i].start - vtime) <= 0, false);
	EXPECT("second among those ahead of V", world_second(&w), 2);
	EXPECT("virtual time", w.group[1].tree[WF2Q_BE].vtime, vtime);
	check_second(w.group);
	world_free(&w);
}

/* Parked in any state, a leaf is passed by, and comes back as if it had slept. */
void test_park(void)
{
	struct world w;
	struct wf2q_entity *e;
	int turn;

	world_flat(&w, 3, 100);
	e = w.leaf;
	world_park(&w, 0, true);			/* idle */
	EXPECT("state of a parked idle leaf", e->state, WF2Q_OUT);
	world_activate(&w, 0, 8);
	EXPECT("parked, has it something to serve", wf2q_backlogged(e), true);
	EXPECT("busy", wf2q_nr_backlogged(w.group), 0);
	EXPECT("selected", world_select(&w), -1);
	world_set_budget(&w, 0, 16);
	world_set_prio(&w, 0, 50, WF2Q_RT);
	world_set_prio(&w, 0, 100, WF2Q_BE);
	EXPECT("what it asks for", wf2q_remaining(e), 16);
	world_park(&w, 0, false);
	EXPECT("busy leaves when it is back", wf2q_nr_backlogged(w.group), 1);
	EXPECT("served when it is back", world_turn(&w, 8), 0);

	world_activate(&w, 1, 8);
	world_activate(&w, 2, 8);
	world_park(&w, 0, true);			/* waiting */
	check_group(w.group);
	for (turn = 0; turn < 100; turn++)
		if (!world_turn(&w, 8))
			FAIL("served though parked");
	EXPECT("sum of weights without it", w.group->tree[WF2Q_BE].wsum, 200);
	world_deactivate(&w, 0);
	EXPECT("parked, went to sleep", wf2q_backlogged(e), false);
	world_activate(&w, 0, 64);
	world_park(&w, 0, false);
	EXPECT("start when it is back", e->start, w.group->tree[WF2Q_BE].vtime);

	while ((turn = world_select(&w))) {
		world_charge(&w, turn, 8);
		world_requeue(&w, turn, 8);
	}
	world_park(&w, 0, true);			/* in service */
	EXPECT("parked, still in service", wf2q_in_service(w.group) == e, true);
	world_park(&w, 0, false);
	world_park(&w, 0, true);
	world_charge(&w, 0, 64);
	world_requeue(&w, 0, 8);
	EXPECT("state when its turn has ended ahead of V", e->state,
	       WF2Q_REMEMBERED);
	check_group(w.group);
	world_park(&w, 0, false);			/* remembered */
	EXPECT("state when it is back", e->state, WF2Q_WAITING);
	EXPECT("start is where it was, ahead of V",
	       (s64)(e->start - w.group->tree[WF2Q_BE].vtime) > 0, true);
	world_park(&w, 0, true);
	world_rebirth(&w, 0, 0);
	EXPECT("parked after exit", e->parked, false);
	world_free(&w);
}

/* A group whose children are parked seems idle. */
void test_park_group(void)
{
	struct plan p = { .groups = 2, .depth = 3, .leaves = 4,
			  .same_weight = 100, .max_budget = 8 };
	struct world w;
	int i, leaf;

	world_make(&w, &p);
	/* 0 and 1 below group 2, that below 1; 2 below 1, 3 in the root. */
	for (i = 0; i < 4; i++) {
		world_move(&w, i, i < 2 ? 2 : 3 - i);
		world_activate(&w, i, 8);
	}
	for (i = 0; i < 3; i++)
		world_park(&w, i, true);
	EXPECT("busy leaves in the root", wf2q_nr_backlogged(w.group), 1);
	EXPECT("state of the group above", w.group[1].entity.state >= WF2Q_WAITING,
	       false);
	for (i = 0; i < 10; i++)
		EXPECT("served", world_turn(&w, 8), 3);
	for (i = 0; i < 3; i++)
		world_park(&w, i, false);
	EXPECT("busy leaves when they are back", wf2q_nr_backlogged(w.group), 4);
	while ((leaf = world_select(&w)) >= 2) {
		world_charge(&w, leaf, 8);
		world_requeue(&w, leaf, 8);
	}
	world_park(&w, leaf, true);			/* in service */
	world_park(&w, 1 - leaf, true);
	EXPECT("busy leaves until the turn ends", wf2q_nr_backlogged(w.group), 3);
	world_charge(&w, leaf, 8);
	world_requeue(&w, leaf, 8);
	EXPECT("busy leaves in the root", wf2q_nr_backlogged(w.group), 2);
	EXPECT("busy leaves in group 2", wf2q_nr_backlogged(&w.group[2]), 0);
	EXPECT("state of group 2", w.group[2].entity.state >= WF2Q_WAITING, false);
	world_park(&w, 2, true);
	world_set_class(&w, 2, WF2Q_RT);
	EXPECT("selected", world_select(&w), 3);
	EXPECT("does a parked leaf outrank", world_outranks(&w, 2), false);
	world_requeue(&w, 3, 8);
	world_move(&w, leaf, 0);
	EXPECT("busy leaves with a parked one that has moved", wf2q_nr_backlogged(w.group), 1);
	for (i = 0; i < 3; i++)
		check_group(&w.group[i]);
	world_free(&w);
}

/*
 * Two groups, of weights 1 and 3: how much does the first get before the other has its next turn,
 * when it comes back after the other has got so much, and this is its credit?  The other may be idle
 * at just that moment.
 */
static u64 returns_with(u32 credit, u32 others, bool idle)
{
	struct plan p = { .groups = 2, .depth = 2, .leaves = 2, .same_weight = 100,
			  .max_budget = 8, .credit = credit };
	u64 before, had;
	struct world w;
	int leaf;

	world_make(&w, &p);
	world_set_group_weight(&w, 1, 100);
	world_set_group_weight(&w, 2, 300);
	world_move(&w, 0, 1);
	world_move(&w, 1, 2);
	world_activate(&w, 0, 8);
	world_activate(&w, 1, 8);
	while (w.group_node[0].total < 80000)	/* what both began with is even */
		world_turn(&w, 8);
	while ((leaf = world_select(&w)) != 0) {
		world_charge(&w, leaf, 8);
		world_requeue(&w, leaf, 8);
	}
	world_charge(&w, leaf, 8);
	world_deactivate(&w, leaf);
	had = w.leaf_node[0].total;
	before = w.leaf_node[1].total;
	while (w.leaf_node[1].total < before + others)
		EXPECT("served while the other rests", world_turn(&w, 8), 1);
	if (idle)
		world_deactivate(&w, 1);
	world_activate(&w, 0, 8);
	if (idle)
		world_activate(&w, 1, 8);
	while (!world_turn(&w, 8))
		;
	had = w.leaf_node[0].total - had;
	model_judge_level(&w.group_node[0]);
	model_compare(&w.group_node[0]);
	world_free(&w);
	return had;
}

/* A group that returns has what it was due meanwhile, and no more than its part of the credit. */
void test_credit(void)
{
	static const struct { u32 credit, others; u64 due; } c[] = {
		{ 0, 2400, 0 }, { 8000, 2400, 800 }, { 8000, 1200, 400 },
		{ 8000, 48000, 2000 }, { 1600, 48000, 400 },
	};
	unsigned int i;

	for (i = 0; i < 2 * sizeof(c) / sizeof(c[0]); i++) {
		u64 had = returns_with(c[i / 2].credit, c[i / 2].others, i % 2);
		u64 due = c[i / 2].due;

		/* a turn more or less at both ends */
		if (had > due + 24 || had + 24 < due)
			FAIL("with a credit of %u it had %llu sectors, due %llu, the other %s", c[i / 2].credit,
			     (unsigned long long)had, (unsigned long long)due, i % 2 ? "idle" : "waiting");
	}
}

/* A larger weight is worth a lag, if it brings the turn nearer. */
void test_raise(void)
{
	struct world w;
	int i, turn;

	world_flat(&w, 21, 10);
	for (i = 0; i < 21; i++)
		world_activate(&w, i, 1000);
	for (turn = 0; turn < 10; turn++)
		world_turn(&w, 1000);
	world_set_weight(&w, 20, 300);
	EXPECT("weight in force of a raised leaf", w.leaf[20].weight, 300);
	EXPECT("the raised leaf goes first", world_turn(&w, 1000), 20);

	/* A smaller one waits for the end of the turn. */
	for (i = 0; w.leaf_node[i].turn; i++)
		;
	world_set_weight(&w, i, 1);
	EXPECT("weight in force of a lowered leaf that lags", w.leaf[i].weight,
	       10);
	while (world_turn(&w, 1000) != i)
		;
	EXPECT("weight in force after its turn", w.leaf[i].weight, 1);
	world_free(&w);
}

/* A budget that changes while its leaf waits changes whose turn it is. */
void test_resize(void)
{
	struct world w;

	world_flat(&w, 2, 100);
	world_activate(&w, 0, 8);
	world_activate(&w, 1, 100);
	world_set_budget(&w, 0, 1000);
	EXPECT("first, when the other's budget has grown", world_turn(&w, 100), 1);
	/* Leaf 1 leads now, leaf 0 lags: of these, only leaf 1 may shrink. */
	world_set_budget(&w, 0, 8);
	EXPECT("finish of who lags", w.leaf[0].finish,
	       1000 * w.leaf[0].inverse);
	world_set_budget(&w, 1, 8);
	EXPECT("finish of who leads", w.leaf[1].finish,
	       108 * w.leaf[1].inverse);
	world_free(&w);
}

/* A group is removed while a child of it is remembered; both live on. */
void test_removal(void)
{
	struct plan p = { .groups = 1, .depth = 2, .leaves = 2,
			  .same_weight = 100, .max_budget = 8 };
	struct world w;
	int i;

	world_make(&w, &p);
	for (i = 0; i < 2; i++) {
		world_move(&w, i, 1);
		world_activate(&w, i, 8);
	}
	world_deactivate(&w, 1 - world_turn(&w, 0));
	EXPECT("remembered children", w.leaf[0].state == WF2Q_REMEMBERED ||
	       w.leaf[1].state == WF2Q_REMEMBERED, true);
	EXPECT("removed", world_remake_group(&w, 1), true);
	EXPECT("children counted", w.group[1].tree[WF2Q_BE].wsum, 0);
	for (i = 0; i < 2; i++)
		world_activate(&w, i, 8);
	for (i = 0; i < 10; i++) {
		world_turn(&w, 8);
		check_group(w.group);
	}
	world_free(&w);
}
