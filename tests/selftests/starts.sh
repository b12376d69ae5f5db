#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that thinks now and then while it starts goes before greedy readers that begin in the same moment
# where: icount
# build: modelled disks
#
# It reads some times 4 KiB, one after the other, and thinks for 10 ms, as one that starts does and a film, too. Six of
# other families read all they can from the same moment on, on a modelled stick, so all have the same credit at first.
# Each time a read of 128 KiB is in the stick, for 9 ms, and cannot be taken back: so with three reads in a row its waits
# are three times as long as alone, with twenty half as long again.
. "${0%/*}/ktap.sh"
plan 4
require_helper

modelled_disk disk0 profile=usb-stick size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
# program TIMES READS: sets $took, the ms of all its reads
program() {
	steps=$(i=0; while [ $i -lt "$1" ]; do i=$((i + 1)); echo "p=s$2+4 sleep=10"; done)
	"$HELPER" issue "$DEV" "$steps" >"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
}
# beside TIMES READS: the same, and greedy ones; sets $idle, too
beside() {
	program "$1" "$2"
	idle=$took
	for _ in 1 2 3 4 5 6; do
		background sh -c "\"$HELPER\" issue \"$DEV\" p=s1000000+128 >/dev/null; true"
	done
	program "$1" "$2"
	killall -9 "${HELPER##*/}"
	finished 20 "$child"
	note "$1 times $2 reads: alone it waits for $idle ms, beside the others for $took"
} 2>/dev/null

beside 60 3
compare "it is not taken for a film that needs not go before them (ms)" "$took" -le "$(calc "3.5 * $idle")"
beside 20 20
compare "nor is each of them as far ahead as on a disk (ms)" "$took" -le "$(calc "2 * $idle")"
echo 0 >"$QUEUE/iosched/low_latency"
beside 20 20
compare "with low_latency off it is slow, so that this shows something (ms)" "$took" -ge "$(calc "3 * $idle")"
at_rest "nothing is left"
