# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What cooperation.py measures on a file system, ext4 in ordered mode on a disk of $profile, beside
# $readers of what lies behind it: $kind pipeline, $count blocks of crew's, or commit, $count of
# asker's with $pause_ms in between. Leaves $OUT/said, and the snapshots around it.

MNT=/tmp/files
FILES_MB=1024		# the file system; behind it lies what is read
gib=1048576		# KiB

# Whatever mkfs leaves to be done later, a thread of the kernel does while others are measured.
make_files() {
	partition 1 0 "$FILES_MB"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/${DISK}p1" ||
		die "mkfs fails"
	mkdir -p "$MNT"
	modprobe -q ext4
	modprobe -q crc32c_generic
	mount -t ext4 -o data=ordered "/dev/${DISK}p1" "$MNT" || die "no ext4 in this kernel"
	sync
}

disk_model "$profile" size_mb=16384 store=1
select_scheduler "$scheduler"
make_files
describe_device
if [ "$readers" != 0 ]; then
	echo "- /dev/$DISK $((4 * gib)) $((8 * gib)) 131072 2 read $readers" >/tmp/jobs
	start_load
fi
warm_up "$warmup_ms"
snapshot before
case $kind in
pipeline) set -- /lab/crew pipeline "/dev/$DISK" $((2 * gib)) "$MNT" "$count" "$work_us" ;;
commit) set -- /lab/asker fsync "$MNT" "$pause_ms" "$count" ;;
*) die "what is $kind?" ;;
esac
"$@" >"$OUT/said" || die "$1 failed"
snapshot after
[ "$readers" = 0 ] || end_load
