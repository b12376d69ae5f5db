#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who pauses unevenly has its share and leaves others theirs, and who is robbed of a processor has its share, too
# where: icount
# build: modelled disks
. "${0%/*}/ktap.sh"
plan 10
require fio addpart
require_helper

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg pausing 100
cg deep 100

# alone SECONDS ARGS...: begins a reader with ARGS for twice as long and 4 s; sets $alone, what it makes, in MB/s
alone() {
	long=$1
	shift
	reader_in pausing 1 --rw=randread --bs=4k --ioengine=psync --runtime="$((2 * long + 4))" "$@"
	one=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep 1
	alone=$(read_mb_s "$long" 1)
}

# beside SECONDS: a deep one, too; sets $part, in percent of $alone, and $others, in MB/s
beside() {
	reader_in deep 2 --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime="$(($1 + 2))"
	two=$child
	eventually 60 part_at_work 2 || give_up "fio does not start"
	sleep 1
	read_each "$1" 1 2 >"$WORK/rates"
	read -r part others <"$WORK/rates"
	part=$(calc "100 * $part / $alone")
	note "$part % of $alone MB/s, and the deep one $others"
	all_end "$one" "$two"
}

alone 3 --thinktime=5ms --thinktime_blocks=2
beside 3
compare "5 ms after every two reads: half of what it makes alone and more (%)" "$part" -ge 45
compare "and the other nearly all of what the drive can do (MB/s)" "$others" -ge 450

alone 3 --thinktime=300us --thinktime_blocks=2
beside 3
compare "300 us after every two reads: half (%)" "$part" -ge 45
compare "and not much more (%)" "$part" -le 58

alone 3 --thinktime=20ms --thinktime_blocks=50
beside 3
compare "20 ms after fifty reads: half (%)" "$part" -ge 40
compare "and the other most of what the drive can do (MB/s)" "$others" -ge 400

# What it thinks is not seen while it has the drive for itself.
reader_in deep 3 --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime=5
third=$child
eventually 60 part_at_work 3 || give_up "fio does not start"
reader_in pausing 1 --rw=randread --bs=4k --ioengine=psync --runtime=5 --rate_iops=800 --rate_process=poisson
one=$child
eventually 60 part_at_work 1 || give_up "fio does not start"
sleep 1
read_each 3 1 3 >"$WORK/rates"
read -r part others <"$WORK/rates"
part=$(calc "100 * $part * 1e6 / 4096 / 800")
note "$part % of 800 reads a second, and the deep one $others"
compare "at random times, a quarter of what it could make: all of that (%)" "$part" -ge 85
compare "and the other nearly all of what the drive can do (MB/s)" "$others" -ge 430
all_end "$one" "$third"

# It makes 70 % of what it could, since it is kept off the processor; so half of that is 70 % of what it makes.
"$HELPER" rob 300 1000 9 &
robber=$!
sleep 0.5
alone 2
beside 2
compare "kept off the processor for a third of the time: half of what it makes else (%)" "$part" -ge 63
wait "$robber"

# Kept off it for longer than the drive could make up for: the drive does not rest for it.
"$HELPER" rob 2000 3000 15 &
robber=$!
sleep 0.5
alone 4
beside 4
compare "for two thirds: the other most of what it then can do (MB/s)" "$others" -ge 150
wait "$robber"
