#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: requests that must not wait, and batches, with few tags: each has one result, and the right one
# where: guest
. "${0%/*}/ktap.sh"
require fio
require_helper
# from Linux 6.12 on io_uring discards
case $(uname -r) in [1-5].* | 6.[0-9].* | 6.1[01].*) plan 19 ;; *) plan 24 ;; esac

# 64 reads at once, four tags, and a device that takes two at a time.
nullb size=64 memory_backed=1 hw_queue_depth=2 poll_queues=0 completion_nsec=$((SLOW > 1 ? 40000000 : 20000000))
"$HELPER" ops "$DEV" w0+256 >/dev/null
sched "$BFQ_NAME"
echo 4 >"$QUEUE/nr_requests"
# so that there are 64, and not a few that have been merged
echo 2 >"$QUEUE/nomerges"
for how in uring aio; do
	batch $how 64 4
	is "$how: 64 reads in a call, one result each, and the data are right" "64 0 0" \
		"$(field ok) $(field wrong) $(field again)"
	batch $how 64 4 nowait
	is "$how: without waiting, each is done or gets EAGAIN" "64 0 0" \
		"$(($(field ok) + $(field EAGAIN))) $(field wrong) $(field again)"
	compare "$how: some of them are done" "$(field ok)" -gt 0
	compare "$how: some get EAGAIN" "$(field EAGAIN)" -gt 0
	at_rest "$how: nothing is left of them"
done
batch uring 64 4
is "and a batch that may wait is done afterwards as before" "64 0 0" "$(field ok) $(field wrong) $(field again)"

# The same while the scheduler is busy with others: a share of the tags each, and verified.
verify_load beside --filename="$DEV" --direct=1 --ioengine=io_uring --iodepth=16 --iodepth_batch_submit=8 \
	--rw=randrw --bs=4k --size=128k --offset=8m
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
done_all=
for how in uring aio; do
	batch $how 64 4 nowait
	done_all="$done_all $(($(field ok) + $(field EAGAIN))) $(field wrong) $(field again)"
	batch $how 32 4
	done_all="$done_all $(field ok) $(field wrong) $(field again)"
done
is "beside others' I/O as well" " 64 0 0 32 0 0 64 0 0 32 0 0" "$done_all"
verify_stop "which loses nothing by it"
at_rest "nothing is left of all that"
nullb_remove "$DISK"

# Twelve readers of a heavy group hold a tag each, so four of 16 are free, and more than half are
# in use whatever ends. A process of a light group is due one. Beyond that it is told EAGAIN, though
# there are tags; and at once: a request takes a second here, and to wait is to wait for one.
# That is long for a busy host as well: requests that end while the batch is asked for leave tags
# to the light group that are its own by then.
cg_setup
cg light 100	# so that it is known soon: its first reads have a tenth of the device
cg heavy 900
took_ms=1000
nullb size=64 memory_backed=1 hw_queue_depth=4 poll_queues=0 completion_nsec=$((took_ms * 1000000))
"$HELPER" ops "$DEV" w0+64 >/dev/null
sched "$BFQ_NAME"
echo 16 >"$QUEUE/nr_requests"
echo 2 >"$QUEUE/nomerges"
in_cg_bg heavy fio --name=load --filename="$DEV" --thread --eta=never --output=/dev/null --direct=1 --rw=randread \
	--bs=4k --ioengine=psync --numjobs=12 --offset=32m --size=16m --norandommap --randrepeat=0 \
	--time_based --runtime=3600
load=$child
used() { sed -n '/^busy=/{s///p;q;}' "/sys/kernel/debug/block/$DISK/hctx0/sched_tags"; }
all_read() { [ "$(used)" -eq 12 ]; }
eventually $((60 * SLOW)) all_read || give_up "fio does not start"
in_cg light "$HELPER" batch "$DEV" aio 16 4 nowait known >"$WORK/batch" || give_up "helper batch"
note "in a light group: $(cat "$WORK/batch")"
is "each of 16 reads is done or gets EAGAIN" "16 0 0" "$(($(field ok) + $(field EAGAIN))) $(field wrong) $(field again)"
compare "a process gets some of the tags" "$(field ok)" -ge 1
compare "and no more than its due of them" "$(field ok)" -le 2
compare "EAGAIN comes at once (ms)" "$(field ms)" -lt $((took_ms / 2))
killed $((60 * SLOW)) "$load" 2>/dev/null
at_rest "nothing is left"
nullb_remove "$DISK"
[ "$ktap_planned" -eq 24 ] || exit 0

# The first of a batch takes tags for all: those for discards are taken as if for reads. What is counted
# then is given back, or nobody would know how many tags writes have, and few tags be none for them.
nullb size=64 memory_backed=1 hw_queue_depth=8 discard=1 poll_queues=0 completion_nsec=$((10000000 * SLOW))
"$HELPER" ops "$DEV" w0+256 >/dev/null
sched "$BFQ_NAME"
is "there are few tags" 16 "$(cat "$QUEUE/nr_requests")"
done_all=
for _ in 1 2 3 4 5; do
	batch uring 4 4 discards
	done_all="$done_all $(field ok)"
done
is "one read and three discards in a call, five times" " 4 4 4 4 4" "$done_all"
at_rest "nothing is left of them"
vm dirty_bytes $((4 << 20))
vm dirty_background_bytes $((1 << 20))
echo 16 >"$QUEUE/max_sectors_kb"
exec 9<"$DEV"	# who closes it last waits for what is dirty, with requests that may have all tags
background dd if=/dev/zero of="$DEV" bs=64k count=256 conv=nocreat,notrunc status=none
writer=$child
most=0
ended() {
	now_used=$(used)
	[ "$now_used" -le "$most" ] || most=$now_used
	ktap_over "$writer"
}
holds "and write-back goes on" eventually $((60 * SLOW)) ended
compare "with three quarters of the tags at most, as before" "$most" -le 12
exec 9<&-
