// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel gives the engine, for user space: warnings and balanced
 * trees. The trees are red-black: a red node has no red child, and every way
 * down from a node passes as many black nodes; so no way is longer than twice
 * the shortest. As in the kernel, who inserts a node has already brought the
 * nodes above it up to date, and who erases one leaves that to the tree.
 */
#include <linux/bug.h>
#include <linux/rbtree.h>

#include "../check.h"

bool shim_warnings_expected;
unsigned long shim_warnings;

void shim_warn(const char *what, const char *file, int line)
{
	shim_warnings++;
	if (shim_warnings_expected)
		return;
	check_fail(file, line, "the engine warns: %s", what);
}

static bool is_red(const struct rb_node *node)
{
	return node && node->rb_red;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	const struct rb_node *up;

	if (node->rb_right) {
		for (node = node->rb_right; node->rb_left; node = node->rb_left)
			;
		return (struct rb_node *)node;
	}
	for (up = node->rb_up; up && node == up->rb_right; up = up->rb_up)
		node = up;
	return (struct rb_node *)up;
}

/* Put @heir, which may be none, where @node hangs. */
static void replace(struct rb_root *root, struct rb_node *node,
		    struct rb_node *heir)
{
	if (!node->rb_up)
		root->rb_node = heir;
	else if (node->rb_up->rb_left == node)
		node->rb_up->rb_left = heir;
	else
		node->rb_up->rb_right = heir;
	if (heir)
		heir->rb_up = node->rb_up;
}

/* Let @node's child on one side rise above it. */
static void rotate(struct rb_root *root, struct rb_node *node, bool left_rises,
		   rb_refresh_fn refresh)
{
	struct rb_node *riser = left_rises ? node->rb_left : node->rb_right;
	struct rb_node *middle = left_rises ? riser->rb_right : riser->rb_left;

	replace(root, node, riser);
	if (left_rises) {
		node->rb_left = middle;
		riser->rb_right = node;
	} else {
		node->rb_right = middle;
		riser->rb_left = node;
	}
	if (middle)
		middle->rb_up = node;
	node->rb_up = riser;
	if (refresh) {
		refresh(node, false);
		refresh(riser, false);
	}
}

void shim_rb_insert(struct rb_node *node, struct rb_root_cached *tree,
		    bool leftmost, rb_refresh_fn refresh)
{
	struct rb_root *root = &tree->rb_root;
	struct rb_node *up, *top, *aunt;

	if (leftmost)
		tree->rb_leftmost = node;
	while (is_red(up = node->rb_up)) {
		bool left;

		top = up->rb_up;	/* exists: a root is black */
		left = up == top->rb_left;
		aunt = left ? top->rb_right : top->rb_left;
		if (is_red(aunt)) {
			up->rb_red = false;
			aunt->rb_red = false;
			top->rb_red = true;
			node = top;
			continue;
		}
		if (node == (left ? up->rb_right : up->rb_left)) {
			rotate(root, up, !left, refresh);
			up = node;
		}
		up->rb_red = false;
		top->rb_red = true;
		rotate(root, top, left, refresh);
		break;
	}
	root->rb_node->rb_red = false;
}

/* The place below @up where @node (or nothing) hangs lacks a black node. */
static void repay_black(struct rb_root *root, struct rb_node *node,
			struct rb_node *up, rb_refresh_fn refresh)
{
	while (up && !is_red(node)) {
		bool left = node == up->rb_left;
		struct rb_node *sister = left ? up->rb_right : up->rb_left;
		struct rb_node *far;

		if (sister->rb_red) {
			sister->rb_red = false;
			up->rb_red = true;
			rotate(root, up, !left, refresh);
			sister = left ? up->rb_right : up->rb_left;
		}
		if (!is_red(sister->rb_left) && !is_red(sister->rb_right)) {
			sister->rb_red = true;
			node = up;
			up = node->rb_up;
			continue;
		}
		far = left ? sister->rb_right : sister->rb_left;
		if (!is_red(far)) {
			(left ? sister->rb_left : sister->rb_right)->rb_red = false;
			sister->rb_red = true;
			rotate(root, sister, left, refresh);
			sister = left ? up->rb_right : up->rb_left;
			far = left ? sister->rb_right : sister->rb_left;
		}
		sister->rb_red = up->rb_red;
		up->rb_red = false;
		far->rb_red = false;
		rotate(root, up, !left, refresh);
		return;
	}
	if (node)
		node->rb_red = false;
}

void shim_rb_erase(struct rb_node *node, struct rb_root_cached *tree,
		   rb_refresh_fn refresh)
{
	struct rb_root *root = &tree->rb_root;
	struct rb_node *heir, *up, *gone = node, *at;
	bool lost_black;

	if (tree->rb_leftmost == node)
		tree->rb_leftmost = rb_next(node);
	if (node->rb_left && node->rb_right)
		gone = rb_next(node);	/* leaves its place for node's */
	heir = gone->rb_left ? gone->rb_left : gone->rb_right;
	up = gone->rb_up;
	lost_black = !gone->rb_red;
	replace(root, gone, heir);
	if (gone != node) {
		if (up == node)
			up = gone;
		replace(root, node, gone);
		gone->rb_left = node->rb_left;
		gone->rb_right = node->rb_right;
		gone->rb_red = node->rb_red;
		if (gone->rb_left)
			gone->rb_left->rb_up = gone;
		if (gone->rb_right)
			gone->rb_right->rb_up = gone;
	}
	if (refresh)
		for (at = up; at; at = at->rb_up)
			refresh(at, false);
	if (lost_black)
		repay_black(root, heir, up, refresh);
}
