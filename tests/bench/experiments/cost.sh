# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What cost.py measures: part=dd, io, stats or groups. Each measurement makes two marks for
# the plugin, and leaves its name in $OUT/order and what load says in $OUT/NAME.

load=/lab/load

# measure NAME WINDOW_MS MIN_IOS: with the jobs on standard input
measure() {
	"$load" "$warmup_ms" "$2" "$3" >"$OUT/$1" || die "no figures of $1"
	echo "$1" >>"$OUT/order"
}

# jobs PATTERN DEPTH PROCESSES: many take turns by themselves, or the window would see a few of them,
# each for a tick.
jobs() {
	turns=''
	[ "$3" = 1 ] || turns=+yield
	echo "- /dev/$DISK 0 $((32 << 20)) 4096 $2 $1$turns $3"
}

dd_reads() {
	"$load" mark dd if="/dev/$DISK" of=/dev/null bs=4k iflag=direct count="$1" \
		>"$OUT/dd-$1" 2>/dev/null || die "dd failed"
	echo "dd-$1" >>"$OUT/order"
}

measure_groups() {
	put +io "$CGROOT/cgroup.subtree_control"
	for n in $counts; do
		mkdir "$CGROOT/g$n" || die "no group"
		put +io "$CGROOT/g$n/cgroup.subtree_control"
		(cd "$CGROOT/g$n" && seq "$n" | xargs mkdir) || die "no groups"
		awk -v n="$n" -v dev="/dev/$DISK" -v top="$CGROOT/g$n" 'BEGIN {
			for (i = 1; i <= n; i++)
				print top "/" i "/cgroup.procs", dev, i * 3072, 3072, 4096, 1,
					"randread+yield", 1
		}' >/tmp/jobs
		measure "groups-$n" "$window_ms" $((n * 3)) </tmp/jobs
		known=$(cat "$CGROOT/g$n"/*/io.stat | grep -c "^$(cat "/sys/block/$DISK/dev") ")
		[ "$known" = "$n" ] || die "$n groups, but the kernel counts the I/O of $known"
	done
}

null_blk
select_scheduler "$scheduler"
describe_device
case $part in
dd)
	for n in $counts; do dd_reads "$n"; done
	;;
io)
	for pattern in randread read randwrite write; do
		for depth in $depths; do
			for processes in $counts; do
				jobs "$pattern" "$depth" "$processes" |
					measure "$pattern-qd$depth-x$processes" "$window_ms" 0
			done
		done
	done
	;;
stats)
	for on in 1 0; do
		put "$on" "$QUEUE/iostats"
		for depth in 1 32; do
			jobs randread "$depth" 1 |
				measure "randread-qd$depth-x1-iostats-$on" "$window_ms" 0
		done
	done
	;;
groups) measure_groups ;;
esac
