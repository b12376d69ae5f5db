#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: two who read a file in turns, out of step, come into step again and read as fast as one
# where: icount
# build: modelled disks
#
# Each reads every other 64 KiB. One is some stripes ahead, as it is after it has had a turn for itself: served in turns
# like that the head goes back and forth between them, and each read takes a turn of the platter.
. "${0%/*}/ktap.sh"
plan 2
require fio

# stripe OFFSET_KIB
stripe() { reader_on "$DEV" user --offset="$1k" --size=2g --rw=read:64k --bs=64k --ioengine=psync; }

cg_setup
cg user 100
modelled_disk disk0 profile=hdd size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
slowest=100 seen=""
for ahead in 1 3 9 15 21 25 31 51; do
	stripe 0
	one=$child
	stripe $((64 * ahead))
	other=$child
	sleep 1
	mb=$(read_mb_s 2 "")
	killed 60 "$one" 2>/dev/null
	killed 60 "$other" 2>/dev/null
	seen="$seen $mb"
	slowest=$(calc "$mb < $slowest ? $mb : $slowest")
done
note "MB/s, the other 1, 3, 9, 15, 21, 25, 31 and 51 stripes ahead:$seen"
compare "two read as fast as one, who makes 32.8 MB/s" "$slowest" -ge 29
at_rest "nothing is left"
