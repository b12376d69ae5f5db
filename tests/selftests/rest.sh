#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a group that has rested is served first when it asks for something, and gets its share
# where: icount
# build: modelled disks
#
# A "program" reads 4 KiB here and there, one after the other, as one that starts, in a group of its
# own beside three groups that read all they can, on a modelled SATA SSD of 300 MB/s and on a disk.
. "${0%/*}/ktap.sh"
plan 8
require fio
require_helper

# program GROUP: sets $took, the ms for the reads of a list
program() {
	in_cg "$1" "$HELPER" issue "$DEV" "$reads" >"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
}
# reader GROUP OFFSET ARGS...: endless reads in a group; sets $child
reader() {
	group=$1 offset=$2
	shift 2
	reader_on "$DEV" "$group" --offset="$offset" --size=1g "$@"
}
# compared WHERE MOST LEAST PAUSE: the program takes no more than MOST times what it takes alone, and more
# than LEAST times after a PAUSE in which low_latency is off
compared() {
	program program
	compare "$1 a program takes little longer than alone ($took, $idle ms)" "$took" -le "$(calc "$2 * $idle")"
	echo 0 >"$latency"
	sleep "$4"
	program program
	compare "$1 it does with low_latency off, so that this shows something ($took ms)" \
		"$took" -gt "$(calc "$3 * $idle")"
}
begin() {
	sched "${SCHED:-$BFQ_NAME}"
	latency=$QUEUE/iosched/low_latency
	queues=/sys/kernel/debug/block/$DISK/sched/queues
}
without_credit() { [ "$(grep -c 'kind=sync.*credit_kib=0 ' "$queues")" -eq "$1" ]; }
# got GROUP: bytes that it has read so far, as the kernel counts them
got() { awk -v d="$(cat "/sys/block/$DISK/dev")" '$1 == d { sub(".*rbytes=", ""); sub(" .*", ""); print }' "$CG/$1/io.stat"; }

cg_setup
for group in one two three program; do cg $group 100; done

modelled_disk disk0 profile=sata-ssd size_mb=8192 link_mb_s=300
begin
reads="p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4"
program program
idle=$took
reader one 1g --rw=read --bs=128k --ioengine=libaio --iodepth=8
first=$child
reader two 2g --rw=read --bs=128k --ioengine=libaio --iodepth=8
reader three 3g --rw=read --bs=128k --ioengine=libaio --iodepth=8
holds "those who read all they can have no credit after a while" eventually 60 without_credit 3
compared "beside them" 1.5 2 0.5
echo 1 >"$latency"

# One rests for a second: it is first for a moment, and has its third of the seconds that follow.
kill -STOP "$first"
sleep 1
kill -CONT "$first"
a=$(got one) b=$(got two) c=$(got three)
sleep 4
a=$(($(got one) - a)) b=$(($(got two) - b)) c=$(($(got three) - c))
part=$(calc "100.0 * $a / ($a + $b + $c)")
compare "who has rested for a second has its third of the next four, and no more ($part %)" "$part" -le 36
compare "nor less" "$part" -ge 32

# Who reads without end: the others are held back for it for its share of the time.
most=$(calc "($a + $b + $c) / 4e6")
reader program 4g --rw=randread --bs=4k --ioengine=psync
b=$(($(got one) + $(got two) + $(got three)))
sleep 2
rate=$(calc "($(got one) + $(got two) + $(got three) - $b) / 2e6")
compare "beside a small reader without end the others have most of the rest ($rate of $most MB/s)" \
	"$rate" -ge "$(calc "0.65 * $most")"
killall -9 fio

# On a disk they seek for it; a turn of another is cut short.
modelled_disk disk1 profile=hdd size_mb=8192
begin
reads="p=s30+8"
program program
idle=$took
reader one 1g --rw=read --bs=128k --ioengine=psync
reader two 2g --rw=read --bs=128k --ioengine=psync
sleep 4
compared "on a disk" 2.5 3.5 4
