#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: processes that exit with requests in flight (shape 2)
# where: guest
#
# The bug: a queue that others point to (its wakers, once there are such) and
# that goes when its process splits off or exits. There are no wakers yet; the
# nearest thing that exists is a queue whose process is gone while its requests
# are in the device: read-ahead that nobody waits for.
. "${0%/*}/ktap.sh"
plan 4
require_helper
require fio

nullb hw_queue_depth=2 completion_nsec=$((2000000 * SLOW))
sched "$BFQ_NAME"
many=$(few 100)
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=psync --numjobs=2
background "$HELPER" abandon "$many" 6 "$DEV" >"$WORK/out"
finished $((60 * SLOW)) "$child"
is "many processes leave reads behind" "$many processes, 0 failed" "$(cat "$WORK/out")"
background "$HELPER" abandon "$many" 6 "$DEV" >"$WORK/out"
finished $((60 * SLOW)) "$child"
is "as many more" "$many processes, 0 failed" "$(cat "$WORK/out")"
is "and the scheduler is left while they are in flight" OK "$(write_errno "$QUEUE/scheduler" none)"
for pid in $ktap_children; do kill -9 "$pid" 2>/dev/null; done
idle() { read -r r w <"/sys/block/$DISK/inflight"; [ $((r + w)) -eq 0 ]; }
holds "all of them end" eventually 20 idle
