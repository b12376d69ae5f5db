#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: bfqtop shows who uses the disk, with the figures that the disk itself counts
# where: 6.12
#
# Not on the debug kernel, where two minutes pass, nor on 6.1: what it reads is this module's own, there, too.
#
# Two fio in two groups, each on a partition of its own, so that the disk says what each
# has completed. The device is so slow, 100 requests a second, that it and not a busy host
# sets the rates: else they change between the moments at which bfqtop and we look.
. "${0%/*}/ktap.sh"
plan 7
require fio addpart python3
top=$TESTS/../tools/bfqtop
# Percent by which bfqtop and the disk may differ: they look up to half a second apart,
# twice in the ten or twenty that are looked at.
apart=15
interval=$((10 * (SLOW > 1 ? 2 : 1)))

cg_setup
cg light 100
cg heavy 300
nullb hw_queue_depth=4 completion_nsec=$((40000000 * SLOW))
parts 2
refused "a disk that another scheduler has is refused" python3 "$top" --once "$DISK"
sched "$BFQ_NAME"
# Short turns, four requests each: else one of them, seen by one and not by the other, is
# a good part of what there is to see.
echo 32 >"$QUEUE/iosched/max_budget"

load() {
	in_cg_bg "$1" fio --name=load --filename="${DEV}p$2" --thread --eta=never --norandommap \
		--randrepeat=0 --gtod_reduce=1 --output=/dev/null --time_based --runtime=3600 \
		--direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8
}
load light 1
load heavy 2
both() { [ "$(done_by 1)" -gt 20 ] && [ "$(done_by 2)" -gt 20 ]; }
eventually 120 both || give_up "fio does not start"

# Of two tables the second is of the time between them: no program starts meanwhile.
# To start a program takes seconds on the debug kernel, so to look takes none.
look() {
	read -r at _ </proc/uptime
	read -r light _ <"/sys/block/$DISK/${DISK}p1/stat"
	read -r heavy _ <"/sys/block/$DISK/${DISK}p2/stat"
}
# tables N: bfqtop has shown as many, or ended
tables() {
	seen=0
	while read -r line; do
		case $line in *requests/s*) seen=$((seen + 1)) ;; esac
	done <"$WORK/top"
	[ $seen -ge "$1" ] || ktap_over "$child"
}
# measure: two tables, and what the disk counts from one to the other
measure() {
	: >"$WORK/top"
	python3 "$top" --plain --count 2 --interval $interval "$DISK" >"$WORK/top" 2>&1 &
	child=$!
	ktap_children="$ktap_children $child"
	until tables 1; do sleep 0.1; done
	look
	begin=$at light_before=$light heavy_before=$heavy
	until tables 2; do sleep 0.1; done
	look
	seconds=$(calc "$at - $begin")
	light=$((light - light_before)) heavy=$((heavy - heavy_before))
	finished 60 "$child"
	status=$?
	sed 's/^/# /' "$WORK/top"
	note "the disk counts $light and $heavy in $seconds s"
}

# of GROUP COLUMN: a process's figure in the last table, by the group that it is in
of() {
	awk -v group="/$TEST/$1" -v want="$2" '
		$1 == "PID" { for (i = 1; i <= NF; i++) column[$i] = i }
		/requests\/s/ { n = 0 }
		column[want] && $3 == group { n++; value = $(column[want]) }
		END { print n == 1 ? value : n + 0 " rows" }' "$WORK/top"
}
# group NAME COLUMN: a group's figure
group() {
	awk -v group="/$TEST/$1" -v want="$2" '
		$1 == "GROUP" { for (i = 1; i <= NF; i++) column[$i] = i }
		column[want] && $1 == group { value = $(column[want]) }
		END { print value }' "$WORK/top"
}
# close DESC A B PERCENT
close() {
	difference=$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.3g", (b > 0 ? 100 * (a > b ? a - b : b - a) / b : 100) }')
	compare "$1" "$difference" -le "$4"
}

# A table shows who competes in its moment. Where the guest gets next to no processor a queue may have
# been without a request for longer than that counts (25 ms), so there are three tries.
for _ in 1 2 3; do
	measure
	[ "$(of light NAME) $(of heavy NAME)" != "fio fio" ] || break
done
is "it ends well and shows a process called fio in each group" "0 fio fio" \
	"$status $(of light NAME) $(of heavy NAME)"
l=$(of light REQ/S) h=$(of heavy REQ/S)
rate=$(sed -n 's/^.* \([0-9.]*\) requests\/s.*/\1/p' "$WORK/top" | tail -n 1)
close "requests per second of both are those of the disk in the same time" \
	"$(calc "$l + $h")" "$rate" 5
close "which are those that the disk has counted, within $apart %" \
	"$rate" "$(calc "($light + $heavy) / $seconds")" $apart
close "one process compares with the other as its partition with the other's, within $apart %" \
	"$(calc "$h / $l")" "$(calc "$heavy / $light")" $apart
close "a group has what its process has" "$(group heavy REQ/S)" "$h" 5
close "shares of the groups make up the whole" \
	"$(calc "$(group light SHARE%) + $(group heavy SHARE%)")" 100 2
