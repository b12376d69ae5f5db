#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who is behind its guarantee gets it, and others are served beside it as far as it can do with them
# where: icount
# build: modelled disks
#
# The modelled SSD makes about 210 MB/s of one reader of 64 KiB at a time, and more of
# several: without weights each of six has some 75.
. "${0%/*}/ktap.sh"
plan 10
require fio addpart
cg_setup

others=5
modelled_disk ssd0 profile=sata-ssd size_mb=256
parts $((others + 2))
sched "${SCHED:-$BFQ_NAME}"
cg heavy 1000
i=0
while [ $i -lt $others ]; do
	i=$((i + 1))
	cg light$i 100
done

# reader GROUP PARTITION [OPTION]...: one request at a time
reader() {
	where=$1 part=$2
	shift 2
	reader_in "$where" "$part" --ioengine=psync --rw=randread --bs=64k "$@"
}
light_readers() {
	i=0
	while [ $i -lt $others ]; do
		i=$((i + 1))
		reader light$i $((i + 1))
	done
}
# rates SECONDS: $heavy and $all, in MB/s
rates() {
	read_each "$1" 1 all >"$WORK/rates"
	read -r heavy all <"$WORK/rates"
}

at_work_on() { [ "$(sectors_read "$1")" -gt 2000 ]; }
reader heavy 1
eventually 20 at_work_on 1 || give_up "no reader"
rates 1
alone=$heavy
compare "one reader alone makes of it (MB/s)" "$alone" -ge 180
share=$(calc "1000 / (1000 + $others * 100)")

light_readers
echo 0 >"$QUEUE/iosched/slice_idle"
eventually 20 at_work_on $((others + 1)) || give_up "no other readers"
rates 1
free=$all
compare "without plugging the heavy group is below its guarantee of $(calc "$share * $alone") MB/s" "$heavy" -le "$(calc "0.8 * $share * $alone")"

echo 8 >"$QUEUE/iosched/slice_idle"
sleep 1
rates 4
compare "with it, it is not (MB/s)" "$heavy" -ge "$(calc "0.98 * $share * $alone")"
compare "nor far above (MB/s)" "$heavy" -le "$(calc "1.25 * $share * $alone")"
compare "and the device has more to do than that one's requests (MB/s)" "$all" -ge "$(calc "0.7 * $free")"
along=$(sed -n 's/^taken along: //p' "/sys/kernel/debug/block/$DISK/sched/state")
compare "others have been served while it was plugged (requests)" "$along" -ge 1000

# So it is beside somebody of class idle, in whatever group.
reader light1 2 --prioclass=3 --thinktime=5ms
idle=$child
sleep 1
rates 2
compare "beside one of class idle, too, it has its guarantee (MB/s)" "$heavy" -ge "$(calc "0.98 * $share * $alone")"
compare "and the others go on, but for when that one is next (MB/s)" "$all" -ge "$(calc "0.5 * $free")"
kill "$idle"
reader heavy $((others + 2)) --prioclass=3 --ioengine=libaio --iodepth=8
sleep 1
thin=$(sectors_read $((others + 2)))
rates 2
thin=$(calc "($(sectors_read $((others + 2))) - $thin) * 512 / 1e6 / 2")
note "heavy $heavy, its idle one $thin, all $all MB/s"
compare "nor does one in its own group take any of it (MB/s)" "$heavy" -ge "$(calc "0.95 * $share * $alone")"
compare "which has a thin share (MB/s)" "$thin" -le "$(calc "0.1 * $heavy")"
