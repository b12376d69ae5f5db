# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What start-up.py measures beside what start-up.sh does: the program whose reads are in $table starts
# on a disk of $profile that is idle, then on a new one, $beside:
#
#	together	in the same moment as $readers readers
#	crowd		in the same moment as $crowd processes, $at_once at a time
#	groups		in a group of its own, beside $readers and $writers in another
#
# Leaves the same as start-up.sh, with $beside as NAME, and of the crowd $OUT/crew.

gib=1024		# MiB
program_group=.
load_procs=-

new_disk() {
	disk_model "$profile" size_mb=$((256 * gib)) store=0 ${link_mb_s:+link_mb_s="$link_mb_s"}
	select_scheduler "$scheduler"
}

# Both weigh the same. The memory controller says whose a page is, and so who writes it back.
make_groups() {
	put "+io +memory" "$CGROOT/cgroup.subtree_control"
	group program 100
	group load 100
	program_group=program
	load_procs=$CGROOT/load/cgroup.procs
}

# start_program NAME, in a shell of its own, which becomes the program.
start_program() {
	(in_group "$program_group" /lab/replay "/dev/$DISK" "/lab/$table" "$limit_s") >"$OUT/$1" ||
		die "cannot replay"
	snapshot "$1-after"
}

# Behind the program's part of the disk, so that nobody reads what another one has read.
write_jobs() {
	echo "$load_procs /dev/$DISK $((240 * gib * 1024)) $((readers * gib * 1024)) 131072 2 read $readers"
	[ "$writers" = 0 ] ||
		echo "$load_procs /dev/$DISK $((250 * gib * 1024)) $((writers * gib * 1024)) 65536 1 bufwrite $writers"
}

new_disk
describe_device
snapshot idle-before
start_program idle
remove_device
new_disk
case $beside in
together)
	write_jobs >/tmp/jobs
	snapshot "$beside-before"
	start_load
	start_program "$beside"
	end_load
	;;
crowd)
	snapshot "$beside-before"
	/lab/crew crowd "/dev/$DISK" $((240 * gib * 1024)) "$crowd_kb" "$crowd" "$at_once" >"$OUT/crew" &
	crowd_pid=$!
	start_program "$beside"
	wait "$crowd_pid" || die "the crowd failed"
	;;
groups)
	make_groups
	write_jobs >/tmp/jobs
	start_load
	warm_up "$warmup_ms"
	snapshot "$beside-before"
	start_program "$beside"
	end_load
	;;
*) die "beside whom is $beside?" ;;
esac
