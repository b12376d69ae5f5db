# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What lwn-sequential, lwn-random and io-cost measure: one target against interferers on the
# modelled SATA SSD, each a process in a group of its own.
#
# runs		TARGET/INTERFERER/N..., one after the other on a disk made anew each time. A kind of I/O
#		is random-reader, seq-reader, buffered-reader or seq-writer, or "-" for nobody.
#		Leaves before-TARGET-INTERFERER-N and after-...
# inactive	groups besides, whose process sleeps
# weights	of the target, of an active and of an inactive interferer
# max		io.max: bytes per second for the same three
# qos, model	io.cost: what is written to io.cost.qos and io.cost.model
# warmup, window	seconds

REGION=900	# MiB of the disk for each reader
FILES=8		# the partition with the writers' files, behind all of theirs
FILE=64		# MiB that a writer overwrites again and again
DIRTY=64	# MiB that may be dirty: a part of all files, so that the disk holds writers back

# start NAME GROUP KIND NUMBER: a job, a reader on a partition of its own. Who reads a file in
# sequence has two requests of read-ahead under way, 128 KiB each: where one begins, the next is
# asked for, and only then waited for the first. To the disk that is a direct reader of depth 2.
start() {
	kind=$3 number=$4
	set -- "$1" "$2" --gtod_reduce=1
	case $kind in
	*-reader)
		partition "$number" $(((number - 1) * REGION)) "$REGION"
		set -- "$@" --filename="/dev/${DISK}p$number"
		;;
	esac
	case $kind in
	random-reader) job "$@" --direct=1 --rw=randread --bs=4k ;;
	seq-reader) job "$@" --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=2 ;;
	buffered-reader) job "$@" --direct=0 --rw=read --bs=128k ;;
	seq-writer)
		job "$@" --filename="/tmp/files/$1" --size="${FILE}m" --direct=0 --rw=write \
			--bs=128k --overwrite=1 --invalidate=0
		;;
	*) die "no kind of I/O: $kind" ;;
	esac
}

# files N: a file for each writer, on a file system without a journal, which a thread
# that is in no group would write for all.
files() {
	partition "$FILES" $(((FILES - 1) * REGION)) $((FILE * ($1 + 1)))
	mkfs.ext4 -q -F -O ^has_journal "/dev/${DISK}p$FILES" || die "mkfs fails"
	mkdir -p /tmp/files
	modprobe -q ext4
	modprobe -q crc32c_generic
	mount -t ext4 "/dev/${DISK}p$FILES" /tmp/files || die "no ext4 in this kernel"
	for file in $(seq "$1"); do
		dd if=/dev/zero of="/tmp/files/i$file" bs=1M count="$FILE" 2>/dev/null ||
			die "cannot write a file"
	done
	# The pages and inodes of whoever made them must not be taken over by the writers.
	umount /tmp/files
	mount -t ext4 "/dev/${DISK}p$FILES" /tmp/files || die "cannot mount again"
}

# A file system wants to be read as it was written; elsewhere copying would be a waste.
make_disk() {
	case $1 in
	*-writer) disk_model sata-ssd store=1 ;;
	*) disk_model sata-ssd store=0 ;;
	esac
	case $scheduler in
	bfq) select_scheduler bfq low_latency=0 ;;	# weights are to be what they say
	*) select_scheduler "$scheduler" ;;
	esac
}

# make_groups N: the target's, the interferers' and the sleepers'.
make_groups() {
	active=$1
	# shellcheck disable=SC2086 # lists
	set -- $weights $max
	group target "$1"
	limit target "$4"
	i=1
	while [ "$i" -le $((active + inactive)) ]; do
		if [ "$i" -le "$active" ]; then
			group "i$i" "$2"
			limit "i$i" "$5"
		else
			group "i$i" "$3"
			limit "i$i" "$6"
			in_group "i$i" sleep 86400 &
			sleepers="$sleepers $!"
		fi
		i=$((i + 1))
	done
}

# measure TARGET INTERFERER N
measure() {
	make_disk "$2"
	make_groups "$3"
	[ "$2" != seq-writer ] || files "$3"
	[ "$1" = - ] || start target target "$1" 1
	i=1
	while [ "$i" -le "$3" ]; do
		start "i$i" "i$i" "$2" $((i + 1))
		i=$((i + 1))
	done
	wait_io
	sleep "$warmup"
	# The disk's own cache is to be full, and wait_io counts what made the files.
	[ "$2" != seq-writer ] || sleep 1
	window "$window"
	mv "$OUT/before" "$OUT/before-$1-$2-$3"
	mv "$OUT/after" "$OUT/after-$1-$2-$3"
	describe_device
	# shellcheck disable=SC2086 # a list
	[ -z "$sleepers" ] || kill $sleepers
	sleepers=''
	stop_jobs
	[ "$2" != seq-writer ] || umount /tmp/files
	remove_groups
	remove_device
}

sleepers=''
: "${max=max max max}"
# The memory controller says whose a page is, and so who writes it back.
put "+io +memory" "$CGROOT/cgroup.subtree_control"
put $((DIRTY << 20)) /proc/sys/vm/dirty_bytes
put $((DIRTY << 19)) /proc/sys/vm/dirty_background_bytes
for run in $runs; do
	# shellcheck disable=SC2046 # three words
	measure $(echo "$run" | tr / ' ')
done
