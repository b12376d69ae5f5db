# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What two-actuator.py measures: who reads the $first half of a disk with two arms, and who the
# $second. Each has a part of 512 MiB of its half.

HALF=4096	# MiB

# readers HALF WHO...
readers() {
	half=$1 n=0
	shift
	for who; do
		case $who in
		seq) set -- --rw=read --bs=64k ;;
		rand) set -- --rw=randread --bs=4k ;;
		deep) set -- --rw=read --bs=64k --ioengine=libaio --iodepth=16 ;;
		write) set -- --rw=write --bs=64k --ioengine=libaio --iodepth=8 ;;
		*) die "who is $who?" ;;
		esac
		job "$half-$n" . --filename="/dev/${DISK}p$half" --direct=1 --offset=$((n * 512))M \
			--size=512M "$@"
		n=$((n + 1))
	done
}

disk_model two-actuator size_mb=$((2 * HALF)) store=0
select_scheduler "$scheduler"
partition 1 0 $HALF
partition 2 $HALF $HALF
describe_device
# shellcheck disable=SC2086 # words
readers 1 $first
# shellcheck disable=SC2086
readers 2 $second
[ "$second" ] || stats="/sys/block/$DISK/${DISK}p1/stat"
wait_io
# shellcheck disable=SC2034 # for window
stats="/sys/block/$DISK/${DISK}p1/stat /sys/block/$DISK/${DISK}p2/stat"
sleep "$warmup"
window "$length"
stop_jobs
