#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: switches, groups, depths and processors at once, then unload and load
# where: guest
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

cpu=/sys/devices/system/cpu/cpu1/online
defer "echo 1 >$cpu"
# shellcheck disable=SC2086 # a list
nullb $STRESS submit_queues=2
sched "$BFQ_NAME"
cg_setup
for g in 1 2; do
	cg "start$g" 100
	echo 0 >"$CG/start$g/cgroup.procs"
	verify_load "load$g" --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw \
		--bs=4k --size=256k --offset=$((g * 8))m
	verify_load "buffered$g" --filename="$DEV" --ioengine=psync --rw=randwrite \
		--bs=4k --size=256k --offset=$((32 + g * 8))m --end_fsync=1
done
echo 0 >$CG_ROOT/cgroup.procs

sched mq-deadline	# it may be a module
sched "$BFQ_NAME"
no_autoload
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"

pids=
background "$HELPER" switch "$(few 60)" "$QUEUE/scheduler" "$BFQ_NAME" none "$BFQ_NAME" mq-deadline >"$WORK/1" 2>&1
pids="$pids $child"
background "$HELPER" groups "$(few 100)" "$CG" "io.$BFQ_NAME.weight" start1 start2 >"$WORK/2" 2>&1
pids="$pids $child"
depths() {
	for d in 8 64 256 16 4 32 128; do
		echo $d >"$QUEUE/nr_requests"
		sleep 0.2
	done 2>/dev/null
	return 0
}
background depths
pids="$pids $child"
processors() {
	for i in 1 2 3; do
		echo 0 >$cpu
		sleep 0.3
		echo 1 >$cpu
		sleep 0.3
	done
}
background processors
pids="$pids $child"
bad=
for pid in $pids; do finished $((200 * SLOW)) "$pid" || bad="$bad status $?"; done
[ -z "$bad" ] || cat "$WORK/1" "$WORK/2" | sed 's/^/# /'
is "all of it at once: nothing fails or hangs" "" "$bad"
verify_stop "nothing is lost"

sched none
bad=
ko=$(module_file)
for i in 1 2 3 4 5; do
	{ rmmod "$(module)" && insmod "$ko" && sched "$BFQ_NAME" && sched none; } || bad="$bad round $i"
done
is "the module goes and comes back five times" "" "$bad"
sched "$BFQ_NAME"
is "and works" "$BFQ_NAME" "$(sched_now)"
