#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: buffered writes are served, and counted, for the group that dirtied, and shared by weight
# where: icount
# kernels: each
#
# Writes reach the disk long after the process has made them, from kernel
# threads, one for each group (cgroup writeback). Here two groups keep
# overwriting files of their own, each on a file system and partition of its own,
# which tells apart what is completed for whom; the scheduler's own figures in io.stat
# (bfq.bytes) say for whom it has served it. What the kernel counts there by itself is not
# looked at.
#
# Bounds: 5 % between the two, since the scheduler counts a little earlier. 10 % for the shares
# of 1 and 3 (without the scheduler they are 1 and 1): who may dirty how many pages is the
# kernel's affair (mm/page-writeback.c), which learns in seconds what each group's disk is worth.
. "${0%/*}/ktap.sh"
plan 5
require fio addpart mkfs.ext4

latency_us=8000
depth=16
request_kb=32
bound=5
share_bound=10
warm_up=8
seconds=6
dirty=$((16 << 20))
file_mb=24
cg_setup
modprobe ext4 2>/dev/null

# Small, so that writers are held back, and write-back never ceases.
vm dirty_bytes $dirty
vm dirty_background_bytes $((dirty / 2))

# file_system N GROUP: on partition N, with the file of the group's writer in it, made by the
# group itself: the kernel charges a file to whom it belongs, and learns slowly that it was wrong
file_system() {
	mkdir -p "$WORK/m$1"
	# a journal would be written by a thread of its own, for all
	mkfs.ext4 -q -F -O ^has_journal "${DEV}p$1" || give_up "mkfs fails"
	mount -t ext4 "${DEV}p$1" "$WORK/m$1" || give_up "no ext4 in this kernel"
	defer "umount $WORK/m$1"
	in_cg "$2" dd if=/dev/zero of="$WORK/m$1/file" bs=1M count=$file_mb 2>/dev/null ||
		give_up "cannot write the file"
}

nullb memory_backed=1 size=128 hw_queue_depth=$depth completion_nsec=$((latency_us * 1000))
parts 2
cg light 100
cg heavy 300
file_system 1 light
file_system 2 heavy
sync
sched "${SCHED:-$BFQ_NAME}"
echo $request_kb >"$QUEUE/max_sectors_kb"

# writer N GROUP
writer() {
	in_cg_bg "$2" fio --name=load --filename="$WORK/m$1/file" --size=${file_mb}m --rw=write \
		--bs=64k --ioengine=psync --overwrite=1 --invalidate=0 --thread --eta=never \
		--randrepeat=0 --gtod_reduce=1 --output=/dev/null --time_based --runtime=3600
}

# Sectors: completed on each partition, served for each group and for the one above them.
served() {
	sed -n "s/^$MAJMIN .*\b$BFQ_NAME\.bytes=\([0-9]*\) .*/\1/p" "$1/io.stat" |
		awk '{ n = $1 / 512 } END { printf "%d", n }'
}
count() { echo "$(sectors_written 1) $(sectors_written 2) $(served "$CG/light") $(served "$CG/heavy") $(served "$CG")"; }

writer 1 light
writer 2 heavy
sleep $warm_up
count >"$WORK/before"
sleep $seconds
state=$(head -n 1 "/sys/kernel/debug/block/$DISK/sched/state")
count >"$WORK/after"

paste -d' ' "$WORK/before" "$WORK/after" | awk '{ for (i = 1; i <= 5; i++) print $(i + 5) - $i }' >"$WORK/diff"
{ read -r light; read -r heavy; read -r light_served; read -r heavy_served; read -r all; } <"$WORK/diff"
near() { compare "$1 (completed $2, served $3)" "$(calc "100 * ($3 / $2 - 1) * ($3 > $2 ? 1 : -1)")" -le $bound; }
if [ "$light" -lt 1000 ] || [ "$heavy" -lt 1000 ]; then
	give_up "little is written: $light and $heavy sectors"
fi
near "the scheduler serves for the light group what is written for it" "$light" "$light_served"
near "the scheduler serves for the heavy group what is written for it" "$heavy" "$heavy_served"
near "and for the group above, what it serves for both" "$((light_served + heavy_served))" "$all"
ratio=$(calc "$heavy / $light")
compare "a group of three times the weight gets three times as much (heavy $heavy, light $light sectors; error in %)" \
	"$(calc "100 * ($ratio / 3 - 1) * ($ratio > 3 ? 1 : -1)")" -le $share_bound
one_of "the scheduler has the writes in queues of both groups" "2 3" \
	"$(echo "$state" | sed -n 's/^queues: \([0-9]*\) active with different shares.*/\1/p')"
