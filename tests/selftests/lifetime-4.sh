#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: writes charged to a group that is gone (shape 4)
# where: guest
#
# The bug: a bio is charged to a group that went offline. A group's dirty pages
# outlive it: they are written back when nobody is left in it and it has been
# removed, and must go to the nearest ancestor.
. "${0%/*}/ktap.sh"
plan 3
require fio cmp mkfs.ext4

nullb memory_backed=1 hw_queue_depth=2 completion_nsec=$((1000000 * SLOW))
sched "$BFQ_NAME"
cg_setup
cg parent 200
cg_inner parent
mnt=$WORK/mnt
mkdir "$mnt"
mkfs.ext4 -q -F "$DEV" || give_up "mkfs fails"
mount "$DEV" "$mnt" || give_up "no ext4 in this kernel"
defer "umount $mnt"
head -c 512K /dev/urandom >"$WORK/data"
background fio --name=load --filename="$DEV" --thread --eta=never --output=/dev/null --direct=1 \
	--rw=randread --bs=4k --ioengine=libaio --iodepth=8 --time_based --runtime=3600 --randrepeat=0

rounds=$(few 15)
bad=
i=0
while [ $i -lt "$rounds" ]; do
	i=$((i + 1))
	mkdir "$CG/parent/g$i" && echo $((i * 60)) >"$CG/parent/g$i/io.$BFQ_NAME.weight"
	in_cg "parent/g$i" dd if="$WORK/data" of="$mnt/file$i" bs=64k 2>/dev/null || bad="$bad dd $i"
	# Sometimes the pages are on their way when the group goes, sometimes not yet.
	[ $((i % 3)) -ne 0 ] || { sync -f "$mnt" & ktap_children="$ktap_children $!"; }
	eventually 10 rmdir "$CG/parent/g$i" || bad="$bad rmdir $i"
done
is "$rounds groups are removed with pages to write" "" "$bad"
rmdir "$CG/parent" || note "the parent stays"
holds "what they left is written" within $((60 * SLOW)) sync -f "$mnt"
echo 3 >/proc/sys/vm/drop_caches
bad=
for n in $(seq 1 $i); do cmp -s "$WORK/data" "$mnt/file$n" || bad="$bad file$n"; done
is "and can be read back" "" "$bad"
