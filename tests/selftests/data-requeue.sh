#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: requests that a SCSI disk sends back or aborts are not lost
# where: guest
. "${0%/*}/ktap.sh"
plan 11
require fio

# opts: every_nth command is answered "host busy" (0x8000: requeued by the
# block layer), aborted (0x10000: retried by SCSI), or not at all (4: SCSI gives it
# up after the disk's timeout, and tries again).
record_block rq_requeue
scsi_disk dev_size_mb=32 ndelay=200000 max_queue=8
sched "$BFQ_NAME"
debug=/sys/bus/pseudo/drivers/scsi_debug

under() {
	desc=$1
	echo "$2" >$debug/opts || give_up "scsi_debug has no opts $2"
	echo "$3" >$debug/every_nth || give_up "scsi_debug has no every_nth"
	holds "$desc" within $((60 * SLOW)) fio --filename="$DEV" --thread --eta=never --direct=1 \
		--verify=crc32c --verify_fatal=1 --size=$((1024 / SLOW))k --bs=4k \
		--name=deep --ioengine=libaio --iodepth=16 --rw=randrw \
		--name=sync --ioengine=psync --rw=randwrite --offset=4m --size=64k
	echo 0 >$debug/every_nth
	echo 0 >$debug/opts
	requeued=$(($(recorded rq_requeue) - before))
	note "$requeued were requeued"
}
before=0

under "without faults" 0 0
before=$(recorded rq_requeue)
under "requeued every 7th time" 0x8000 7
compare "they were" "$requeued" -ge 5
# scsi_debug aborts only what it answers from a worker, which on 6.1 may be faster than the abort.
aborts() { dmesg | grep -c "abort request tag"; }
echo -1 >$debug/delay || give_up "scsi_debug does not answer from a worker"
before=$(recorded rq_requeue)
aborted=$(aborts)
under "aborted every 50th time" 0x10000 50
compare "they were" $(($(aborts) - aborted)) -ge 1
echo 200000 >$debug/ndelay
at_rest "nothing is left"

# What takes longer than two seconds is given up: on a busy host also one that is only slow.
echo 2 >"/sys/block/$DISK/device/timeout"
before=$(recorded rq_requeue)
under "forgotten every 101st time" 4 101
compare "they were, and tried again" "$requeued" -ge 1
before=$(($(cat "/sys/block/$DISK/device/iotmo_cnt")))
compare "as SCSI says" "$before" -ge 1
at_rest "nothing is left"
sched none
holds "the disk can be left" [ "$(sched_now)" = none ]
