#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: every word of compat/ does on this kernel what its comment says
# where: guest, started by tests/build/boot, which hands the probe's name over
. "${0%/*}/../../selftests/ktap.sh"
plan 23

probe=$1
ko=${TESTS%/tests}/$2
rqos=/sys/kernel/debug/block
tracing=/sys/kernel/tracing
[ -r "$ko" ] || give_up "$ko is not built"
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
mountpoint -q $tracing || mount -t tracefs none $tracing

# A figure of the probe's one line: "inserted 5 at_head 0 ..."
seen() { sed "s/.*\b$1 \([0-9]*\).*/\1/" "$QUEUE/iosched/seen"; }

holds "it loads" insmod "$ko"
is "its version is that of dkms.conf" "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TESTS/../dkms.conf")" \
	"$(cat "/sys/module/$probe/version")"
nullb submit_queues=2
wbt=$rqos/$DISK/rqos/wbt/enabled
before=$(cat "$wbt")
is "writeback throttling is on by default (1)" 1 "$before"

sched "$probe"
is "it can be selected" "$probe" "$(sched_now)"
compare "the depth has been announced at the start" "$(seen changes)" -ge 1
is "the depth is nr_requests" "$(cat "$QUEUE/nr_requests")" "$(seen depth)"
is "it knows whether the device turns" "$(cat "$QUEUE/rotational")" "$(seen rotational)"
case $(cat "$wbt") in
"$before") fail "writeback throttling is off" "another state than $before" "$(cat "$wbt")" ;;
*) pass "writeback throttling is off" ;;
esac

echo 1 >"$tracing/events/$probe/probe_inserted/enable"
dd if="$DEV" of=/dev/null bs=4k count=500 iflag=direct 2>/dev/null
echo 0 >"$tracing/events/$probe/probe_inserted/enable"
compare "its tracepoint, under its name, tells of them" \
	"$(grep -c 'probe_inserted: sector [0-9]* nr [0-9]*$' "$tracing/trace")" -ge 500
compare "500 reads arrive" "$(seen inserted)" -ge 500
compare "and find their cgroup's data" "$(seen charged)" -ge 500
eventually 5 sh -c "[ \$(sed 's/.*ticks //' $QUEUE/iosched/seen) -gt 0 ]"
compare "the timer ticks" "$(seen ticks)" -gt 0

is "debugfs shows the same figure" "$(seen inserted)" "$(cat "$rqos/$DISK/sched/inserted")"
echo 0 >"$rqos/$DISK/sched/inserted"
is "and can be written" 0 "$(cat "$rqos/$DISK/sched/inserted")"

# The flusher writes on nobody's behalf, hence async.
background_bytes=$(cat /proc/sys/vm/dirty_background_bytes)
background_ratio=$(cat /proc/sys/vm/dirty_background_ratio)
defer "echo $background_ratio >/proc/sys/vm/dirty_background_ratio"
[ "$background_bytes" -eq 0 ] || defer "echo $background_bytes >/proc/sys/vm/dirty_background_bytes"
echo 65536 >/proc/sys/vm/dirty_background_bytes
dd if=/dev/zero of="$DEV" bs=64k count=256 2>/dev/null
eventually 20 sh -c "[ \$(sed 's/.*limited \([0-9]*\).*/\1/' $QUEUE/iosched/seen) -gt 0 ]"
compare "async requests meet the limit and get through" "$(seen limited)" -gt 0

echo 32 >"$QUEUE/nr_requests"
is "a change of nr_requests is seen, in full" 32 "$(seen depth)"

cg_setup
cg a
file=$CG/a/io.$probe.probe
# dash's own echo says "I/O error" for every errno; dd says which
try() { echo "$1" | LC_ALL=C dd of="$file" conv=notrunc status=none 2>&1 | sed 's/.*: //'; }
is "a device's line in a cgroup file is taken" "" "$(try "$MAJMIN 77")"
is "and shown" "writes 1,$MAJMIN 77" "$(paste -s -d, "$file")"
is "text is an invalid argument" "Invalid argument" "$(try "$MAJMIN x")"
# major 120 is for experiments: no module is asked for
is "a device that is not there is no such device" "No such device" "$(try "120:77 5")"
other=$DISK
nullb
is "a device with another scheduler is not supported" "Operation not supported" "$(try "$MAJMIN 5")"
disk "$other"

# Switching goes through every path of init and exit.
n=$((20 / SLOW))
while [ $n -gt 0 ]; do
	echo none >"$QUEUE/scheduler"
	echo "$probe" >"$QUEUE/scheduler"
	n=$((n - 1))
done
echo none >"$QUEUE/scheduler"
is "after many switches writeback throttling is back" "$before" "$(cat "$wbt")"
echo "$probe" >"$QUEUE/scheduler"
nullb_remove "$other"
holds "a device that goes lets go of it" eventually 10 rmmod "$probe"
