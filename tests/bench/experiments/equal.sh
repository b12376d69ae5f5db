# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What equal.py measures: four processes on a partition each, once for each of $settings
# (WAY/DEPTH/PATTERN,PATTERN,...), each time on a new disk of $profile. Leaves the snapshots
# before-WAY-DEPTH and after-WAY-DEPTH.

mib_each=2048

# measure NAME DEPTH PATTERNS
measure() {
	disk_model "$profile" size_mb=16384 store=0 command_ns="$command_ns" link_mb_s="$link_mb_s"
	select_scheduler "$scheduler"
	n=0
	: >/tmp/jobs
	for pattern in $(echo "$3" | tr , ' '); do
		n=$((n + 1))
		group "n$n" 100
		partition $n $(((n - 1) * mib_each)) $mib_each
		echo "$CGROOT/n$n/cgroup.procs /dev/${DISK}p$n 0 $((mib_each * 1024)) $bytes $2 $pattern 1" >>/tmp/jobs
	done
	[ -s "$OUT/device" ] || describe_device
	start_load
	warm_up "$warmup_ms"
	snapshot "before-$1"
	sleep "$(awk -v ms="$window_ms" 'BEGIN { print ms / 1000 }')"
	snapshot "after-$1"
	end_load
	remove_groups
	remove_device
}

for setting in $settings; do
	IFS=/ read -r way depth patterns <<-END
		$setting
	END
	measure "$way-$depth" "$depth" "$patterns"
done
