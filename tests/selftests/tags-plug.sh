#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the device is not kept for a process that can get no tag, since others hold them all
# where: icount
#
# More processes than tags: when one of three quarters has read, its tag goes to another. It
# asks for one at once, and sleeps; those that have them all would wait for its request.
. "${0%/*}/ktap.sh"
plan 1
require_helper
cg_setup
cg light 100
cg heavy 300
nullb hw_queue_depth=2 completion_nsec=2000000
sched "${SCHED:-$BFQ_NAME}"
echo 1 >"$QUEUE/iosched/exact_shares"
echo 4 >"$QUEUE/nr_requests"
echo 40 >"$QUEUE/iosched/slice_idle"
light="cg=$CG/light l=s60+4"
background "$HELPER" issue "$DEV" "cg=$CG/heavy h=s60+4" "$light" "$light" "$light" "$light" "$light" "$light" >"$WORK/ended"
finished 60 "$child" || give_up "requests are not served within 60 s"
took=$(awk '{ if (!first || $2 < first) first = $2; last = $3 } END { print (last - first) / 1000 }' "$WORK/ended")
heavy=$(awk '$1 == "h" { print ($3 - $2) / 1000 }' "$WORK/ended")
note "420 reads of 2 ms took $took ms, the 60 of who has three quarters $heavy ms"
compare "420 reads take little longer than the device needs ($took ms)" "$took" -le 600
