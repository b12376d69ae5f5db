#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process that has paused, or slept for a tag, has not lost its share
# where: icount
. "${0%/*}/ktap.sh"
plan 5
require fio
require_helper
cg_setup

# The device takes one request at a time, 1 ms each, and a turn is one request.
cg light 100
cg heavy 300
nullb hw_queue_depth=1 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 64 >"$QUEUE/nr_requests"
echo 8 >"$QUEUE/iosched/max_budget"
echo 0 >"$QUEUE/iosched/low_latency"	# who has rested goes first
in_cg_bg light fio --name=load --filename="$DEV" --thread --eta=never --norandommap --randrepeat=0 \
	--output=/dev/null --time_based --runtime=3600 --direct=1 --rw=randread --bs=4k \
	--ioengine=libaio --iodepth=16
load=$child
eventually 60 at_work "$DISK" || give_up "fio does not start"

# With three quarters of the device 100 reads take 133 ms, and 40 take 53. First it has to be seen
# that it asks for one at a time, what it would make alone, and that it falls behind: no more than twice
# that time in all. Later, a tick of 4 ms goes by until it is known who competes, and those of the other
# that have been chosen come first.
pauses="sleep=1000 p=s40+4 sleep=1000 p=s40+4 sleep=1000 p=s40+4 sleep=1000 p=s40+4"
"$HELPER" issue "$DEV" "cg=$CG/heavy f=s100+4 a=s100+4 a=s100+4 $pauses" >"$WORK/ended" || give_up "helper issue"
took() { awk -v name="$1" '$1 == name { printf " %d", ($3 - $2) / 1000 }' "$WORK/ended"; }
longest() { awk -v name="$1" '$1 == name && $3 - $2 > most { most = $3 - $2 } END { print most / 1000 }' "$WORK/ended"; }
note "100 reads of a process with three quarters took first$(took f), then$(took a) ms; 40 after a pause of 1 s took$(took p) ms"
compare "that it falls behind is learned while it makes its first reads" "$(longest f)" -le 200
compare "it has its share when it does not pause" "$(longest a)" -le 150
compare "and at once when it has paused for a second" "$(longest p)" -le 75
killed 20 "$load" 2>/dev/null
nullb_remove "$DISK"

# Nine processes want four tags, so most are asleep for one at any time; none thinks.
nullb hw_queue_depth=2 completion_nsec=5000000
sched "${SCHED:-$BFQ_NAME}"
echo 4 >"$QUEUE/nr_requests"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=psync --numjobs=8
eventually 60 at_work "$DISK" || give_up "fio does not start"
background "$HELPER" issue "$DEV" "prio=2.0 s=s200+4" >"$WORK/ended"
sleep 1
# Its line is the only one of level 0, and there unless it has been asleep for long.
listed() { grep level=0 "/sys/kernel/debug/block/$DISK/sched/queues" >"$WORK/line"; }
eventually 5 listed || give_up "no queue of level 0"
field() { tr ' ' '\n' <"$WORK/line" | sed -n "s/^$1=//p"; }
note "$(cat "$WORK/line")"
finished 60 "$child"
read -r _ asked ended <"$WORK/ended"
wait_ms=$(calc "($ended - $asked) / 200 / 1000")
compare "a read takes longer than the device, for want of a tag (ms)" "$wait_ms" -gt 12
compare "which is not taken for thinking (us)" "$(field think_us)" -lt 1000
