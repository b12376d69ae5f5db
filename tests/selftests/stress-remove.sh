#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: devices that disappear while they are busy
# where: guest
. "${0%/*}/ktap.sh"
if [ -n "$DEBUG" ]; then rounds=3; else rounds=6; fi
plan $((rounds + 3))
require fio
cg_setup
cg a 100
cg b 300

load="fio --name=load --thread --eta=never --output=/dev/null --time_based --runtime=3600 --direct=1
	--rw=randrw --bs=4k --ioengine=libaio --iodepth=16"
reads() { awk '{ print $1 }' "/sys/block/$DISK/stat"; }
busy() { [ "$(reads)" -gt 20 ]; }

start() {
	# shellcheck disable=SC2086 # options
	in_cg_bg a $load --filename="$DEV" 2>/dev/null
	one=$child
	# shellcheck disable=SC2086
	in_cg_bg b $load --filename="$DEV" 2>/dev/null
	two=$child
	eventually 60 busy || give_up "fio does not start"
}

# fio must come back with an error, or by our signal: what it must not do is hang.
ended() { sleep 0.2; killed 30 "$one" "$two"; }

i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1))
	nullb memory_backed=$((i % 2)) hw_queue_depth=4 completion_nsec=$((1000000 * i * SLOW))
	sched "$BFQ_NAME"
	start
	echo 0 >"$CONFIGFS/nullb/$DISK/power"
	holds "round $i: null_blk is switched off" ended
done

scsi_disk dev_size_mb=16 ndelay=$((1000000 * SLOW)) max_queue=8
sched "$BFQ_NAME"
start
echo 1 >"/sys/block/$DISK/device/delete"
holds "a SCSI disk is deleted" ended
holds "its driver can be unloaded" eventually 30 rmmod scsi_debug
for n in $(seq 1 $rounds); do nullb_remove "nb$n"; done
holds "no device holds the module any more" eventually 30 unused ||
	grep -H . /sys/block/*/queue/scheduler /proc/modules | grep "$(module)" | sed 's/^/# /'
