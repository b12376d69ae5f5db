#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who may hold how many tags where hardware queues have maps of their own
# where: guest
. "${0%/*}/ktap.sh"
plan 2
require fio taskset
require_helper
cg_setup

# With two hardware queues there are two maps of tags, 16 in each. A process is due its share of one: with
# three quarters to share out two equal ones may have six each, and not twelve, which would be all of it.
nullb submit_queues=2 hw_queue_depth=4 completion_nsec=$((10000000 * SLOW))
sched "$BFQ_NAME"
echo 16 >"$QUEUE/nr_requests"
background fio_load --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=64 --numjobs=2 --cpus_allowed=0-1 \
	--cpus_allowed_policy=split
load=$child
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
eventually $((30 * SLOW)) both_may_hold 6
is "two deep processes share the 16 tags of a map, of which three quarters are shared out" "6 6 " "$seen"
killed $((20 * SLOW)) "$load" 2>/dev/null
nullb_remove "$DISK"

# A task draws from the map of its processor. A deep process that holds all of one must not keep a reader with a larger
# share there from its tag, while the device is kept for that reader (exact_shares). How long 100 reads take with
# one queue is the measure: each time the fastest of three, as a busy host slows down some.
cg light 100
cg heavy 300
beside() {
	nullb submit_queues="$1" hw_queue_depth=4 completion_nsec=$((10000000 * SLOW))
	sched "$BFQ_NAME"
	echo 1 >"$QUEUE/iosched/exact_shares"
	echo 8 >"$QUEUE/nr_requests"
	in_cg_bg light taskset -c 0 fio --name=load --filename="$DEV" --thread --eta=never --output=/dev/null \
		--norandommap --randrepeat=0 --time_based --runtime=3600 --direct=1 --rw=randread --bs=4k \
		--ioengine=libaio --iodepth=64
	load=$child
	eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
	for _ in 1 2 3; do
		"$HELPER" issue "$DEV" "cpu=0 cg=$CG/heavy s=s100+4" || give_up "helper issue"
	done >"$WORK/ended"
	killed $((20 * SLOW)) "$load" 2>/dev/null
	nullb_remove "$DISK"
	took=$(awk '{ print ($3 - $2) / 1000 }' "$WORK/ended" | sort -n | head -n 1)
	note "$1 hardware queues: 100 reads of a process with three quarters take $took ms," \
		"of $(awk '{ printf "%d ", ($3 - $2) / 1000 }' "$WORK/ended")"
}
# Both again, if the host has been busier with the second: with a tag that it does not get it is always slower.
for _ in 1 2 3; do
	beside 1
	one=$took
	beside 2
	! calc_true "$took <= $one * 1.5" || break
done
compare "with two hardware queues a reader is as fast as with one ($one ms)" "$took" -le "$(calc "$one * 1.5")"
