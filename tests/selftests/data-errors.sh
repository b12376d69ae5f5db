#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: requests that fail say so, once each, and nothing else is harmed
# where: guest
. "${0%/*}/ktap.sh"
plan 21
require fio
require_helper

# 4 KiB at 128 KiB are bad.
nullb size=64 memory_backed=1 cache_size=8 hw_queue_depth=4 poll_queues=0 completion_nsec=$((1000000 * SLOW))
sched "$BFQ_NAME"
bad=$CONFIGFS/nullb/$DISK/badblocks
is "data are written before" "OK OK" "$(results w0+256 f)"
echo +256-263 >"$bad" || give_up "null_blk has no bad blocks"
is "a bad block gives EIO to reads, writes and synchronous writes" "EIO EIO EIO" "$(results r128+4 w128+4=2 d128+4=2)"
is "also within a large request" "EIO EIO" "$(results r64+128 w96+64)"
is "its neighbours do not" "OK OK OK OK" "$(results c124+4 c132+4 w132+4=3 c132+4=3)"
is "and are written" "OK OK" "$(results w132+4 c132+4)"

# Many at once, one by one and merged.
echo 2 >"$QUEUE/nomerges"
batch aio 64 4
is "one of 64 reads gets EIO" "63 1 0 0" "$(field ok) $(field EIO) $(field wrong) $(field again)"
echo 0 >"$QUEUE/nomerges"
merged() { awk '{ print $2 }' "/sys/block/$DISK/stat"; }
before=$(merged)
batch aio 64 4
compare "merged, a request fails as a whole, and none gets wrong data" "$(field EIO)" -ge 1
is "each has a result" "64 0 0" "$(($(field ok) + $(field EIO))) $(field wrong) $(field again)"
compare "they were merged" $(($(merged) - before)) -gt 0
at_rest "nothing is left of them"

verify_load beside --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k \
	--size=256k --offset=8m
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
errors=0
for _ in $(seq "$(few 20)"); do
	batch uring 64 4 >/dev/null
	errors=$((errors + $(field EIO)))
done
compare "beside I/O of others, too" "$errors" -ge "$(few 20)"
verify_stop "which loses nothing by it"
echo -256-263 >"$bad"
is "a block that is good again takes data" "OK OK OK" "$(results w128+4 f c0+256)"
at_rest "nothing is left"
sched none
nullb_remove "$DISK"

# A SCSI disk with ten sectors, from number 4660 on, that cannot be read.
scsi_disk dev_size_mb=16 ndelay=$((1000000 * SLOW)) max_queue=4
sched "$BFQ_NAME"
failed=/sys/block/$DISK/device/ioerr_cnt
"$HELPER" ops "$DEV" w0+64 w2304+64 >/dev/null
before=$(($(cat "$failed")))
echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
is "a sector that cannot be read gives ENODATA" "ENODATA ENODATA OK OK" \
	"$(results r2330+4 r2304+64 c2304+16 w2330+4)"
compare "as the disk says" $(($(cat "$failed") - before)) -ge 2
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
is "and is read when the disk can" OK "$(results c2304+64)"
at_rest "nothing is left"

# The disk is taken offline while requests wait in the scheduler: these fail before the driver
# has begun them. There are so many that the disk would have work for half a minute.
"$HELPER" ops "$DEV" w0+1024 >/dev/null
echo 900000000 >/sys/bus/pseudo/drivers/scsi_debug/ndelay
echo 2 >"$QUEUE/nomerges"
background "$HELPER" batch "$DEV" aio 256 4 >"$WORK/batch"
# Four are in the driver; of eight tags.
held() { sed -n '/^busy=/{s///p;q;}' "/sys/kernel/debug/block/$DISK/hctx0/sched_tags"; }
some_wait() { [ "$(held)" -ge 5 ]; }
eventually $((20 * SLOW)) some_wait || give_up "no request waits: $(ktap_left); $(cat "$WORK/batch")"
echo offline >"/sys/block/$DISK/device/state"
finished $((60 * SLOW)) "$child"
note "taken offline: $(cat "$WORK/batch")"
is "each request of a disk that goes offline is done or fails" "256 0 0" \
	"$(($(field ok) + $(field EIO) + $(field ENODEV))) $(field wrong) $(field again)"
compare "some fail before the driver has begun them" $(($(field EIO) + $(field ENODEV))) -ge 1
# at first, since the disk is asked again what it is when it runs
echo 1000000 >/sys/bus/pseudo/drivers/scsi_debug/ndelay
echo running >"/sys/block/$DISK/device/state"
at_rest "nothing is left of them"
sched none
