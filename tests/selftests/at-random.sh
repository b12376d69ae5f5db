#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who pauses for less than a ms, or at random times, has what it is due, and leaves a deep reader nearly all of an SSD
# where: icount
# build: modelled disks
. "${0%/*}/ktap.sh"
plan 8
require fio addpart
require_helper

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg light 100
cg deep 100

# light RATE ARGS...: begins a reader of RATE 4 KiB blocks a second; sets $light
light() {
	rate=$1
	shift
	reader_in light 1 --rw=randread --bs=4k --ioengine=psync --runtime=7 --rate_iops="$rate" "$@"
	light=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
}

# deep ARGS...: begins a deep one; sets $deep
deep() {
	reader_in deep 3 --rw=randread --bs=128k --ioengine=libaio --runtime=6 "$@"
	deep=$child
	eventually 60 part_at_work 3 || give_up "fio does not start"
}

# both LEAST WHAT: has each what it is to have? The one LEAST percent of $rate
both() {
	sleep 1
	read_each 3 1 3 >"$WORK/rates"
	read -r part others <"$WORK/rates"
	part=$(calc "100 * $part * 1e6 / 4096 / $rate")
	note "$part % of $rate reads a second, and the deep one $others"
	compare "$2 (%)" "$part" -ge "$1"
	compare "and the deep reader nearly all of the drive (MB/s)" "$others" -ge 440
	all_end "$deep" "$light"
}

# It begins while nothing makes a timer seem coarse, so it sleeps between its reads and does not spin.
light 1500
sleep 1
deep --iodepth=16
both 95 "1500 reads a second, with sleeps shorter than a ms: all of that"

# Several of its reads are late at a time, so now and then it is behind; then the device is plugged for it while it
# pauses, and is not to rest. Sixteen that are back bring sixteen others, and till then nothing new comes.
for seed in 1 2; do
	deep --iodepth=32 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 --iodepth_low=16
	light 800 --rate_process=poisson --randseed=$seed
	both 95 "800 reads a second at random times, seed $seed: all of that"
done

in_cg_bg light "$HELPER" compute 2 900 9 "${DEV}p1"
light=$child
eventually 60 part_at_work 1 || give_up "the helper does not start"
a=$(sectors_read 1)
sleep 1
rate=$((($(sectors_read 1) - a) / 8))
deep --iodepth=16
both 45 "who computes for 0.9 ms after every two reads: half of what it makes alone"
