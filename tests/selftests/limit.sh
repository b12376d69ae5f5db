#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: no more is in the device than keeps it busy, and it is kept for who is behind its guarantee
# where: icount
# build: modelled disks
#
# The modelled SATA SSD makes about 510 MB/s of sequential readers, and 23 of one that reads 4k at random.
. "${0%/*}/ktap.sh"
plan 11
require fio addpart

modelled_disk disk0 profile=sata-ssd size_mb=4096
parts 4 2097152
sched "${SCHED:-$BFQ_NAME}"
cg_setup
cg one 100
cg two 100
cg three 100
cg small 100

# rates: of the small reader, and of all together, in MB/s over four seconds, a second from now.
# A queue is let fall behind by 20 ms and helped to be 20 ms ahead: one percent of these four seconds.
rates() {
	sleep 1
	read_each 4 4 all >"$WORK/rates"
	read -r small all <"$WORK/rates"
}

reader_in small 4 --rw=randread --bs=4k --ioengine=psync
small_reader=$child
eventually 60 part_at_work 4 || give_up "fio does not start"
rates
alone=$small
note "alone it reads $alone MB/s"
i=0
for group in one two three; do
	i=$((i + 1))
	reader_in $group $i --rw=read --bs=128k --ioengine=libaio --iodepth=16
	eventually 60 part_at_work $i || give_up "fio does not start"
done
echo off >"$QUEUE/iosched/device_limit"
rates
most=$all
note "without a limit all together make $most MB/s, the small reader $small"
echo auto >"$QUEUE/iosched/device_limit"
rates
compare "with the limit as much is made ($all of $most MB/s)" "$all" -ge "$(calc "0.7 * $most")"
compare "a reader has its quarter of what it makes alone ($small of $alone MB/s)" "$small" -ge "$(calc "0.25 * $alone")"
compare "and not much more than that, which would cost the others ($small)" "$small" -le "$(calc "0.6 * $alone")"
echo 300 >"$CG/small/io.${BFQ_NAME}.weight"
rates
compare "and half of it when it is due half ($small)" "$small" -ge "$(calc "0.5 * $alone")"
compare "while the others have most of the rest ($all)" "$all" -ge "$(calc "0.35 * $most")"

# Limits are heeded, but for the request that reaches them: 1 MiB, as neighbours that wait are
# joined, and its overhead. What is in the device is seen in its state. The small reader ends first:
# while the device is kept for it, what is beside it is bounded by its guarantee as well.
inside() { sed -n 's/^device: \([0-9]*\) KiB in it.*/\1/p' "/sys/kernel/debug/block/$DISK/sched/state"; }
# looks COMMAND: 24 times during half a second
looks() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		"$@"
		sleep 0.017
	done
}
see_largest() {
	seen=$(inside)
	[ "$seen" -le "$most_inside" ] || most_inside=$seen
}
# largest: the most that was in the device meanwhile, in KiB, as most_inside
largest() {
	most_inside=0
	looks see_largest
	note "at most $most_inside KiB were in it"
}
kill -9 "$small_reader"
echo off >"$QUEUE/iosched/device_limit"
sleep 0.5
largest
compare "without a limit much is in the device" "$most_inside" -ge 2100
echo 1024 >"$QUEUE/iosched/device_limit"
sleep 0.5
largest
compare "a limit of 1 MiB is heeded" "$most_inside" -le 2052
echo 256 >"$QUEUE/iosched/device_limit"
sleep 0.5
largest
compare "as is one of 256 KiB" "$most_inside" -le 1284

# Also by those who find nothing waiting: twelve who ask for 4 KiB at a time, with an overhead of as much.
killall -9 fio
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do reader_in one 1 --rw=randread --bs=4k --ioengine=psync; done
echo 16 >"$QUEUE/iosched/device_limit"
sleep 1.5
largest
compare "and one of 16 KiB, by twelve who ask for little" "$most_inside" -le 24

# Who reads alone is not limited; buffered writes alone are, and the state says so.
killall -9 fio
says() { grep -q "^device: .*$1" "/sys/kernel/debug/block/$DISK/sched/state"; }
reader_in one 1 --rw=randread --bs=4k --ioengine=psync
holds "one who reads alone is not limited" eventually 20 says "not limited (nobody competes)"
killall -9 fio
in_cg_bg one fio --name=w --filename="$DEV" --rw=write --bs=64k --size=1g --ioengine=psync --time_based --runtime=600 \
	>/dev/null 2>&1
eventually 60 says "at most" || give_up "nothing is written"
sleep 1
times=0
see_limited() { ! says "at most 16 KiB (set)" || times=$((times + 1)); }
looks see_limited
compare "buffered writes alone are, most of the time ($times of 24)" "$times" -ge 12
killall -9 fio
