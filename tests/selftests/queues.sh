#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: two hardware queues are both used, and nothing gets lost between them
# where: guest
. "${0%/*}/ktap.sh"
plan 9
require fio
require_helper

# shellcheck disable=SC2086 # a list
nullb $STRESS submit_queues=2 poll_queues=0 cache_size=8
sched "$BFQ_NAME"
dbg=/sys/kernel/debug/block/$DISK
is "there are two hardware queues" 2 "$(find "/sys/block/$DISK/mq" -mindepth 1 -maxdepth 1 -type d | wc -l)"
is "one for each processor" "0,1" "$(cat "/sys/block/$DISK"/mq/*/cpu_list | sort | tr '\n' , | sed 's/,$//')"
if [ "$(cat "/sys/block/$DISK/mq/0/cpu_list")" = 0 ]; then first=0; else first=1; fi

# Who runs on a processor draws from its hardware queue's tags; the scheduler is one.
in_use() { sed -n '/^busy=/{s///p;q;}' "$dbg/hctx$1/$2"; }
# Not in the same moment: where fio pauses, and is looked at rarely, that may never be seen.
used='' both=
both_used() {
	for hctx in 0 1; do [ "$(in_use $hctx "$1")" -eq 0 ] || used="$used $hctx"; done
	case $used in *0*1* | *1*0*) both=1 ;; esac
	[ -n "$both" ]
}
one_used() { [ "$(in_use "$1" sched_tags)" -gt 0 ] && [ "$(in_use $((1 - $1)) sched_tags)" -eq 0 ]; }
for cpu in 0 1; do
	background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --cpus_allowed=$cpu
	holds "a process on processor $cpu draws from its hardware queue" eventually $((60 * SLOW)) \
		one_used $((cpu ^ first))
	killed $((20 * SLOW)) "$child" 2>/dev/null
	at_rest "nothing is left of it"
done

size=$((SLOW > 1 ? 128 : 256))k	# who stops waits for what is begun to be read back
for cpu in 0 1; do
	verify_load "load$cpu" --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k \
		--size=$size --offset=$((cpu * 8))m --cpus_allowed=$cpu --fsync=16
done
verify_load both --filename="$DEV" --direct=1 --ioengine=io_uring --iodepth=16 --rw=randrw --bs=4k \
	--size=$size --offset=16m --numjobs=2 --offset_increment=8m
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
holds "with a process on each, both give requests to the driver" eventually $((60 * SLOW)) both_used tags
verify_stop "nothing is lost"
at_rest "nothing is left"
