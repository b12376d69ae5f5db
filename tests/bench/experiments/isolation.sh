# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What isolation.py measures: $reads steady reads of one group beside $readers and $writers,
# each in a group of its own. Leaves $OUT/player, and the snapshots before and after it.

gib=1048576		# KiB

# neighbours FIRST LAST PATTERN: a region of 1 GiB each.
neighbours() {
	for i in $(seq "$1" "$2"); do
		group "n$i" 100
		echo "$CGROOT/n$i/cgroup.procs /dev/$DISK $((i * gib)) $gib 131072 32 $3 1"
	done
}

disk_model nvme size_mb=16384 store=0 link_mb_s="$link_mb_s"
select_scheduler "$scheduler"
group steady 100
{
	neighbours 1 "$readers" randread
	neighbours $((readers + 1)) $((readers + writers)) write
} >/tmp/jobs
describe_device
[ ! -s /tmp/jobs ] || start_load
warm_up "$warmup_ms"
snapshot before
# In a shell of its own, which becomes the player.
(in_group steady /lab/player steady "/dev/$DISK" 0 $gib "$rate" "$reads") >"$OUT/player" ||
	die "no steady reader"
snapshot after
[ ! -s /tmp/jobs ] || end_load
