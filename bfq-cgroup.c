// SPDX-License-Identifier: GPL-2.0
/*
 * Groups in the tree: cgroups as inner nodes of the scheduling hierarchy.
 *
 * For every cgroup that does I/O to a device the block layer keeps a blkg, and
 * policies hang their data on it; ours is struct bfq_group, with the engine's
 * node in it.  The tree of nodes is the tree of cgroups.
 *
 * When a cgroup is removed its group goes offline: nothing new is charged to it, but to its nearest
 * ancestor that is online, where processes' queues are moved with all that waits in them; also
 * empty ones, so that a task that is long gone elsewhere does not keep the dead cgroup's memory.
 * What waits in the group's own queues is served where it stands, by the old weight, and each of
 * these keeps the group until then.  So the group leaves the tree when it is offline and the last
 * queue has left it.
 *
 * How groups are made, and what users write, is in bfq-cgroup-files.c.
 */
#include "bfq-iosched.h"

/**
 * bfq_group_set_online - from here on requests may be charged to a group, or no longer
 * @group: the group
 * @online: which of the two
 *
 * Context: bfqd->lock held.
 */
void bfq_group_set_online(struct bfq_group *group, bool online)
{
	struct bfq_data *bfqd = group->bfqd;

	group->online = online;
	if (online)
		list_add_tail(&group->link, &bfqd->groups);
	else
		list_del(&group->link);
	bfqd->nr_groups += online ? 1 : -1;
}

#ifdef CONFIG_BLK_CGROUP

/* What the block layer knows us by; bfq-cgroup-files.c fills it in when the module is loaded. */
struct blkcg_policy bfq_policy;

/**
 * bfq_group_id - what to call a group
 * @group: the group
 *
 * Return: the cgroup's id, which is the inode number of its directory.
 */
u64 bfq_group_id(const struct bfq_group *group)
{
	return cgroup_id(group->pd.blkg->blkcg->css.cgroup);
}

/**
 * bfq_group_attach - a queue, or a group below, comes to compete in a group
 * @group: the group, online
 *
 * Takes a reference on the group.
 *
 * Context: bfqd->lock held.
 */
void bfq_group_attach(struct bfq_group *group)
{
	blkg_get(pd_to_blkg(&group->pd));
	group->attached++;
}

/**
 * bfq_group_leave - let a group leave the tree, if it is time
 * @group: the group
 *
 * Once offline and left by all that competed in it, a group leaves the tree of
 * its parent, where the engine may remember it beyond its last service; before
 * that its memory must not go.  It may have been the parent's last child.
 *
 * Context: bfqd->lock held.
 */
void bfq_group_leave(struct bfq_group *group)
{
	struct bfq_group *parent;

	while (!group->online && !group->attached) {
		parent = bfq_group_parent(group);
		if (!parent)
			return;
		wf2q_exit(&group->node.entity);
		parent->attached--;
		group = parent;
	}
}

/**
 * bfq_group_detach - undo bfq_group_attach()
 * @group: the group; may be gone on return
 *
 * Context: bfqd->lock held; the engine has forgotten what leaves.
 */
void bfq_group_detach(struct bfq_group *group)
{
	group->attached--;
	bfq_group_leave(group);
	blkg_put(pd_to_blkg(&group->pd));
}

/**
 * bfq_group_nearest - the group that takes what is meant for a blkg
 * @bfqd: the device
 * @blkg: the blkg, or NULL
 *
 * Context: bfqd->lock held.
 * Return: its group, if that is online, or the nearest ancestor that is.
 */
struct bfq_group *bfq_group_nearest(struct bfq_data *bfqd, struct blkcg_gq *blkg)
{
	for (; blkg; blkg = blkg->parent) {
		struct bfq_group *group = bfq_blkg_group(blkg);

		if (group && group->online)
			return group;
	}
	return bfqd->root;
}

/**
 * bfq_group_of_bio - the group that a bio is charged to
 * @bfqd: the device
 * @bio: the bio; NULL for a request that has none
 *
 * A bio without a cgroup, or one of another device (stacked drivers may send both), is the root's.
 *
 * Context: bfqd->lock held.
 */
struct bfq_group *bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio)
{
	struct blkcg_gq *blkg = bio ? bio->bi_blkg : NULL;

	lockdep_assert_held(&bfqd->lock);
	if (!blkg || blkg->q != bfqd->queue)
		return bfqd->root;
	return bfq_group_nearest(bfqd, blkg);
}

#else /* CONFIG_BLK_CGROUP: one group, the root */

u64 bfq_group_id(const struct bfq_group *group)
{
	return 1;
}

void bfq_group_attach(struct bfq_group *group)
{
	group->attached++;
}

void bfq_group_detach(struct bfq_group *group)
{
	group->attached--;
}

struct bfq_group *bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio)
{
	return bfqd->root;
}

#endif /* CONFIG_BLK_CGROUP */
