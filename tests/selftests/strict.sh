#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: strict_guarantees keeps one request in the device, and it busy
# where: icount
#
# Only on the one processor of virtual time. With two processors 2 were seen once,
# and it is not known why: the kernel counts tag by tag, so a request that ends and
# the next may both be counted, or the module lets two in. To be found out.
. "${0%/*}/ktap.sh"
plan 3
require fio
require_helper

us=$((2000 * SLOW))
nullb hw_queue_depth=16 completion_nsec=$((us * 1000))
sched "$BFQ_NAME"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --numjobs=3
reads() { awk '{ print $1 }' "/sys/block/$DISK/stat"; }
busy() { [ "$(reads)" -gt 100 ]; }
eventually 60 busy || give_up "fio does not start"

compare "several requests are in the device without" \
	"$("$HELPER" peak 1 "/sys/block/$DISK/inflight")" -gt 1
echo 1 >"$QUEUE/iosched/strict_guarantees"
sleep 0.5
a=$(reads)
begin=$(now)
is "at most one is, with strict_guarantees" 1 "$("$HELPER" peak $((2 * SLOW)) "/sys/block/$DISK/inflight")"
rate=$(calc "($(reads) - $a) / ($(now) - $begin)")
# What a device of that latency can do with one request at a time is 1 / us;
# the emulated processor's own time comes on top of each.
compare "the device is not left idle ($rate per second)" "$rate" -ge "$(calc "0.6 * 1000000 / $us")"
