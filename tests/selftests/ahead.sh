#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: little is chosen before the driver can take it, so that who comes meanwhile goes first
# where: icount
#
# A device that takes eight at a time, each for 16 ms, is given eight one after the other, so that from then
# on one ends every 2 ms. What was chosen then for all eight places, seven of which are taken, would
# go before a real-time request that comes meanwhile.
. "${0%/*}/ktap.sh"
plan 4
require_helper

nullb hw_queue_depth=8 completion_nsec=16000000 max_sectors=1024
sched "${SCHED:-$BFQ_NAME}"
echo 256 >"$QUEUE/nr_requests"
echo 0 >"$QUEUE/iosched/slice_idle"
# What may be in the device is another question; this counts from the next time on that two compete.
echo off >"$QUEUE/iosched/device_limit"
"$HELPER" issue "$DEV" "a=s10+4" "b=s10+4" >/dev/null

# beside KIB: reads of that size without end in class idle, and eight real-time ones at any moment of the device's round
beside() {
	deep=$(i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo "i=b1+$1 / sleep=2"; done)
	urgent=$(i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo "until=$((20 + i * 22)) u=s1+4"; done)
	"$HELPER" issue "$DEV" "prio=3.7 $deep i=b120+$1" "prio=1.4 $urgent" >"$WORK/ended" || give_up "helper issue"
	note "$1 KiB: $(awk '$1 == "u" { printf "%s%.1f", sep, ($3 - $2) / 1000; sep = " " }' "$WORK/ended") ms"
}
# longest: of the real-time reads, in ms
longest() { awk '$1 == "u" && $3 - $2 > most { most = $3 - $2 } END { print most / 1000 }' "$WORK/ended"; }
# spread: the most ends within 1 ms while the device is busy
spread() {
	awk '$1 == "i" && $3 > 30000 && $3 < 200000 { end[n++] = $3 }
		END { for (i = 0; i < n; i++) { c = 0; for (j = i; j < n && end[j] < end[i] + 1000; j++) c++; if (c > most) most = c }
			print most }' "$WORK/ended"
}

beside 512
compare "one large request ends after the other (at most so many within a millisecond)" "$(spread)" -le 2
compare "a real-time one waits for the next place, 2 ms, and is in the device for 16" "$(longest)" -le 20
beside 4
compare "and of small ones for no more than the eight that are chosen at a time" "$(longest)" -le 34

# strict_guarantees holds for what has been chosen, too: once the eight in the device, and one that the block
# layer has been handed, are through, one ends every 16 ms. It is turned on at three moments of the round.
most=0
for at in 40 46 52; do	# $deep are of 4 KiB now
	echo 0 >"$QUEUE/iosched/strict_guarantees"
	"$HELPER" issue "$DEV" "$deep i=b40+4" "until=$at put=$QUEUE/iosched/strict_guarantees:1" >"$WORK/ended" ||
		give_up "helper issue"
	n=$(awk -v at="$at" '$3 > (at + 20) * 1000 && $3 <= (at + 34) * 1000 { n++ } END { print n + 0 }' "$WORK/ended")
	note "strict from $at ms on: $n end in the 14 ms in which one may"
	[ "$n" -le "$most" ] || most=$n
done
compare "strict_guarantees holds for what has been chosen ahead" "$most" -le 1
