#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: stacked devices, whose bios have no group and no process (shape 6)
# where: guest
#
# dm-linear on null_blk, a loop device on that, an ext4 on the loop device, and
# the scheduler at the bottom and on the loop device.
. "${0%/*}/ktap.sh"
plan 7
require fio dmsetup losetup mkfs.ext4 fsck.ext4

nullb memory_backed=1 discard=1 cache_size=4 hw_queue_depth=8 completion_nsec=$((200000 * SLOW))
sched "$BFQ_NAME"
bottom=$DISK
modprobe dm_mod 2>/dev/null
dm="dmsetup --noudevrules --noudevsync"
defer "$dm remove lt6"
sectors=$(cat "/sys/block/$bottom/size")
$dm create lt6 --table "0 $((sectors / 2)) linear $DEV 0" || give_up "no dm-linear in this kernel"
mapped=/dev/$($dm info -c --noheadings -o blkdevname lt6)
modprobe loop max_loop=2 2>/dev/null
# Its threads keep the groups for which they worked for up to two minutes after the last I/O.
defer "modprobe -r loop"
loop=$(losetup --direct-io=on -f --show "$mapped") || give_up "no loop device"
defer "losetup -d $loop"
disk "$(basename "$loop")"
sched "$BFQ_NAME"
defer "echo none >$QUEUE/scheduler"	# a loop device stays when its file goes

verified() {
	desc=$1
	shift
	holds "$desc" within $((60 * SLOW)) fio --thread --eta=never --verify=crc32c --verify_fatal=1 \
		--bs=4k --size=$((1024 / SLOW))k "$@"
}
verified "dm-linear" --filename="$mapped" --direct=1 --name=dm --ioengine=libaio --iodepth=8 --rw=randrw
verified "dm-linear, buffered" --filename="$mapped" --name=dmb --ioengine=psync --rw=write --end_fsync=1 --offset=4m
verified "loop on dm-linear" --filename="$loop" --direct=1 --name=lo --ioengine=libaio --iodepth=8 \
	--rw=randrw --offset=8m

mnt=$WORK/mnt
mkdir "$mnt"
mkfs.ext4 -q -F "$loop" || give_up "mkfs fails"
mount -o discard "$loop" "$mnt" || give_up "no ext4 on $loop"
defer "umount -l $mnt"
cg_setup
cg a 100
echo 0 >"$CG/a/cgroup.procs"
verified "a file system on it, from a group" --directory="$mnt" --name=file --ioengine=psync \
	--rw=randwrite --fsync=32
echo 0 >$CG_ROOT/cgroup.procs
holds "the group can be removed" eventually 10 rmdir "$CG/a"
unmount "$mnt"
holds "fsck finds it clean" fsck.ext4 -f -n "$loop"
disk "$bottom"
sched none
is "the scheduler below can be left" none "$(sched_now)"
