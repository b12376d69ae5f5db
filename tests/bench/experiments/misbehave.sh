# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What misbehave.py measures: one who reads 4 KiB after the other beside $readers and $writers on a
# disk of $profile with the $faults of tests/diskmodel. Leaves $OUT/reader, $OUT/faults, which
# are the disk's statistics, and the snapshots before and after.

gib=1048576		# KiB

# neighbours FIRST LAST PATTERN
neighbours() {
	for i in $(seq "$1" "$2"); do
		group "n$i" 100
		echo "$CGROOT/n$i/cgroup.procs /dev/$DISK $((base + i * span)) $span $bs $depth $3 1"
	done
}

# shellcheck disable=SC2086 # words
disk_model "$profile" size_mb=8192 store=0 $faults
select_scheduler "$scheduler"
describe_device
group reader 100
{
	neighbours 1 "$readers" randread
	[ "$writers" = 0 ] || neighbours $((readers + 1)) $((readers + writers)) randwrite
} >/tmp/jobs
start_load
snapshot before
# In a shell of its own, which becomes the reader.
(in_group reader /lab/asker timed "/dev/$DISK" 0 $gib "/sys/block/$DISK/stat" \
	$((warmup_ms + LAB_SEED * 137)) "$window_ms" "$slice_ms") >"$OUT/reader" || die "no figures"
snapshot after
cat "$CONF/stats" >"$OUT/faults"
end_load
