#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: flushers of several groups are held back while schedulers, weights and groups change
# where: guest
#
# Each group writes to a partition of its own, which tells the kernel whose pages these are.
. "${0%/*}/ktap.sh"
plan 5
require fio addpart
require_helper
cg_setup

# So little may be dirty that write-back never ceases; and bios are cut into many requests.
vm dirty_bytes $((8 << 20))
vm dirty_background_bytes $((2 << 20))
# slower than the slowest guest dirties pages
if [ -n "$DEBUG" ]; then took_ms=30; else took_ms=1; fi
nullb memory_backed=1 size=96 hw_queue_depth=4 completion_nsec=$((took_ms * 1000000))
parts 3
echo 32 >"$QUEUE/max_sectors_kb"
sched mq-deadline	# it may be a module
sched "$BFQ_NAME"
no_autoload
loads=
for g in 1 2 3; do
	cg "writer$g" $((g * g * 100))
	in_cg_bg "writer$g" fio --name=load --filename="${DEV}p$g" --size=16m --rw=write --bs=64k --ioengine=psync \
		--thread --eta=never --invalidate=0 --overwrite=1 --randrepeat=0 --gtod_reduce=1 \
		--output=/dev/null --time_based --runtime=3600
	loads="$loads $child"
done
held_back() { grep -qs bfq_depth_wait /proc/[0-9]*/wchan; }
holds "flushers are held back" eventually $((60 * SLOW)) held_back

pids=
background "$HELPER" switch "$(few 60)" "$QUEUE/scheduler" "$BFQ_NAME" none "$BFQ_NAME" mq-deadline >/dev/null
pids="$pids $child"
background "$HELPER" switch 100000000 "$CG/writer1/io.$BFQ_NAME.weight" 1 1000 20
weights=$child
bad=
for pid in $pids; do finished $((200 * SLOW)) "$pid" || bad="$bad status $?"; done
is "schedulers and weights change meanwhile" "" "$bad"
killed 20 "$weights" 2>/dev/null
sched "$BFQ_NAME"
holds "and flushers are held back again" eventually $((60 * SLOW)) held_back

# With pages to write, which are for their ancestor then.
# shellcheck disable=SC2086 # a list
killed $((60 * SLOW)) $loads 2>/dev/null
bad=
for g in 1 2 3; do eventually 10 rmdir "$CG/writer$g" || bad="$bad writer$g"; done
is "their groups go, with pages to write" "" "$bad"
blockdev --flushbufs "$DEV"
at_rest "nothing is left of it"
