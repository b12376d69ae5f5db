# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What cooperation.py measures: $processes that read the first half of a disk in stripes, and with
# $other one that reads the second half.

STRIPE_KB=64

disk_model hdd size_mb=8192 store=0
select_scheduler "$scheduler"
partition 1 0 4096
[ "$other" = 0 ] || partition 2 4096 4096
describe_device
n=0
while [ "$n" -lt "$processes" ]; do
	job "stripe$n" . --filename="/dev/${DISK}p1" --direct=1 --bs="${STRIPE_KB}k" \
		--rw="read:$(((processes - 1) * STRIPE_KB))k" --offset="$((n * STRIPE_KB))k"
	n=$((n + 1))
done
if [ "$other" = 1 ]; then
	job other . --filename="/dev/${DISK}p2" --direct=1 --bs="${STRIPE_KB}k" --rw=read
fi
wait_io
sleep "$warmup"
window "$length"
stop_jobs
