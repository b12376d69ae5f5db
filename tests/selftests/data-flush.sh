#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: flushes and FUA reach the device, in the right place, and the data with them
# where: guest
. "${0%/*}/ktap.sh"
require fio mkfs.ext4 fsck.ext4
require_helper
modprobe null_blk nr_devices=0
if grep -q '\<fua\>' "$CONFIGFS/nullb/features"; then plan 22; else plan 16; fi

record_block rq_insert rq_issue rq_complete
flushes() { awk '{ print $16 }' "/sys/block/$DISK/stat"; }
# Each event of $DISK: sent or ended, and the letters.
order() {
	sed -n "s/.*block_rq_\(issue\|complete\): ${MAJMIN%:*},${MAJMIN#*:} \([A-Z]*\) .*/\1 \2/p" /sys/kernel/tracing/trace |
		sed 's/issue/sent/;s/complete/ended/' | tr '\n' ',' | sed 's/,$//'
}

nullb size=64 memory_backed=1 cache_size=8 hw_queue_depth=4 poll_queues=0 completion_nsec=$((1000000 * SLOW))
sched "$BFQ_NAME"
is "a write, a synchronous one and a flush" "OK OK OK" "$(results w0+64 d64+4 f)"
compare "the synchronous write went to the device as FUA" "$(recorded rq_issue WFS)" -eq 1
compare "the flush went there, too" "$(recorded rq_issue FF)" -ge 1
is "and is counted" "$(recorded rq_complete FF)" "$(flushes)"
is "the data are there" "OK OK" "$(results c0+64 c64+4)"
at_rest "nothing is left"

# Many at once, while the scheduler is kept busy, and while one request may be in the device.
sends() {
	"$HELPER" ops "$DEV" d1024+4 f d1028+4 f d1032+8 f d1040+16 f c1024+32 >"$WORK/$1" &
	ktap_children="$ktap_children $!"
}
for strict in 0 1; do
	echo $strict >"$QUEUE/iosched/strict_guarantees"
	before=$(flushes)
	verify_load beside --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k \
		--size=128k --offset=8m --fsync=8
	eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
	for n in 1 2 3; do
		sends $n
		pids="$pids $!"
	done
	for pid in $pids; do finished $((60 * SLOW)) "$pid"; done
	pids=
	verify_stop "flushes of others lose nothing (strict_guarantees $strict)"
	is "three who flush at once: all is well" 27 "$(cat "$WORK/1" "$WORK/2" "$WORK/3" | grep -c ' OK$')"
	compare "they were flushed" $(($(flushes) - before)) -ge 4
done
echo 0 >"$QUEUE/iosched/strict_guarantees"
at_rest "nothing is left of them"

# A journal's last block is written behind a flush: from 6.5 on, the write is put at the head.
mnt=$WORK/mnt
mkdir "$mnt"
file_system() {
	within $((60 * SLOW)) mkfs.ext4 -q -F "$DEV" || give_up "mkfs fails or does not end"
	within $((60 * SLOW)) mount "$DEV" "$mnt" || give_up "the file system cannot be mounted, or that does not end"
}
files=$(few 8)
commits() {
	for n in $(seq "$files"); do
		dd if=/dev/urandom of="$mnt/file$n" bs=4k count=4 conv=fsync 2>/dev/null || return 1
	done
}
# files are written and synced, or it is said that this does not end
commit() {
	background commits
	finished $((60 * SLOW)) "$child" || give_up "files cannot be written and synced, status $?"
}
file_system
defer "umount -l $mnt"
before=$(recorded rq_issue WFS.*)
commit
compare "a journal's commits go to the device as FUA" $(($(recorded rq_issue WFS.*) - before)) -ge $((files / 2))
unmount "$mnt"
at_rest "nothing is left of the file system's"
holds "which is clean" fsck.ext4 -f -n "$DEV"
nullb_remove "$DISK"

# A device without FUA: a flush follows each synchronous write.
grep -q '\<fua\>' "$CONFIGFS/nullb/features" || exit
nullb size=64 memory_backed=1 cache_size=8 fua=0 hw_queue_depth=4 poll_queues=0 completion_nsec=$((1000000 * SLOW))
sched "$BFQ_NAME"
echo >/sys/kernel/tracing/trace
is "a synchronous write to a device without FUA" OK "$(results d64+4)"
is "is a write, and then a flush, before it ends as a whole" "sent WS,ended WS,sent FF,ended FF,ended WS" \
	"$(order | cut -d, -f1-5)"
# ext4 asks for a flush before the last block of its journal, and one behind it.
file_system
before=$(recorded rq_insert)
flushed=$(flushes)
commit
compare "a journal's commits are inserted" $(($(recorded rq_insert) - before)) -ge "$files"
compare "with flushes before and behind" $(($(flushes) - flushed)) -ge "$files"
unmount "$mnt"
at_rest "nothing is left of them"
holds "and the file system is clean" fsck.ext4 -f -n "$DEV"
