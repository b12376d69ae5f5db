#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: cgroup v1: blkio.bfq.weight and blkio.bfq.weight_device
# where: guest
. "${0%/*}/ktap.sh"
plan 23
require_helper

grep -q '^blkio' /proc/cgroups 2>/dev/null || skip_all "no cgroup v1 in this kernel"
nullb size=16
other=$MAJMIN
nullb size=256
sched "$BFQ_NAME"
cg1_setup
mkdir "$CG/a"
weight=$CG/a/blkio.$BFQ_NAME.weight
device=$CG/a/blkio.$BFQ_NAME.weight_device
dev=$MAJMIN

is "a new group weighs 100" 100 "$(cat "$weight")"
is "and as much on each device" "" "$(cat "$device")"
tries "$weight" <<END
1	OK: 1	the smallest weight
1000\n	OK: 1000	the largest weight
500	OK: 500	what runc writes
0	ERANGE: 500	0 gets ERANGE
1001	ERANGE: 500	1001 gets ERANGE
-1	EINVAL: 500	-1 gets EINVAL
heavy	EINVAL: 500	text gets EINVAL
18446744073709551716	ERANGE: 500	a number beyond 64 bits gets ERANGE
@65536:	ERANGE: 500	a number of 64 KiB gets ERANGE
END
tries "$device" <<END
$dev 300	OK: $dev 300	a weight for one device
$dev 200\n	OK: $dev 200	another one for it
$dev 1001	ERANGE: $dev 200	1001 for a device gets ERANGE
$dev -1	ERANGE: $dev 200	-1 for a device gets ERANGE
$dev heavy	EINVAL: $dev 200	text for a device gets EINVAL
251:4095 100	ENODEV: $dev 200	a device that does not exist gets ENODEV
$other 100	EOPNOTSUPP: $dev 200	a device with another scheduler gets EOPNOTSUPP
@65536:$dev 	ERANGE: $dev 200	a device's weight of 64 KiB gets ERANGE
$dev 0	OK: 	0 takes it back
$dev 400	OK: $dev 400	a weight again
END
is "the group's weight is still the same" 500 "$(cat "$weight")"
echo $$ >"$CG/a/cgroup.procs"
holds "a task in the group reads" dd if="$DEV" of=/dev/null bs=4k count=8 iflag=direct
echo $$ >"$CG/cgroup.procs"
