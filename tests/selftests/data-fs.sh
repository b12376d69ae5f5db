#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a file system keeps its files: fsync, discard, umount, fsck, remount
# where: guest
. "${0%/*}/ktap.sh"
plan 7
require fio mkfs.ext4 fsck.ext4 fstrim

nullb memory_backed=1 discard=1 cache_size=8 hw_queue_depth=16 completion_nsec=100000
sched "$BFQ_NAME"
mnt=$WORK/mnt
mkdir "$mnt"
job="--name=files --directory=$mnt --nrfiles=4 --size=$((1024 / SLOW))k --rw=randwrite --bs=4k --ioengine=psync
	--verify=crc32c --verify_fatal=1 --thread --eta=never --randrepeat=1 --verify_state_save=0"

holds "mkfs" mkfs.ext4 -q -F -b 4096 "$DEV"
holds "mount with discard" mount -o discard "$DEV" "$mnt" || give_up "no file system"
defer "umount -l $mnt"
# shellcheck disable=SC2086 # a list of options
holds "many fsyncs, verified" within $((60 * SLOW)) fio $job --fsync=16
mkdir "$mnt/dir"
i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	echo "$i" >"$mnt/dir/file$i"
done
sync -f "$mnt"
rm -r "$mnt/dir"
holds "fstrim" fstrim "$mnt"
unmount "$mnt"
holds "fsck finds it clean" fsck.ext4 -f -n "$DEV"
mount "$DEV" "$mnt"
echo 3 >/proc/sys/vm/drop_caches
# shellcheck disable=SC2086
holds "the files are still there after remounting" within $((60 * SLOW)) fio $job --verify_only
unmount "$mnt"
read -r r w <"/sys/block/$DISK/inflight"
is "nothing is left in flight" 0 $((r + w))
