#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who has one request at a time, which takes longer than timeout_sync, gets its share
# where: icount
#
# Its turn is over while the request is in the device. To forget then what it is behind with, each
# time, would make weights do nothing.
. "${0%/*}/ktap.sh"
plan 3
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
# took NAME: ms from its first request to the end of its last
took() { awk -v n="$1" '$1 == n { print ($3 - $2) / 1000 }' "$WORK/ended"; }
note "150 reads of 20 ms took who has three quarters $(took h) ms, and $(took l) ms the other"
# Both are in the device at a time: one does 150 in 3 s, the other a third, and the rest in 2 s more.
# Were shares not kept, it would do all of them in 3 s.
compare "who has three quarters has them" "$(took h)" -le 3300
compare "the other has the rest" "$(took l)" -le 5300
compare "and no more" "$(took l)" -ge 4700
