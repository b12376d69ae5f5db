#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process may hold its share of the tags that there are now
# where: icount
. "${0%/*}/ktap.sh"
plan 6
require fio
require_helper

# Three quarters of the tags are shared out: two equal processes may have six of 16 each.
nullb hw_queue_depth=4 completion_nsec=1000000
sched "$BFQ_NAME"
echo 16 >"$QUEUE/nr_requests"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64 --numjobs=2
two=$child
eventually 60 at_work "$DISK" || give_up "fio does not start"
for tags in 16 64 8; do
	echo $tags >"$QUEUE/nr_requests"
	eventually 20 both_may_hold $((tags * 3 / 8))
	is "two deep processes share $tags tags" "$((tags * 3 / 8)) $((tags * 3 / 8)) " "$(limits)"
done

# With 8 tags both sleep for one most of the time, and are woken for each: the device, which
# takes 4 requests of 1 ms at a time, is busy all the same.
reads=-$(requests "$DISK")
sleep 2
reads=$((reads + $(requests "$DISK")))
compare "and keep the device busy with few ($reads reads in 2 s)" $reads -ge 7000

# A process that has stopped, but lives, has no share of anything.
echo 16 >"$QUEUE/nr_requests"
killed 20 "$two" 2>/dev/null
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64
eventually 60 at_work "$DISK" || give_up "fio does not start"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64
eventually 20 both_may_hold 6
stopped=$child
kill -STOP "$stopped"
alone() { limits | grep -q '^12 $'; }
eventually 5 alone
is "who is alone again may hold three quarters" "12 " "$(limits)"
kill -CONT "$stopped"

# Who thinks for 10 ms has no request half of the time, and competes all the time.
killed 20 "$stopped" 2>/dev/null
pauses=$(i=0; while [ $i -lt 120 ]; do i=$((i + 1)); echo "p=s1+4 sleep=10"; done)
background "$HELPER" issue "$DEV" "$pauses" >/dev/null
eventually 20 both_may_hold 6
seen=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 0.03
	seen="$seen$(limits | tr -d ' ') "
done
is "who thinks for 10 ms has his half of the tags all the time" "66" "$(echo "$seen" | tr ' ' '\n' | sort -u | tr -d '\n')"
