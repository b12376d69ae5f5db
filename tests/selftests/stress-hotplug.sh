#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: processors come and go under verified I/O
# where: guest
. "${0%/*}/ktap.sh"
plan 2
require fio

cpu=/sys/devices/system/cpu/cpu1/online
[ -w $cpu ] || give_up "a second processor that can be switched off is needed (tests/vm/run --cpus 2)"
defer "echo 1 >$cpu"
# shellcheck disable=SC2086 # a list
nullb $STRESS submit_queues=2
sched "$BFQ_NAME"
for g in 1 2; do
	verify_load "load$g" --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw \
		--bs=4k --size=256k --offset=$((g * 8))m
done
bad=0
n=0
while [ $n -lt 8 ]; do
	n=$((n + 1))
	echo 0 >$cpu || bad=$((bad + 1))
	sleep 0.2
	echo 1 >$cpu || bad=$((bad + 1))
	sleep 0.2
done
is "processor 1 goes and comes back $n times" 0 $bad
verify_stop "nothing is lost"
