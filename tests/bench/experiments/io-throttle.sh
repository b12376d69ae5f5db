# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What io-throttle.py measures: one process in the group foo and bar_processes in bar, with
# weights, or limits in KiB/s for io.max. Leaves $OUT/cells.

disk_model hdd size_mb=8192 store=0
select_scheduler "$scheduler"
group foo "$foo_weight"
group bar "$bar_weight"
limit foo $((foo_kib * 1024))
limit bar $((bar_kib * 1024))
describe_device

n=0
while [ "$n" -le "$bar_processes" ]; do
	partition $((n + 1)) $((n * 64)) 32
	[ "$n" = 0 ] && name=foo || name=bar
	echo "$CGROOT/$name/cgroup.procs /dev/${DISK}p$((n + 1))"
	n=$((n + 1))
done >/tmp/jobs
snapshot before
/lab/cells </tmp/jobs >"$OUT/cells" || die "no figures"
snapshot after
