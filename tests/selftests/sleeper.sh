#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where tags are few, none lies idle because a writer sleeps for one, or has it and waits
# where: icount
# build: modelled disks
#
# Who writes through the page cache by itself, as dm-crypt's thread does and who calls sync_file_range(), sleeps for a
# tag in the block layer, where it may have one of the two. A reader that stands in line has the other, and the flusher
# has its part. On a card writes of both may have the two tags, and wait for a program that goes first and has none.
. "${0%/*}/ktap.sh"
plan 6
require fio addpart

# small_disk NAME PROFILE: has two tags, and three partitions
small_disk() {
	name=$1
	shift
	modelled_disk "$name" "$@" size_mb=8192 store=0
	parts 3 $((2048 * 2048))
	sched "${SCHED:-$BFQ_NAME}"
	[ "$(cat "$QUEUE/nr_requests")" -eq 2 ] || give_up "it has $(cat "$QUEUE/nr_requests") tags"
}
# writer GROUP N ARGS...: through the page cache, on partition N
writer() {
	group=$1 part=$2
	shift 2
	in_cg_bg "$group" fio --name=load --filename="${DEV}p$part" --eta=never --output=/dev/null --time_based \
		--runtime=3600 --rw=write --bs=4m --size=1g --ioengine=psync "$@"
}
# wrote N SECTORS: more than so many have been written to partition N
wrote() { [ "$(sectors_written "$1")" -gt "$2" ]; }
# beside N: sets $mb, what a reader makes in four seconds beside the writer on partition N
beside() {
	eventually 60 wrote "$1" 2048 || give_up "the writer does not begin"
	reader_in reads 1 --rw=read --bs=128k --ioengine=libaio --iodepth=8
	reader=$child
	sleep 2
	mb=$(read_mb_s 4 1)
	killed 60 "$reader" 2>/dev/null
}

cg_setup
cg reads 100
cg itself 100
cg other 100

small_disk disk0 profile=hdd queue_depth=1
writer other 2
plain=$child
beside 2
usual=$mb
killed 120 "$plain" 2>/dev/null
sync
writer itself 3 --sync_file_range=write:1
beside 3
note "beside a flusher the reader makes $usual MB/s, beside one who writes by itself $mb"
compare "beside who writes by itself a reader makes as much (MB/s)" "$mb" -ge "$(calc "0.8 * $usual")"
writer other 2
sleep 5
a=$(sectors_written 2) b=$(sectors_written 3)
sleep 10
a=$((($(sectors_written 2) - a) / 2048)) b=$((($(sectors_written 3) - b) / 2048))
compare "the flusher goes on beside it ($a and $b MiB in ten seconds)" "$a" -ge "$(calc "0.5 * $b")"
compare "and so does the other" "$b" -ge "$(calc "0.5 * $a")"
killall -9 fio
at_rest "nothing is left"

small_disk disk1 profile=sd-card
writer itself 3 --sync_file_range=write:1
writer other 2
eventually 60 wrote 2 20480 || give_up "the flusher does not begin"
# Twelve readers in turn, which go first as they are new. A write takes a tenth of a second now and then, in which the
# card completes nothing: how many of these in a row?
longest=0 seen=""
for _ in $(seq 12); do
	reader_in reads 1 --rw=read --bs=128k --ioengine=libaio --iodepth=8
	reader=$child before=0 most=0 row=0
	for _ in $(seq 20); do
		now=$(($(sectors_read) + $(sectors_written)))
		[ "$now" -eq "$before" ] && row=$((row + 1)) || row=0
		[ "$row" -le "$most" ] || most=$row
		before=$now
		sleep 0.1
	done
	killed 60 "$reader" 2>/dev/null
	seen="$seen $most"
	[ "$most" -le "$longest" ] || longest=$most
done
note "tenths of a second in a row in which the card completed nothing:$seen"
compare "the card does not rest while a reader waits for a tag (tenths of a second)" "$longest" -le 3
killall -9 fio
at_rest "nothing is left"
