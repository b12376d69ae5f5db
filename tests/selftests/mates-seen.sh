#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a group's processes have what they are due together also right after they have become more
# where: icount
# build: modelled disks
#
# When readers begin or end it is seen for a moment what two or three of them take beside each other, and soon there are
# eight; who takes that for four times as long gives them half of what they are due. What is seen depends on
# the moment, so it is tried six times, and a deep reader comes at another moment each time.
. "${0%/*}/ktap.sh"
plan 2
require fio addpart

divided_disk 2 disk0 profile=sata-ssd
cg_setup
cg heavy 900
cg other 100

# met AFTER: sets $part, what eight that are due nine parts of ten have beside others, in percent of what they make without
met() {
	reader_in heavy 1 --rw=randread --bs=4k --numjobs=8 --runtime=4
	readers=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep "$1"
	alone=$(read_mb_s 0.7 1)
	reader_in other 2 --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime=1600ms
	deep=$child
	sleep 0.5
	read_each 0.7 1 2 >"$WORK/rates"
	read -r part others <"$WORK/rates"
	part=$(calc "100 * $part / $alone")
	note "after $1 s: $part % of $alone MB/s, and the others $others"
	all_end "$deep" "$readers"
}

least=100 given=1000
for after in 0.2 0.33 0.5 0.65 0.8 0.91; do
	met "$after"
	least=$(calc "$part < $least ? $part : $least")
	given=$(calc "$others < $given ? $others : $given")
done
compare "eight, nine of ten parts, met at six moments: the least they have of what they make (%)" "$least" -ge 86
compare "and a deep reader something each time (MB/s)" "$given" -ge 20
