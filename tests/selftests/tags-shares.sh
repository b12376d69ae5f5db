#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where tags are few they are shared by weight, as service is, over all levels
# where: icount
. "${0%/*}/ktap.sh"
plan 5
require fio addpart
cg_setup
cg light 100
cg heavy 300

# deep GROUP FILE: keeps many requests at it
deep() {
	in_cg_bg "$1" fio --name=load --filename="$2" --thread --eta=never --norandommap --randrepeat=0 \
		--output=/dev/null --time_based --runtime=3600 --direct=1 --rw=randread --bs=4k \
		--ioengine=libaio --iodepth=64
	loads="$loads $child"
}
loads=

# Four requests at a time, 1 ms each, and eight tags: who has none when its turn comes loses it.
nullb hw_queue_depth=4 completion_nsec=1000000
parts 2
sched "${SCHED:-$BFQ_NAME}"
echo 8 >"$QUEUE/nr_requests"
deep light "${DEV}p1"
deep heavy "${DEV}p2"
both_read() { [ "$(done_by 1)" -gt 100 ] && [ "$(done_by 2)" -gt 100 ]; }
eventually 60 both_read || give_up "fio does not start"
# reads SECONDS: of each, and the light one's percent
reads() {
	light=-$(done_by 1) heavy=-$(done_by 2)
	sleep "$1"
	light=$((light + $(done_by 1))) heavy=$((heavy + $(done_by 2)))
	share=$(calc "100 * $light / ($light + $heavy)")
}
reads 2
if calc_true "$share > 24 && $share < 26"; then pass "with eight tags shares are by weight ($share %)"
else fail "with eight tags shares are by weight ($share %)" "25 %, give or take 1" "$share %"; fi
compare "and the device is busy ($((light + heavy)) reads in 2 s)" $((light + heavy)) -ge 7000
# shellcheck disable=SC2086 # a list
killed 20 $loads 2>/dev/null
nullb_remove "$DISK"

# Half for one group, and half for two that share it 1 : 3; three quarters of 64 tags.
nullb hw_queue_depth=4 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 64 >"$QUEUE/nr_requests"
cg outer 300
cg_inner outer
cg outer/one 100
cg outer/three 300
deep heavy "$DEV"
deep outer/one "$DEV"
deep outer/three "$DEV"
limits() {
	sed -n '/kind=sync/s/.* limit=\([^ ]*\).*/\1/p' "/sys/kernel/debug/block/$DISK/sched/queues" |
		sort -n | tr '\n' ' '
}
by_level() { [ "$(limits)" = "6 18 24 " ]; }
eventually 20 by_level
is "limits are products over all levels" "6 18 24 " "$(limits)"
# shellcheck disable=SC2086 # a list
killed 20 $loads 2>/dev/null
loads=
nullb_remove "$DISK"

# One tag each: none of them keeps the device busy, and if it were kept for one after the other it
# would do a sixth of what it can.
nullb hw_queue_depth=8 completion_nsec=2000000
parts 2
sched "${SCHED:-$BFQ_NAME}"
echo 16 >"$QUEUE/nr_requests"
for _ in 1 2 3 4 5 6 7 8; do
	deep light "${DEV}p1"
	deep heavy "${DEV}p2"
done
eventually 60 both_read || give_up "fio does not start"
sleep 1
reads 4
if calc_true "$share > 22.5 && $share < 27.5"; then pass "sixteen that have a tag each share by weight ($share %)"
else fail "sixteen that have a tag each share by weight ($share %)" "25 %, give or take 2.5" "$share %"; fi
compare "and the device has something to do ($((light + heavy)) of 16,000 reads in 4 s, 2,700 with one at a time)" $((light + heavy)) -ge 4000
