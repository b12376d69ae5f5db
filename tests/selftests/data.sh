#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what is written is what is read back, however it is written
# where: guest
. "${0%/*}/ktap.sh"
plan 9
require fio

# merges read|write: requests that were merged with another, so far
merges() { awk -v f="$([ "$1" = read ] && echo 2 || echo 6)" '{ print $f }' "/sys/block/$DISK/stat"; }

# verified DESC ARGS...: fio with verification ends well
verified() {
	desc=$1
	shift
	holds "$desc" within $((60 * SLOW)) fio --filename="$DEV" --thread --eta=never \
		--verify=crc32c --verify_fatal=1 --verify_dump=0 "$@"
}

small=$((256 / SLOW))k
mix=$((1024 / SLOW))k
nullb memory_backed=1 cache_size=8 hw_queue_depth=16 completion_nsec=100000
sched "$BFQ_NAME"

verified "direct: random, sequential and mixed at once" --direct=1 --size=$mix \
	--name=rand --ioengine=libaio --iodepth=16 --rw=randwrite --bs=4k \
	--name=seq --ioengine=io_uring --iodepth=8 --rw=write --bs=16k --offset=8m \
	--name=mix --ioengine=libaio --iodepth=8 --rw=randrw --bsrange=512-32k --offset=16m \
	--name=sync --ioengine=psync --rw=randwrite --bs=4k --offset=24m --size=$small
verified "buffered: several writers with fsync" --ioengine=psync --rw=randwrite \
	--bsrange=1k-16k --size=$small --fsync=64 --end_fsync=1 \
	--name=b1 --offset=32m --name=b2 --offset=40m --name=b3 --offset=48m --rw=write
verified "flush and FUA: synchronous writes to a volatile cache" --direct=1 --sync=dsync \
	--ioengine=psync --rw=randwrite --bs=4k --size=$small --fsync=8 --name=fua --offset=56m
verified "vectors and large blocks" --direct=1 --ioengine=pvsync --rw=write --bs=1m --size=8m \
	--name=large --offset=64m

# Neighbours that are submitted together are merged before they are inserted.
before=$(merges write)
verified "sequential writes submitted in batches" --direct=1 --ioengine=libaio --rw=write \
	--bs=4k --size=$mix --iodepth=16 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
	--name=batch --offset=80m
compare "were merged before insertion" $(($(merges write) - before)) -gt 0

# Neighbours that come one by one meet in the queue, on a device so slow that
# the first is still there: that is the scheduler's own merging.
nullb memory_backed=1 hw_queue_depth=1 completion_nsec=3000000
sched "$BFQ_NAME"
echo 64 >"$QUEUE/nr_requests"	# a depth of 1 gives 2, and both are taken at once
before=$(merges write)
verified "sequential writes submitted one by one to a slow device" --direct=1 --ioengine=libaio \
	--rw=write --bs=4k --size=$mix --iodepth=48 --iodepth_batch_submit=1 --name=single
compare "were merged in the scheduler" $(($(merges write) - before)) -gt 0

read -r r w <"/sys/block/$DISK/inflight"
is "nothing is left in flight" 0 $((r + w))
