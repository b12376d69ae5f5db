#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who has one request at a time, which takes longer than timeout_sync, gets its share
# where: icount
#
# Its turn is over while the request is in the device. To end it then would forget what it is
# behind with, each time, and weights would do nothing.
. "${0%/*}/ktap.sh"
plan 1
require_helper
cg_setup
cg light 100
cg heavy 300
nullb hw_queue_depth=4 completion_nsec=20000000
sched "${SCHED:-$BFQ_NAME}"
echo 1 >"$QUEUE/iosched/exact_shares"
echo 10 >"$QUEUE/iosched/timeout_sync"
background "$HELPER" issue "$DEV" "cg=$CG/heavy h=s150+4" "cg=$CG/light l=s150+4" >"$WORK/ended"
finished 60 "$child" || give_up "requests are not served within 60 s"
took=$(awk '$1 == "h" { print ($3 - $2) / 1000 }' "$WORK/ended")
note "150 reads of 20 ms took who has three quarters $took ms, and $(awk '$1 == "l" { print ($3 - $2) / 1000 }' "$WORK/ended") ms the other"
# 4,000 by weight, 3,000 if both are in the device all the time, 6,000 in turns.
if calc_true "$took > 3700 && $took < 4400"; then pass "three quarters of the device are three quarters"
else fail "three quarters of the device are three quarters" "3700 to 4400 ms" "$took ms"; fi
