# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What one-group.py measures: $rate reads a second of one process, for $reads_s seconds, beside $readers
# and $writers, all in one group. Leaves $OUT/player, and snapshots $window_s apart, the last one at its end.

gib=1048576		# KiB

# neighbours FIRST LAST PATTERN: a region of 1 GiB each.
neighbours() {
	for i in $(seq "$1" "$2"); do
		echo "$CGROOT/all/cgroup.procs /dev/$DISK $((i * gib)) $gib $bs $depth $3 1"
	done
}

# shellcheck disable=SC2086 # words
disk_model "$profile" size_mb=16384 store=0 $more
select_scheduler "$scheduler"
group all 100
{
	neighbours 1 "$readers" "$pattern"
	neighbours $((readers + 1)) $((readers + writers)) write
} >/tmp/jobs
describe_device
start_load
warm_up "$warmup_ms"
if [ "$rate" -gt 0 ]; then
	# In a shell of its own, which becomes the player.
	(in_group all /lab/player steady "/dev/$DISK" 0 $gib "$rate" "$((rate * reads_s))") >"$OUT/player" &
fi
sleep $((reads_s - window_s))
snapshot before
sleep "$window_s"
snapshot after
if [ "$rate" -gt 0 ]; then
	wait $! || die "no steady reader"
fi
end_load
