#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: groups get their weights' share of a device with two hardware queues, from two processors
# where: icount
# cpus: 2
. "${0%/*}/ktap.sh"
plan 5
require fio addpart

# What ktap.sh's shares() wants to know.
# shellcheck disable=SC2034
latency_us=1000 depth=4 seconds=2 bound=2 tunables="max_budget=64" device="submit_queues=2 poll_queues=0"
libaio="--direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=16"
io_uring="--direct=1 --rw=randread --bs=4k --ioengine=io_uring --iodepth=16"
psync="--direct=1 --rw=randread --bs=4k --ioengine=psync"
cg_setup
cg light 100
cg heavy 300
in_use() { sed -n '/^busy=/{s///p;q;}' "/sys/kernel/debug/block/$DISK/hctx$1/sched_tags"; }
in_use_of() { [ "$(in_use "$1")" -gt 0 ]; }
# Who has no tag just now has one soon.
look() {
	queues=$(find "/sys/block/$DISK/mq" -mindepth 1 -maxdepth 1 -type d | wc -l)
	used=
	for q in 0 1; do eventually 5 in_use_of $q && used="$used$q "; done
	note "requests hold tags of hardware queues $used"
}
shares_look=look
pin=1
shares "100 : 300, each on a processor of its own" "$libaio" light:25 heavy:75
is "there were two hardware queues, and both were used" "2: 0 1 " "$queues: $used"
shares "100 : 300, io_uring" "$io_uring" light:25 heavy:75
seconds=4
tunables="$tunables exact_shares=1"
shares "100 : 300, one synchronous reader each" "$psync" light:25 heavy:75
seconds=2
# shellcheck disable=SC2034
pin=
shares "100 : 300, wherever they run" "$libaio" light:25 heavy:75
