#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a task that has read in a group and gone elsewhere does not keep it when it is removed
# where: icount
. "${0%/*}/ktap.sh"
plan 2
require_helper
cg_setup
# A page that the task touches would keep the group, too.
echo -memory >"$CG/cgroup.subtree_control" || give_up "memory stays on"

nullb size=256
sched "${SCHED:-$BFQ_NAME}"
dying() { sed -n 's/^nr_dying_descendants //p' "$CG/cgroup.stat"; }
none_dying() { [ "$(dying)" = 0 ]; }
cg inner
eventually 20 none_dying || give_up "there are dying groups before there can be any"

before=$(requests "$DISK")
more() { [ "$(requests "$DISK")" -gt "$before" ]; }
background "$HELPER" issue "$DEV" "cg=$CG/inner a=r0+4 b=r64+4 wait cg=$CG_ROOT sleep=600000"
eventually 20 more || give_up "no read"
sleep 0.5
holds "the group that it has left can be removed" rmdir "$CG/inner"
eventually 20 none_dying
is "and nothing of it is left after 20 s" 0 "$(dying)"
gone "$child" && give_up "the task has gone, too"
