# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What fairness.py measures: n groups with random weights, a process in each, load=sync, deep
# or write, sizes=equal or unequal, first one process alone under none. Leaves $OUT/groups
# (number, weight, size), $OUT/load and $OUT/alone-SIZE-DEPTH, for writers $OUT/before and
# after, and the same with "alone-" before. exact=1: with exact_shares.

# Weights and sizes: a generator of our own, so that they are the same everywhere.
choose() {
	awk -v n="$n" -v seed="$LAB_SEED" -v sizes="$sizes" 'BEGIN {
		x = seed * 7919 + n
		split(sizes == "equal" ? "65536 65536 65536" : "16384 65536 262144", size)
		for (i = 1; i <= n; i++) {
			for (j = 0; j < 3; j++)
				x = (x * 16807) % 2147483647
			print i, 100 + x % 901, size[i % 3 + 1]
		}
	}'
}

make_groups() {
	put "+io +memory" "$CGROOT/cgroup.subtree_control"
	mkdir "$top" || die "no groups"
	put "+io +memory" "$top/cgroup.subtree_control"
	(cd "$top" && cut -d' ' -f1 "$OUT/groups" | xargs mkdir) || die "no groups"
	[ -n "$WEIGHT_FILE" ] || return 0
	while read -r i weight _; do
		echo "default $weight" >"$top/$i/$WEIGHT_FILE" || die "no weight for group $i"
	done <"$OUT/groups"
}

make_disk() {
	disk_model sata-ssd size_mb=8192 store=0	# copying would be most of the work
}

# What a reader of each size makes of the disk, and what the disk can do for it.
readers_alone() {
	make_disk
	cut -d' ' -f3 "$OUT/groups" | sort -nu >/tmp/sizes
	while read -r size; do
		for d in "$depth" "$deep"; do
			echo "- /dev/$DISK 0 $((2 << 20)) $size $d randread 1" |
				/lab/load 100 "$alone_ms" 0 >"$OUT/alone-$size-$d" ||
				die "no figures of one alone"
		done
	done </tmp/sizes
	remove_device
}

# And a writer, with as much memory as it has beside the others.
writer_alone() {
	make_disk
	partition 1 0 "$write_mib"
	group alone
	echo "$CGROOT/alone/cgroup.procs /dev/${DISK}p1 0 $((write_mib * 1024)) 65536 1 bufwrite 1" >/tmp/jobs
	dirty_limits 1
	start_load
	wait_io
	warm_up "$warmup_ms"
	window 1
	end_load
	mv "$OUT/before" "$OUT/alone-before"
	mv "$OUT/after" "$OUT/alone-after"
	remove_groups		# and what it has written is on the disk
	remove_device
}

# Half of what so many writers write over and over may wait in memory, or nothing would reach the
# disk for the first 30 s.
dirty_limits() {
	put $(($1 * write_mib << 18)) /proc/sys/vm/dirty_background_bytes
	put $(($1 * write_mib << 19)) /proc/sys/vm/dirty_bytes
}

# Readers count what they have completed themselves.
measure_readers() {
	while read -r i _ size; do
		echo "$top/$i/cgroup.procs /dev/$DISK $((i * kib)) $kib $size $depth randread 1"
	done <"$OUT/groups" >/tmp/jobs
	/lab/load "$warmup_ms" "$window_ms" 0 "$start_s" </tmp/jobs >"$OUT/load" || die "no figures"
}

# What a writer hands to the page cache says nothing; its partition counts what arrives.
measure_writers() {
	while read -r i _ size; do
		partition "$i" $((i * write_mib)) "$write_mib"
		echo "$top/$i/cgroup.procs /dev/${DISK}p$i 0 $((write_mib * 1024)) $size 1 bufwrite 1"
	done <"$OUT/groups" >/tmp/jobs
	dirty_limits "$n"
	start_load
	wait_io
	warm_up "$warmup_ms"
	window $((window_ms / 1000))
	end_load
}

top=$CGROOT/fair
start_s=20		# until the window begins, even if some groups got nothing yet
kib=$(((4 << 20) / n & ~255))	# of the disk, for each reader: its requests begin where one's alone do
write_mib=8		# for each writer, written again and again
alone_ms=500
deep=16			# what keeps the disk busy
case $load.$n in
sync.*) depth=1 ;;
deep.1000) depth=2 ;;	# all have a tag
*) depth=$deep ;;
esac
choose >"$OUT/groups"
case $load in
write) writer_alone ;;
*) readers_alone ;;
esac
make_disk
# What a newly started program is given extra is not what is asked about here.
case $scheduler in
bfq) select_scheduler bfq low_latency=0 ;;
*) select_scheduler "$scheduler" ;;
esac
[ "$exact" = 0 ] || put 1 "$QUEUE/iosched/exact_shares"
# By default 64: with others than ours some would wait where the scheduler does not see them.
[ "$n" -lt 1000 ] || [ "$scheduler" = bfqx ] || put 2048 "$QUEUE/nr_requests"
make_groups
describe_device
case $load in
write) measure_writers ;;
*) measure_readers ;;
esac
