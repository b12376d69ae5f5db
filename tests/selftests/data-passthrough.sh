#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: SCSI commands of users (SG_IO) go to a disk beside scheduled requests
# where: guest
#
# The block layer keeps them away from schedulers; what they share is the device.
. "${0%/*}/ktap.sh"
plan 9
require fio pkill
require_helper

record_block rq_issue:N rq_complete:N
scsi_disk dev_size_mb=16 ndelay=$((2000000 * SLOW)) max_queue=4
sched "$BFQ_NAME"
is "commands on a disk that rests" "OK CHECK OK OK OK OK" "$(results st sx sw1024+64 sc1024+64 c1024+64 sf)"
compare "went there as passthrough" "$(recorded rq_issue N)" -ge 5

verify_load beside --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k \
	--size=256k --offset=8m
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
before=$(recorded rq_complete N)
rounds=$(few 20)
for i in $(seq "$rounds"); do
	results st sx "sw1024+64=$i" "c1024+64=$i" "w2048+32=$i" "sc2048+32=$i"
	echo
done >"$WORK/seen"
is "commands beside verified requests do and see what they should" "$rounds OK CHECK OK OK OK OK" \
	"$(sort "$WORK/seen" | uniq -c | sed 's/^ *//')"
compare "they ended as passthrough" $(($(recorded rq_complete N) - before)) -ge $((rounds * 4))
verify_stop "and lose nothing of the others"
at_rest "nothing is left"

# The device is kept, for a minute at most, for a process that has read and does not come back.
# A command is not for the scheduler to keep waiting.
echo 60000 >"$QUEUE/iosched/timeout_sync"
echo 1 >"$QUEUE/iosched/strict_guarantees"
echo 60000 >"$QUEUE/iosched/slice_idle"
background "$HELPER" issue "$DEV" "p=s1+4 sleep=60000"
holder=$child
plugged() { grep -q '^gate: plugged' "/sys/kernel/debug/block/$DISK/sched/state"; }
eventually 20 plugged || give_up "the device is not plugged"
is "a command passes a plug" "OK OK" "$(results sw4096+4 sc4096+4)"
holds "which still holds" plugged
pkill -9 -P "$holder"
killed 20 "$holder" >/dev/null 2>&1
at_rest "nothing is left"
