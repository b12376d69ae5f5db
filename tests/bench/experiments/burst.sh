# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What burst.py measures: $count bursts of $reads reads of $bytes by a group that rests in
# between, first without and then beside $neighbours of $pattern on a disk of $profile. Leaves
# $OUT/idle and $OUT/loaded, what it says, and the snapshots around the second.

gib=1048576		# KiB

# ask COUNT: in a shell of its own, which becomes the program
ask() {
	(in_group resting /lab/asker burst "/dev/$DISK" 0 $gib "$bytes" "$reads" "$pause_ms" "$1")
}

disk_model "$profile" size_mb=16384 store=0 link_mb_s="$link_mb_s"
select_scheduler "$scheduler"
describe_device
group resting 100
ask "$count" >"$OUT/idle" || die "no bursts on an idle disk"
for i in $(seq "$neighbours"); do
	group "n$i" 100
	echo "$CGROOT/n$i/cgroup.procs /dev/$DISK $((i * gib)) $gib 131072 $depth $pattern 1"
done >/tmp/jobs
start_load
warm_up "$warmup_ms"
snapshot before
ask "$count" >"$OUT/loaded" || die "no bursts beside others"
snapshot after
end_load
