#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a film that has used up its credit goes first as far as its rest gives credit back
# where: icount
# build: modelled disks
#
# It reads more than rest gives back, 200 KiB every 40 ms, so it never has much; greedy readers have none at all.
. "${0%/*}/ktap.sh"
plan 2
require fio
require_helper

modelled_disk disk0 profile=sata-ssd size_mb=8192 link_mb_s=300
sched "${SCHED:-$BFQ_NAME}"
queues=/sys/kernel/debug/block/$DISK/sched/queues

none_left() { [ "$(grep -c 'kind=sync.*credit_kib=0 ' "$queues")" -eq 3 ]; }
for n in 1 2 3; do
	background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=4 --offset=${n}g --size=1g
	pids="$pids $child"
done
eventually 60 none_left || give_up "the greedy ones have credit after a while"

# what a process reads at once, 150 MiB, and then now and then
steps=$(i=0; while [ $i -lt 150 ]; do i=$((i + 1)); echo "f=b1+100 f=b1+100 wait sleep=36"; done)
"$HELPER" issue "$DEV" "p=s1200+128 $steps" >"$WORK/ended" || give_up "helper issue"
awk '$1 == "f" && ++n > 20 { print ($3 - $2) / 1000 }' "$WORK/ended" | sort -n >"$WORK/took"
note "of $(wc -l <"$WORK/took") reads of the film the median takes $(sed -n '140p' "$WORK/took") ms, nine of ten less than $(sed -n '252p' "$WORK/took")"
compare "half of them are served before what others have waiting (ms)" "$(sed -n 140p "$WORK/took")" -le 5.3
# shellcheck disable=SC2086 # a list
killed 60 $pids 2>/dev/null
at_rest "nothing is left"
