#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: weights and classes that change under load count at once, for one device or for all
# where: icount
#
# Bounds: 3 % of a share, from 0.2 s after a change on, that is, some 4,700 requests.
. "${0%/*}/ktap.sh"
plan 12
require fio ionice addpart

cg_setup
cg a 100
cg b 100

# new_device: one that two read from
new_device() {
	nullb hw_queue_depth=4 completion_nsec=1000000
	parts 2
	sched "${SCHED:-$BFQ_NAME}"
	# short turns: a window's ends cut into them
	[ -n "${SCHED-}" ] || echo 64 >"$QUEUE/iosched/max_budget"
	# whose share was small goes first for some megabytes, which is not asked about here
	[ -n "${SCHED-}" ] || echo 0 >"$QUEUE/iosched/low_latency"
}
# load DISK: a deep reader of each group, on a partition each; $child is that of b
load() {
	part=0
	for g in a b; do
		part=$((part + 1))
		in_cg_bg $g fio --name=load --filename="/dev/$1p$part" --thread \
			--eta=never --norandommap --randrepeat=0 --gtod_reduce=1 --output=/dev/null \
			--time_based --runtime=3600 --direct=1 --rw=randread --bs=4k --ioengine=libaio \
			--iodepth=16 --prioclass=2
	done
	DISK=$1
	eventually 60 both_read || give_up "fio does not start on $1"
}
both_read() { [ "$(done_by 1)" -gt 50 ] && [ "$(done_by 2)" -gt 50 ]; }

# share DISK [SECONDS]: percent that b has of what both are served meanwhile, in 1 s
share() {
	DISK=$1
	x=-$(done_by 1) y=-$(done_by 2)
	sleep "${2-1}"
	x=$((x + $(done_by 1))) y=$((y + $(done_by 2)))
	calc "100 * $y / ($x + $y)"
}
# near DESC EXPECTED SEEN
near() {
	if calc_true "$3 > $2 * 0.97 && $3 < $2 * 1.03"; then pass "$1 ($3 %)"
	else fail "$1" "$2 %, give or take 3 % of it" "$3 %"; fi
}
weight() { echo "$2" >"$CG/$1/io.$BFQ_NAME.weight" || give_up "cannot weigh $1: $2"; sleep 0.2; }

new_device
disk1=$DISK
new_device
disk2=$DISK dev2=$MAJMIN
load "$disk1"
victim=$child
near "equal at first" 50 "$(share "$disk1")"
weight b 300
near "a weight that is raised under load counts" 75 "$(share "$disk1")"
weight b 900
near "and raised again" 90 "$(share "$disk1")"
weight b 50
near "and lowered" 33.33 "$(share "$disk1")"
weight b 100

# One device's weight is its own.
load "$disk2"
weight b "$dev2 300"
near "a weight for one device counts there" 75 "$(share "$disk2")"
# nothing keeps equals apart, and the CPU is for two devices now: they differ by a percent in a second
near "and not on the other" 50 "$(share "$disk1" 4)"
weight b 25
near "the weight for all counts where there is no other" 20 "$(share "$disk1")"
near "and not where there is" 75 "$(share "$disk2")"
weight b "$dev2 default"
near "when that is taken back, the one for all counts" 20 "$(share "$disk2")"
weight b 100

# Classes decide within a group, so now both are in one; all the process's threads change.
echo "$victim" >"$CG/a/cgroup.procs" || give_up "cannot move the reader"
class() { for t in /proc/"$1"/task/*; do ionice -c "$2" -p "${t##*/}"; done; sleep 0.2; }
class "$victim" 3
seen=$(share "$disk1")
compare "who becomes idle under load gets what its class gets ($seen %)" "$seen" -le 5
class "$victim" 2
near "and its share again when it is not any more" 50 "$(share "$disk1")"
class "$victim" 1
seen=$(share "$disk1")
compare "who becomes real-time gets what its class gets ($seen %)" "$seen" -ge 95
