# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What settle.py measures: $jobs (WEIGHT/BYTES/DEPTH/PATTERN), each in a group and on a part of the disk
# of $profile, from the moment when they begin. Leaves $OUT/slices, what the parts have completed
# every $slice_ms, $count times, and the snapshots around that.

gib=1048576		# KiB

disk_model "$profile" size_mb=16384 store=0 ${slower:+"$slower"}
case $scheduler in
bfq|"$BFQ_NAME") select_scheduler "$scheduler" low_latency=0 ;;
*) select_scheduler "$scheduler" ;;
esac
describe_device
n=0
for job in $jobs; do
	n=$((n + 1))
	partition $n $((n * 1024)) 1024
	group "n$n" "${job%%/*}"
	job=${job#*/}
	bytes=${job%%/*}
	job=${job#*/}
	echo "$CGROOT/n$n/cgroup.procs /dev/${DISK}p$n 0 $gib $bytes ${job%/*} ${job#*/} 1"
done >/tmp/jobs
snapshot before
# shellcheck disable=SC2086 # a list
/lab/slices "$slice_ms" "$count" $stats >"$OUT/slices" &
slices=$!
warm_up 100
start_load
wait "$slices" || die "no slices"
snapshot after
end_load
