# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What fsync.py measures: $count times $kind (fsync or create) on ext4 in ordered mode beside
# $neighbours: who append to files there, without (append) or with fsync, or who read the disk
# behind it (randread), as $pattern says. Leaves $OUT/asker, and the snapshots around it.

MNT=/tmp/files
FILES_MB=1024		# the file system; behind it lies what readers read
FILE_KB=65536		# of who appends, written again and again
DIRTY_MB=64		# that may wait in memory, as in target.sh

# Whatever mkfs leaves to be done later, a thread of the kernel does while others are measured.
make_files() {
	partition 1 0 "$FILES_MB"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/${DISK}p1" ||
		die "mkfs fails"
	mkdir -p "$MNT"
	modprobe -q ext4
	modprobe -q crc32c_generic
	mount -t ext4 -o data=ordered "/dev/${DISK}p1" "$MNT" || die "no ext4 in this kernel"
	mkdir "$MNT/own"
	sync
}

# neighbour N ASKER-ARGUMENT...: in a group of its own, for ever
neighbour() {
	n=n$1
	shift
	in_group "$n" /lab/asker "$@" >"$OUT/$n" 2>&1 &
	askers="$askers $!"
}

# Neighbours number $1 to $2.
start_neighbours() {
	for i in $(seq "$1" "$2"); do
		group "n$i" 100
		case $pattern in
		append) neighbour "$i" append "$MNT/appended$i" "$FILE_KB" ;;
		fsync)
			mkdir "$MNT/n$i"
			neighbour "$i" fsync "$MNT/n$i" 0 1000000
			;;
		randread)
			echo "$CGROOT/n$i/cgroup.procs /dev/$DISK $(((FILES_MB + i * 1024) * 1024))" \
				"$((1 << 20)) 131072 16 randread 1" >>/tmp/jobs
			;;
		esac
	done
	[ ! -s /tmp/jobs ] || start_load
}

end_neighbours() {
	for pid in $askers; do
		[ -d "/proc/$pid" ] || { cat "$OUT"/n*; die "a neighbour ended early"; }
	done
	# shellcheck disable=SC2086 # a list
	[ -z "$askers" ] || kill $askers
	[ ! -s /tmp/jobs ] || end_load
}

askers=''
: >/tmp/jobs
disk_model "$profile" size_mb=8192 store=1
select_scheduler "$scheduler"
put "+io +memory" "$CGROOT/cgroup.subtree_control"
put $((DIRTY_MB << 20)) /proc/sys/vm/dirty_bytes
put $((DIRTY_MB << 19)) /proc/sys/vm/dirty_background_bytes
make_files
describe_device
group own 100
start_neighbours 1 "$neighbours"
warm_up "$warmup_ms"
snapshot before
(in_group own /lab/asker "$kind" "$MNT/own" "$pause_ms" "$count") >"$OUT/asker" ||
	die "nothing was made safe"
snapshot after
end_neighbours
