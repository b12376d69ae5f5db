#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a stream keeps its rate beside groups that have begun to read a little at a time
# where: icount
# build: modelled disks
#
# Four groups read 4k at random, one request after the other, and never get what they are due in
# bytes. While they have credit they go first, and the stream is held back for them; but only for what
# they have saved, since the device could serve all of them together, and for next to nothing of
# their share of the time from then on. With all of that they cost it 13 % for 3.4 s. How
# the four fall in with each other makes a difference of two percent: the mean of two beginnings counts.
. "${0%/*}/ktap.sh"
plan 3
require fio addpart

modelled_disk disk0 profile=sata-ssd size_mb=4096 store=0
parts 5 1638400
sched "${SCHED:-$BFQ_NAME}"
cg_setup
cg stream 300
for group in one two three four; do cg $group 100; done

reader_in stream 1 --rw=read --bs=128k --ioengine=libaio --iodepth=2
eventually 60 part_at_work 1 || give_up "fio does not start"
sleep 1
alone=$(read_mb_s 2 1)

# begin: the four begin to read; what all read in the five seconds from then on is added to $all
begin() {
	read -r began _ </proc/uptime
	before=$(sectors_read)
	i=1
	for group in one two three four; do
		i=$((i + 1))
		reader_in $group $i --rw=randread --bs=4k --ioengine=psync
		readers="$readers $child"
	done
	for i in 2 3 4 5; do eventually 60 part_at_work $i || give_up "fio does not start"; done
	read -r now _ </proc/uptime
	sleep "$(calc "$began + 5 - $now")"
	all="$all $(calc "($(sectors_read) - $before) * 512 / 5e6")"
}
all=
readers=
begin
# shellcheck disable=SC2086 # several
killed 60 $readers
readers=
sleep 1
begin
mean=$(echo "$all" | awk '{ print ($1 + $2) / 2 }')
note "alone the stream reads $alone MB/s, all together at first$all"
compare "all together nearly as much as the stream alone" "$mean" -ge "$(calc "$alone * 0.92")"
few=$(read_mb_s 2 2 3 4 5)
note "the four read $few MB/s"
compare "and the four what they are guaranteed" "$few" -ge 13.3
all=$(read_mb_s 2 1 2 3 4 5)
compare "and all as much, when their credit is used up" "$all" -ge "$(calc "$alone * 0.98")"
