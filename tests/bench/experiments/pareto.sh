# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What pareto.py measures: one who reads 4 KiB after the other, alone (no $settings) or beside
# $neighbours of $pattern, once for each of $settings (KIB/DEPTH), each time on a new disk of
# $profile. Leaves $OUT/SETTING, what the reader says, and the snapshots before and after it.

gib=1048576		# KiB

# jobs BYTES DEPTH: a region of 1 GiB for each.
jobs() {
	[ "$1" != 0 ] || return 0
	for i in $(seq "$neighbours"); do
		group "n$i" 100
		echo "$CGROOT/n$i/cgroup.procs /dev/$DISK $((i * gib)) $gib $1 $2 $pattern 1"
	done
}

# measure NAME KIB DEPTH
measure() {
	disk_model "$profile" size_mb=16384 store=0 command_ns="$command_ns" link_mb_s="$link_mb_s"
	select_scheduler "$scheduler"
	jobs $(($2 * 1024)) "$3" >/tmp/jobs
	[ -s "$OUT/device" ] || describe_device
	group reader 100
	[ ! -s /tmp/jobs ] || start_load
	# In a shell of its own, which becomes the reader.
	snapshot "before-$1"
	(in_group reader /lab/asker timed "/dev/$DISK" 0 $gib "/sys/block/$DISK/stat" \
		$((warmup_ms + LAB_SEED * 37)) "$window_ms" "$window_ms") >"$OUT/$1" ||
		die "no figures of $1"
	snapshot "after-$1"
	[ ! -s /tmp/jobs ] || end_load
	remove_groups
	remove_device
}

[ "$alone" = 0 ] || measure alone 0 0
for setting in $settings; do
	measure "${setting%/*}-${setting#*/}" "${setting%/*}" "${setting#*/}"
done
