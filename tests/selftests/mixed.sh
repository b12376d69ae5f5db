#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who asks for different kinds of requests, one at a time, has its share, and others the rest
# where: icount
# build: modelled disks
#
# What it makes alone is known of each kind of its requests. Were a quick write's time taken for what
# a read should take, the drive would be kept for it until it had more than it can be guaranteed. Were
# it judged by one kind only, others could take as long as they like: as a program reads that starts.
. "${0%/*}/ktap.sh"
plan 10
require fio addpart
require_helper

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg mixed 100
cg deep 100

done_both() { calc "$(sectors_read 1) + $(sectors_written 1)"; }
deep() { reader_in deep 2 --rw=randread --bs="$size" --ioengine=libaio --iodepth=32 --runtime=3; }
size=4k least=85	# of the deep reader's requests, and MB/s
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
	compare "and a deep reader what the drive does meanwhile ($others MB/s)" "$others" -ge "$least"
	all_end "$one"
}
beside "a tenth of its requests are writes" --rw=randrw --rwmixread=90
beside "half are writes" --rw=randrw --rwmixread=50
least=75
beside "nine of ten are writes" --rw=randrw --rwmixread=10
least=85
beside "a tenth are 64 times as large" --rw=randread --bssplit=4k/90:256k/10

# program: reads as one does that starts, a few of a size and then a few of another; sets $took, s
reads=$(i=0; size=4; while [ $i -lt 1200 ]; do
	[ $((i % 10)) != 0 ] || size=$((size < 128 ? 4 * size : 4))
	echo "p=r$((i * 7919 % 1200 * 700))+$size wait"
	i=$((i + 1))
done)
program() {
	began=$(now)
	in_cg mixed "$HELPER" issue "$DEV" "$reads" >/dev/null || give_up "helper fails"
	took=$(calc "$(now) - $began")
}
program
alone=$took
size=128k
deep
sleep 1
a=$(sectors_read 2)
program
others=$(calc "($(sectors_read 2) - $a) * 512 / 1e6 / $took")
note "the program takes $alone s alone, $took s beside"
compare "it takes twice as long as alone at most (s)" "$took" -le "$(calc "2 * $alone")"
compare "and a deep reader has most of its half ($others MB/s)" "$others" -ge 200
