#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk with moving parts others are held back for who goes first for half a credit's time, whatever it thinks
# where: icount
# build: modelled disks
#
# One reads a block here and there and thinks for 6 ms each time, for which the others are held back
# as well. That is no rest which would give credit back. Beside it one reads all it can.
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

modelled_disk disk0 profile=hdd size_mb=65536
sched "${SCHED:-$BFQ_NAME}"
background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=2 --size=32g
eventually 60 at_work "$DISK" || give_up "fio does not start"
# rate: what is read of the whole disk in two seconds, in MB/s
rate() { mb_s=$(read_mb_s 2 ""); }
sleep 5			# its credit is used up
rate
alone=$mb_s
compare "one reads all it can (MB/s)" "$alone" -ge 25
reads=$(i=0; while [ $i -lt 2480 ]; do i=$((i + 1)); echo "p=r$((33000000 + i * 7919 % 2480 * 8000))+4 wait sleep=6"; done)
background "$HELPER" issue "$DEV" "$reads" >/dev/null
sleep 3
rate
compare "it is held back for who has just come (MB/s)" "$mb_s" -le "$(calc "0.4 * $alone")"
early=$mb_s
sleep 25
rate
note "alone it reads $alone MB/s, at first $early, after 30 s $mb_s"
compare "but not without end (MB/s)" "$mb_s" -ge "$(calc "2 * $early")"
finished 60 "$child" || give_up "the reads are not served within 60 s"
rate
compare "and not at all when that has gone (MB/s)" "$mb_s" -ge "$(calc "0.9 * $alone")"
