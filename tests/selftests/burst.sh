#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a short burst beside writers whose data is in the drive's cache: soon there, and they lose next to nothing
# where: icount
# build: modelled disks
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper
cg_setup

# An SSD with 64 MiB of cache, which takes 0.18 s to be programmed. While it is full and somebody writes on, each read waits
# for a program, and for a write on the link: then a burst takes 0.4 s and more, under no scheduler as well.
modelled_disk disk0 profile=sata-ssd size_mb=65536 store=0
sched "$BFQ_NAME"
cg quiet 100
# bursts: five of 200 reads, a second apart; sets $took, the ms of that in the middle
bursts() {
	"$HELPER" issue "$DEV" "cg=$CG/quiet b=s200+4 sleep=1000 b=s200+4 sleep=1000 b=s200+4 sleep=1000 b=s200+4
		sleep=1000 b=s200+4" >"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ print ($3 - $2) / 1000 }' "$WORK/ended" | sort -n | sed -n 3p)
}
# short_breaks: 200 times 40 reads
short_breaks() {
	breaks=$(for _ in $(seq 200); do printf 'b=s40+4 sleep=2.5 '; done)
	"$HELPER" issue "$DEV" "cg=$CG/quiet $breaks" >/dev/null || give_up "helper issue"
}
# while_it COMMAND...: sets $rate, the MiB that are written in a second while it runs
while_it() {
	before=$(sectors_written) since=$(now)
	"$@"
	rate=$(calc "($(sectors_written) - $before) / 2048 / ($(now) - $since)")
}

bursts
alone=$took
for nr in 1 2 3 4; do
	cg "w$nr" 100
	reader_on "$DEV" "w$nr" --rw=write --bs=128k --ioengine=libaio --iodepth=16 --offset="$((nr * 8))g" --size=8g
done
sleep 3
while_it sleep 5
undisturbed=$rate
while_it bursts
compare "a burst of $alone ms alone takes 6.3 times as long at most" "$took" -le "$(calc "$alone * 6.3")"
compare "and the writers write at least 93 % of $undisturbed MiB/s" "$rate" -ge "$(calc "$undisturbed * 0.93")"

# Who goes on with short breaks uses up what he has saved.
while_it short_breaks
compare "beside bursts without end they write $rate MiB/s" "$rate" -ge "$(calc "$undisturbed * 0.77")"

# Who reads a block now and then does not lose by that what he has saved.
now_and_then=$(for _ in $(seq 15); do printf 'a=s1+4 sleep=100 '; done)
sleep 1
"$HELPER" issue "$DEV" "cg=$CG/quiet $now_and_then b=s200+4" >"$WORK/ended" || give_up "helper issue"
beside=$(awk '$1 == "b" { print ($3 - $2) / 1000 }' "$WORK/ended")
compare "a burst of who reads a block ten times a second is as soon there" "$beside" -le "$(calc "$alone * 6.3")"
