#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: groups get their weights' share of a device, however they submit
# where: icount
#
# Bound: 2 % for the largest relative error of any group's share. Only in virtual
# time: elsewhere the host decides when fio runs, and on a busy one a process
# that comes back later than slice_idle has not asked for its share.
. "${0%/*}/ktap.sh"
plan 8
require fio addpart

latency_us=170
timeout=
bound=2
# A window's ends cut into a service of up to 128 requests on either side, so it
# has to be so long that this is little of what the lightest group gets.
seconds=4
depth=4
cg_setup

random="--direct=1 --rw=randread --bs=4k"
io_uring="$random --ioengine=io_uring --iodepth=16"
libaio="$random --ioengine=libaio --iodepth=16"
psync="$random --ioengine=psync"

# shares DESC FIO_ARGS GROUP:PERCENT...: load each group and measure
shares() {
	desc=$1
	args=$2
	shift 2
	nullb hw_queue_depth=$depth completion_nsec=$((latency_us * 1000))
	parts $#
	sched "${SCHED:-$BFQ_NAME}"
	[ -z "$timeout" ] || echo "$timeout" >"$QUEUE/iosched/timeout_sync"
	pids=
	part=0
	for share; do
		part=$((part + 1))
		# shellcheck disable=SC2086 # options
		in_cg_bg "${share%:*}" fio --name=load --filename="${DEV}p$part" --thread --eta=never \
			--norandommap --randrepeat=0 --gtod_reduce=1 --output=/dev/null \
			--time_based --runtime=3600 $args
		pids="$pids $child"
	done
	while [ $part -gt 0 ]; do
		eventually 60 started || give_up "no I/O from job $part"
		part=$((part - 1))
	done
	sleep 0.3
	count "$@" >"$WORK/before"
	sleep $seconds
	count "$@" >"$WORK/after"
	# shellcheck disable=SC2086 # a list
	killed 20 $pids 2>/dev/null
	nullb_remove "$DISK"
	judge "$desc"
}

started() { [ "$(done_by $part)" -ge 50 ]; }

# One line for each group: name, percent, requests completed so far.
count() {
	n=0
	for share; do
		n=$((n + 1))
		echo "${share%:*} ${share#*:} $(done_by $n)"
	done
}

judge() {
	paste -d' ' "$WORK/before" "$WORK/after" | awk -v bound=$bound -v seconds=$seconds '
		{ name[NR] = $1; want[NR] = $2; got[NR] = $6 - $3; sum += $6 - $3 }
		END {
			for (i = 1; i <= NR; i++) {
				share = sum ? 100 * got[i] / sum : 0
				error = 100 * (share / want[i] - 1)
				if (error < 0) error = -error
				if (error > worst) worst = error
				text = text sprintf("%s %.2f %% of %.2f, ", name[i], share, want[i])
			}
			printf "%s%d I/Os per second, largest error %.2f %%\n",
				text, sum / seconds, worst
			exit sum == 0 || worst > bound
		}' >"$WORK/verdict" || {
		fail "$1" "an error of at most $bound %" "$(cat "$WORK/verdict")"
		return
	}
	pass "$1"
	note "$(cat "$WORK/verdict")"
}

cg light 100
cg heavy 300
shares "100 : 300, io_uring" "$io_uring" light:25 heavy:75
shares "100 : 300, libaio" "$libaio" light:25 heavy:75
seconds=8
shares "100 : 300, one synchronous reader each" "$psync" light:25 heavy:75
latency_us=2000
shares "100 : 300, io_uring, a slower device" "$io_uring" light:25 heavy:75
latency_us=20000 timeout=10
shares "100 : 300, one request at a time, which takes longer than timeout_sync" "$psync" light:25 heavy:75
latency_us=170 seconds=4 timeout=

echo 100 >"$CG/heavy/io.${BFQ_NAME}.weight"
shares "equal weights" "$libaio" light:50 heavy:50
echo 1000 >"$CG/heavy/io.${BFQ_NAME}.weight"
seconds=8
shares "100 : 1000" "$libaio" light:9.0909 heavy:90.9091
seconds=4

cg outer 200
cg_inner outer
cg outer/one 100
cg outer/three 300
echo 200 >"$CG/heavy/io.${BFQ_NAME}.weight"
shares "nested: 200 of which 1 : 3, and 200" "$libaio" outer/one:12.5 outer/three:37.5 heavy:50
