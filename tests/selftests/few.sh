#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who asks for a few requests at a time has its share of what it makes alone, and others what it can't use
# where: icount
# build: modelled disks
#
# Two groups of the same weight: one process that reads two blocks at a time, and two greedy ones. By bytes its
# group would be due half of what the drive can do, which it could not use, and the others would wait for it.
. "${0%/*}/ktap.sh"
plan 9
require fio addpart

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg few 100
cg heavy 900
cg greedy 100

# beside WHAT GROUP ARGS...: sets $few, in percent of what it makes alone, and $others, in MB/s
beside() {
	what=$1 group=$2
	shift 2
	reader_in "$group" 1 --rw=randread --bs=4k --ioengine=libaio --runtime=6 "$@"
	one=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep 1
	alone=$(read_mb_s 1 1)
	for part in 2 3; do
		reader_in greedy $part --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime=3
	done
	sleep 1
	read_each 1 1 2 3 >"$WORK/rates"
	read -r few a b <"$WORK/rates"
	few=$(calc "100 * $few / $alone") others=$(calc "$a + $b")
	note "$what: $few % of what it makes alone, and the others $others MB/s"
	all_end "$one"
}
beside "two at a time" few --iodepth=2
compare "two at a time: half of what it makes alone (%)" "$few" -ge 44
compare "and the others most of what the drive does meanwhile (MB/s)" "$others" -ge 180
beside "two at a time, and a pause" few --iodepth=2 --thinktime=2000 --thinktime_blocks=2
compare "two at a time, and a pause: half (%)" "$few" -ge 44
compare "and the others most of what the drive does meanwhile (MB/s)" "$others" -ge 220
beside "three at a time, nine of ten parts" heavy --iodepth=3
compare "three at a time, and nine times the weight: nine tenths (%)" "$few" -ge 80
compare "and the others something (MB/s)" "$others" -ge 20
beside "eight at a time, nine of ten parts" heavy --iodepth=8
compare "eight at a time: nine tenths (%)" "$few" -ge 75
compare "and the others something (MB/s)" "$others" -ge 20

# Four large requests at a time are all that the drive can do: then weights decide, and nothing is lost.
sleep 3
for what in "heavy 1" "greedy 2"; do
	reader_in "${what% *}" "${what#* }" --rw=randread --bs=128k --ioengine=libaio --iodepth=4 --runtime=6
done
sleep 2
read_each 2 1 2 >"$WORK/rates"
read -r a b <"$WORK/rates"
note "$(calc "$a + $b") MB/s, $(calc "$a / $b") times as much for nine times the weight"
compare "of large requests, four at a time, it has its weight's share (times)" "$(calc "$a / $b")" -ge 7.5
