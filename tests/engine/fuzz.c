// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing: any sequence of calls, right or wrong, leaves the engine's whole
 * structure in order. libFuzzer gives the bytes; each call takes three of
 * them: what, on whom, how much. After every call everything is recounted
 * from scratch (check_group()), and virtual time may not have gone back.
 *
 * The first byte chooses where virtual time starts, next to a wrap or not.
 */
#include <string.h>

#include <linux/bug.h>

#include "check.h"

#define GROUPS	5
#define LEAVES	9
#define CALLS	19

static struct wf2q_group group[GROUPS];
static struct wf2q_entity leaf[LEAVES];
static u64 vtime[GROUPS][WF2Q_CLASSES];

/* Group 0 is the root; 1 and 2 are its children, 3 is below 1, 4 below 3. */
static const int above[GROUPS] = { -1, 0, 0, 1, 3 };

static void start(u8 where)
{
	static const u64 base[] = { 0, -1ULL, -(1ULL << 42), 1ULL << 63,
				    (1ULL << 63) - (1ULL << 42) };
	int i, class;

	for (i = 0; i < GROUPS; i++) {
		wf2q_group_init(&group[i], i ? &group[above[i]] : NULL, 100);
		for (class = 0; class < WF2Q_CLASSES; class++) {
			vtime[i][class] = base[where % 5];
			group[i].tree[class].vtime = base[where % 5];
		}
	}
	for (i = 0; i < LEAVES; i++)
		wf2q_entity_init(&leaf[i], &group[i % GROUPS], 100 * (i + 1),
				 i % 4 == 3 ? WF2Q_IDLE : WF2Q_BE);
}

/* Most amounts are small; some are at the ends of what is allowed, or past. */
static u32 amount(u8 byte)
{
	switch (byte >> 6) {
	case 0:
		return byte;
	case 1:
		return (byte & 63) << 4;
	case 2:
		return 1U << (byte & 31);
	default:
		return WF2Q_MAX_BUDGET - 32 + (byte & 63);
	}
}

static void exit_group(int i)
{
	struct wf2q_group *g = &group[i];
	int child, class;

	/* A group with children is not removed, nor is the root. */
	if (i != 2 && i != 4)
		return;
	if (g->nr_backlogged || g->nr_standing)
		return;
	wf2q_exit(&g->entity);
	for (child = 0; child < LEAVES; child++)
		if (leaf[child].parent == g)
			wf2q_move(&leaf[child], &group[above[i]]);
	memset(g, 0xa5, sizeof(*g));	/* as if it had been freed */
	wf2q_group_init(g, &group[above[i]], 100);
	for (class = 0; class < WF2Q_CLASSES; class++)
		vtime[i][class] = 0;
}

static void call(u8 what, u8 whom, u8 much)
{
	struct wf2q_entity *e = &leaf[whom % LEAVES];
	struct wf2q_entity *served = wf2q_in_service(group);

	switch (what % CALLS) {
	case 0:
	case 1:
		wf2q_enter(e, amount(much));
		break;
	case 2:
		wf2q_leave(e);
		break;
	case 3:
	case 4:
		wf2q_select(group);
		break;
	case 5:		/* what is served fits into what was allotted */
		if (served)
			wf2q_charge(served, wf2q_remaining(served) >> much % 8);
		break;
	case 6:		/* out of turn: no more than a few requests */
		wf2q_charge(e, amount(much) & 0xffff);
		break;
	case 7:
		if (served)
			wf2q_requeue(served, amount(much));
		break;
	case 8:
		wf2q_set_budget(e, amount(much));
		break;
	case 9:
		wf2q_set_weight(e, amount(much));
		break;
	case 10:
		wf2q_set_weight(&group[whom % GROUPS].entity, amount(much));
		break;
	case 11:
		wf2q_set_prio(e, much & 0x80 ? e->weight : amount(much),
			      much % WF2Q_CLASSES);
		break;
	case 12:
		wf2q_move(e, &group[much % GROUPS]);
		break;
	case 13:
		if (much & 1)
			exit_group(whom % GROUPS);
		else
			wf2q_exit(e);
		break;
	case 14:
		wf2q_park(e);
		break;
	case 15:
		wf2q_unpark(e);
		break;
	case 16:
		if (!group->nr_backlogged && !e->parked)
			wf2q_pass(e, amount(much) & 0xffff);
		break;
	case 17:
		wf2q_stand(e);
		break;
	case 18:
		wf2q_unstand(e);
		break;
	}
}

/* What only asks may be asked at any time. */
static void ask(const struct wf2q_entity *e)
{
	if ((wf2q_outranks(e) || wf2q_outranked(e)) && (e->state != WF2Q_WAITING || !group->in_service))
		FAIL("outranks though %s", e->state == WF2Q_WAITING ?
		     "nothing is in service" : "not waiting");
	check_precedes(group, e);
}

static bool servable(const struct wf2q_entity *e)
{
	return wf2q_backlogged(e) && !e->held;
}

static void ask_second(void)
{
	static struct wf2q_group groups[GROUPS];
	static struct wf2q_entity leaves[LEAVES];

	memcpy(groups, group, sizeof(group));
	memcpy(leaves, leaf, sizeof(leaf));
	check_second(group);
	if (memcmp(groups, group, sizeof(group)) ||
	    memcmp(leaves, leaf, sizeof(leaf)))
		FAIL("to ask for the second choice changes something");
}

/* Who is counted, is it in its tree's sum, and are there no others? */
static void check_counted(void)
{
	u64 wsum[GROUPS][WF2Q_CLASSES] = { };
	u32 standing[GROUPS] = { }, due[GROUPS][WF2Q_CLASSES] = { }, traces = 0;
	int i, class;

	for (i = 1; i < GROUPS + LEAVES; i++) {
		struct wf2q_entity *e = i < GROUPS ? &group[i].entity : &leaf[i - GROUPS];
		int above = wf2q_group_of(&e->parent->entity) - group;

		if ((e->state == WF2Q_STANDING || e->state == WF2Q_DUE) && !e->stands)
			FAIL("somebody is left standing");
		if (e->state < WF2Q_STANDING && e->stands)
			FAIL("somebody stands and is not counted");
		if (e->is_group)
			EXPECT("a group stands in line", e->stands, !!group[i].nr_standing);
		standing[above] += e->stands;
		due[above][e->class] += e->state == WF2Q_DUE;
		if (e->state != WF2Q_OUT)
			wsum[above][e->class] += e->weight;
		traces += e->state != WF2Q_OUT;
	}
	for (i = 0; i < GROUPS; i++) {
		EXPECT("children that stand", group[i].nr_standing, standing[i]);
		for (class = 0; class < WF2Q_CLASSES; class++) {
			EXPECT("sum of weights", group[i].tree[class].wsum, wsum[i][class]);
			EXPECT("children that are due", group[i].tree[class].nr_due, due[i][class]);
			traces += class < WF2Q_IDLE && group[i].owed[class];
		}
	}
	EXPECT("traces", group->nr_traces, traces);
}

static void check_all(void)
{
	u32 busy = 0;
	int i, class;

	check_counted();
	for (i = 0; i < LEAVES; i++)
		ask(&leaf[i]);
	for (i = 0; i < LEAVES; i++)
		busy += servable(&leaf[i]);
	EXPECT("backlogged leaves in all", wf2q_nr_backlogged(group), busy);
	ask_second();
	for (i = 0; i < GROUPS; i++) {
		check_group(&group[i]);
		for (class = 0; class < WF2Q_CLASSES; class++) {
			u64 now = group[i].tree[class].vtime;

			if ((s64)(now - vtime[i][class]) < 0)
				FAIL("virtual time goes back");
			vtime[i][class] = now;
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t i;

	/* Amounts are bounded so that 200 calls stay in the promised range. */
	if (!size || size > 1 + 3 * 200)
		return 0;
	shim_warnings_expected = true;
	start(data[0]);
	for (i = 1; i + 2 < size; i += 3) {
		snprintf(check_context, sizeof(check_context),
			 "call %zu (%u %u %u)", i / 3, data[i] % CALLS,
			 data[i + 1], data[i + 2]);
		call(data[i], data[i + 1], data[i + 2]);
		check_all();
	}
	return 0;
}
