#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk with two arms each works while the other does, and who uses one that rests is not made to pay for it
# where: icount
# build: modelled disks
#
# Each arm of the modelled disk makes about 32 MB/s of a sequential reader, 21 of two that it serves in
# turn, request by request, and 0.6 of a random one. Partitions 1 and 2 are the first arm's, 3 and 4 the other's.
. "${0%/*}/ktap.sh"
plan 17
require fio addpart

divided_disk 4 disk0 profile=two-actuator
is "the disk says that it has two arms" 2 "$(find "$QUEUE/independent_access_ranges" -mindepth 1 -type d | wc -l)"
low_latency() { [ ! -f "$QUEUE/iosched/low_latency" ] || echo "$1" >"$QUEUE/iosched/low_latency"; }
cg_setup
cg a 100
cg b 300

# reader PARTITION FIO-ARGUMENT...: for ever
reader() {
	part=$1
	shift
	background fio --name=load --filename="${DEV}p$part" --thread --eta=never --gtod_reduce=1 --output=/dev/null \
		--randrepeat=0 --norandommap --time_based --runtime=3600 --direct=1 --ioengine=psync "$@"
	readers="$readers $child"
	eventually 60 at_work_on "$part" || give_up "fio does not start"
}
readers=
at_work_on() { [ "$(sectors_read "$1")" -gt 100 ]; }
along() { reader "$1" --rw=read --bs=64k; }
deep() { reader "$1" --rw=read --bs=64k --ioengine=libaio --iodepth=8; }
seeking() { reader "$1" --rw=randread --bs=4k; }
# rates SECONDS: $one to $four, in MB/s, of the partitions
rates() {
	read_each "$1" 1 2 3 4 >"$WORK/rates"
	read -r one two three four <"$WORK/rates"
}
stop() {
	# shellcheck disable=SC2086 # a list
	killed 20 $readers 2>/dev/null
	readers=
	sleep 0.1
}

along 1
rates 2
alone=$one
note "one reader alone makes $alone MB/s"
along 3
sleep 0.5
rates 2
compare "two readers, one at each arm, have twice what one has ($one and $three of $alone MB/s)" \
	"$(calc "$one + $three")" -ge "$(calc "1.9 * $alone")"

# The other arm is used beside two who have the first in turn; after 15 s it has 130 MB more than they.
along 2
sleep 15
rates 2
compare "beside two at the first arm, the other works all the time ($three MB/s)" "$three" -ge "$(calc "0.95 * $alone")"
compare "and the two have the first, each in its turn ($one and $two MB/s)" \
	"$(calc "$one + $two")" -ge "$(calc "0.85 * $alone")"
deep 4		# something of it waits at any time
rates 1
compare "whoever has used an arm that rested is not made to pay for it ($three MB/s beside a new one)" \
	"$three" -ge "$(calc "0.2 * $alone")"
sleep 1
rates 2
compare "two at each arm are kept apart in both ($one, $two, $three, $four MB/s)" \
	"$(calc "$one + $two + $three + $four")" -ge "$(calc "1.7 * $alone")"
stop

# Weights hold among those at one arm; who is alone at the other takes nothing from them.
along 1
echo "$child" >"$CG/a/cgroup.procs"
along 2
echo "$child" >"$CG/b/cgroup.procs"
along 3
sleep 2
rates 4
compare "of two at one arm with weights 1 : 3, that of 3 has three times as much ($one and $two MB/s)" \
	"$(calc "($two > 3 * $one ? $two / $one / 3 : 3 * $one / $two)")" -le 1.2
compare "whatever is done at the other arm ($three MB/s)" "$three" -ge "$(calc "0.95 * $alone")"
stop

# Who seeks goes first, having had little, and keeps no arm from working but its own.
low_latency 1
seeking 3
sleep 1
rates 4
lone=$three
stop
along 1
sleep 1
seeking 3
sleep 1
rates 4
compare "beside one who seeks at the other arm a reader keeps its speed ($one MB/s)" "$one" -ge "$(calc "0.95 * $alone")"
compare "and so does who seeks ($three of $lone MB/s)" "$three" -ge "$(calc "0.9 * $lone")"
stop

# Nor does a disk that is kept for him, whatever else waits for his arm.
seeking 1
along 2
along 3
sleep 1
rates 4
compare "while others wait for the arm of one who seeks a reader at the other keeps its speed ($three MB/s)" \
	"$three" -ge "$(calc "0.8 * $alone")"
stop

# Who begins goes before others who seek at his arm, which have used up what they could go first with.
for _ in 1 2 3 4; do seeking 1; done
sleep 12
seeking 2
sleep 0.2
rates 1
compare "who begins to seek at an arm goes before others there ($two of $lone MB/s)" "$two" -ge "$(calc "0.5 * $lone")"
stop
low_latency 0

# Two who read one file in stripes have one request at a time in their arm, and not in the disk.
reader 1 --rw=read:64k --bs=64k
reader 1 --rw=read:64k --bs=64k --offset=64k
deep 3
sleep 2
rates 2
compare "beside a deep process at the other arm two read a file together ($one of $alone MB/s)" \
	"$one" -ge "$(calc "0.7 * $alone")"
stop

# A process reads along an arm, and one request lies behind. It never has a turn of its own.
along 1
along 2
sleep 1
echo 1100 >"$QUEUE/nr_requests"		# else it stands in line for a tag, and does not look what has ended
stream=$(awk 'BEGIN { for (at = 102400; at <= 166400; at += 64) printf " i=r%d+64", at }')
"$HELPER" issue "${DEV}p3" "${stream%% i=r103040*} / l=r1024+4 / i=r103040${stream#* i=r103040} wait" >"$WORK/ended" ||
	give_up "helper issue"
late=$(awk '$1 == "l" { print ($3 - $2) / 1000 }' "$WORK/ended")
all=$(awk '{ if ($3 > end) end = $3 } END { print end / 1000 }' "$WORK/ended")
compare "what an arm passes over is served in time ($late ms, the stream ends after $all)" "$late" -le "$(calc "$all / 3")"
stop

# All that may be in the device is one process's: the other arm gets its requests beyond.
echo 256 >"$QUEUE/iosched/device_limit"	# KiB: one request of 64 with what it counts for beside
deep 1
along 3
sleep 1
rates 2
compare "beside a deep process at the one arm, the other works ($three MB/s)" "$three" -ge "$(calc "0.8 * $alone")"
compare "and the deep one loses little ($one MB/s)" "$one" -ge "$(calc "0.8 * $alone")"
stop
at_rest "nothing is left of it all"
