#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who has all of its credit cuts short the turn of one that was raised until it came
# where: icount
# build: modelled disks
#
# Four write in sequence, past the page cache, to a disk with moving parts. While nobody else asks they
# have the most credit, so all are raised, and the disk stays plugged for one after the other. Then one
# reads a block now and then. Each read waits for what the disk programs at the moment, and the mark of
# a turn that is cut short for it is that it waits for no more. Each helper is a family of its own.
. "${0%/*}/ktap.sh"
plan 5
require_helper

modelled_disk disk0 profile=hdd size_mb=65536
sched "${SCHED:-$BFQ_NAME}"
queues=/sys/kernel/debug/block/$DISK/sched/queues

# stream AT: 128 KiB after the other, from AT MiB on
stream() { i=0; while [ $i -lt 700 ]; do echo "w=w$(($1 * 1024 + i * 128))+128 wait"; i=$((i + 1)); done; }
for at in 0 8192 16384 24576; do
	background "$HELPER" issue "$DEV" "$(stream "$at")" >/dev/null
	pids="$pids $child"
done
eventually 60 at_work "$DISK" || give_up "nothing is written"
all_raised() { [ "$(grep -c raised=1 "$queues")" -eq 4 ]; }
holds "the four are raised" eventually 5 all_raised
reads=$(i=0; while [ $i -lt 24 ]; do echo "p=r$((30000000 + i * 5000))+4 wait sleep=60"; i=$((i + 1)); done)
"$HELPER" issue "$DEV" "$reads" >"$WORK/ended" || give_up "helper issue"
note "each of the reads took (ms): $(awk '{ printf "%.0f ", ($3 - $2) / 1000 }' "$WORK/ended")"
holds "and are again when it has ended" eventually 5 all_raised
compare "a read waits for what the disk programs, not for turns (mean of 24, ms)" \
	"$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 / NR }' "$WORK/ended")" -le 27
compare "and few wait for longer than that takes (of 24, over 45 ms)" \
	"$(awk '$3 - $2 > 45000 { n++ } END { print n + 0 }' "$WORK/ended")" -le 3
# shellcheck disable=SC2086 # a list
killed 60 $pids 2>/dev/null
at_rest "nothing is left"
