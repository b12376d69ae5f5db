#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a device that says it has moving parts is served as what it is: a disk as a disk, whatever its cache answers, flash as flash
# where: icount
# build: modelled disks
. "${0%/*}/ktap.sh"
plan 13
require fio

is_disk() { case $(moving_parts) in yes,*) ;; *) return 1 ;; esac; }
is_flash() { case $(moving_parts) in none,*) ;; *) return 1 ;; esac; }
points() { moving_parts | sed "s/.*, \([0-9]*\) of .*/\1/"; }
says_it_turns() {
	modelled_disk "$@" size_mb=65536
	echo 1 >"$QUEUE/rotational"
	sched "$BFQ_NAME"
}
# seeking COUNT FIO-ARGUMENT...: so many processes that read at random, 10 GB each
seeking() {
	count=$1
	shift
	for nr in $(seq "$count"); do
		background fio_load --direct=1 --rw=randread --bs=4k --offset="$((nr * 10 - 5))g" --size=10g "$@"
	done
}
# streams COUNT BYTES: one process that reads so many sequences, 1 GB apart, so much of each in turn
streams() {
	awk -v n="$1" -v size="$2" -v dev="$DEV" 'BEGIN {
		print "fio version 2 iolog"; print dev, "add"; print dev, "open"
		for (i = 0; i < 2000; i++)
			for (j = 0; j < n; j++)
				printf "%s read %.0f %d\n", dev, j * 1073741824 + i * size, size
	}' >"$WORK/log"
	background fio --name=load --filename="$DEV" --direct=1 --ioengine=psync --read_iolog="$WORK/log" --output=/dev/null
}
stop() { killall -9 fio; sleep 0.5; }

says_it_turns disk0 profile=hdd segments=64 segment_kb=512
seeking 1 --ioengine=psync
sleep 2
holds "a disk whose reads seek is taken for one ($(moving_parts))" is_disk
stop
for nr in 16 3; do
	streams "$nr" 32768
	sleep 5
	stop
	holds "and one whose cache has what $nr sequences ask for" is_disk
	compare "of which none is taken for a seek for long ($(moving_parts))" "$(points)" -le 4
done
# so many sequences that it is not known any more which of them is near another
streams 48 4096
holds "one that answers everything at once is taken for flash" eventually 20 is_flash
stop
seeking 1 --ioengine=psync
holds "until it seeks again" eventually 2 is_disk
stop

says_it_turns disk1 profile=sata-ssd
seeking 4 --ioengine=psync
holds "an SSD that says it turns is taken for flash" eventually 1 is_flash
was=$(requests "$DISK")
sleep 1.5
said=$(($(requests "$DISK") - was))
echo 0 >"$QUEUE/rotational"
sleep 0.5
was=$(requests "$DISK")
sleep 1.5
believed=$(($(requests "$DISK") - was))
part=$(calc "100.0 * $said / $believed")
compare "and reads as fast as when it says that it doesn't ($part %)" "$part" -ge 97
is "which is believed at once" "" "$(moving_parts)"
stop

says_it_turns disk2 profile=usb-stick
seeking 3 --ioengine=libaio --iodepth=16
holds "a stick is, too, beside readers of many blocks at a time" eventually 3 is_flash
stop
says_it_turns disk3 profile=sata-ssd
for nr in 1 2; do
	background fio_load --direct=1 --rw=write --bs=128k --iodepth=8 --ioengine=libaio --offset="${nr}g" --size=128m
done
sleep 1
seeking 1 --ioengine=psync
holds "an SSD beside writers" eventually 10 is_flash
stop

# 48 at a time, one after the other: each takes 30 ms
says_it_turns disk4 profile=sd-card queue_depth=64
seeking 1 --ioengine=psync
eventually 2 is_flash || give_up "a card is taken for a disk"
seeking 3 --ioengine=libaio --iodepth=16
stays=0
for _ in 1 2 3 4 5 6; do
	sleep 0.5
	! is_flash || stays=$((stays + 1))
done
is "flash that is asked for much at a time stays that, whenever it is looked at" 6 $stays
stop
