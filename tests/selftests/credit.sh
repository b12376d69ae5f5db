#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who competes all the time goes first for three seconds at most where reads are fast, however little it is served
# where: icount
#
# A process reads a few blocks at a time and thinks in between, which is so short that its place is kept
# for it: it is served little, and yet it has not rested.
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

nullb hw_queue_depth=4 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 256 >"$QUEUE/nr_requests"
echo 1 >"$QUEUE/iosched/exact_shares"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=16
eventually 60 at_work "$DISK" || give_up "fio does not start"

# Its line is the only one of level 0.
listed() { grep level=0 "/sys/kernel/debug/block/$DISK/sched/queues" >"$WORK/line"; }
look() {
	eventually 5 listed || give_up "no queue of level 0"
	note "$(cat "$WORK/line")"
}
field() { tr ' ' '\n' <"$WORK/line" | sed -n "s/^$1=//p"; }
pauses=$(i=0; while [ $i -lt 700 ]; do i=$((i + 1)); echo "h=b4+4 wait sleep=5"; done)
background "$HELPER" issue "$DEV" "prio=2.0 $pauses" >"$WORK/ended"
look
compare "it begins with a credit (KiB)" "$(field credit_kib)" -ge 100000
sleep 4
look
compare "it has been served a tenth of that (KiB)" $(($(field sectors) / 2)) -le 13107
compare "and has thought in between (us)" "$(field think_us)" -ge 2000
compare "but has no credit any more (KiB)" "$(field credit_kib)" -le 4096
