#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the idle timer fires while its device or its queue goes (shape 5)
# where: guest
#
# Synchronous readers in two groups, so that the device is plugged for each of
# them all the time, with waits short enough to end just then.
. "${0%/*}/ktap.sh"
if [ -n "$DEBUG" ]; then rounds=3; else rounds=6; fi
plan 2
require fio
require_helper
cg_setup
no_autoload
cg a 100
cg b 500

bad=
i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1))
	nullb hw_queue_depth=2 completion_nsec=$((i * 300000 * SLOW))
	sched "$BFQ_NAME"
	echo $((i * 150)) >"$QUEUE/iosched/slice_idle_us"
	pids=
	for g in a b; do
		in_cg_bg $g fio --name=load --filename="$DEV" --eta=never --thread --output=/dev/null \
			--direct=1 --rw=randread --bs=4k --ioengine=psync --numjobs=2 --thinktime=200 \
			--time_based --runtime=3600 --randrepeat=0 2>/dev/null
		pids="$pids $child"
	done
	busy() { [ "$(awk '{ print $1 }' "/sys/block/$DISK/stat")" -gt 40 ]; }
	eventually 60 busy || bad="$bad round $i does not start"
	if [ $((i % 2)) -eq 0 ]; then
		"$HELPER" switch 10 "$QUEUE/scheduler" none "$BFQ_NAME" >/dev/null || bad="$bad switch"
	fi
	echo 0 >"$CONFIGFS/nullb/$DISK/power"
	# shellcheck disable=SC2086 # a list
	killed 30 $pids || bad="$bad hang in round $i"
done
# Once set the timer runs on, whatever becomes of the plug: this one has seconds left when its device's
# scheduler goes, and its readers have gone just before.
nullb hw_queue_depth=2 completion_nsec=$((300000 * SLOW))
for _ in 1 2 3; do		# on a busy machine they may be over by then
	echo 1 >"$QUEUE/rotational"
	sched "$BFQ_NAME"
	echo 5000 >"$QUEUE/iosched/timeout_sync"	# no plug takes longer
	echo 5000000 >"$QUEUE/iosched/slice_idle_us"
	pids=
	for offset in 0 64m; do
		background fio --name=load --filename="$DEV" --eta=never --thread --output=/dev/null --direct=1 \
			--rw=read --bs=64k --ioengine=psync --offset=$offset --size=64m --time_based --runtime=3600
		pids="$pids $child"
	done
	eventually 60 busy || bad="$bad readers do not start"
	# shellcheck disable=SC2086 # a list
	killed 30 $pids || bad="$bad hang"
	echo none >"$QUEUE/scheduler"
	sleep 1.5
done
nullb_remove "$DISK"
is "$rounds devices go while they are plugged" "" "$bad"
for n in $(seq 1 $rounds); do nullb_remove "nb$n"; done
holds "and let go of the module" eventually 30 unused
