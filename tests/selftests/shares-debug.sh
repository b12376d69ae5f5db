#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: groups get their weights' share also on the newest kernel
# where: debug
#
# Time is not virtual here, so nothing may depend on how fast the host is: the device is far
# slower than the slowest guest (53 requests a second; one has been seen that made 150), it is kept for a process that is late for up to five
# seconds, and what is counted is reads and not seconds. Turns are short, so that the ends
# of the count cut into little.
. "${0%/*}/ktap.sh"
plan 3
require fio addpart
cg_setup

# What ktap.sh's shares() wants to know.
# shellcheck disable=SC2034
latency_us=150000 depth=8 reads=800 bound=6 tunables="nr_requests=64 max_budget=32 slice_idle=5000 timeout_sync=5000"
libaio="--direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=32"
cg light 100
cg heavy 300
shares "100 : 300" "$libaio" light:25 heavy:75
# shellcheck disable=SC2034
depth=1 latency_us=10000
tunables="$tunables exact_shares=1"
shares "100 : 300, one synchronous reader each" "--direct=1 --rw=randread --bs=4k --ioengine=psync" light:25 heavy:75
# shellcheck disable=SC2034
depth=8 latency_us=150000 device="submit_queues=2 poll_queues=0" pin=1
shares "100 : 300, two hardware queues, each on a processor of its own" "$libaio" light:25 heavy:75
