#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: strict_guarantees keeps one request in the device, and it busy
# where: guest icount
# kernels: each
#
# Counted by the driver's own events, block_rq_issue and block_rq_complete, on the
# "counter" clock, which puts those of all processors into one order. What
# /sys/block/X/inflight says may be one more than there is: null_blk's timer ends a
# request without marking it complete, so it counts until it is freed, and that is
# after the scheduler has been told of its end and another processor has sent the next.
. "${0%/*}/ktap.sh"
plan 4
require fio
tracing=/sys/kernel/tracing
[ -d $tracing/events/block ] || give_up "no events of the block layer at $tracing"

us=$((2000 * SLOW))
nullb hw_queue_depth=16 completion_nsec=$((us * 1000))
sched "$BFQ_NAME"
# Enabling an event makes the kernel patch its own code. QEMU 7.2 does not survive that
# where another processor runs this very code: both go from one breakpoint into the next
# for ever, where __schedule() records commands' names. So no names, and the events are
# on before the disk is used and until it no longer is; what starts and stops is the buffer.
defer "echo 0 >$tracing/events/block/enable; echo 1 >$tracing/options/record-cmd
	echo local >$tracing/trace_clock; echo >$tracing/trace; echo 1 >$tracing/tracing_on"
echo 0 >$tracing/tracing_on
echo 0 >$tracing/options/record-cmd
echo counter >$tracing/trace_clock || give_up "no trace clock that orders all processors"
for e in issue complete; do echo 1 >$tracing/events/block/block_rq_$e/enable; done

background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --numjobs=3
reads() { awk '{ print $1 }' "/sys/block/$DISK/stat"; }
busy() { [ "$(reads)" -gt 100 ]; }
eventually 60 busy || give_up "fio does not start"

# events NUMBER FILE: what the driver is given and gives back, for so many reads. Counted by
# reads and not by the clock: a busy host's guest may get few done in a second.
events() {
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
	until_reads=$(($(reads) + $1))
	done_so_many() { [ "$(reads)" -ge "$until_reads" ]; }
	eventually 60 done_so_many || give_up "60 s were not enough for $1 reads"
	echo 0 >$tracing/tracing_on
	grep "block_rq_[ci]" $tracing/trace >"$2"
}
# most FILE: the largest number of requests in the device at a time. The end of one whose
# beginning was not seen lowers the count, it never raises it.
most() {
	awk '/block_rq_issue:/ { n++ } /block_rq_complete:/ { n-- }
		n < min { min = n } n - min > most { most = n - min } END { print most + 0 }' "$1"
}

events 400 "$WORK/without"
compare "several requests are in the device without" "$(most "$WORK/without")" -gt 1
echo 1 >"$QUEUE/iosched/strict_guarantees"
sleep 0.5
a=$(reads)
begin=$(now)
events 400 "$WORK/with"
rate=$(calc "($(reads) - $a) / ($(now) - $begin)")
compare "many have been counted" "$(grep -c block_rq_issue: "$WORK/with")" -gt 100
is "at most one is, with strict_guarantees" 1 "$(most "$WORK/with")"
# What a device of that latency can do with one request at a time is 1 / us; the
# emulated processor's own time comes on top of each. Only virtual time says how much:
# on the host's clock a busy host would be measured, and there a standstill is all that shows.
if [ -n "$LAB_ICOUNT" ]; then least=0.6; else least=0.005; fi
compare "the device is not left idle ($rate per second)" "$rate" -ge "$(calc "$least * 1000000 / $us")"
