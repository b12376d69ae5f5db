#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a crowd of new processes does not hold up a program, and its own processes do not hold each other up
# where: icount
# build: modelled disks
#
# On the modelled hdd a "program" reads 4 KiB here and there, one after the other, while eight processes
# that one has forked read 12 MiB each, and all begin together. On the modelled SATA SSD it forks a second
# one when its own credit has become less, both beside readers; on the hdd one reads here and there and another,
# that begins 3 s later, along, with pauses of 2 ms. Of 32 on the hdd that read here and there
# beside a writer, some always sleep for a tag.
. "${0%/*}/ktap.sh"
plan 5
require fio
require_helper

busy() { [ "$(awk '{ print $3 }' "/sys/block/$DISK/stat")" -gt "$1" ]; }
# crowd: eight at places of their own, 1 MiB each time; some of it has been read on return
crowd() {
	before=$(awk '{ print $3 }' "/sys/block/$DISK/stat")
	set --
	for at in 1 2 3 4 5 6 7 8; do
		reads=""
		for n in 0 1 2 3 4 5 6 7 8 9 10 11; do reads="$reads c=r$(((at * 512 + n) * 1024))+1024 wait"; done
		set -- "$@" "$reads"
	done
	background "$HELPER" issue "$DEV" "$@" >/dev/null
	eventually 20 busy "$before" || give_up "no crowd comes"
}
# took NAME: ms from NAME's first read to its last
took() { awk -v n="$1" '$1 == n { printf "%.0f", ($3 - $2) / 1000 }' "$WORK/ended"; }

modelled_disk disk0 profile=hdd size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
"$HELPER" issue "$DEV" "p=s60+4" >"$WORK/ended" || give_up "helper issue"
idle=$(took p)
crowd
"$HELPER" issue "$DEV" "p=s60+4" >"$WORK/ended" || give_up "helper issue"
note "alone it takes $idle ms, beside a crowd $(took p) ms"
compare "a crowd has together what one process has (ms)" "$(took p)" -le $((idle + 300))
finished 60 "$child"
echo 0 >"$QUEUE/iosched/low_latency"
crowd
"$HELPER" issue "$DEV" "p=s60+4" >"$WORK/ended" || give_up "helper issue"
compare "with low_latency off it is slow, so that this shows something (ms)" "$(took p)" -ge $((idle + 600))
finished 60 "$child"

modelled_disk disk1 profile=sata-ssd size_mb=8192 link_mb_s=300
sched "${SCHED:-$BFQ_NAME}"
queues=/sys/kernel/debug/block/$DISK/sched/queues
without_credit() { [ "$(grep -c 'kind=sync.*credit_kib=0 ' "$queues")" -eq "$1" ]; }
two() { "$HELPER" issue "$DEV" "p=s4000+4" "sleep=500 q=s4000+4" >"$WORK/ended" || give_up "helper issue"; }
"$HELPER" issue "$DEV" "p=s4000+4" >"$WORK/ended" || give_up "helper issue"
idle=$(took p)
for n in 1 2 3; do
	background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=4 --offset=${n}g --size=1g
	pids="$pids $child"
done
eventually 60 without_credit 3 || give_up "readers have credit"
two
note "alone the first takes $idle ms, with the second beside readers $(took p) ms"
compare "a program's first process is not held up by its second (ms)" "$(took p)" -le $((idle * 3 / 2))
# shellcheck disable=SC2086 # a list
killed 20 $pids 2>/dev/null

modelled_disk disk2 profile=hdd size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
echo 64 >"$QUEUE/nr_requests"
fio_to "$WORK/two" --direct=1 --ioengine=psync --time_based --name=old --rw=randread --bs=64k --runtime=8 \
	--name=new --rw=read --bs=4k --thinktime=2000 --startdelay=3 --runtime=5
longest=$(calc "int($(terse "$WORK/two" old read longest_us) / 1000)")
[ "$longest" -gt 0 ] || give_up "nothing has been read"
note "the longest read takes $longest ms"
compare "of a program's processes none waits for long while a newer one reads (ms)" "$longest" -lt 2500

queues=/sys/kernel/debug/block/$DISK/sched/queues
fio_to "$WORK/writes" --name=writes --time_based --runtime=5 --rw=write --bs=4k --offset=6g --size=2g &
fio_to "$WORK/reads" --name=reads --time_based --runtime=5 --rw=randread --bs=4k --size=4g --direct=1 \
	--ioengine=psync --numjobs=32 &
sleep 3
least=$(for n in 1 2 3 4; do grep -c kind=sync "$queues"; sleep 0.3; done | sort -n | head -1)
wait
compare "who sleeps for a tag competes like who waits for the disk, and uses up credit (of 32 who seek)" "$least" -ge 31
