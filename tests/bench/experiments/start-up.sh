# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What start-up.py measures: the program whose reads are in $table starts on a disk of
# $profile that is idle, then on a new one that is busy. Leaves for idle and loaded what
# replay says in $OUT/NAME, and snapshots in $OUT/NAME-before and -after.

gib=1024		# MiB

new_disk() {
	disk_model "$profile" size_mb=$((256 * gib)) store=0 ${link_mb_s:+link_mb_s="$link_mb_s"}
	select_scheduler "$scheduler"
}

start_program() {
	snapshot "$1-before"
	/lab/replay "/dev/$DISK" "/lab/$table" "$limit_s" >"$OUT/$1" || die "cannot replay"
	snapshot "$1-after"
}

# Behind the program's part of the disk, so that nobody reads what another one has read.
write_jobs() {
	{
		echo "- /dev/$DISK $((240 * gib * 1024)) $((readers * gib * 1024)) 131072 2 read $readers"
		echo "- /dev/$DISK $((250 * gib * 1024)) $((writers * gib * 1024)) 65536 1 bufwrite $writers"
	} >/tmp/jobs
}

new_disk
describe_device
start_program idle
remove_device
new_disk
write_jobs
start_load
warm_up "$warmup_ms"
start_program loaded
end_load
