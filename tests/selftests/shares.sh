#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: groups get their weights' share of a device, however they submit
# where: icount
#
# Bounds: 2 % for the largest relative error of any group's share, and four fifths of
# what the device can do for all together, since nothing is easier to share than a device
# that idles. Only in virtual time: elsewhere the host decides when fio runs, and on a busy
# one a process that comes back later than slice_idle has not asked for its share.
#
# SHARES=one: only the first, for make check-fast.
. "${0%/*}/ktap.sh"
if [ "${SHARES-}" = one ]; then plan 2; else plan 18; fi
require fio addpart

latency_us=170
tunables=
bound=2
least=0.8
# A window's ends cut into a turn on either side, and that has to be little of what the
# lightest group gets. With the default, a turn is up to 128 requests. A second of a busy
# virtual machine costs ten of this one, so the other cases have short turns and windows.
seconds=2
depth=4
cg_setup

random="--direct=1 --rw=randread --bs=4k"
io_uring="$random --ioengine=io_uring --iodepth=16"
libaio="$random --ioengine=libaio --iodepth=16"
psync="$random --ioengine=psync"

cg light 100
cg heavy 300
shares "100 : 300, libaio" "$libaio" light:25 heavy:75
[ "${SHARES-}" != one ] || exit 0
short="max_budget=64"	# sectors: turns of 8 requests
latency_us=500 seconds=1 tunables=$short
shares "100 : 300, io_uring" "$io_uring" light:25 heavy:75
seconds=2 tunables="$short exact_shares=1"
shares "100 : 300, one synchronous reader each" "$psync" light:25 heavy:75
tunables=$short
shares "100 : 300, but both at full speed where that costs nobody its guarantee" "$psync" light:50 heavy:50
latency_us=2000 seconds=8 tunables=
shares "100 : 300, io_uring, a slower device" "$io_uring" light:25 heavy:75
latency_us=20000 tunables="timeout_sync=10 exact_shares=1"
shares "100 : 300, one request at a time, which takes longer than timeout_sync" "$psync" light:25 heavy:75
latency_us=500 seconds=1 tunables=$short

echo 100 >"$CG/heavy/io.${BFQ_NAME}.weight"
# Equals are not kept apart: who runs empty loses what it is owed, which is seen in a second.
seconds=4
shares "equal weights" "$libaio" light:50 heavy:50
echo 1000 >"$CG/heavy/io.${BFQ_NAME}.weight"
seconds=2
shares "100 : 1000" "$libaio" light:9.0909 heavy:90.9091

cg outer 200
cg_inner outer
cg outer/one 100
cg outer/three 300
echo 200 >"$CG/heavy/io.${BFQ_NAME}.weight"
shares "nested: 200 of which 1 : 3, and 200" "$libaio" outer/one:12.5 outer/three:37.5 heavy:50
