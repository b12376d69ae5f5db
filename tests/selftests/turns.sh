#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a turn is as long as its tunables say, and within it the disk's order and deadlines hold
# where: icount
#
# The device takes one request at a time, so requests end in the order in which it got them.
. "${0%/*}/ktap.sh"
plan 16
require_helper

ms=2
nullb hw_queue_depth=1 completion_nsec=$((ms * 1000000)) max_sectors=1024
sched "${SCHED:-$BFQ_NAME}"
echo 1024 >"$QUEUE/nr_requests"
echo 2 >"$QUEUE/nomerges"	# each is to be a request of its own
set_to() { echo "$2" >"$QUEUE/iosched/$1" || give_up "no tunable $1"; }
# that a new process goes first (raise.sh) would cut the first turns short
set_to low_latency 0

issue() {
	background "$HELPER" issue "$DEV" "$@" >"$WORK/ended"
	finished 60 "$child" || give_up "requests are not served within 60 s: $*"
}
order() { awk '{ printf "%s%s", sep, $1; sep = " " }' "$WORK/ended"; }
# place NAME: how many have ended before it
place() { awk -v n="$1" '$1 == n { print NR - 1 }' "$WORK/ended"; }
# runs: the most common number of requests of one in a row, while both have some; all if they
# never take turns
runs() {
	awk '{ if ($1 != last) { if (NR > 1) print n; n = 0 } n++; last = $1 }' "$WORK/ended" |
		sed 1d | sort -n | uniq -c | sort -n |
		awk -v all="$(wc -l <"$WORK/ended")" 'END { print NR ? $2 : all }'
}

# How long a turn is. Of small requests eight are chosen at a time.
set_to timeout_sync 10000
for sectors in 80 400; do
	set_to max_budget $sectors
	issue "a=b200+4" "b=b200+4"
	is "a turn of max_budget=$sectors is as many requests" $((sectors / 8)) "$(runs)"
done
set_to max_budget 0
issue "a=b400+4" "b=b400+4"
is "max_budget=0 is 1024 sectors without moving parts" 128 "$(runs)"
set_to max_budget 16384
for timeout in 40 160; do
	set_to timeout_sync $timeout
	issue "a=b300+4" "b=b300+4"
	seen=$(($(runs) * ms))
	compare "timeout_sync=$timeout ends a turn (ms)" $seen -le $((timeout + 8 * ms + 8))
	compare "and not before (ms)" $seen -ge $((timeout - 4))
done

# The disk's order: what lies behind the head is served if it is near enough.
set_to timeout_sync 125
head="x=r1000+4 x=r1004+4 x=r1008+4 sleep=1 back=r900+4 ahead=r1500+4"
issue "$head"
is "back is nearer" "x x x back ahead" "$(order)"
set_to back_seek_penalty 10
issue "$head"
is "but not where a sector backwards costs ten" "x x x ahead back" "$(order)"
set_to back_seek_penalty 2
set_to back_seek_max 50
issue "$head"
is "and not at all beyond back_seek_max" "x x x ahead back" "$(order)"
set_to back_seek_max 150
issue "$head"
is "which is in KiB" "x x x back ahead" "$(order)"
set_to back_seek_max 16384

# A request that would be passed for ever: behind all others, which go on upwards. At the beginning
# of a turn, ten requests or 20 ms, it is looked at; a tick of 4 ms and a batch of eight come on top.
upwards=$(i=0; while [ $i -lt 150 ]; do i=$((i + 1)); echo "u=r$((100000 + 16 * i))+4"; done)
set_to max_budget 80
for expire in 40 125; do
	set_to fifo_expire_sync $expire
	issue "x=r99000+4 x=r99004+4 x=r99008+4 sleep=1 late=r8+4 $upwards"
	seen=$(($(place late) * ms))
	compare "a turn begins with a request that has waited for fifo_expire_sync=$expire (ms)" $seen -le $((expire + 10 * ms + 8 * ms + 8))
	compare "which goes before its neighbours then, and not sooner (ms)" $seen -ge $expire
done
set_to fifo_expire_sync 60000
issue "x=r99000+4 x=r99004+4 x=r99008+4 sleep=1 late=r8+4 $upwards"
is "and never if that is never" 153 "$(place late)"
