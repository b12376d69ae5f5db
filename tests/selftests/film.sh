#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that starts goes first beside who reads a little all the time, and so has all of its credit
# where: icount
# build: modelled disks
#
# A "program" reads 2,000 times 4 KiB, one after the other, beside three that read all they can, on a
# modelled SATA SSD; then while a "film" reads 4 KiB every 20 ms as well. What the program is served,
# and the time that takes, make its credit less than the film's within a twentieth of a second.
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

modelled_disk disk0 profile=sata-ssd size_mb=8192 link_mb_s=300
sched "${SCHED:-$BFQ_NAME}"
queues=/sys/kernel/debug/block/$DISK/sched/queues

# issue SCRIPT: by a process of its own; sets $took, the ms of all its requests
issue() {
	"$HELPER" issue "$DEV" "$1" >"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
}
without_credit() { [ "$(grep -c 'kind=sync.*credit_kib=0 ' "$queues")" -eq 3 ]; }

issue "p=s2000+4"
idle=$took
for n in 1 2 3; do
	background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=4 --offset=${n}g --size=1g
	pids="$pids $child"
done
eventually 60 without_credit || give_up "the greedy ones have credit after a while"
issue "p=s2000+4"
note "alone the program takes $idle ms, beside readers $took"
compare "beside readers it is not slowed by much (ms)" "$took" -le "$(calc "1.5 * $idle")"

film=$(i=0; while [ $i -lt 800 ]; do i=$((i + 1)); echo "f=b1+4 wait sleep=20"; done)
background "$HELPER" issue "$DEV" "$film" >/dev/null
watches() { grep -q 'kind=sync.* think_us=[12][0-9][0-9][0-9][0-9] ' "$queues"; }
eventually 20 watches || give_up "nobody thinks for 20 ms"
issue "p=s2000+4"
compare "nor beside a film that begins, as well ($idle ms alone)" "$took" -le "$(calc "1.5 * $idle")"
sleep 5
issue "p=s2000+4"
compare "nor beside one that has gone on for a while ($idle ms alone)" "$took" -le "$(calc "1.5 * $idle")"
killed 60 "$child" 2>/dev/null
# shellcheck disable=SC2086 # a list
killed 60 $pids 2>/dev/null
at_rest "nothing is left"
