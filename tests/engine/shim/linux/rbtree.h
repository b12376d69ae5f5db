/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Balanced trees with the kernel's interface, written for these tests: the
 * kernel's own are not installed where the tests run.
 */
#ifndef SHIM_RBTREE_H
#define SHIM_RBTREE_H

#include <linux/types.h>

struct rb_node {
	struct rb_node *rb_up, *rb_left, *rb_right;
	bool rb_red;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

/* Recompute a node from its children; true if @stop_if_same and it was right. */
typedef bool (*rb_refresh_fn)(struct rb_node *node, bool stop_if_same);

#define rb_entry(ptr, type, member)	container_of(ptr, type, member)
#define rb_first_cached(tree)		((tree)->rb_leftmost)

struct rb_node *rb_next(const struct rb_node *node);
void shim_rb_insert(struct rb_node *node, struct rb_root_cached *tree,
		    bool leftmost, rb_refresh_fn refresh);
void shim_rb_erase(struct rb_node *node, struct rb_root_cached *tree,
		   rb_refresh_fn refresh);

static inline void rb_link_node(struct rb_node *node, struct rb_node *up,
				struct rb_node **link)
{
	node->rb_up = up;
	node->rb_left = NULL;
	node->rb_right = NULL;
	node->rb_red = true;
	*link = node;
}

static inline void rb_insert_color_cached(struct rb_node *node,
					  struct rb_root_cached *tree,
					  bool leftmost)
{
	shim_rb_insert(node, tree, leftmost, NULL);
}

static inline void rb_add_cached(struct rb_node *node, struct rb_root_cached *tree,
				 bool (*less)(struct rb_node *a, const struct rb_node *b))
{
	struct rb_node **link = &tree->rb_root.rb_node, *up = NULL;
	bool leftmost = true;

	while (*link) {
		bool left = less(node, *link);

		up = *link;
		leftmost &= left;
		link = left ? &up->rb_left : &up->rb_right;
	}
	rb_link_node(node, up, link);
	rb_insert_color_cached(node, tree, leftmost);
}

static inline void rb_erase_cached(struct rb_node *node,
				   struct rb_root_cached *tree)
{
	shim_rb_erase(node, tree, NULL);
}

#endif
