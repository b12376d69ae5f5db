#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: queue/async_depth is three quarters of nr_requests at first, and can be changed
# where: debug
. "${0%/*}/ktap.sh"
plan 4
nullb hw_queue_depth=32
file=$QUEUE/async_depth
sched "$BFQ_NAME"

tags=$(cat "$QUEUE/nr_requests")
is "three quarters of $tags at first" $((tags * 3 / 4)) "$(cat "$file")"
echo 4 >"$file"
is "what is written there" 4 "$(cat "$file")"
echo $((tags * 2)) >"$QUEUE/nr_requests"
is "twice as much with twice the tags" 8 "$(cat "$file")"
echo none >"$QUEUE/scheduler"
sched "$BFQ_NAME"
is "a scheduler selected anew begins anew" $(($(cat "$QUEUE/nr_requests") * 3 / 4)) "$(cat "$file")"
