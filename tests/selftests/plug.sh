#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the device is kept for who will come back soon, as long as promised, and for nobody else
# where: icount
# kernels: each
. "${0%/*}/ktap.sh"
plan 20
require_helper
require ionice addpart
cg_setup
cg light 100
cg heavy 300
cg some 150

# Four requests at a time, 1 ms each.
nullb hw_queue_depth=4 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 2048 >"$QUEUE/nr_requests"
echo 2 >"$QUEUE/nomerges"	# each is to be a request of its own
echo 1 >"$QUEUE/iosched/exact_shares"

# issue WHAT SCRIPT...: see issue.c; leaves "NAME ASKED ENDED" in $WORK/ended. All of it takes a
# few seconds at most: who waits for more, waits for a request that is not served.
issue() {
	what=$1
	shift
	background "$HELPER" issue "$DEV" "$@" >"$WORK/ended"
	finished 30 "$child" || give_up "requests are not served within 30 s: $what"
}

# gap: the longest time, in ms, in which no l ended, from the last end of h on. (Till then who asks for
# a thousand at once may be busy with asking, for some ms, and see no end.)
gap() {
	awk '$1 == "h" { last = $3; most = 0; h = 1 }
		$1 == "l" && h { if ($3 - last > most) most = $3 - last; last = $3 }
		END { print most / 1000 }' "$WORK/ended"
}
# rest: the longest time between two ends of l, in ms
rest() { awk '$1 == "l" { if (last && $3 - last > most) most = $3 - last; last = $3 } END { print most / 1000 }' "$WORK/ended"; }
# took NAME: from the first that was asked for to the last end, in ms
took() { awk -v n="$1" '$1 == n { if (!first || $2 < first) first = $2; last = $3 } END { print (last - first) / 1000 }' "$WORK/ended"; }

# A process with three quarters of the device reads and stays away: that one's place is kept.
stays_away() {
	echo "$1" >"$QUEUE/iosched/slice_idle"
	issue "of a deep process while another stays away, slice_idle $1" \
		"cg=$CG/heavy h=s40+4 sleep=500" "cg=$CG/light l=b600+4"
	note "slice_idle $1: the device rests for $(gap) ms when a process stays away"
}
stays_away 8
compare "the device is kept for a process that stays away" "$(gap)" -ge 8
compare "for slice_idle and no longer" "$(gap)" -le 12
stays_away 40
compare "also for a larger one" "$(gap)" -ge 40
compare "and no longer than that" "$(gap)" -le 44
stays_away 0
compare "and not at all when it is 0" "$(gap)" -le 3
# (To end takes a process 20 ms, for its context of libaio has to go first.)
echo 100 >"$QUEUE/iosched/slice_idle"
issue "of a deep process while another ends" "cg=$CG/heavy h=s40+4" "cg=$CG/light l=b600+4"
compare "nor for who has gone for good ($(gap) ms)" "$(gap)" -le 50
echo 8 >"$QUEUE/iosched/slice_idle"

# 1000 requests take 250 ms, and each of the other's costs little if nobody waits for it.
pauses=$(i=0; while [ $i -lt 14 ]; do i=$((i + 1)); echo "h=s1+4 sleep=20"; done)
issue "of a deep process beside one that thinks" "cg=$CG/heavy $pauses" "cg=$CG/light l=b1000+4"
compare "a process that thinks for longer than slice_idle is not waited for ($(took l) ms)" "$(took l)" -le 290
pauses=$(i=0; while [ $i -lt 60 ]; do i=$((i + 1)); echo "i=s1+4"; done)
echo 64 >"$QUEUE/iosched/max_budget"
issue "of a deep process beside one of class idle" "prio=3.7 $pauses" "l=b1000+4"
compare "nor is one of class idle ($(took l) ms)" "$(took l)" -le 268
echo 0 >"$QUEUE/iosched/max_budget"

# Equals need not be kept apart: two at a time, so 200 reads of each take 200 ms and not 400.
issue "of two equal readers" "h=s200+4" "l=s200+4"
compare "nor are equals, one request at a time each" "$(took h)" -le 230
issue "of a deep process while its equal stays away" \
	"h=b16+4 wait h=b16+4 wait h=b16+4 wait h=b16+4 wait sleep=500" "l=b1000+4"
note "the device rests for $(gap) ms when an equal stays away"
[ "$(gap)" != 0 ] || give_up "the other has nothing to do when the equal stays away"
compare "nor for an equal that stays away, which would be for 7 to 9 ms" "$(gap)" -le 5
# Different shares do: when who has three quarters has ended, the other has had a third of that, and
# goes on for 200 ms. Until then the device has both in it, as often as the shares allow.
issue "of two different readers" "cg=$CG/heavy h=s300+4" "cg=$CG/light l=s300+4"
compare "but where weights differ it is kept" "$(took l)" -ge 490
compare "while another's request is in it, too" "$(took h)" -le 330
pauses=$(i=0; while [ $i -lt 24 ]; do i=$((i + 1)); echo "i=s1+4 sleep=15"; done)
issue "of two different readers, and one of class idle in a third group" \
	"cg=$CG/heavy h=s300+4" "cg=$CG/light l=s300+4" "cg=$CG/some prio=3.7 $pauses"
compare "also while one of class idle asks now and then elsewhere ($(took l) ms)" "$(took h)" -le 350
issue "of two readers whose weights differ by half" "cg=$CG/some h=s300+4" "cg=$CG/light l=s300+4"
compare "also where they differ by half" "$(took l)" -ge 390
issue "of readers of two classes" "prio=1.4 h=s300+4" "l=s300+4"
compare "and for a higher class, whatever the weights" "$(took l)" -ge 500

# Without exact_shares nobody is kept apart who has what it is guaranteed without that.
echo 0 >"$QUEUE/iosched/exact_shares"
issue "of two different readers that do not hinder each other" \
	"cg=$CG/heavy h=s300+4" "cg=$CG/light l=s300+4"
compare "but not without exact_shares, if both are as fast as alone" "$(took h)" -le 345

# A process of a higher class reads two blocks, which makes the kernel read ahead, and ends: the device is
# kept for it just then, and what it has asked for last takes 48 ms yet. (The device stays open: else
# it would wait for that.) Of another's requests one ends every 6 ms. None does while the one waits for its
# last block, and then until those are through that are sent when it has gone: twice 48 ms.
nullb_remove "$DISK"
nullb hw_queue_depth=8 completion_nsec=48000000 max_sectors=1024
parts 1
sched "${SCHED:-$BFQ_NAME}"
echo 256 >"$QUEUE/nr_requests"
reads=$(i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo "l=b1+512 / sleep=6"; done)
background "$HELPER" issue "$DEV" "$reads l=b100+512" >"$WORK/ended"
sleep 0.3
exec 9<"${DEV}p1"
ionice -c1 -n4 dd if="${DEV}p1" of=/dev/null bs=4k count=2 2>/dev/null
on_its_way=$(awk '{ print $1 }' "/sys/block/$DISK/${DISK}p1/inflight")
exec 9<&-
finished 30 "$child" || give_up "requests are not served within 30 s beside one that has gone"
is "one that ends has a request on its way" 1 "$on_its_way"
compare "for which the device is not kept (ms)" "$(rest)" -le 115

# A turn that is over by timeout_sync waits for the request in the device: else who has one at a
# time that takes longer would lose what it is owed, each time.
nullb_remove "$DISK"
nullb hw_queue_depth=4 completion_nsec=20000000
sched "${SCHED:-$BFQ_NAME}"
echo 1 >"$QUEUE/iosched/exact_shares"
echo 10 >"$QUEUE/iosched/timeout_sync"
echo 64 >"$QUEUE/iosched/max_budget"
issue "of two readers whose requests take longer than timeout_sync" \
	"cg=$CG/heavy h=s60+16" "cg=$CG/light l=s60+16"
compare "and where a request takes longer than timeout_sync" "$(took l)" -ge 1900

# Who thinks for 2 ms competes all the time. Of a device that takes one request at a time he is due
# three quarters, and wants less; but each turn of the other, 128 requests, would be one too many.
nullb_remove "$DISK"
nullb hw_queue_depth=1 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 2048 >"$QUEUE/nr_requests"
echo 2 >"$QUEUE/nomerges"
echo 1 >"$QUEUE/iosched/exact_shares"
pauses=$(i=0; while [ $i -lt 60 ]; do i=$((i + 1)); echo "h=s1+4 sleep=2"; done)
issue "of a deep process beside one that thinks for 2 ms" "cg=$CG/heavy $pauses" "cg=$CG/light l=b1000+4"
compare "and for who thinks for a while, which is shorter ($(took h) ms)" "$(took h)" -le 700
