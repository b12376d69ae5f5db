#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who reads little at a time need not wait for what writers have piled up in a device that is full
# where: icount
# build: modelled disks
#
# A drive that programs 44 MB/s, and has for each read to finish 740 us of that first: a reader of 4k at
# random makes 23 MB/s alone, and 5 beside writers without a scheduler. Each of its reads would wait
# for 1 MiB of theirs, for 24 ms, if the limit were for it, too.
. "${0%/*}/ktap.sh"
plan 4
require fio addpart

modelled_disk disk0 profile=sata-ssd size_mb=4096 store=0 channels=2 read_us=150 write_us=740 \
	write_unit_kb=16 cache_kb=8192 queue_depth=64
parts 4 2097152
sched "${SCHED:-$BFQ_NAME}"
cg_setup
# of a small weight, or the device would be kept for it until it has its guarantee
cg small 30
for group in one two three; do cg $group 100; done

writes() { [ "$(sectors_written "$1")" -gt 4096 ]; }
# rate: of the reader in KB/s, over two seconds
rate() {
	a=$(sectors_read 1)
	sleep 2
	small=$(calc "($(sectors_read 1) - $a) * 512 / 2e3")
}

reader_in small 1 --rw=randread --bs=4k --ioengine=psync
eventually 60 part_at_work 1 || give_up "fio does not start"
rate
alone=$small
i=1
for group in one two three; do
	i=$((i + 1))
	reader_in $group $i --rw=write --bs=128k --ioengine=libaio --iodepth=32
	eventually 60 writes $i || give_up "fio does not start"
done
sleep 1
before=$(($(sectors_written 2) + $(sectors_written 3) + $(sectors_written 4)))
rate
wrote=$(calc "($(sectors_written 2) + $(sectors_written 3) + $(sectors_written 4) - $before) * 512 / 2e6")
note "alone it reads $alone KB/s, beside writers $small, which write $wrote MB/s"
compare "it has most of what a drive that programs leaves it" "$small" -ge 4000
compare "and the writers what that leaves them" "$wrote" -ge 35
cg indexer 100
reader_in indexer 2 --rw=randread --bs=4k --ioengine=psync --prioclass=3 --thinktime=20000
sleep 1
idle_asks() { grep -q class=idle "/sys/kernel/debug/block/$DISK/sched/queues"; }
eventually 60 idle_asks || give_up "nobody is of class idle"
rate
compare "also while a process of class idle reads now and then elsewhere ($small KB/s)" "$small" -ge 3200
echo 2048 >"$QUEUE/iosched/device_limit"
rate
compare "a limit that the administrator has set is for all ($small KB/s)" "$small" -le 2500
