#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: processes that die at once, while their queues are being served (shape 1)
# where: guest
#
# The bug: a queue that refers back to the process's icq, which dies first. So:
# many processes that make one request and exit, beside others that keep the
# scheduler busy, and changes of scheduler, which tear down all icqs at once.
. "${0%/*}/ktap.sh"
plan 3
require fio
require_helper

nullb hw_queue_depth=4 completion_nsec=500000
sched "$BFQ_NAME"
echo 1000 >"$QUEUE/iosched/slice_idle_us"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8
background "$HELPER" spawn 300 8 "$DEV" >"$WORK/spawn"
finished $((60 * SLOW)) "$child"
is "300 processes with one read each" "300 processes, 0 failed" "$(cat "$WORK/spawn")"
background "$HELPER" spawn 150 8 "$DEV" >"$WORK/spawn"
spawn=$child
background "$HELPER" switch 40 "$QUEUE/scheduler" none "$BFQ_NAME" >"$WORK/switch" 2>&1
switch=$child
finished $((60 * SLOW)) "$spawn"
is "150 more while the scheduler changes" "150 processes, 0 failed" "$(cat "$WORK/spawn")"
finished $((60 * SLOW)) "$switch"
is "40 times" 40 "$(cat "$WORK/switch")"
