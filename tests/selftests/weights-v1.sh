#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: cgroup v1: blkio.bfq.weight and blkio.bfq.weight_device
# where: guest
#
# The controller is taken from cgroup v2 for the time of the test, which the
# kernel allows as soon as no v2 group has it.
. "${0%/*}/ktap.sh"
plan 22
require_helper

grep -q '^blkio' /proc/cgroups 2>/dev/null || skip_all "no cgroup v1 in this kernel"
nullb size=256
sched "$BFQ_NAME"
v1=$WORK/v1
mkdir "$v1"
for c in io memory; do echo "-$c" >$CG_ROOT/cgroup.subtree_control; done
mount_v1() { mount -t cgroup -o blkio blkio "$v1" 2>"$WORK/mount"; }
# A group that was removed counts until its last reference has gone, and not all are ours
# to drop: a built-in loop driver's idle threads (lifetime-6) hold some for two minutes.
begin=$(now)
if ! eventually 130 mount_v1; then
	note "$(cat "$WORK/mount"); v2 has: $(cat $CG_ROOT/cgroup.subtree_control)"
	note "groups of v2: $(cd $CG_ROOT && find . -mindepth 1 -type d | tr '\n' ' ')"
	note "$(tr '\n' ' ' <$CG_ROOT/cgroup.stat)"
	give_up "blkio cannot be mounted as cgroup v1"
fi
note "v2 let go of it after $(calc "$(now) - $begin") s"
defer "rmdir $v1/a; umount $v1"
mkdir "$v1/a"
weight=$v1/a/blkio.$BFQ_NAME.weight
device=$v1/a/blkio.$BFQ_NAME.weight_device
dev=$MAJMIN

is "a new group weighs 100" 100 "$(cat "$weight")"
is "and as much on each device" "" "$(cat "$device")"
tries "$weight" <<END
1	OK: 1	the smallest weight
1000\n	OK: 1000	the largest weight
500	OK: 500	what runc writes
0	refused: 500	0 is refused
1001	refused: 500	1001 is refused
-1	refused: 500	-1 is refused
heavy	refused: 500	text is refused
18446744073709551716	refused: 500	a number beyond 64 bits is refused
@65536:	refused: 500	a number of 64 KiB is refused
END
tries "$device" <<END
$dev 300	OK: $dev 300	a weight for one device
$dev 200\n	OK: $dev 200	another one for it
$dev 1001	refused: $dev 200	1001 for a device is refused
$dev -1	refused: $dev 200	-1 for a device is refused
$dev heavy	refused: $dev 200	text for a device is refused
251:4095 100	refused: $dev 200	a device that does not exist is refused
@65536:$dev 	refused: $dev 200	a device's weight of 64 KiB is refused
$dev 0	OK: 	0 takes it back
$dev 400	OK: $dev 400	a weight again
END
is "the group's weight is still the same" 500 "$(cat "$weight")"
echo $$ >"$v1/a/cgroup.procs"
holds "a task in the group reads" dd if="$DEV" of=/dev/null bs=4k count=8 iflag=direct
echo $$ >"$v1/cgroup.procs"
