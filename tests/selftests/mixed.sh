#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who asks for different kinds of requests, one at a time, has its share, and others the rest
# where: icount
# build: modelled disks
#
# What it makes alone is known of one kind of its requests. Were a quick write's time taken for what
# a read should take, the drive would be kept for it until it had more than it can be guaranteed.
. "${0%/*}/ktap.sh"
plan 6
require fio addpart

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg mixed 100
cg deep 100

done_both() { calc "$(sectors_read 1) + $(sectors_written 1)"; }
deep() { reader_in deep 2 --rw=randread --bs=4k --ioengine=libaio --iodepth=32 --runtime=3; }
# beside WHAT ARGS...: a second alone, and one beside a deep reader of the same weight
beside() {
	what=$1
	shift
	reader_in mixed 1 --bs=4k --ioengine=psync --runtime=6 "$@"
	one=$child
	sleep 1
	a=$(done_both)
	sleep 1
	alone=$(calc "$(done_both) - $a")
	deep
	sleep 1
	a=$(done_both) b=$(sectors_read 2)
	sleep 1
	mixed=$(calc "100 * ($(done_both) - $a) / $alone")
	others=$(calc "($(sectors_read 2) - $b) * 512 / 1e6")
	compare "$what: it has its half ($mixed %)" "$mixed" -ge 43
	compare "and a deep reader what the drive does meanwhile ($others MB/s)" "$others" -ge 85
	all_end "$one"
}
beside "a tenth of its requests are writes" --rw=randrw --rwmixread=90
beside "half are writes" --rw=randrw --rwmixread=50
beside "a tenth are 64 times as large" --rw=randread --bssplit=4k/90:256k/10
