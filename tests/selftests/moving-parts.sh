#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk with moving parts readers keep their place, and who seeks does not hold them up
# where: icount
# build: modelled disks
#
# The modelled hdd makes about 32 MB/s of one sequential reader, 21 of two that it serves in
# turn, request by request, and 0.4 of random ones.
. "${0%/*}/ktap.sh"
plan 13
require fio addpart
require_helper

tracing=/sys/kernel/tracing
# reader PARTITION FIO-ARGUMENT...: for ever, one request at a time
reader() {
	part=$1
	shift
	background fio --name=load --filename="${DEV}p$part" --thread --eta=never --gtod_reduce=1 --output=/dev/null \
		--randrepeat=0 --norandommap --time_based --runtime=3600 --direct=1 --ioengine=psync "$@"
	readers="$readers $child"
}
along() { reader "$1" --rw=read --bs=64k; }
seeking() { reader "$1" --rw=randread --bs=4k; }
readers=
at_work_on() { [ "$(sectors_read "$1")" -gt 1000 ]; }
# rates SECONDS: $first and $second, in MB/s, of the partitions
rates() {
	read_each "$1" 1 2 >"$WORK/rates"
	read -r first second <"$WORK/rates"
}
# stop: nobody reads
stop() {
	# shellcheck disable=SC2086 # a list
	killed 20 $readers 2>/dev/null
	readers=
	sleep 0.1
}
# seeking_shown: the flags of the processes that are shown, the smaller first
flags() {
	sed -n '/kind=sync/s/.* seeking=\([01]\).*/\1/p' "/sys/kernel/debug/block/$DISK/sched/queues" |
		sort | tr '\n' ' '
}

divided_disk 2 disk0 profile=hdd
along 1
eventually 60 at_work_on 1 || give_up "fio does not start"
sleep 0.5
rates 2
alone=$first
stop
note "one reader alone makes $alone MB/s"

along 1
along 2
eventually 60 at_work_on 2 || give_up "fio does not start"
sleep 1
rates 6
compare "two readers have most of what one has ($first + $second of $alone MB/s)" \
	"$(calc "$first + $second")" -ge "$(calc "0.85 * $alone")"
compare "each the same, within 15 % ($first, $second MB/s)" \
	"$(calc "($first > $second ? $first / $second : $second / $first)")" -le 1.15
is "both are known to read along" "0 0 " "$(flags)"

# What the disk is told to do, in the block layer's own words. One CPU: the events are in order.
echo 1 >$tracing/events/block/block_rq_issue/enable
defer "echo 0 >$tracing/events/block/block_rq_issue/enable; echo >$tracing/trace"
echo >$tracing/trace
sleep 2
echo 0 >$tracing/events/block/block_rq_issue/enable
awk '/block_rq_issue:/ { for (i = 1; i <= NF; i++) if ($i == "+") at = $(i - 1); print at < 4194304 ? 1 : 2 }' \
	$tracing/trace >"$WORK/order"
total=$(wc -l <"$WORK/order")
turns=$(uniq "$WORK/order" | wc -l)
note "$total requests in $turns turns"
# 125 ms of 32 MB/s are 61 requests; a turn that was taken away early would be one or two.
compare "the disk gets many requests of one before those of the other" "$(calc "$total / $turns")" -ge 30
compare "and those of the other before long" "$(calc "$total / $turns")" -le 90
stop

# A reader beside one that seeks: by weight both have the same sectors, which a seeking process
# can't ask for in time, so it may have its turns, but must not have the disk.
along 1
seeking 2
eventually 60 at_work_on 1 || give_up "fio does not start"
sleep 1
rates 2
compare "beside one that seeks a reader keeps the larger part of the disk ($first MB/s)" "$first" -ge "$(calc "0.5 * $alone")"
compare "which is served all the same ($second MB/s)" "$second" -ge 0.02
is "one is known to seek, the other not" "0 1 " "$(flags)"
stop

# A process that reads along, and stays away: the disk is not kept for it for long. Each of the
# other's hundred reads is a seek of up to 18 ms; 8 ms more for each would be seen.
eight() { i=0; while [ $i -lt 60 ]; do i=$((i + 1)); echo "h=r$((i * 64))+64 wait"; done; }
background "$HELPER" issue "${DEV}p1" "$(eight) sleep=3000" "until=400 l=s100+4" >"$WORK/ended"
finished 60 "$child" || give_up "reads are not served within 60 s beside one who stays away"
alone=$(awk '$1 == "l" { print ($3 - $2) / 1000 }' "$WORK/ended")
compare "who stays away does not keep the disk ($alone ms for 100 reads)" "$alone" -le 1000
background "$HELPER" issue "${DEV}p1" "$(eight) $(eight) sleep=60 $(eight)" "until=20 l=s100+4" >"$WORK/ended"
finished 60 "$child" || give_up "reads are not served within 60 s beside one who reads along"
longest=$(awk '$1 == "h" { if (last && $3 - last > most) most = $3 - last; last = $3 } END { print most / 1000 }' "$WORK/ended")
compare "and who reads along has it back soon after a pause of 60 ms ($longest ms)" "$longest" -le 150

# Four that read one file in stripes get what one gets, though one has begun earlier.
stripe() { reader 1 --rw=read:192k --bs=64k --offset=$(($1 * 64))k; }
stripe 0
eventually 60 at_work_on 1 || give_up "fio does not start"
sleep 0.3
for i in 1 2 3; do stripe $i; done
sleep 5
rates 2
one=$(awk '$1 == "taken" { print $3 }' "/sys/kernel/debug/block/$DISK/sched/state")
stop
note "$one requests were taken along"
along 1
sleep 1
together=$first
rates 2
stop
compare "four that read in stripes have what one has who reads it all ($together of $first MB/s)" "$together" -ge "$(calc "0.9 * $first")"
compare "by taking along what lies on the way ($one requests)" "$one" -gt 100

# Those that seek are not kept apart: a disk that may choose among several requests
# makes more of eight of them than of one.
divided_disk 2 disk1 profile=hdd reorder=1
seeking 1
eventually 60 at_work_on 1 || give_up "fio does not start"
rates 2
one=$first
stop
for _ in 1 2 3 4 5 6 7 8; do seeking 1; done
sleep 1
rates 2
stop
compare "eight that seek make more of the disk than one ($first, $one MB/s)" "$first" -ge "$(calc "1.3 * $one")"
