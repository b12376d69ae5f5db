#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The part of every experiment that runs inside the virtual machine, started by
# tests/bench/run in virtual time: words for making a device, groups and jobs, and
# for looking at what has been completed. The experiment's own script is made of
# these words and is sourced by this one.
#
# guest.sh SCRIPT SCHEDULER [KEY=VALUE...]
#
# SCRIPT lies under /lab; keys become shell variables of the script. SCHEDULER is
# none, mq-deadline, kyber, bfq (in-tree; bfq-ll0 and bfq-ll1 with that low_latency), ours
# ($BFQ_NAME), or a controller (io.max, io.cost..., io.latency), which works with none.
#
# Figures are counted from what was completed (a partition's statistics, or fio's), not
# from a cgroup's io.stat, which counts what was submitted. While something is measured
# nothing is printed: here a character is time, too.
# shellcheck disable=SC2034 # variables are used by the scripts
set -u

CGROOT=/sys/fs/cgroup
MIB=2048		# sectors

die() {
	echo "bench: $*" >&2
	exit 1
}

# put VALUE FILE: write, and say so where it is refused.
put() {
	echo "$1" >"$2" 2>/dev/null || die "writing '$1' to $2 was refused"
}

# idle_ticks: how long the CPU has idled, in 10 ms.
idle_ticks() {
	read -r _ _ _ _ idle _ </proc/stat
	echo "$idle"
}

# A kernel that has just booted has things to do in the background, which would be counted
# as cost of I/O. Wait for a second in which nothing happens.
settle() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		was=$(idle_ticks)
		sleep 1
		[ $(($(idle_ticks) - was)) -lt 98 ] || return 0
	done
	die "the machine does not come to rest"
}

# --- devices -----------------------------------------------------------------

# null_blk [ATTRIBUTE=VALUE...]: an array of nothing. By default a request takes no
# time, in one queue.
null_blk() {
	DISK=nullb0
	CONF=/sys/kernel/config/nullb/$DISK
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0 || die "no null_blk"
	mkdir "$CONF" || die "null_blk has no configfs here"
	attributes=''
	# blk-mq; complete at once
	for a in size=65536 queue_mode=2 submit_queues=1 irqmode=0 "$@"; do
		put "${a#*=}" "$CONF/${a%%=*}"
		attributes="$attributes ${a%%=*}"
	done
	put 1 "$CONF/power"
	device_ready
}

# disk_model PROFILE [ATTRIBUTE=VALUE...]: a disk of tests/diskmodel. What `run --disk` says
# comes last and so holds.
disk_model() {
	DISK=disk0
	CONF=/sys/kernel/config/diskmodel/$DISK
	[ -d /sys/module/diskmodel ] || insmod /lab/diskmodel.ko || die "no diskmodel.ko"
	mkdir "$CONF" || die "diskmodel has no configfs here"
	put "$1" "$CONF/profile"
	shift
	for a in "$@" $disk; do put "${a#*=}" "$CONF/${a%%=*}"; done
	attributes=$(cd "$CONF" && echo * | sed 's/power//; s/stats//')
	put 1 "$CONF/power"
	device_ready
}

device_ready() {
	QUEUE=/sys/block/$DISK/queue
	[ -b "/dev/$DISK" ] || die "/dev/$DISK did not appear"
	put none "$QUEUE/scheduler"
}

# Take the device and its partitions away, for the next one to be as new.
remove_device() {
	stats=''
	put 0 "$CONF/power"
	rmdir "$CONF" || die "cannot remove $CONF"
}

# select_scheduler NAME [TUNABLE=VALUE...]. Sets WEIGHT_FILE, the file of a cgroup that
# takes its weight, empty where there are no weights. io.cost wants $qos, and perhaps $model.
select_scheduler() {
	WEIGHT_FILE=''
	elevator=$1
	controller=$1
	case $1 in
	bfq|"$BFQ_NAME") WEIGHT_FILE=io.$1.weight ;;
	bfq-ll[01])
		elevator=bfq WEIGHT_FILE=io.bfq.weight tunable=low_latency=${1#bfq-ll}
		shift
		set -- bfq "$tunable" "$@"
		;;
	io.cost*) elevator=none WEIGHT_FILE=io.weight ;;
	io.*) elevator=none ;;
	esac
	case $elevator in
	bfq|mq-deadline) modprobe -q "$elevator" ;;
	kyber) modprobe -q kyber-iosched ;;
	esac
	put "$elevator" "$QUEUE/scheduler"
	case $(cat "$QUEUE/scheduler") in
	*"[$elevator]"*|none) ;;
	*) die "$elevator is not selected but $(cat "$QUEUE/scheduler")" ;;
	esac
	shift
	for a in "$@" $tunables; do
		file=$QUEUE/iosched/${a%%=*}
		[ -e "$file" ] || file=$QUEUE/${a%%=*}
		put "${a#*=}" "$file"
	done
	case $controller in
	io.cost*)
		put "$(cat "/sys/block/$DISK/dev") $qos" "$CGROOT/io.cost.qos"
		[ -z "$model" ] || put "$(cat "/sys/block/$DISK/dev") $model" "$CGROOT/io.cost.model"
		;;
	esac
}

# Everything that the device, its scheduler and controllers are set to, as KEY VALUE, for
# the result. (The size of a cgroup's file is always 0, so test -s knows nothing.)
describe_device() {
	{
		for f in scheduler nr_requests rotational iostats wbt_lat_usec; do
			[ -r "$QUEUE/$f" ] && echo "$f $(cat "$QUEUE/$f" 2>/dev/null)"
		done
		for f in "$QUEUE"/iosched/*; do
			[ -f "$f" ] && echo "iosched/${f##*/} $(cat "$f")"
		done
		for a in $attributes; do
			[ -r "$CONF/$a" ] && echo "device/$a $(cat "$CONF/$a" 2>/dev/null)"
		done
		for f in io.cost.qos io.cost.model '*/io.max'; do
			# shellcheck disable=SC2086 # the groups'
			grep -H . "$CGROOT"/$f 2>/dev/null
		done | sed "s|^$CGROOT/||; s/:/ /"
	} >"$OUT/device"
}

# --- groups --------------------------------------------------------------------

# group PATH [WEIGHT]: make a cgroup; parents before their children.
group() {
	dir=$CGROOT/$1
	grep -qw io "${dir%/*}/cgroup.subtree_control" || put +io "${dir%/*}/cgroup.subtree_control"
	mkdir -p "$dir" || die "cannot make cgroup $1"
	[ -z "${2-}" ] || [ -z "$WEIGHT_FILE" ] || put "default $2" "$dir/$WEIGHT_FILE"
	groups="$dir $groups"
}

# limit GROUP BYTES: of reads and of writes in a second, where the peer is io.max.
limit() {
	[ "$scheduler" = io.max ] || return 0
	put "$(cat "/sys/block/$DISK/dev") rbps=$2 wbps=$2" "$CGROOT/$1/io.max"
}

# A process that was killed stays in its group until its I/O has ended and its files are closed.
empty_groups() {
	tries=0
	for dir in $groups; do
		until grep -q "^populated 0" "$dir/cgroup.events"; do
			tries=$((tries + 1))
			[ "$tries" -le 6000 ] || die "after 60 s there is still a process in $dir"
			sleep 0.01
		done
	done
}

remove_groups() {
	empty_groups
	# shellcheck disable=SC2086 # a list, children first
	[ -z "$groups" ] || rmdir $groups || die "cannot remove the groups"
	groups=''
}

# in_group PATH COMMAND...: run it in that cgroup (. is the root). Replaces the shell
# it is called in, so say: in_group a sleep 1 &
in_group() {
	# shellcheck disable=SC2016 # expanded by the child
	group_procs=$CGROOT/$1/cgroup.procs
	shift
	# shellcheck disable=SC2016 # $$ is the child's
	exec sh -c 'echo $$ >"$0" && exec "$@"' "$group_procs" "$@"
}

# --- jobs ----------------------------------------------------------------------

# partition N MIB-START MIB-SIZE: a part of the device with statistics of its own.
partition() {
	addpart "/dev/$DISK" "$1" $(($2 * MIB)) $(($3 * MIB)) || die "no partition $1"
	stats="$stats /sys/block/$DISK/${DISK}p$1/stat"
}

# job NAME GROUP FIO-ARGUMENT...: start a fio for ever, or as its arguments say. Its JSON
# becomes $OUT/NAME.json. Seeds follow from the boot's seed and the job's number; fio
# ignores them, and all jobs read the same places, unless told not to repeat.
job() {
	njobs=$((njobs + 1))
	name=$1
	where=$2
	shift 2
	in_group "$where" fio --name="$name" --thread --time_based --runtime=1d \
		--randrepeat=0 --randseed=$((LAB_SEED * 1000 + njobs)) --random_generator=tausworthe64 \
		--norandommap --eta=never --output-format=json --output="$OUT/$name.json" \
		"$@" >"$OUT/$name.log" 2>&1 &
	pids="$pids $!"
}

# Wait until every partition has completed something.
wait_io() {
	tries=0
	for f in $stats; do
		until read -r rios _ _ _ wios _ <"$f" && [ $((rios + wios)) -gt 0 ]; do
			tries=$((tries + 1))
			[ "$tries" -le 600 ] || { cat "$OUT"/*.log; die "no I/O on $f after 60 s"; }
			sleep 0.1
		done
	done
}

# snapshot NAME: everything that counts, by one process within a fraction of a millisecond.
# (The list of timers begins with the time in ns; /proc/uptime would be 10 ms coarse.)
snapshot() {
	# shellcheck disable=SC2086 # a list
	grep -H "" /proc/timer_list "/sys/block/$DISK/stat" $stats >"$OUT/$1"
	grep -H "^cpu " /proc/stat >>"$OUT/$1"
}

# window SECONDS: what happens in it is between the files before and after.
window() {
	snapshot before
	sleep "$1"
	snapshot after
	jobs_alive
}

jobs_alive() {
	for pid in $pids; do
		[ -d "/proc/$pid" ] || { cat "$OUT"/*.log; die "a job ended early"; }
	done
}

# End the jobs and let them write their results.
stop_jobs() {
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || kill -INT $pids 2>/dev/null
	wait
	pids='' njobs=0 stats=''
}

# wait_jobs: until all have ended by themselves.
wait_jobs() {
	for pid in $pids; do
		wait "$pid" || { cat "$OUT"/*.log; die "a job failed"; }
	done
	pids='' njobs=0 stats=''
}

# start_load: what load.c is to do, lines of /tmp/jobs, for ever.
start_load() {
	/lab/load 0 86400000 0 </tmp/jobs >"$OUT/load" 2>&1 &
	load_pid=$!
}

# warm_up MS: and with each seed a little longer, so that each meets another moment of the load.
warm_up() {
	sleep "$(awk -v ms="$1" -v seed="$LAB_SEED" 'BEGIN { print (ms + seed * 137) / 1000 }')"
}

# end_load: no process of which may have ended before; if one has, it has said why.
end_load() {
	if [ ! -d "/proc/$load_pid" ] || [ -s "$OUT/load" ]; then
		cat "$OUT/load"
		die "the load ended early"
	fi
	killall load
	wait
}

case ${1-} in
-h|--help|'') sed -n '/^# guest.sh SCRIPT/,/^# shellcheck/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
script=$1 scheduler=$2
shift 2
for arg; do
	case $arg in
	[a-z]*=*) eval "${arg%%=*}=\${arg#*=}" ;;
	*) die "what is $arg?" ;;
	esac
done
pids='' njobs=0 stats='' groups='' attributes=''
: "${disk=}" "${tunables=}" "${qos=}" "${model=}"
settle
# Each seed begins at another moment between two ticks, and of the disk's turn.
sleep "$(awk -v seed="$LAB_SEED" 'BEGIN { print seed * 13.1 / 1000 }')"
# shellcheck disable=SC1090 # the experiment's
. "/lab/$script"
