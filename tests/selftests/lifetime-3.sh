#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: several tasks share one queue, and leave in any order (shape 3)
# where: guest
#
# The bug: queues of different groups are merged, or a chain of merges outlives
# its head. Queues are not merged yet; the nearest thing that exists is one
# io_context, and so one queue, shared by tasks (CLONE_IO; io_uring's workers),
# that move between groups, change its priority and exit.
. "${0%/*}/ktap.sh"
plan 2
require fio
require_helper

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
cg_setup
cg a 100
cg b 900
in_cg_bg a "$HELPER" cloneio $((3 + SLOW / 2)) "$DEV" >"$WORK/out"
sharers=$child
# Every request of this one is made by a worker.
echo 0 >"$CG/b/cgroup.procs"
verify_load workers --filename="$DEV" --direct=1 --ioengine=io_uring --force_async=1 --iodepth=8 \
	--rw=randrw --bs=4k --size=256k
echo 0 >$CG_ROOT/cgroup.procs
i=0
while [ $i -lt "$(few 20)" ]; do
	i=$((i + 1))
	for from in a b; do
		to=$([ $((i % 2)) -eq 0 ] && echo a || echo b)
		while read -r pid; do
			# An exiting task may be shown as 0, which would mean this shell.
			[ "$pid" -eq 0 ] || echo "$pid" >"$CG/$to/cgroup.procs"
		done <"$CG/$from/cgroup.procs" 2>/dev/null
	done
done
finished $((60 * SLOW)) "$sharers"
is "tasks that share a queue come, move and go" 0 $?
note "$(cat "$WORK/out")"
verify_stop "io_uring's workers lose nothing"
