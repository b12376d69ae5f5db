#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who has been served little of late goes first, and is not held up by readers or writers
# where: icount
# build: modelled disks
#
# A "program" reads 4 KiB here and there, one after the other, as one that starts, beside three that
# read all they can and one that writes through the page cache, on a modelled SATA SSD of 300 MB/s.
. "${0%/*}/ktap.sh"
plan 14
require fio
require_helper

modelled_disk disk0 profile=sata-ssd size_mb=8192 link_mb_s=300
sched "${SCHED:-$BFQ_NAME}"
latency=$QUEUE/iosched/low_latency
queues=/sys/kernel/debug/block/$DISK/sched/queues

# program: sets $took, the ms for 400 reads
program() {
	"$HELPER" issue "$DEV" "p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4 p=s40+4" \
		>"$WORK/ended" || give_up "helper issue"
	took=$(awk '{ sum += $3 - $2 } END { printf "%.1f", sum / 1000 }' "$WORK/ended")
}
# read_mb, written_mb: what the disk has done so far, in MB
read_mb() { echo $(($(sectors_read) * 512 / 1000000)); }
written_mb() { echo $(($(sectors_written) * 512 / 1000000)); }
# raised: how many queues are; without_credit N: just so many processes have none
raised() { grep -c raised=1 "$queues"; }
without_credit() { [ "$(grep -c 'kind=sync.*credit_kib=0 ' "$queues")" -eq "$1" ]; }

program
idle=$took
note "alone it takes $idle ms"

for n in 1 2 3; do
	background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=4 --offset=${n}g --size=1g
	pids="$pids $child"
done
holds "greedy readers have no credit after a while" eventually 60 without_credit 3
is "and are not raised" 0 "$(raised)"
before=$(read_mb)
sleep 1
most=$(($(read_mb) - before))
before=$(read_mb)
program
note "beside readers it takes $took ms, these $(($(read_mb) - before)) MB meanwhile, and $most in a second before"
compare "a program is not slowed by much (ms)" "$took" -le "$(calc "1.5 * $idle")"
before=$(read_mb)
sleep 1
compare "when it rests the others have all of the disk (MB in a second)" $(($(read_mb) - before)) -ge $((most * 9 / 10))

echo 0 >"$latency"
program
compare "with low_latency off it is, so that this shows something (ms)" "$took" -gt "$(calc "2 * $idle")"
is "and nobody is raised" 0 "$(raised)"
echo 1 >"$latency"

# Small reads without end: raised at first, and the others are not starved meanwhile.
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=psync --offset=5g --size=1g
small=$child
has_credit() { grep -q 'kind=sync.* raised=1 credit_kib=[1-9]' "$queues"; }
holds "a process that is new has credit" eventually 20 has_credit
before=$(read_mb)
sleep 1
compare "others are let through meanwhile (MB in a second)" $(($(read_mb) - before)) -ge 30
holds "who never rests has used it up after some seconds" eventually 20 without_credit 4
killed 20 "$small" 2>/dev/null
# shellcheck disable=SC2086 # a list
killed 20 $pids 2>/dev/null

# One that has had more, and now asks now and then, beside one that goes first and may wait for it.
begins=$(i=0; while [ $i -lt 48 ]; do echo "j=r$((i * 1024))+1024 wait"; i=$((i + 1)); done)
pauses=$(i=0; while [ $i -lt 60 ]; do echo "h=b4+4 wait sleep=5"; i=$((i + 1)); done)
background "$HELPER" issue "$DEV" "$begins $pauses" >"$WORK/now-and-then"
"$HELPER" issue "$DEV" "sleep=300 p=s3000+4" >"$WORK/ended" || give_up "helper issue"
finished 60 "$child" || give_up "helper issue"
took=$(awk '$1 == "h" { sum += $3 - $2; n++ } END { printf "%.1f", sum / 1000 / n }' "$WORK/now-and-then")
compare "nor is one held back for it that asks now and then (ms a read)" "$took" -le 2

# Writers fill the disk's cache; a read among what they write would wait for flash to be programmed.
background fio_load --rw=write --bs=64k --ioengine=psync --offset=6g --size=256m
writer=$child
written() { [ "$(written_mb)" -gt "$1" ]; }
eventually 60 written 300 || give_up "nothing is written"
program
note "beside a writer it takes $took ms"
compare "nor is it by a writer (ms)" "$took" -le "$(calc "2 * $idle")"
before=$(written_mb)
background "$HELPER" issue "$DEV" "p=s8000+4"
sleep 1
compare "which is not starved by who reads without end (MB in a second)" $(($(written_mb) - before)) -ge 5
finished 60 "$child"
before=$(written_mb)
holds "and writes on afterwards" eventually 20 written $((before + 50))
killed 60 "$writer" 2>/dev/null
at_rest "nothing is left"
