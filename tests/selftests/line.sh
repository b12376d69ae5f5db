#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where tags are few, the next one is given to whom the scheduler would serve next
# where: icount
# kernels: each
# build: modelled disks
#
# A modelled SD card takes one request at a time, so the block layer has two tags for us, and nearly
# all tasks wait for one.
. "${0%/*}/ktap.sh"
plan 36
require fio
require_helper

# program GROUP: sets $took, the ms for the reads of a list
program() {
	in_cg "$1" "$HELPER" issue "$DEV" "$reads" >"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
}
# readers GROUP NR OFFSET: so many that read all they can, two requests at a time
readers() {
	nr=0
	while [ "$nr" -lt "$2" ]; do
		reader_on "$DEV" "$1" --offset="$(($3 + nr))g" --size=512m --rw=read --bs=128k \
			--ioengine=libaio --iodepth=2
		nr=$((nr + 1))
	done
}
# nr_without_credit: how many readers have none; without_credit N: so many, or more; state_says TEXT
nr_without_credit() { grep -c 'kind=sync.*credit_kib=0 ' "/sys/kernel/debug/block/$DISK/sched/queues"; }
without_credit() { [ "$(nr_without_credit)" -ge "$1" ]; }
state_says() { grep -q "$1" "/sys/kernel/debug/block/$DISK/sched/state"; }
# served: weight of each reader, and sectors that it has been served so far
served() {
	sed -n 's/.*kind=sync.* weight=\([0-9]*\) .* sectors=\([0-9]*\) .*/\1 \2/p' \
		"/sys/kernel/debug/block/$DISK/sched/queues" | sort -n
}
# got GROUP WORD: bytes that it has read (rbytes) or written so far, as the kernel counts them
got() { awk -v d="$(cat "/sys/block/$DISK/dev")" -v w="$2=" '$1 == d { sub(".*" w, ""); sub(" .*", ""); print }' "$CG/$1/io.stat"; }
# all_read GROUP BYTES: its readers have read so much since $before, so all of them read
all_read() { [ $(($(got "$1" rbytes) - before)) -ge "$2" ]; }
# wrote GROUP: has its writer written anything?
wrote() { [ "$(got "$1" wbytes)" -gt 0 ]; }
# begun GROUP [BYTES]: wait until they do
begun() {
	before=$(got "$1" rbytes)
	eventually 60 all_read "$1" "${2:-$((20 << 20))}" || give_up "the readers do not begin"
}

cg_setup
cg heavy 300
cg light 100
cg program 100

modelled_disk disk0 profile=sd-card size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
compare "an SD card has two tags" "$(cat "$QUEUE/nr_requests")" -eq 2
reads="p=s60+8"
program program
idle=$took

readers heavy 5 1
readers light 5 8
holds "who reads without end uses up his credit" eventually 20 without_credit 10
holds "tasks stand in line for them" eventually 10 state_says 'in line for a tag: [1-9]'
a=$(got heavy rbytes) b=$(got light rbytes)
sleep 4
a=$(($(got heavy rbytes) - a)) b=$(($(got light rbytes) - b))
part=$(calc "100.0 * $a / ($a + $b)")
compare "five readers of weight 300 have three quarters ($part %)" "$part" -ge 72
compare "and five of weight 100 the other ($part %)" "$part" -le 78
killall -9 fio

# A higher class waits for the request in the device, and no other.
readers program 5 1
begun program
in_cg program ionice -c 1 "$HELPER" issue "$DEV" "$reads" >"$WORK/ended" || give_up "helper issue"
took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
compare "one of class real time takes little longer than alone ($took, $idle ms)" "$took" -le "$(calc "2.5 * $idle")"
killall -9 fio

# And nobody waits for ever, not beside more of class real time than there are tags: who has waited
# for longest gets one a second, also if it had more than another that has gone.
for nr in 1 2 3; do
	reader_on "$DEV" program --offset=${nr}g --size=512m --rw=randread --bs=4k --ioengine=psync --prioclass=1
done
sleep 1
reader_on "$DEV" light --offset=8g --size=512m --rw=randread --bs=4k --ioengine=psync --number_ios=3
reader_on "$DEV" light --offset=9g --size=512m --rw=randread --bs=4k --ioengine=psync
sleep 8
a=$(got light rbytes)
sleep 4
a=$((($(got light rbytes) - a) / 4096))
compare "one of best effort goes on beside three of class real time ($a reads)" "$a" -ge 3
killall -9 fio

# Without credit, too, who asks for little waits for few requests of those who ask for much: the one
# in the device, the one that has the other tag, and now and then another.  (As the device counts them: on
# 6.1 two of a reader's are merged while they wait for a kernel worker.)
waits_for_few() {
	a=$(requests "$DISK")
	program "$1"
	a=$(calc "($(requests "$DISK") - $a - 300) / 300")
	compare "who asks for little waits for few of many that ask for much, $2 ($a for each)" "$a" -le 3
}
echo 0 >"$QUEUE/iosched/low_latency"
readers program 10 1
begun program
reads="p=s300+8"
waits_for_few program "in one group"
waits_for_few light "in a group of its own"
reads="p=s60+8"
killall -9 fio

# By ionice, whatever they ask for: 10, 30, 60 and 80 parts.
for what in "0 32k" "2 256k" "5 64k" "7 512k"; do
	reader_on "$DEV" heavy --offset="$((10 + ${what% *}))g" --size=512m --rw=randread --bs="${what#* }" \
		--ioengine=libaio --iodepth=2 --prioclass=2 --prio="${what% *}"
done
sleep 2
served >"$WORK/before"
sleep 8
part=$(served | paste "$WORK/before" - | awk '{ one = ($4 - $2) / $1; most = one > most ? one : most
	least = least == "" || one < least ? one : least } END { printf "%.3f", NR == 4 ? most / least : 0 }')
compare "four readers have what their weights say, one $part times the part of another" "$part" -ge 1
compare "and that is nearly the same" "$part" -le 1.05
echo 1 >"$QUEUE/iosched/low_latency"
killall -9 fio

# In one group, beside readers and a buffered writer, whose requests take 30 and now and then 130 ms: a
# program waits for few of them, and those who read go on meanwhile.
readers program 10 1
in_cg program fio --name=w --filename="$DEV" --offset=20g --size=1g --rw=write --bs=64k --ioengine=psync \
	--time_based --runtime=600 >/dev/null 2>&1 &
sleep 3
# while the card erases nobody is served, and all of them stand in line
holds "who stands in line uses up his credit, too, while the card erases" eventually 16 without_credit 10
times=
for _ in 1 2 3 4 5; do
	sleep 1
	program program
	times="$times $took"
done
# shellcheck disable=SC2086	# the middle one: a request of 130 ms comes to each by chance
took=$(printf '%s\n' $times | sort -n | sed -n 3p)
compare "a program beside readers and a writer waits for few of their requests ($took, $idle ms)" \
	"$took" -le "$(calc "4 * $idle")"
reader_on "$DEV" program --offset=30g --size=1g --rw=randread --bs=4k --ioengine=psync --thinktime=3ms
sleep 1
a=$(got program wbytes)
sleep 5
a=$(calc "($(got program wbytes) - $a) / 5e6")
compare "the writer goes on beside a small reader that goes first ($a MB/s)" "$a" -ge 0.2
eventually 60 without_credit 11 || give_up "the small reader has credit"
a=$(got program wbytes) b=$(got program rbytes)
sleep 5
a=$(calc "($(got program wbytes) - $a) / 5e6") b=$(calc "($(got program rbytes) - $b) / 5e6")
compare "the writer goes on beside a small reader without end ($a MB/s)" "$a" -ge 0.2
compare "and so do those who read ($b MB/s)" "$b" -ge 10
killall -9 fio

# On a USB stick, in the same moment as those who read all they can: nobody is known to want little yet.
modelled_disk disk1 profile=usb-stick size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
reads="p=s500+8"
program program
alone=$took
reads="p=s99+8 p=s99+8"
program program
idle=$took
holds "credit lasts for longer where a read takes long" state_says 'credit lasts: [2-4][0-9]\{4\} ms'
readers program 10 1
program program
compare "a program that begins with ten readers is served before them ($took, $idle ms)" "$took" -le "$(calc "4 * $idle")"
sleep 1
is "they have credit yet" 0 "$(nr_without_credit)"
reads="p=s500+8"
program program
compare "and a later program, with more of it, is hardly held up by them ($took, $alone ms)" "$took" -le "$(calc "1.3 * $alone")"

# A stick takes ten seconds for what an SSD reads in one.
holds "there, too, who reads without end uses up his credit" eventually 60 without_credit 10
reads="p=s2000+32"
program program
compare "a program that reads for five seconds goes first until it has started ($took ms)" "$took" -le 8000
killall -9 fio

# Who writes a lot at a time has no more of a card because others read a little at a time.
modelled_disk disk2 profile=sd-card size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
echo 0 >"$QUEUE/iosched/low_latency"
for nr in 1 2 3 4 5 6; do
	reader_on "$DEV" program --offset=${nr}g --size=512m --rw=randread --bs=4k --ioengine=psync
done
begun program $((2 << 20))
alone=$(got program rbytes)
sleep 4
alone=$(($(got program rbytes) - alone))
in_cg program fio --name=w --filename="$DEV" --offset=20g --size=1g --rw=write --bs=64k --ioengine=psync \
	--time_based --runtime=600 >/dev/null 2>&1 &
eventually 60 wrote program || give_up "the writer does not begin"
a=$(got program rbytes) b=$(got program wbytes)
sleep 8
a=$((($(got program rbytes) - a) / 2)) b=$(calc "($(got program wbytes) - $b) / 8e6")
part=$(calc "100 * $a / $alone")
compare "small readers beside a writer have most of the card ($part %)" "$part" -ge 60
compare "and the writer goes on ($b MB/s)" "$b" -ge 0.1
killall -9 fio

# The request that the device is plugged for finds a tag, or each turn of who reads a little at a time would
# end with the first: 75 parts of 100 for that one, beside three that read deep.
# beside_deep HOW [SECONDS]: sets $a and $b, the bytes a second of both; begins to count later
beside_deep() {
	reader_on "$DEV" heavy --offset=5g --size=1g --rw="$1" --bs=4k --ioengine=psync
	for nr in 1 2 3; do
		reader_on "$DEV" light --offset="$((5 + 5 * nr))g" --size=1g --rw=read --bs=64k \
			--ioengine=libaio --iodepth=16
	done
	begun light
	sleep "${2:-0}"
	a=$(got heavy rbytes) b=$(got light rbytes)
	sleep 8
	a=$((($(got heavy rbytes) - a) / 8)) b=$((($(got light rbytes) - b) / 8))
	killall -9 fio
}
modelled_disk disk3 profile=hdd queue_depth=1 size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
compare "a disk in a USB case has two tags" "$(cat "$QUEUE/nr_requests")" -eq 2
beside_deep randread
compare "one who goes first is not kept from a tag by a plug ($((a / 4096)) reads/s)" "$((a / 4096))" -ge 75
reads="p=s60+8"
program program
idle=$took
readers light 10 1
begun light
sleep 2
program program
compare "nor is a group that is due more than that in service ($took, $idle ms)" "$took" -le "$(calc "2.5 * $idle")"
killall -9 fio
echo 0 >"$QUEUE/iosched/low_latency"
beside_deep read
part=$(calc "100.0 * $a / ($a + $b)")
compare "one request of 4 KiB after the other has its part beside deep readers on a disk ($part %)" "$part" -ge 72

# On flash by the device's time, and where exact_shares asks for that by what is read.
modelled_disk disk4 profile=usb-stick size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
echo 0 >"$QUEUE/iosched/low_latency"
reader_on "$DEV" heavy --offset=5g --size=1g --rw=read --bs=4k --ioengine=psync
begun heavy $((1 << 20))
alone=$(got heavy rbytes)
sleep 2
alone=$((($(got heavy rbytes) - alone) / 2))
killall -9 fio
beside_deep read
part=$(calc "100.0 * $a / $alone")
compare "on a stick it is as fast as three quarters of the time let it be ($part %)" "$part" -ge 70
compare "and no faster ($part %)" "$part" -le 85
# Three fifths beside a third group, which reads 128 KiB at a time and often has the other tag.
reader_on "$DEV" program --offset=25g --size=1g --rw=read --bs=128k --ioengine=psync
beside_deep read 6
part=$(calc "100.0 * $a / $alone")
compare "beside a third group it has three fifths of the time ($part %)" "$part" -ge 56
compare "and no more ($part %)" "$part" -le 70

# Many sticks say that they have moving parts, and then the device is plugged for who reads along it. One that
# goes first and thinks is not kept from a tag by that, nor are they by the tag that is kept for it. (36 KiB at a
# time, or its reads would show that there are none.)
echo 1 >"$QUEUE/rotational"
for nr in 1 2; do
	reader_on "$DEV" light --offset="${nr}0g" --size=1g --rw=read --bs=128k --ioengine=psync
done
begun light
sleep 2
a=$(got light rbytes)
(
	echo 0 >"$CG/light/cgroup.procs"
	fio_to "$WORK/first" --name=first --direct=1 --rw=randread --bs=36k --offset=30g --size=1g --ioengine=psync \
		--thinktime=20ms --prioclass=1 --time_based --runtime=8
) || give_up "fio"
a=$(calc "($(got light rbytes) - $a) / 8e6")
took=$(calc "$(terse "$WORK/first" first read mean_us) / 1000")
compare "beside one of class real time that thinks, two readers have the stick ($a MB/s)" "$a" -ge 16
compare "and its reads wait for one of theirs ($took ms)" "$took" -le 4.5
compare "which it does make ($(terse "$WORK/first" first read iops) a second)" "$(terse "$WORK/first" first read iops)" -ge 20
killall -9 fio
modelled_disk disk5 profile=sd-card size_mb=32768
sched "${SCHED:-$BFQ_NAME}"
echo 0 >"$QUEUE/iosched/low_latency"
echo 1 >"$QUEUE/iosched/exact_shares"
beside_deep read
part=$(calc "100.0 * $a / ($a + $b)")
compare "with exact_shares on a card it has its part, too ($part %)" "$part" -ge 72
