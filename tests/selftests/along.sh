#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: processes that read one file together are served side by side, while some of them go, come and move
# where: guest
#
# What is taken along belongs to another queue than that in service: each may end, be killed, or go to another
# group in between.
. "${0%/*}/ktap.sh"
plan 4
require fio

nullb completion_nsec=300000 hw_queue_depth=32
echo 1 >"$QUEUE/rotational"
sched "$BFQ_NAME"
cg_setup
cg a 100
cg b 300
state=/sys/kernel/debug/block/$DISK/sched/state
taken() { sed -n 's/^taken along: //p' "$state"; }
more() { [ "$(taken)" -gt $(($1 + 50)) ]; }
# stripe NUMBER: one of four, for ever
stripe() {
	background fio --name=load --filename="$DEV" --thread --eta=never --gtod_reduce=1 --output=/dev/null \
		--time_based --runtime=3600 --direct=1 --ioengine=psync --rw=read:192k --bs=64k \
		--offset=$(($1 * 64))k
	eval "pid$1=$child"
}

for i in 0 1 2 3; do stripe $i; done
holds "what lies on the way is taken along" eventually $((30 * SLOW)) more 0
round=0
while [ $round -lt "$(few 12)" ]; do
	one=$((round % 4))
	pid=
	eval "pid=\$pid$one"
	case $((round % 3)) in
	0) killed $((30 * SLOW)) "$pid" && stripe "$one" ;;
	1)
		eval "echo \$pid$one" >"$CG/a/cgroup.procs"
		sleep 0.2
		echo "$pid" >"$CG/b/cgroup.procs"
		;;
	2)
		echo $((round % 2)) >"$QUEUE/iosched/low_latency"
		# the parts no longer move, and do again
		for moving in 0 1 0 1 0 1; do
			echo $moving >"$QUEUE/rotational"
			sleep 0.03
		done
		;;
	esac
	round=$((round + 1))
	sleep 0.3
done
for i in 0 1 2 3; do eval "echo \$pid$i" >"$CG_ROOT/cgroup.procs"; done
was=$(taken)
holds "and again, when all are back in one group" eventually $((30 * SLOW)) more "$was"
for i in 0 1 2 3; do eval "killed $((30 * SLOW)) \$pid$i"; done 2>/dev/null
idle() { grep -q "^requests: 0 waiting, 0 in the driver" "$state"; }
holds "nothing is left of them" eventually $((30 * SLOW)) idle
echo none >"$QUEUE/scheduler"
is "and the scheduler can go" "[none]" "$(grep -o '\[.*\]' "$QUEUE/scheduler")"
