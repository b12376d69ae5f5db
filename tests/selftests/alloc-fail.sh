#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: allocations fail at any point: I/O goes on, selection works or says no
# where: debug
. "${0%/*}/ktap.sh"
plan 7
require fio
require_helper

fs=/sys/kernel/debug
for f in failslab fail_page_alloc; do
	[ -d $fs/$f ] || give_up "no $f in this kernel"
done

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
cg_setup
cg a 100

# failures PERCENT TASKS WAIT: of all slab and page allocations; TASKS=Y: only
# those of tasks that asked for it; WAIT=Y: spare those that may wait
failures() {
	for f in failslab fail_page_alloc; do
		echo "$2" >$fs/$f/task-filter
		echo "$3" >$fs/$f/ignore-gfp-wait
		echo -1 >$fs/$f/times
		echo 0 >$fs/$f/verbose
		echo "$1" >$fs/$f/probability
	done
	echo N >$fs/failslab/cache-filter
	echo 0 >$fs/fail_page_alloc/min-order
}
defer "echo 0 >$fs/failslab/probability; echo 0 >$fs/fail_page_alloc/probability"

failures 5 Y N
background "$HELPER" flaky 8 "$DEV" >"$WORK/flaky" 2>&1
finished 120 "$child"
is "processes whose allocations fail read, or are told ENOMEM" 0 $?
note "$(cat "$WORK/flaky")"
background in_cg a "$HELPER" flaky 5 "$DEV" >"$WORK/flaky" 2>&1
finished 120 "$child"
is "also in a group" 0 $?
note "$(cat "$WORK/flaky")"

failures 0 N Y
verify_load rounds --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw --bs=4k --size=256k
sleep 2
failures 10 N Y
sleep 8
failures 0 N Y
verify_stop "verified I/O goes on when a tenth of all atomic allocations fails"

# names TEXT: the different results in the output of helper try
names() { cut -d: -f1 "$1" | sort -u | tr '\n' ' '; }
failures 10 Y N
set --
while [ $# -lt 40 ]; do set -- "$@" none "$BFQ_NAME"; done
FLAKY=1 "$HELPER" try "$QUEUE/scheduler" "$@" >"$WORK/select" 2>&1
failures 0 N Y
other=$(names "$WORK/select" | tr ' ' '\n' | grep -vxE 'OK|ENOMEM|' | tr '\n' ' ')
is "a selection works or gives ENOMEM" "" "$other"
note "$(grep -c "^OK.*\[$BFQ_NAME\]" "$WORK/select") selections worked, $(grep -c ^ENOMEM "$WORK/select") gave ENOMEM"
compare "some failed, or nothing was tested" "$(grep -c ^ENOMEM "$WORK/select")" -gt 0

failures 5 Y N
holds "groups are made, or give ENOMEM" "$HELPER" mkdirs 40 "$CG/flaky"
failures 0 N Y
note "$(cat "$WORK/holds")"
sched none
sched "$BFQ_NAME"
is "and the scheduler can be selected afterwards" "$BFQ_NAME" "$(sched_now)"
