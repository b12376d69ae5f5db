#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: allocations fail at any point: I/O goes on, selection works or says no
# where: debug
. "${0%/*}/ktap.sh"
plan 9
require fio
require_helper

# What runs while its own allocations fail must not need the host's files: the
# file system that shares them is not what is tested here.
cp "$HELPER" "$WORK/helper" || give_up "no room for the helper"
HELPER=$WORK/helper

fs=/sys/kernel/debug
for f in failslab fail_page_alloc; do
	[ -d $fs/$f ] || give_up "no $f in this kernel"
done

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
cg_setup
cg a 100

# The module's code, from its first address to its last.
text_start=$(cat "/sys/module/$(module)/sections/.text")
size=$(awk -v m="$(module)" '$1 == m { print $2 }' /proc/modules)
high=0xffffffff
text_end=$(printf '%s%08x' $high $((0x${text_start#"$high"} + size)))

# failures PERCENT Y|N: of the slab and page allocations of the tasks that asked
# for it (Y), or of all that are made by or through our module (N)
plenty=1000000000
injected() { echo $((2 * plenty - $(cat $fs/failslab/times) - $(cat $fs/fail_page_alloc/times))); }
failures() {
	for f in failslab fail_page_alloc; do
		echo 0 >$fs/$f/probability	# not for this shell, meanwhile
		echo "$2" >$fs/$f/task-filter
		if [ "$2" = Y ]; then
			echo 0 >$fs/$f/require-start
			echo 0xffffffffffffffff >$fs/$f/require-end
		else
			echo "$text_start" >$fs/$f/require-start
			echo "$text_end" >$fs/$f/require-end
		fi
		echo N >$fs/$f/ignore-gfp-wait
		echo $plenty >$fs/$f/times
		echo 0 >$fs/$f/verbose
		echo "$1" >$fs/$f/probability
	done
	echo N >$fs/failslab/cache-filter
	echo 0 >$fs/fail_page_alloc/min-order
}
defer "echo 0 >$fs/failslab/probability; echo 0 >$fs/fail_page_alloc/probability"

failures 5 Y
background "$HELPER" flaky 8 "$DEV" >"$WORK/flaky" 2>&1
finished 120 "$child"
is "processes whose allocations fail read, or are told ENOMEM" 0 $?
note "$(cat "$WORK/flaky")"
background in_cg a "$HELPER" flaky 5 "$DEV" >"$WORK/flaky" 2>&1
finished 120 "$child"
is "also in a group" 0 $?
note "$(cat "$WORK/flaky")"

failures 0 N
# The device takes memory for what is written for the first time, and has no other answer
# than ENOSPC if it gets none: not what is tested here.
dd if=/dev/zero of="$DEV" bs=256k count=1 oflag=direct 2>/dev/null || give_up "$DEV cannot be written"
verify_load rounds --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw --bs=4k --size=256k
failures 30 N
# Each new process wants a queue.
"$HELPER" spawn 60 4 "$DEV" >"$WORK/spawn"
injected=$(injected)
failures 0 N
is "new processes read without a queue of their own" "60 processes, 0 failed" "$(cat "$WORK/spawn")"
compare "the module's allocations fail" "$injected" -gt 0
verify_stop "verified I/O goes on when a third of the module's allocations fails"

# names TEXT: the different results in the output of helper try
names() { cut -d: -f1 "$1" | sort -u | tr '\n' ' '; }
failures 3 Y
set --
while [ $# -lt 40 ]; do set -- "$@" none "$BFQ_NAME"; done
FLAKY=1 "$HELPER" try "$QUEUE/scheduler" "$@" >"$WORK/select" 2>&1
failures 0 N
other=$(names "$WORK/select" | tr ' ' '\n' | grep -vxE 'OK|ENOMEM|' | tr '\n' ' ')
is "a selection works or gives ENOMEM" "" "$other"
note "$(grep -c "^OK.*\[$BFQ_NAME\]" "$WORK/select") selections worked, $(grep -c ^ENOMEM "$WORK/select") gave ENOMEM"
compare "some failed, or nothing was tested" "$(grep -c ^ENOMEM "$WORK/select")" -gt 0

failures 1 Y
holds "groups are made, or give ENOMEM" "$HELPER" mkdirs 40 "$CG/flaky"
failures 0 N
note "$(cat "$WORK/holds")"
sched none
sched "$BFQ_NAME"
is "and the scheduler can be selected afterwards" "$BFQ_NAME" "$(sched_now)"
