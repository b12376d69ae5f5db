/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fluid reference: what each child is due, computed apart from the engine.
 *
 * A node mirrors an entity. Each level keeps the virtual time V of the fluid
 * server among its children and each node the virtual time S of its own
 * service, as 128-bit numbers with 64 fraction bits that cannot wrap; so
 * w * (V - S) is how many sectors the node is behind the fluid server. The
 * model takes the engine's decisions as they come and judges them by the bounds
 * of Documentation/engine.md, and so knows nothing of finish times or
 * eligibility. Only model_precedes() does: it counts a finish from the model's S
 * on, and takes from the engine how far it is from there.
 *
 * A weight is what the engine's reciprocal makes of it, within one part in
 * 2^37 / w (a test of its own shows that): a true one would differ by nothing
 * that matters, but where weights of 1 and 1000 meet, by enough to have V pass
 * somebody's finish at another moment, and one could not compare on.
 */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "check.h"

typedef __int128 vt;
#define VT_SHIFT 64

/* Weights in these tests; with 1 as the smallest, rounding is spread by it. */
#define MAX_TEST_WEIGHT 1000

struct node;

struct heap {
	struct node **slot;
	int n, room;
};

struct level {
	vt v;			/* virtual time of the fluid server */
	u64 weights;		/* it divides service among these */
	u32 largest;		/* allotment ever given below */
	int peak;		/* most that were ever backlogged */
	bool wide;		/* a leaver or injection has widened the bound */
	u64 injected;		/* sectors */
	vt back;		/* how far V has gone back in all, for groups that returned */
	vt forth;		/* and forward, for those that were away then */
	double forgiven;	/* leads next to nothing, when one returned; in sectors */
	double returned;	/* and what they were behind, in sectors */
	u64 base;		/* what the engine calls 0 */
	struct heap waiting;
	struct heap ahead;	/* idle, but the server has not caught up */
};

/*
 * What one class owes to those below it, in sectors; and, to judge that by, who
 * got how much in this period, in which somebody below has always been waiting
 * or in service, and ever.
 */
struct thin {
	u64 owed;
	u64 above, above_ever;	/* got by the class while somebody below waited */
	u64 below;		/* got by those below */
	u64 early, early_ever;	/* of that, in turns begun while the class waited */
};

struct node {
	struct wf2q_entity *e;
	struct node *up;
	vt s;
	vt back;		/* its level's, when it was chosen */
	vt due;			/* in service: S at which its allotment was to end */
	u64 total;		/* sectors received in its life */
	u32 turn;		/* sectors of its present turn */
	u32 weight, want_weight;
	u8 class, want_class;
	bool counted, backlogged, serving;
	bool parked;		/* leaves only */
	bool held;		/* has something to serve, but is parked */
	u8 over;		/* classes that waited when its turn began, as bits */
	int pos;		/* in a heap */
	/* groups only */
	struct level *level;	/* WF2Q_CLASSES of them, NULL for leaves */
	struct node *service;
	struct thin thin[WF2Q_IDLE];
};

/* What has been seen, for the reader and for the bounds' slack. */
struct seen {
	unsigned long decisions;
	unsigned long bounds;		/* comparisons made */
	unsigned long changes;		/* operations since the start of a world */
	u64 sectors;			/* since the start of a world */
	unsigned long precedes[3];	/* compared: no, yes; left open: too close */
	double lag, lead;		/* largest, in parts of the allowed */
};
extern struct seen seen;

void model_leaf(struct node *n, struct wf2q_entity *e, struct node *up);
void model_group(struct node *n, struct wf2q_group *g, struct node *up,
		 u64 base);
void model_free(struct node *group);
void model_allot(struct node *leaf, u32 budget);
void model_activate(struct node *leaf, u32 budget);
void model_deactivate(struct node *leaf);
void model_select(struct node *root, struct node *leaf);
void model_charge(struct node *leaf, u32 sectors);
void model_requeue(struct node *leaf, u32 budget);
void model_weight(struct node *n, u32 weight);
void model_prio(struct node *leaf, u32 weight, u8 class);
int model_classes_below(const struct node *leaf);

/* Too close to tell: within rounding. */
enum verdict { NO, YES, OPEN };
enum verdict model_precedes(const struct node *leaf);
void model_exit(struct node *n);
void model_budget(struct node *leaf, u32 budget);
void model_park(struct node *leaf, bool park);

/* Has this leaf something to serve, as its owner sees it? Can it be served? */
static inline bool model_wants(const struct node *leaf)
{
	return leaf->backlogged || leaf->held;
}

bool model_servable(const struct node *leaf);

/* So much has been served that rounding would soon count: end this world. */
bool model_exhausted(void);

/* Judge one node; all nodes of a group; the engine's V against the model's. */
void model_judge(struct node *n);
void model_judge_level(struct node *group);
void model_compare(struct node *group);

#endif
