# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What zoccolo.py measures: seq sequential readers, so many random readers and writers. fio
# leaves its figures of the time after the warm-up; the disk is counted at the same time.

# run NAME FIO-ARGUMENT...: a fio that ends by itself
run() {
	name=$1
	shift
	job "$name" . --bs=4k --group_reporting --ramp_time="$warmup" --runtime="$length" "$@"
}

disk_model hdd size_mb=8192 store=0
select_scheduler "$scheduler"
[ "$wbt" = 1 ] || put 0 "$QUEUE/wbt_lat_usec"
partition 1 0 4096
partition 2 4096 4096
describe_device
if [ "$seq" -gt 0 ]; then
	run seq --rw=read --filename="/dev/$DISK" --numjobs="$seq" --offset_increment=4g
fi
n=0
while [ "$n" -lt "$writers" ]; do
	n=$((n + 1))
	run "writer$n" --rw=write --filename="/dev/${DISK}p$n"
done
if [ "$random" -gt 0 ]; then
	run random --rw=randread --filename="/dev/$DISK" --direct=1 --numjobs="$random"
fi
sleep "$warmup"
snapshot before
sleep "$length"
snapshot after
wait_jobs
