#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who reads at a pace has it beside two greedy readers, and they have the rest of an SSD
# where: icount
# build: modelled disks
#
# He reads 16 KiB 610 times a second, a third of what he is guaranteed. While others pile up what takes longer than his
# pause he is behind, and the device is plugged for him; it is not to rest while he pauses. All begin together: the limit
# is large then, and has to come down beside him.
. "${0%/*}/ktap.sh"
plan 5
require fio addpart
cg_setup

modelled_disk ssd0 profile=sata-ssd size_mb=768
parts 3
cg paced 100
cg one 100
cg two 100
sched "${SCHED:-$BFQ_NAME}"
greedy() { reader_in "$1" "$2" --rw=randread --bs=64k --ioengine=libaio --iodepth=16; }
# rates SECONDS: $his and $all, in MB/s
rates() {
	read_each "$1" 1 all >"$WORK/rates"
	read -r his all <"$WORK/rates"
}

greedy one 2
greedy two 3
reader_in paced 1 --rw=randread --bs=16k --ioengine=psync --rate=10m
sleep 7			# nobody is new any more
rates 2
both=$all
compare "who reads at a pace has it (MB/s)" "$his" -ge 10
echo 2048 >"$QUEUE/iosched/device_limit"	# KiB, which take longer than his pause
sleep 1
rates 2
filled=$all
compare "also where the device is given too much (MB/s)" "$his" -ge 10
killed 20 "$child"
sleep 3
rates 1
compare "two greedy readers make of the device (MB/s)" "$all" -ge 450
compare "and beside him it is as much in all, but for a tenth ($both of $all MB/s)" "$(calc "$both / $all")" -ge 0.9
compare "and it is where the device is given too much ($filled of $all MB/s)" "$(calc "$filled / $all")" -ge 0.9
