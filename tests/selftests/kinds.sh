#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what kind of device it is changes under I/O, by what it says and by what is seen of it
# where: debug
. "${0%/*}/ktap.sh"
plan 3
require fio

nullb size=2048 completion_nsec=300000 hw_queue_depth=4
sched "$BFQ_NAME"
cg_setup
cg a 100
cg b 300
says_so() { [ -n "$(moving_parts)" ]; }
says_not() { ! says_so; }
pids=
# what is seen, and what is too large for that, is sorted, claimed and taken along on a disk
for load in a:randread:4k:1 b:randread:4k:2 a:read:128k:1 b:randwrite:64k:4; do
	# shellcheck disable=SC2046 # four words
	set -- $(echo "$load" | tr : ' ')
	reader_on "$DEV" "$1" --rate_iops=$((400 / SLOW)) --ioengine=libaio --rw="$2" --bs="$3" --iodepth="$4"
	pids="$pids $child"
done
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
bad=
seen=0
round=0
while [ $round -lt "$(few 30)" ]; do
	round=$((round + 1))
	echo 1 >"$QUEUE/rotational"
	eventually $((30 * SLOW)) says_so || bad="$bad round $round: not 1"
	sleep 0.$((round % 4))
	# on a busy machine reads take too long for that
	case $(moving_parts) in none,*) seen=$((seen + 1)) ;; esac
	echo 0 >"$QUEUE/rotational"
	eventually $((30 * SLOW)) says_not || bad="$bad round $round: not 0"
	# a new one is a disk until it is seen not to be
	if [ $((round % 2)) -eq 0 ]; then
		echo 1 >"$QUEUE/rotational"
		sched none
		sched "$BFQ_NAME"
		echo $((round / 2 % 2)) >"$QUEUE/iosched/low_latency"
	fi
done
note "$seen times of $round it was seen by then that nothing moves"
is "it is believed each time" "" "$bad"
# shellcheck disable=SC2086 # a list
holds "and all that was asked for is done" killed $((30 * SLOW)) $pids
at_rest "nothing is left of it"
