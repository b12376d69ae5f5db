#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: devices that share the driver's tags, and hardware queues that share the scheduler's
# where: guest
. "${0%/*}/ktap.sh"
plan 12
require fio
require_helper

flags() { cat /sys/kernel/debug/block/"$1"/hctx0/flags; }
users() { sed -n 's/^active_queues=//p' "/sys/kernel/debug/block/$1/hctx0/tags"; }
both_use() { [ "$(users "$one")" = 2 ]; }

# Two disks of one host, which takes eight commands at a time for both.
scsi_disk dev_size_mb=16 max_luns=2 per_host_store=1 ndelay=$((5000000 * SLOW)) max_queue=8
two_disks() {
	set -- /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*
	[ $# -eq 2 ] && one=${1##*/} && two=${2##*/} && [ -b "/dev/$one" ] && [ -b "/dev/$two" ]
}
eventually 20 two_disks || give_up "there are not two disks"
case $(flags "$one") in
*TAG_QUEUE_SHARED*|*TAG_SHARED*) pass "two disks share the driver's tags" ;;
*) fail "two disks share the driver's tags" "a flag that says so" "$(flags "$one")" ;;
esac
for d in "$one" "$two"; do disk "$d"; sched "$BFQ_NAME"; done
verify_load shared --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k --size=256k \
	--name=one --filename="/dev/$one" --name=two --filename="/dev/$two" --offset=4m
eventually $((60 * SLOW)) at_work "$one" "$two" || give_up "fio does not start"
holds "both draw from them at once" eventually $((30 * SLOW)) both_use
verify_stop "nothing is lost on either"
disk "$one"
at_rest "nothing is left on one"
disk "$two"
at_rest "nothing is left on the other"

# One is deep; the other's synchronous reads do not wait for ever. (How often they are served is
# decided by who gets the driver's tags, before schedulers.)
disk "$one"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64
load=$child
eventually $((60 * SLOW)) at_work "$one" || give_up "fio does not start"
disk "$two"
holds "a reader of one is served beside a deep one of the other" within $((60 * SLOW)) "$HELPER" issue "$DEV" "s=s50+4"
killed $((20 * SLOW)) "$load" 2>/dev/null
disk "$one"
at_rest "nothing is left"
for d in "$one" "$two"; do disk "$d"; sched none; done
scsi_unload() { modprobe -r scsi_debug; }
eventually 20 scsi_unload || give_up "scsi_debug stays"

# A disk with two hardware queues, which share one map of tags: also the scheduler's is one,
# and a process is due its part of that, not of one for each.
scsi_disk dev_size_mb=16 submit_queues=2 host_max_queue=4 ndelay=$((5000000 * SLOW))
sched "$BFQ_NAME"
is "a disk with two hardware queues" 2 "$(find "/sys/block/$DISK/mq" -mindepth 1 -maxdepth 1 | wc -l)"
case $(flags "$DISK") in
*TAG_HCTX_SHARED*) pass "which share one map of tags" ;;
*) fail "which share one map of tags" TAG_HCTX_SHARED "$(flags "$DISK")" ;;
esac
echo 16 >"$QUEUE/nr_requests"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64 --numjobs=2 --cpus_allowed=0-1 \
	--cpus_allowed_policy=split
load=$child
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
# Of the 16, newer kernels keep one for the driver's own commands.
depth=$(sed -n '/^depth=/{s///p;q;}' "/sys/kernel/debug/block/$DISK/hctx0/sched_tags")
due=$((depth * 3 / 4 / 2))
eventually $((30 * SLOW)) both_may_hold $due || {
	sed 's/^/# /' "/sys/kernel/debug/block/$DISK/sched/queues"
	grep -h busy= /sys/kernel/debug/block/"$DISK"/hctx*/sched_tags | sed 's/^/# /'
}
is "two deep processes share the tags ($depth), of which three quarters are shared out" "$due $due " "$seen"
verify_load beside --filename="$DEV" --direct=1 --ioengine=io_uring --iodepth=8 --rw=randrw --bs=4k --size=128k --offset=4m
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
sleep 1
killed $((20 * SLOW)) "$load" 2>/dev/null
verify_stop "nothing is lost"
at_rest "nothing is left"
