#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: requests that a SCSI disk sends back or aborts are not lost
# where: guest
. "${0%/*}/ktap.sh"
plan 5
require fio

# opts: every_nth command is answered "host busy" (0x8000: requeued by the
# block layer) or aborted (0x10000: retried by SCSI).
scsi_disk dev_size_mb=32 ndelay=200000 max_queue=8
sched "$BFQ_NAME"
debug=/sys/bus/pseudo/drivers/scsi_debug

under() {
	desc=$1
	echo "$2" >$debug/opts || give_up "scsi_debug has no opts $2"
	echo "$3" >$debug/every_nth || give_up "scsi_debug has no every_nth"
	holds "$desc" timeout $((60 * SLOW)) fio --filename="$DEV" --thread --eta=never --direct=1 \
		--verify=crc32c --verify_fatal=1 --size=$((1024 / SLOW))k --bs=4k \
		--name=deep --ioengine=libaio --iodepth=16 --rw=randrw \
		--name=sync --ioengine=psync --rw=randwrite --offset=4m --size=64k
	echo 0 >$debug/every_nth
	echo 0 >$debug/opts
}

under "without faults" 0 0
under "requeued every 7th time" 0x8000 7
under "aborted every 50th time" 0x10000 50
read -r r w <"/sys/block/$DISK/inflight"
is "nothing is left in flight" 0 $((r + w))
sched none
holds "the disk can be left" [ "$(sched_now)" = none ]
