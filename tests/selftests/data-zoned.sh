#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a zoned device: its zones are written in order, and read back
# where: guest
#
# Before 6.10 a scheduler had to keep the order of writes itself to be offered for such a
# device. This one does not, and so is not offered there.
. "${0%/*}/ktap.sh"
require fio blkzone
require_helper

nullb size=64 memory_backed=1 zoned=1 zone_size=4 zone_nr_conv=2 zone_max_open=4 hw_queue_depth=8 poll_queues=0 \
	completion_nsec=$((500000 * SLOW))
wplugs=/sys/kernel/debug/block/$DISK/zone_wplugs
if [ -e "$wplugs" ]; then plan 11; else plan 3; fi
is "the device has zones" "host-managed 16" "$(cat "$QUEUE/zoned") $(cat "$QUEUE/nr_zones")"
if [ ! -e "$wplugs" ]; then
	is "a kernel that leaves the order to schedulers does not let us" EINVAL "$(write_errno "$QUEUE/scheduler" "$BFQ_NAME")"
	is "and has not selected us" no "$([ "$(sched_now)" = "$BFQ_NAME" ] && echo yes || echo no)"
	exit
fi
sched "$BFQ_NAME"
is "it takes the scheduler" "$BFQ_NAME" "$(sched_now)"
# write pointer of the zone at MB $1, in KiB from its begin
pointer() { blkzone report -o $(($1 * 2048)) -c 1 "$DEV" | sed -n 's/.*wptr 0x\([0-9a-f]*\).*/\1/p' | { read -r at; echo $((0x$at / 2)); }; }

is "writes at the write pointer" "OK OK OK" "$(results w8192+64 w8256+4 w8260+4)"
is "move it" 72 "$(pointer 8)"
is "others are refused" "EIO EIO" "$(results w8192+4 w10240+4)"
is "and leave it there" 72 "$(pointer 8)"
is "what was written is read" "OK OK OK" "$(results c8192+64 c8256+4 c8260+4)"
holds "a zone that is reset" blkzone reset -o 16384 -c 1 "$DEV"
is "is written from its begin" "0 OK OK" "$(pointer 8) $(results w8192+4=2 c8192+4=2)"

# Several writers, each deep in a zone of its own, and readers of conventional zones beside them.
holds "deep writers of several zones, verified" within $((120 * SLOW)) fio --thread --eta=never --direct=1 \
	--filename="$DEV" --zonemode=zbd --verify=crc32c --verify_fatal=1 --verify_dump=0 --bs=4k \
	--name=z1 --offset=12m --size=4m --io_size=$((1024 / SLOW))k --rw=write --ioengine=libaio --iodepth=8 \
	--name=z2 --offset=16m --size=4m --io_size=$((1024 / SLOW))k --rw=write --ioengine=io_uring --iodepth=8 \
	--name=z3 --offset=20m --size=8m --io_size=$((512 / SLOW))k --rw=write --ioengine=psync \
	--name=conv --zonemode=none --offset=0 --size=1m --rw=randrw --ioengine=libaio --iodepth=8
at_rest "nothing is left"
