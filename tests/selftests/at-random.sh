#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who reads at random times has what it asks for, and leaves a deep reader nearly all of an SSD
# where: icount
# build: modelled disks
#
# Several of its reads are late at a time, so now and then it is behind; then the device is plugged for it while it
# sleeps, and is not to rest.
. "${0%/*}/ktap.sh"
plan 6
require fio addpart

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg random 100
cg deep 100

for seed in 1 2 3; do
	reader_in deep 3 --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime=6
	deep=$child
	eventually 60 part_at_work 3 || give_up "fio does not start"
	reader_in random 1 --rw=randread --bs=4k --ioengine=psync --runtime=6 --rate_iops=800 --rate_process=poisson \
		--randseed=$seed
	random=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep 1
	a=$(sectors_read 1) b=$(sectors_read 3)
	sleep 4
	part=$(calc "100 * ($(sectors_read 1) - $a) / 4 / 8 / 800")
	others=$(calc "($(sectors_read 3) - $b) * 512 / 4e6")
	note "$part % of 800 reads a second, and the deep one $others"
	compare "800 reads a second at random times, seed $seed: all of that (%)" "$part" -ge 95
	compare "and the deep reader's (MB/s)" "$others" -ge 460
	for child in $deep $random; do
		eventually 60 gone "$child" || give_up "fio does not end"
	done
done
