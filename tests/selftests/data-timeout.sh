#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: requests that a device forgets, or sends back, end and leave no trace
# where: debug
. "${0%/*}/ktap.sh"
plan 9
require fio
require_helper

nullb memory_backed=1 hw_queue_depth=8 completion_nsec=1000000
sched "$BFQ_NAME"
inject=$CONFIGFS/nullb/$DISK
[ -d "$inject/timeout_inject" ] || give_up "no fault injection in null_blk"
# longer than any request waits that is not forgotten
echo $((1000 * SLOW)) >"$QUEUE/io_timeout"
for kind in timeout requeue; do echo 0 >"$inject/${kind}_inject/verbose"; done

work() {
	within $((60 * SLOW)) fio --filename="$DEV" --thread --eta=never --direct=1 --size=256k --bs=4k \
		--verify=crc32c --verify_fatal=1 --name=deep --ioengine=libaio --iodepth=16 --rw=randrw
}

# Every 5th request is sent back to the queue, which puts it at the head.
most=1000000
echo $most >"$inject/requeue_inject/times"
echo 5 >"$inject/requeue_inject/interval"
echo 100 >"$inject/requeue_inject/probability"
holds "requests that are sent back are done in the end" work
echo 0 >"$inject/requeue_inject/probability"
compare "many were sent back" $((most - $(cat "$inject/requeue_inject/times"))) -ge 5
at_rest "nothing is left of them"

# Five requests are forgotten; each is an error for its owner after that time.
echo 5 >"$inject/timeout_inject/times"
echo 10 >"$inject/timeout_inject/interval"
echo 100 >"$inject/timeout_inject/probability"
"$HELPER" spawn 60 1 "$DEV" >"$WORK/out" 2>/dev/null
echo 0 >"$inject/timeout_inject/probability"
is "five requests were forgotten" 0 "$(cat "$inject/timeout_inject/times")"
errors=$(sed 's/.*, \(.*\) failed/\1/' "$WORK/out")
compare "forgotten requests are reported to their owners" "$errors" -ge 1
compare "and only they" "$errors" -le 5
holds "the device works afterwards" work
at_rest "nothing is left"
sched none
is "the scheduler can be left" none "$(sched_now)"
