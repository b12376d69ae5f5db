/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_RBTREE_AUGMENTED_H
#define SHIM_RBTREE_AUGMENTED_H

#include <linux/rbtree.h>

struct rb_augment_callbacks {
	rb_refresh_fn refresh;
};

#define RB_DECLARE_CALLBACKS(scope, name, type, field, value, compute)	\
scope bool name##_refresh(struct rb_node *node, bool stop_if_same);	\
scope const struct rb_augment_callbacks name = { name##_refresh };	\
scope bool name##_refresh(struct rb_node *node, bool stop_if_same)	\
{									\
	(void)sizeof(((type *)0)->value);	/* so that it must exist */	\
	return compute(rb_entry(node, type, field), stop_if_same);	\
}

static inline void
rb_insert_augmented_cached(struct rb_node *node, struct rb_root_cached *tree,
			   bool leftmost, const struct rb_augment_callbacks *cb)
{
	shim_rb_insert(node, tree, leftmost, cb->refresh);
}

static inline void
rb_erase_augmented_cached(struct rb_node *node, struct rb_root_cached *tree,
			  const struct rb_augment_callbacks *cb)
{
	shim_rb_erase(node, tree, cb->refresh);
}

#endif
