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

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
no_autoload
echo 1000 >"$QUEUE/iosched/slice_idle_us"
many=$(few 200)
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8
background "$HELPER" spawn "$many" 8 "$DEV" >"$WORK/spawn"
finished $((60 * SLOW)) "$child"
is "many processes with one read each" "$many processes, 0 failed" "$(cat "$WORK/spawn")"
background "$HELPER" spawn "$many" 8 "$DEV" >"$WORK/spawn"
spawn=$child
background "$HELPER" switch "$(few 40)" "$QUEUE/scheduler" none "$BFQ_NAME" >"$WORK/switch" 2>&1
switch=$child
finished $((60 * SLOW)) "$spawn"
is "as many while the scheduler changes" "$many processes, 0 failed" "$(cat "$WORK/spawn")"
finished $((60 * SLOW)) "$switch"
is "many times" "$(few 40)" "$(cat "$WORK/switch")"
