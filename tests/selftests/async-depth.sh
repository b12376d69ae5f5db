#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: asynchronous requests have three quarters of the tags, or what queue/async_depth says
# where: guest
. "${0%/*}/ktap.sh"
nullb hw_queue_depth=32 completion_nsec=50000000
file=$QUEUE/async_depth
if [ -e "$file" ]; then plan 9; else plan 2; fi
state=/sys/kernel/debug/block/$DISK/sched/state

# The flusher writes on nobody's behalf, hence async; and page by page, so that it needs tags.
echo 4 >"$QUEUE/max_sectors_kb"
defer "echo $(cat /proc/sys/vm/dirty_background_ratio) >/proc/sys/vm/dirty_background_ratio"
echo 65536 >/proc/sys/vm/dirty_background_bytes
sched "$BFQ_NAME"
exec 9<"$DEV"	# to close a device for the last time is to write it out synchronously

# most REQUESTS: dirty so many pages; sets $most, the requests seen at once
most() {
	dd if=/dev/zero of="$DEV" bs=4k count="$1" conv=notrunc 2>/dev/null &
	most=0
	begun=$(requests "$DISK")
	read -r until _ </proc/uptime
	until=$((${until%.*} + 20 * SLOW))
	while read -r now _ </proc/uptime && [ "${now%.*}" -le "$until" ]; do
		while read -r word waiting _ driver _; do
			[ "$word" = requests: ] && [ $((waiting + driver)) -gt "$most" ] &&
				most=$((waiting + driver))
		done <"$state"
		[ $(($(requests "$DISK") - begun)) -lt $(($1 * 9 / 10)) ] || break
	done
	wait $!
}

tags=$(cat "$QUEUE/nr_requests")
most 512
compare "the flusher gets more than half of $tags tags" "$most" -gt $((tags / 2))
compare "but not more than three quarters" "$most" -le $((tags * 3 / 4))
[ -e "$file" ] || exit 0

is "queue/async_depth says so" $((tags * 3 / 4)) "$(cat "$file")"
echo 4 >"$file"
most 128
compare "it gets what is written there, 4" "$most" -le 4
compare "and uses it" "$most" -ge 3
echo $((tags * 2)) >"$QUEUE/nr_requests"
is "with twice the tags it is twice as much" 8 "$(cat "$file")"
most 128
compare "and so it is" "$most" -le 8
compare "and more than before" "$most" -gt 4
echo none >"$QUEUE/scheduler"
sched "$BFQ_NAME"
is "a scheduler selected anew begins anew" $(($(cat "$QUEUE/nr_requests") * 3 / 4)) "$(cat "$file")"
