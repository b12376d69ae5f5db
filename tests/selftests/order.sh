#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: certain requests go to the device in the order that is promised
# where: icount
# kernels: each
#
# A device that takes one request at a time ends them in the order in which it got
# them, so no event need be traced. It holds one, and the block layer one more that
# has been chosen: nobody gets before these two.
. "${0%/*}/ktap.sh"
plan 13
require_helper
cg_setup

# device MS [DEPTH]: each request takes so long, up to 512 KiB; the scheduler's tags are plenty
device() {
	nullb hw_queue_depth="${2:-1}" completion_nsec=$(($1 * 1000000)) max_sectors=1024
	sched "${SCHED:-$BFQ_NAME}"
	echo 256 >"$QUEUE/nr_requests"
}

# issue SCRIPT...: see issue.c; leaves "NAME ASKED ENDED" in $WORK/ended
issue() {
	"$HELPER" issue "$DEV" "$@" >"$WORK/ended" || give_up "helper issue: $*"
}

# order: the names in the order of their ends
order() { awk '{ printf "%s%s", sep, $1; sep = " " }' "$WORK/ended"; }

# passed NAME OTHER: how many of OTHER ended while the last NAME was waited for
passed() {
	awk -v name="$1" -v other="$2" '$1 == name { asked = $2; ended = $3 }
		$1 == other { end[n++] = $3 }
		END { for (i = 0; i < n; i++) seen += end[i] > asked && end[i] < ended; print seen + 0 }' \
		"$WORK/ended"
}

# passed_all NAME OTHER: how many of OTHER ended before the last NAME
passed_all() { awk -v n="$1" -v o="$2" '$1 == o { c++ } $1 == n { seen = c } END { print seen + 0 }' "$WORK/ended"; }

# longest NAME: the longest time that one of these took, in ms
longest() { awk -v name="$1" '$1 == name && $3 - $2 > most { most = $3 - $2 } END { print most / 1000 }' "$WORK/ended"; }

# Overlapping reads: after [100, 200) the head is at 200, and what begins at 110 is behind
# it, 90 away, though it comes next by its first sector. 300 is nearer: back counts twice.
device 10
issue "x=r56+4 sleep=2 d=r0+4 a=r100+100 b=r110+10 c=r300+4"
is "a request that begins within the last one is behind the head" "x a c b d" "$(order)"
# The same where nothing lies further back: it is not taken for the nearest ahead either.
issue "x=r56+4 sleep=2 a=r100+100 b=r110+10 c=r300+4"
is "also where it is the only one behind" "x a c b" "$(order)"

# What has been chosen goes first, whoever comes: so little may be chosen in advance.
large="i=r1024+512 i=r2048+512 i=r3072+512 i=r4096+512 i=r5120+512 i=r6144+512 i=r7168+512 i=r8192+512"
issue "prio=3.7 x=r0+4 sleep=2 $large" "prio=1.4 until=15 u=r65536+4"
compare "large requests of class idle let a real-time one pass" "$(passed u i)" -le 2
issue "prio=2.7 x=r0+4 sleep=2 $large" "prio=1.4 until=15 u=r65536+4"
compare "and so do those of best effort" "$(passed u i)" -le 2
nullb_remove "$DISK"

# Strict, from the moment on: the two that the device has, and the one that has been handed
# out, may end together, all others one after the other.
device 10 2
issue "x=b2+4 sleep=2 b=b16+4" "until=5 put=$QUEUE/iosched/strict_guarantees:1"
together=$(awk '$3 - last < 5000 && $3 > 25000 { n++ } { last = $3 } END { print n + 0 }' "$WORK/ended")
is "strict_guarantees sends one at a time from the moment it is turned on" 0 "$together"
nullb_remove "$DISK"

# Real time before everybody else, also before a group in the middle of a long turn. Of
# small requests eight are chosen at once.
device 2
echo 16384 >"$QUEUE/iosched/max_budget"
echo 10000 >"$QUEUE/iosched/timeout_sync"
cg deep 100
issue "cg=$CG/deep b=b64+4" "prio=1.4 until=10 u=r65536+4"
compare "real time of the root passes the group that is served" "$(passed u b)" -le 9
issue "b=b64+4" "prio=1.4 until=10 u=r65536+4"
compare "as it passes a process of the root" "$(passed u b)" -le 9
nullb_remove "$DISK"

# The device is kept for a process of the group, whose request takes 100 ms. A real-time
# process that comes now and then (it competes all the time) goes there at once.
device 100 4
issue "cg=$CG/deep s=s15+4" "prio=1.4 until=150 u=s1+4 sleep=10 u=s1+4 sleep=10 u=s1+4 sleep=10 u=s1+4"
compare "real time of the root does not wait for a plug of a group" "$(longest u)" -le 101
nullb_remove "$DISK"

# One process that asks for others, each request with the priority of whom it is for (a
# kernel thread that encrypts, say). An idle one must not take the others with it.
device 2
echo 8 >"$QUEUE/iosched/max_budget"
# what goes to the queue that a group's processes share is not raised, as that of o is
echo 0 >"$QUEUE/iosched/low_latency"
issue "o=b100+4" "until=5 t=b8+4 / i=r65536+4@3.7"
compare "a request of class idle leaves those before it in best effort" "$(passed t o)" -le 24
issue "o=b100+4" "until=5 i=r65536+4@3.7 / t=b8+4"
compare "and those behind it" "$(passed t o)" -le 24
compare "and gets the thin share of its class itself, one in 32" "$(awk '{ if ($1 == "i") at = NR } END { print at }' "$WORK/ended")" -ge 31

# Real time that never ends leaves the others little, but none of them nothing.
echo 1024 >"$QUEUE/nr_requests"
issue "prio=1.4 r=b300+4" "prio=2.4 b=b300+4" "prio=3.7 i=b300+4"
best=$(passed_all r b)
idle=$(passed_all r i)
note "of best effort $best, of idle $idle, until 300 of real time have ended"
compare "best effort is not starved by real time" "$best" -gt 0
compare "and is served no less than idle" "$best" -ge "$idle"
