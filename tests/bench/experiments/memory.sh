# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What memory.py measures: the kernel's objects with $few processes that have done an I/O and
# live on, and with $more more. With what=groups each has a cgroup of its own.

# start FIRST LAST: and wait until each has done its I/O and the dust has settled
start() {
	if [ "$what" = groups ]; then
		(cd "$top" && seq "$1" "$2" | xargs mkdir) || die "no groups"
		for i in $(seq "$1" "$2"); do
			echo "$top/$i/cgroup.procs /dev/$DISK $((i * 1024)) 1024 4096 1 read+once 1"
		done >/tmp/jobs
	else
		n=$(($2 - $1 + 1))
		echo "- /dev/$DISK 0 $((n * 1024)) 4096 1 read+once $n" >/tmp/jobs
	fi
	start_load
	until read -r rios _ <"/sys/block/$DISK/stat" && [ "$rios" -ge "$2" ]; do sleep 0.1; done
	sleep 3		# RCU frees late
}

# What was freed may still be counted as in use, in the CPU's own lists: shrink them.
objects() {
	for f in /sys/kernel/slab/*/shrink; do echo 1 >"$f"; done
	cat /proc/slabinfo >"$OUT/$1"
	grep Percpu /proc/meminfo >"$OUT/$1-percpu"
}

null_blk
select_scheduler "$scheduler"
describe_device
top=$CGROOT/many
put +io "$CGROOT/cgroup.subtree_control"
mkdir "$top" || die "no groups"
put +io "$top/cgroup.subtree_control"
start 1 "$few"
objects few
start $((few + 1)) $((few + more))
objects more
killall -9 load
