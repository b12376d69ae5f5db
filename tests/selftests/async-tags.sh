#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: buffered writers hold three quarters of the scheduler's tags, and never more
# where: guest
#
# Seen in the kernel's map of tags, and in what the scheduler counts for queues of writes.
. "${0%/*}/ktap.sh"
require fio

nullb size=64 memory_backed=1 hw_queue_depth=8 poll_queues=0 completion_nsec=$((20000000 * SLOW))
sched "$BFQ_NAME"
if [ -f "$QUEUE/async_depth" ]; then plan 11; else plan 9; fi
# So little may be dirty that write-back never ceases; small requests, so that there are many.
vm dirty_bytes $((4 << 20))
vm dirty_background_bytes $((1 << 20))
# writers: processes that write without end
writers() {
	echo 16 >"$QUEUE/max_sectors_kb"
	dbg=/sys/kernel/debug/block/$DISK
	background fio --name=load --filename="$DEV" --size=32m --rw=randwrite --bs=16k --ioengine=psync --numjobs=3 \
		--thread --eta=never --invalidate=0 --norandommap --randrepeat=0 --gtod_reduce=1 --output=/dev/null \
		--time_based --runtime=3600
	load=$child
}
writers

# Both without a process of their own, which would take longer than what they look at lasts.
used() {
	while IFS='=' read -r key value; do
		[ "$key" != busy ] || { now_used=$value && break; }
	done <"$dbg/hctx0/sched_tags"
}
counted() {
	now_counted=0
	while read -r line; do
		case $line in *" kind=async "*) ;; *) continue ;; esac
		line=${line#* tags=}
		now_counted=$((now_counted + ${line%% *}))
	done <"$dbg/sched/queues"
}

# most LEAST: look until that many tags have been seen in use, and most of them counted, and a
# hundred times more: the most that was seen of each, in $most_used and $most_counted.  What
# still stands in the flusher's plug has its tag, but is counted only when it is inserted: on a
# busy host every look meets a few of these.
look() {
	used
	counted
	[ "$now_used" -le "$most_used" ] || most_used=$now_used
	[ "$now_counted" -le "$most_counted" ] || most_counted=$now_counted
	[ "$most_used" -ge "$1" ] && [ "$most_counted" -ge $(($1 * 3 / 4)) ]
}
most() {
	most_used=0
	most_counted=0
	eventually $((90 * SLOW)) look "$1"
	for _ in $(seq 100); do look "$1"; done
}
# counts DESC LIMIT
counts() {
	if [ "$most_counted" -le "$2" ] && [ "$most_counted" -ge $(($2 * 3 / 4)) ]; then
		pass "$1"
	else
		fail "$1" "$(($2 * 3 / 4)) to $2" "$most_counted"
	fi
}
quiet() { used; [ "$now_used" -le "$1" ]; }

echo 16 >"$QUEUE/nr_requests"
eventually $((60 * SLOW)) at_work "$DISK" || give_up "nothing is written"
is "there are as many tags" 16 "$(sed -n 's/^nr_tags=//p' "$dbg/hctx0/sched_tags")"
most 12
is "of 16 tags, twelve are in use" 12 "$most_used"
counts "and counted for queues of writes" 12
echo 32 >"$QUEUE/nr_requests"
most 24
is "of 32 tags, 24 are in use" 24 "$most_used"
counts "and counted" 24
# With 16 tags flushers stand in line and take any tag, with 32 from the first request on no more
# than three quarters of each word of the kernel's map.
most_used=0
for _ in $(seq 20); do
	echo 16 >"$QUEUE/nr_requests"
	echo 32 >"$QUEUE/nr_requests"
	seen=0		# so often as many as are to be: what is too much is there then
	for _ in $(seq 100); do
		used
		[ "$now_used" -le "$most_used" ] || most_used=$now_used
		[ "$now_used" -lt 24 ] || seen=$((seen + 1))
		[ "$seen" -lt 4 ] || break
	done
done
compare "nor when there are more tags than before, at once" "$most_used" -le 24
if [ -f "$QUEUE/async_depth" ]; then
	echo 4 >"$QUEUE/async_depth"
	eventually $((30 * SLOW)) quiet 4
	most 4
	is "with async_depth 4, four are in use" 4 "$most_used"
	counts "and counted" 4
fi
killed $((60 * SLOW)) "$load" 2>/dev/null
holds "what is dirty is written" within $((120 * SLOW)) blockdev --flushbufs "$DEV"
at_rest "nothing is left of it"

# A map that has been made smaller than its words are.
nullb_remove "$DISK"
nullb size=64 memory_backed=1 hw_queue_depth=128 poll_queues=0 completion_nsec=$((20000000 * SLOW))
sched "$BFQ_NAME"
writers
eventually $((60 * SLOW)) at_work "$DISK" || give_up "nothing is written"
echo 32 >"$QUEUE/nr_requests"
most 24
is "nor of 256 tags that have been made 32" 24 "$most_used"
killed $((60 * SLOW)) "$load" 2>/dev/null
blockdev --flushbufs "$DEV"
