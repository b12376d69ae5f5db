#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the limit of what is in the device comes down to what keeps it busy, and goes up to that
# where: icount
# build: modelled disks
#
# An NVMe drive behind a link of 1,500 MB/s answers 128 KiB in 155 us: 230 KiB keep it busy, and 1 MiB, with
# which the limit begins, is too much. One whose flash takes 2 ms, and is read at random, wants more.
. "${0%/*}/ktap.sh"
plan 4
require fio addpart

# drive NAME PARAMETER...
drive() {
	name=$1
	shift
	modelled_disk "$name" profile=nvme size_mb=4096 store=0 link_mb_s=1500 "$@"
	parts 5 1638400
	sched "${SCHED:-$BFQ_NAME}"
	state=/sys/kernel/debug/block/$DISK/sched/state
}

cg_setup
for group in one two three four little; do cg $group 100; done

mb_s() { read_mb_s 1 1 2 3 4 5; }
limit() { sed -n 's/.* at most \([0-9]*\) KiB (learned)/\1/p' "$state"; }

# four RW DEPTH: read 128 KiB at a time, beside each other
four() {
	i=0
	for group in one two three four; do
		i=$((i + 1))
		reader_in $group $i --rw="$1" --bs=128k --ioengine=libaio --iodepth="$2"
	done
	for i in 1 2 3 4; do eventually 60 part_at_work $i || give_up "fio does not start"; done
}

drive disk0
four read 8
# who begins while the limit is looked for is not to be taken for a gain
reader_in little 5 --rw=randread --bs=4k --ioengine=psync --rate_iops=500
eventually 60 part_at_work 5 || give_up "fio does not start"
sleep 3
kib=$(limit)
rate=$(mb_s)
compare "beside deep readers it comes down to what keeps the device busy ($kib KiB)" "${kib:-9999}" -le 900
compare "which it is ($rate of 1500 MB/s)" "$rate" -ge 1400
killall -9 fio

drive disk1 read_us=2000
echo off >"$QUEUE/iosched/device_limit"
four randread 32
sleep 1
most=$(mb_s)
echo 1024 >"$QUEUE/iosched/device_limit"
sleep 1
begin=$(mb_s)
compare "another wants more than it begins with, so that this shows something ($begin of $most MB/s)" \
	"$begin" -le "$(calc "0.7 * $most")"
echo auto >"$QUEUE/iosched/device_limit"
sleep 3
kib=$(limit)
rate=$(mb_s)
compare "and there it goes up until the device is busy ($kib KiB, $rate MB/s)" "$rate" -ge "$(calc "0.9 * $most")"
