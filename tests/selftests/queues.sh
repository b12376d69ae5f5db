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
# Without a process of its own: what is looked for lasts for less than that takes on a slow machine.
in_use() {
	while IFS='=' read -r key value; do
		[ "$key" != busy ] || break
	done <"$dbg/hctx$1/$2"
	[ "$value" -gt 0 ]
}
# Not in the same moment: where fio pauses, and is looked at rarely, that may never be seen.
used0='' used1=
both_used() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -n "$used0" ] || ! in_use 0 "$1" || used0=1
		[ -n "$used1" ] || ! in_use 1 "$1" || used1=1
		[ -z "$used0" ] || [ -z "$used1" ] || return 0
	done
	return 1
}
one_used() { in_use "$1" sched_tags && ! in_use $((1 - $1)) sched_tags; }
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
