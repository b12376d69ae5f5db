#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on flash others are held back for who begins something, and lose nothing by who reads a little without end
# where: icount
# build: modelled disks
#
# Two greedy readers and one that reads 4 KiB every 10 ms, all in one group, on the modelled SSD. For as long as
# his credit would last, three seconds, the third goes first: he may be a program that starts. Then it is enough for
# him to be served next. When he has rested, he begins anew.
. "${0%/*}/ktap.sh"
plan 7
require fio

modelled_disk ssd0 profile=sata-ssd size_mb=512
sched "${SCHED:-$BFQ_NAME}"
greedy() {
	background fio_load --direct=1 --rw=randread --bs=64k --ioengine=libaio --iodepth=16 --size=256m "$@"
}
# seldom OPTION...: fio's figures, of what follows --ramp_time, are in $WORK/seldom
seldom() {
	exec fio --name=seldom --filename="$DEV" --thread --eta=never --allow_mounted_write=1 --rw=randread --bs=4k \
		--ioengine=psync --direct=1 --norandommap --randrepeat=0 --thinktime=10ms --time_based \
		--output-format=terse --terse-version=3 --output="$WORK/seldom" "$@"
}
# What a read of his takes once he has gone on for some time.
mean_us() {
	(seldom --ramp_time=5 --runtime=3)
	awk -F';' '{ printf "%d", $40 }' "$WORK/seldom"
}
# rate SECONDS: sets $mb_s
rate() {
	before=$(sectors_read)
	sleep "$1"
	mb_s=$(calc "($(sectors_read) - $before) * 512 / 1e6 / $1")
}
# What others make of the device at the best.
of_alone() { calc "$mb_s / $alone"; }

greedy --offset=256m
first=$child
greedy
second=$child
eventually 20 at_work "$DISK" || give_up "no greedy readers"
sleep 8			# their credit is used up
rate 1
alone=$mb_s
compare "two greedy readers make of the device (MB/s)" "$alone" -ge 450

background seldom --runtime=3600
sleep 0.5
rate 1
compare "who begins something goes first: of that others have" "$(of_alone)" -le 0.9
sleep 4
rate 2
compare "but not without end" "$(of_alone)" -ge 0.97
kill -STOP "$child"
sleep 6
kill -CONT "$child"
rate 1
compare "after a rest he begins anew" "$(of_alone)" -le 0.9
killed 20 "$child"

raised=$(mean_us)
note "his reads take $raised us"
compare "what his reads take is known (us)" "$raised" -ge 50
sched none
compare "and he is served next all the time, as not under none (us)" "$(mean_us)" -ge $((5 * raised))

# Nor does he wait for room: beside writers that takes as long as they need to be programmed.
killed 20 "$first"
killed 20 "$second"
for i in 0 7 14 21; do		# the disk keeps 32 MiB
	background fio_load --direct=1 --rw=write --bs=64k --ioengine=libaio --iodepth=16 --offset=${i}m --size=7m
done
sleep 3
beside_none=$(mean_us)
sched "${SCHED:-$BFQ_NAME}"
sleep 3
beside=$(mean_us)
compare "beside writers he waits no longer than under none ($beside of $beside_none us)" \
	"$(calc "$beside / $beside_none")" -le 1.3
