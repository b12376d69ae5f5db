# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What desktop.py measures: $steps on a disk of $profile that is idle, and on a new one that is read by
# a backup. Leaves for idle and backup what a step's program says in $OUT/STATE-STEP, and
# snapshots in $OUT/STATE-STEP-before and -after.

gib=1048576		# KiB
MNT=/tmp/files
FILES_MB=512		# the file system
FILES_GIB=220		# where it begins; before it is what the programs read
FILM_GIB=225
BACKUP_GIB=240

# Whatever mkfs leaves to be done later, a thread of the kernel does while others are measured.
new_disk() {
	disk_model "$profile" size_mb=$((256 * 1024)) store=1 ${link_mb_s:+link_mb_s="$link_mb_s"}
	select_scheduler "$scheduler"
	partition 1 $((FILES_GIB * 1024)) "$FILES_MB"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/${DISK}p1" ||
		die "mkfs fails"
	mkdir -p "$MNT"
	modprobe -q ext4
	modprobe -q crc32c_generic
	mount -t ext4 -o data=ordered "/dev/${DISK}p1" "$MNT" || die "no ext4 in this kernel"
	mkdir "$MNT/saved" "$MNT/unpacked"
	sync
}

old_disk() {
	umount "$MNT" || die "cannot unmount"
	remove_device
}

# do_step STEP
do_step() {
	case $1 in
	film) /lab/player video "/dev/$DISK" $((FILM_GIB * gib)) "$frames" ;;
	save) /lab/asker create "$MNT/saved" 0 "$saved" ;;
	unpack) /lab/crew unpack "$MNT/unpacked" "$unpacked" ;;
	*) /lab/replay "/dev/$DISK" "/lab/$1.reads" "$limit_s" ;;
	esac
}

# do_all STATE
do_all() {
	for step in $steps; do
		warm_up 1000
		snapshot "$1-$step-before"
		do_step "$step" >"$OUT/$1-$step" || die "$step failed"
		snapshot "$1-$step-after"
	done
}

new_disk
describe_device
do_all idle
old_disk
new_disk
echo "- /dev/$DISK $((BACKUP_GIB * gib)) $((8 * gib)) 131072 2 read 1" >/tmp/jobs
start_load
do_all backup
end_load
