# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Words for the selftests, which source this file first:
#
#	. "${0%/*}/ktap.sh"
#	plan 2
#	nullb memory_backed=1		# makes $DEV
#	is "what this shows" expected "$seen"
#
# Everything that is created here is taken away when the test ends, however it
# ends, in reverse order. A test that says less or more than it planned has
# failed, and so has one for which something is missing (require): only what
# the kernel cannot have may be skipped.
#
# POSIX sh: dash under virtme-ng, busybox where time is virtual (--icount).

BFQ_NAME=${BFQ_NAME:-bfq}
TESTS=${TESTS:-$(cd "${0%/*}/.." && pwd)}
HELPER=${HELPER:-$TESTS/../build/selftests/helper}
CG_ROOT=/sys/fs/cgroup
CONFIGFS=/sys/kernel/config
TEST=$(basename "$0" .sh)
WORK=$(mktemp -d "/tmp/$TEST.XXXXXX")

# How slow is this machine? The debug kernel costs about ten times as much for
# each I/O, so the same work is given more time there. The race kernel does not, and
# needs all the load that it can get: where processors rest nothing races.
DEBUG=
[ -d /sys/kernel/debug/failslab ] && [ "${LAB_KERNEL-}" != race ] && DEBUG=1
if [ -n "$DEBUG" ]; then SLOW=4; else SLOW=1; fi

# A device for stress, so slow that the emulated processors have time for what
# is done beside the I/O: 4,000 or, on the debug kernel, 500 requests a second.
# shellcheck disable=SC2034 # for the tests
STRESS="memory_backed=1 size=64 hw_queue_depth=4 completion_nsec=$((SLOW == 1 ? 1000000 : 8000000))"

# few N: N rounds of the same, or a fifth on the debug kernel and on the older of the stock ones (with
# --set FULL=1 there, too, N): what can only be hit by doing it often is the same code on each.
SHORT=$DEBUG
[ "${LAB_KERNEL-}" != 6.1 ] || SHORT=1
few() { if [ -n "$SHORT" ] && [ -z "${FULL-}" ]; then echo $((($1 + 4) / 5)); else echo "$1"; fi; }

ktap_planned=
ktap_said=0
ktap_failed=0
ktap_defer=
ktap_devices=0
ktap_children=

# --- results ------------------------------------------------------------------

# plan N: how many results this test will give
plan() { ktap_planned=$1; echo "KTAP version 1"; echo "1..$1"; }

# note TEXT: for whoever reads the log
note() { echo "# $*"; }

pass() { ktap_said=$((ktap_said + 1)); echo "ok $ktap_said $1"; }

# fail DESC [EXPECTED SEEN]
fail() {
	ktap_said=$((ktap_said + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_said $1"
	[ $# -lt 2 ] || { echo "# expected: $2"; echo "# seen:     $3"; }
}

# skip DESC REASON: only for what this kernel cannot have
skip() { ktap_said=$((ktap_said + 1)); echo "ok $ktap_said $1 # SKIP $2"; }

# is DESC EXPECTED SEEN
is() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "$2" "$3"; fi; }

# one_of DESC "A B C" SEEN
one_of() {
	case " $2 " in
	*" $3 "*) pass "$1" ;;
	*) fail "$1" "one of: $2" "$3" ;;
	esac
}

# holds DESC COMMAND...: the command succeeds
holds() {
	ktap_desc=$1
	shift
	if "$@" >"$WORK/holds" 2>&1; then pass "$ktap_desc"; return 0; fi
	fail "$ktap_desc" "success of: $*" "failure: $(tail -n 5 "$WORK/holds" | tr '\n' ' ')"
	return 1
}

# refused DESC COMMAND...: the command fails, and does not hang
refused() {
	ktap_desc=$1
	shift
	if "$@" >"$WORK/refused" 2>&1; then
		fail "$ktap_desc" "failure of: $*" "success"
		return 1
	fi
	pass "$ktap_desc"
}

# compare DESC A OP B: numbers, fractions too, e.g. compare "more" 3.5 -gt 3
compare() {
	if calc_true "$2 $(echo "$3" | sed 's/-gt/>/;s/-ge/>=/;s/-lt/</;s/-le/<=/;s/-eq/==/') $4"; then
		pass "$1"
	else
		fail "$1" "something $3 $4" "$2"
	fi
}

calc() { awk "BEGIN { printf \"%.4g\", $1 }"; }
calc_true() { awk "BEGIN { exit !($1) }"; }

# give_up REASON: something that every result needs is missing or broken
give_up() {
	echo "# $TEST: $1"
	while [ "$ktap_said" -lt "${ktap_planned:-1}" ]; do fail "not reached: $1"; done
	exit 1
}

# require PROGRAM...
require() {
	for ktap_prog; do
		command -v "$ktap_prog" >/dev/null || give_up "$ktap_prog is not installed: run tools/setup --for check"
	done
}

require_helper() { [ -x "$HELPER" ] || give_up "$HELPER is not built: tests/selftests/run does that"; }

# skip_all REASON: this kernel cannot have what the test is about
skip_all() {
	while [ "$ktap_said" -lt "$ktap_planned" ]; do skip "$TEST" "$1"; done
	exit 0
}

# --- cleaning up --------------------------------------------------------------

# defer COMMAND: run at the end, last one first
defer() { ktap_defer="$1
$ktap_defer"; }

ktap_end() {
	ktap_status=$?
	trap - EXIT INT TERM
	for ktap_pid in $ktap_children; do kill -9 "$ktap_pid" 2>/dev/null; done
	wait 2>/dev/null
	eval "$ktap_defer" >/dev/null 2>&1
	rm -rf "$WORK"
	if [ -z "$ktap_planned" ] || [ "$ktap_said" -ne "$ktap_planned" ]; then
		echo "# $TEST: planned ${ktap_planned:-nothing}, said $ktap_said results, status $ktap_status"
		exit 1
	fi
	[ "$ktap_failed" -eq 0 ] || exit 1
	exit 0
}
trap ktap_end EXIT
trap 'exit 130' INT TERM

# --- time ---------------------------------------------------------------------

# By the guest's clock, for what is measured.
now() { read -r ktap_now _ </proc/uptime; echo "$ktap_now"; }

# Limits are seconds of the guest's own time (tests/vm/ownclock.py): a busy host gives it
# little of that in a second of the clock. In virtual time its clock is that already.
KTAP_CLOCK=${LAB_CLOCK:-/proc/uptime}

# eventually SECONDS COMMAND...: it succeeds within that time
eventually() {
	ktap_limit=$1
	shift
	ktap_naps=0
	ktap_until=
	while ! "$@" 2>/dev/null; do
		# To look at the clock costs, as the host keeps it: not while naps are short.
		if [ $ktap_naps -eq 0 ] || [ $ktap_naps -ge 20 ]; then
			read -r ktap_now _ <"$KTAP_CLOCK"
			: "${ktap_until:=$((${ktap_now%.*} + ktap_limit))}"
			[ "${ktap_now%.*}" -le "$ktap_until" ] || return 1
		fi
		# To wait costs, too: a process that sleeps, a tenth of the processors' time.
		ktap_naps=$((ktap_naps + 1))
		if [ $ktap_naps -lt 20 ]; then sleep 0.1; else sleep 1; fi
	done
}

gone() { ! kill -0 "$1" 2>/dev/null; }
# all_end PID...: each does so within 60 s
all_end() { for ktap_pid; do eventually 60 gone "$ktap_pid" || give_up "fio does not end"; done; }

# finished SECONDS PID: wait for a child, but not for ever; its status, or 124
finished() {
	if ! eventually "$1" ktap_over "$2"; then
		note "process $2 does not end: $(tr '\0' ' ' <"/proc/$2/cmdline" 2>/dev/null)"
		sed 's/^/#  /' /proc/"$2"/task/*/stack 2>/dev/null
		return 124
	fi
	wait "$2"
}

# within SECONDS COMMAND...: it ends well and in that time
within() {
	ktap_most=$1
	shift
	background "$@"
	finished "$ktap_most" "$child"
}

# unmount DIRECTORY: and say so if that does not end. What is deferred for it is "umount -l", which
# does not wait: the guest would have to be ended from outside, and nobody would know why
unmount() {
	within $((60 * SLOW)) umount "$1" || give_up "a file system cannot be unmounted, or that does not end"
}

# killed SECONDS PID...: children end by force, each within that time. Who waits for I/O
# does not go by force either; asked to end, fio's main thread was seen to wait for ever
# for threads that had ended, which says nothing of the kernel.
killed() {
	ktap_each=$1
	shift
	kill -9 "$@" 2>/dev/null
	ktap_stuck=0
	for ktap_child; do
		finished "$ktap_each" "$ktap_child"
		[ $? -ne 124 ] || ktap_stuck=1
	done
	return $ktap_stuck
}

# Gone, or a zombie that waits for us.
ktap_over() {
	read -r ktap_stat <"/proc/$1/stat" || return 0
	case ${ktap_stat##*) } in Z*) return 0 ;; esac
	return 1
}

# background COMMAND...: sets $child; killed at the end if still there
background() {
	"$@" &
	child=$!
	ktap_children="$ktap_children $child"
}

# --- devices ------------------------------------------------------------------

# nullb [KEY=VALUE...]: a null_blk device; sets $DEV, $DISK, $QUEUE, $MAJMIN.
# Keys are those of its configfs directory; 256 MB and 512 byte blocks unless
# told otherwise, and a completion in a timer, as real disks do it.
nullb() {
	modprobe null_blk nr_devices=0 2>/dev/null
	[ -d "$CONFIGFS/nullb" ] || give_up "no null_blk with configfs in this kernel"
	ktap_devices=$((ktap_devices + 1))
	DISK=nb$ktap_devices
	ktap_dir=$CONFIGFS/nullb/$DISK
	mkdir "$ktap_dir" || give_up "cannot make $ktap_dir"
	defer "nullb_remove $DISK"
	for ktap_kv in size=256 irqmode=2 blocksize=512 "$@" power=1; do
		if ! echo "${ktap_kv#*=}" >"$ktap_dir/${ktap_kv%%=*}"; then
			give_up "null_blk refuses $ktap_kv"
		fi
	done
	disk "$DISK"
}

nullb_remove() {
	if [ -d "$CONFIGFS/nullb/$1" ]; then
		echo 0 >"$CONFIGFS/nullb/$1/power"
		rmdir "$CONFIGFS/nullb/$1"
	fi
}

# scsi_disk KEY=VALUE...: a disk of scsi_debug with these options; sets the same
scsi_disk() {
	modprobe -r scsi_debug 2>/dev/null
	modprobe sd_mod 2>/dev/null
	modprobe scsi_debug "$@" || give_up "scsi_debug does not load"
	defer "modprobe -r scsi_debug || rmmod scsi_debug"
	eventually 20 scsi_disk_name || give_up "no disk of scsi_debug appears"
	disk "$ktap_name"
}

scsi_disk_name() {
	for ktap_d in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*; do
		[ -d "$ktap_d" ] && ktap_name=$(basename "$ktap_d") && [ -b "/dev/$ktap_name" ]
	done
}

# disk NAME: speak of this one from now on
disk() {
	DISK=$1
	DEV=/dev/$1
	QUEUE=/sys/block/$1/queue
	eventually 20 [ -b "$DEV" ] || give_up "$DEV does not appear"
	# shellcheck disable=SC2034 # for the tests
	MAJMIN=$(cat "/sys/block/$1/dev")
}

# modelled_disk NAME KEY=VALUE...: a disk of tests/diskmodel (# build: modelled disks) that keeps no
# data; speak of this one from now on
modelled_disk() {
	ktap_models=/sys/kernel/config/diskmodel
	if [ ! -d $ktap_models ]; then
		insmod /lab/diskmodel.ko || give_up "diskmodel.ko does not load"
		defer "rmmod diskmodel"
	fi
	ktap_model=$1
	shift
	mkdir "$ktap_models/$ktap_model" || give_up "no modelled disk"
	defer "echo 0 >$ktap_models/$ktap_model/power; rmdir $ktap_models/$ktap_model"
	for ktap_kv in store=0 "$@" power=1; do
		echo "${ktap_kv#*=}" >"$ktap_models/$ktap_model/${ktap_kv%%=*}" || give_up "the disk refuses $ktap_kv"
	done
	disk "$ktap_model"
}

# divided_disk COUNT NAME KEY=VALUE...: the same, in so many equal parts of its 4 GiB, under $SCHED (ours, if
# nothing is said). Whoever is new does not go first on it.
divided_disk() {
	ktap_parts=$1
	shift
	modelled_disk "$@" size_mb=4096
	parts "$ktap_parts" $((4096 * 2048 / ktap_parts))
	sched "${SCHED:-$BFQ_NAME}"
	[ ! -f "$QUEUE/iosched/low_latency" ] || echo 0 >"$QUEUE/iosched/low_latency"
}

# parts COUNT [SECTORS]: divide $DEV into partitions ${DEV}p1, ${DEV}p2, ... of so many, or 32 MB. Each
# job gets its own, so that what it has *completed* can be told apart: a group's
# io.stat counts submissions, and counts those of io_uring that found no tag and
# were submitted again, twice.
parts() {
	ktap_part=0
	ktap_size=${2:-65536}
	while [ "$ktap_part" -lt "$1" ]; do
		ktap_part=$((ktap_part + 1))
		addpart "$DEV" $ktap_part $(((ktap_part - 1) * ktap_size)) "$ktap_size" ||
			give_up "cannot make a partition on $DEV"
		eventually 20 [ -b "${DEV}p$ktap_part" ] || give_up "${DEV}p$ktap_part does not appear"
	done
}

# done_by N: reads that partition N of $DISK has completed
done_by() { read -r ktap_reads _ <"/sys/block/$DISK/${DISK}p$1/stat"; echo "$ktap_reads"; }

# sectors_read [N]: those that $DISK has read, or its partition N
sectors_read() { awk '{ print $3 }' "/sys/block/$DISK/${1:+${DISK}p$1/}stat"; }
# sectors_written [N]: and written
sectors_written() { awk '{ print $7 }' "/sys/block/$DISK/${1:+${DISK}p$1/}stat"; }
# part_at_work N: that partition is being read
part_at_work() { [ "$(sectors_read "$1")" -gt 1000 ]; }
# read_mb_s SECONDS N...: what is read meanwhile from partitions N together
read_mb_s() {
	ktap_for=$1 ktap_sectors=0
	shift
	for ktap_part; do ktap_sectors=$((ktap_sectors - $(sectors_read "$ktap_part"))); done
	sleep "$ktap_for"
	for ktap_part; do ktap_sectors=$((ktap_sectors + $(sectors_read "$ktap_part"))); done
	calc "$ktap_sectors * 512 / 1e6 / $ktap_for"
}

# read_each SECONDS N...: what is read meanwhile from each of partitions N, "all" for the whole disk: a line of MB/s
read_each() {
	ktap_for=$1
	shift
	ktap_before=$(ktap_sectors "$@")
	sleep "$ktap_for"
	echo "$ktap_before$(ktap_sectors "$@")" | awk -v s="$ktap_for" '{
		for (i = 1; i <= NF / 2; i++)
			printf "%s%.4g", (i > 1 ? " " : ""), ($(i + NF / 2) - $i) * 512 / 1e6 / s
		print "" }'
}
ktap_sectors() { for ktap_part; do sectors_read "${ktap_part#all}"; done | tr '\n' ' '; }

# vm NAME VALUE: set a sysctl, and back at the end
vm() {
	defer "echo $(cat "/proc/sys/vm/$1") >/proc/sys/vm/$1"
	echo "$2" >"/proc/sys/vm/$1"
}

# sched NAME: select a scheduler for $DISK
sched() { echo "$1" >"$QUEUE/scheduler" || give_up "cannot select $1 for $DISK"; }

# The scheduler in use, without the brackets.
sched_now() { sed 's/.*\[\(.*\)\].*/\1/' "$QUEUE/scheduler"; }

# Does no device hold the module?
unused() { grep -q "^$(module) [0-9]* 0 " /proc/modules; }

module() { basename "${BFQ_KO:-$BFQ_NAME.ko}" .ko; }
# its file, also when it is not loaded
module_file() { echo "${BFQ_KO:-$(modinfo -n "$BFQ_NAME")}"; }

# no_autoload: the kernel no longer looks for modules. It starts modprobe each time
# somebody selects "none", because that is no scheduler, and in these guests that
# takes longer than everything else about it.
no_autoload() {
	ktap_modprobe=$(cat /proc/sys/kernel/modprobe)
	defer "echo $ktap_modprobe >/proc/sys/kernel/modprobe"
	echo >/proc/sys/kernel/modprobe
}

# requests DISK...: how many they have completed
requests() { for ktap_d; do cat "/sys/block/$ktap_d/stat"; done | awk '{ n += $1 + $5 } END { print n + 0 }'; }

# at_work DISK...: each of them has completed some
at_work() { for ktap_disk; do [ "$(requests "$ktap_disk")" -gt 20 ] || return 1; done; }

# moving_parts: has $DISK any? "yes, ..." or "none, ..."; nothing if it does not say so
moving_parts() { sed -n 's/^moving parts: //p' "/sys/kernel/debug/block/$DISK/sched/state"; }

# limits: how many tags each process's queue may hold, as shown
limits() {
	sed -n '/kind=sync/s/.* limit=\([^ ]*\).*/\1/p' "/sys/kernel/debug/block/$DISK/sched/queues" | tr '\n' ' '
}

# both_may_hold N: there are two, and that is it; sets $seen
both_may_hold() { seen=$(limits) && [ "$seen" = "$1 $1 " ]; }

# at_rest DESC: within a minute nothing is left of $DISK's requests, wherever one looks
at_rest() {
	if eventually $((60 * SLOW)) ktap_rests; then pass "$1"; else
		fail "$1" "no tag, no request, nothing in the driver" "$(ktap_left)"
	fi
}

ktap_left() {
	ktap_dbg=/sys/kernel/debug/block/$DISK
	read -r ktap_r ktap_w <"/sys/block/$DISK/inflight"
	echo "inflight $ktap_r $ktap_w; $(sed -n 's/^requests: //p' "$ktap_dbg/sched/state"); tags$(
		sed -n 's/^busy=/ /p' "$ktap_dbg"/hctx*/sched_tags "$ktap_dbg"/hctx*/tags | tr -d '\n')"
}

ktap_rests() {
	case $(ktap_left | sed 's/\( 0\)*$//') in
	"inflight 0 0; 0 waiting, 0 in the driver; tags") return 0 ;;
	esac
	return 1
}

# record_block EVENT[:LETTERS]...: have the kernel record these events of the block layer, only those
# of requests with the letters if they are said (see recorded). Before a disk is used: to turn an
# event on makes the kernel patch its own code, which QEMU 7.2 does not survive where another
# processor runs this very code (see strict.sh).
record_block() {
	ktap_tracing=/sys/kernel/tracing
	[ -d $ktap_tracing/events/block ] || give_up "no events of the block layer at $ktap_tracing"
	defer "echo 0 >$ktap_tracing/events/block/enable; echo 1 >$ktap_tracing/options/record-cmd
		for f in $ktap_tracing/events/block/*/filter; do echo 0 >\$f; done
		echo 1408 >$ktap_tracing/buffer_size_kb
		echo >$ktap_tracing/trace"
	echo 0 >$ktap_tracing/options/record-cmd
	echo 8192 >$ktap_tracing/buffer_size_kb
	echo >$ktap_tracing/trace
	echo 1 >$ktap_tracing/tracing_on
	for ktap_event; do
		case $ktap_event in
		*:*) echo "rwbs ~ \"*${ktap_event#*:}*\"" >"$ktap_tracing/events/block/block_${ktap_event%:*}/filter" ||
			give_up "no filter for $ktap_event" ;;
		esac
		echo 1 >"$ktap_tracing/events/block/block_${ktap_event%:*}/enable"
	done
}

# recorded EVENT [FLAGS]: how often it came for $DISK, if FLAGS are said only for requests with
# exactly these letters: R, W or N (passthrough), F before for a flush, F behind for FUA, S, M. Nothing,
# so that no comparison holds, if more came than the kernel keeps.
recorded() {
	if cat /sys/kernel/tracing/per_cpu/cpu*/stats | grep -q '^overrun: [1-9]'; then
		echo "# more events than the kernel keeps" >&2
		return
	fi
	grep -c "block_$1: ${MAJMIN%:*},${MAJMIN#*:} ${2:-[A-Z]*} " /sys/kernel/tracing/trace
}

# --- cgroup v2 ----------------------------------------------------------------

ktap_control() { echo "+$1" >$CG_ROOT/cgroup.subtree_control; }

# cg_setup: $CG is a fresh group below which io and memory are controlled
cg_setup() {
	[ -f $CG_ROOT/cgroup.controllers ] || give_up "no cgroup v2 at $CG_ROOT"
	for ktap_ctl in io memory; do
		# after cgroup v1 had it, it takes a moment to come back
		eventually $((30 * SLOW)) ktap_control "$ktap_ctl" ||
			give_up "cgroup v2 does not have the $ktap_ctl controller"
	done
	# Moves between groups take milliseconds instead of tens of them.
	mount -o remount,favordynmods $CG_ROOT 2>/dev/null
	CG=$CG_ROOT/$TEST
	mkdir "$CG" || give_up "cannot make $CG"
	defer "cg_remove $CG"
	echo "+io +memory" >"$CG/cgroup.subtree_control" || give_up "no controllers in $CG"
}

# cg NAME [WEIGHT]: a group $CG/NAME, nested when NAME has slashes
cg() {
	mkdir "$CG/$1" || give_up "cannot make $CG/$1"
	[ -z "$2" ] || echo "$2" >"$CG/$1/io.$BFQ_NAME.weight" || give_up "cannot weigh $1"
}

# cg_inner NAME: this group will have groups below
cg_inner() { echo "+io" >"$CG/$1/cgroup.subtree_control" || give_up "no io below $1"; }

# Remove a tree of groups, whoever is left in it.
cg_remove() {
	[ -d "$1" ] || return 0
	[ ! -e "$1/cgroup.kill" ] || echo 1 >"$1/cgroup.kill"
	find "$1" -depth -type d | while read -r ktap_d; do
		eventually 10 rmdir "$ktap_d"
	done
}

# in_cg NAME COMMAND...: run there; "." is the group of the test itself
in_cg() {
	ktap_cg=$CG/$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	exec_in='echo 0 >"$0/cgroup.procs" && exec "$@"'
	sh -c "$exec_in" "$ktap_cg" "$@"
}

# in_cg_bg NAME COMMAND...: the same, in the background; sets $child
in_cg_bg() {
	ktap_cg=$CG/$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	background sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$ktap_cg" "$@"
}

# cg1_setup: the same with cgroup v1, where the controller is taken from cgroup v2: the
# kernel allows that as soon as no group of v2 has it. $CG is the root of the hierarchy
cg1_setup() {
	grep -q '^blkio' /proc/cgroups || give_up "no cgroup v1 in this kernel"
	CG=$WORK/v1
	mkdir "$CG"
	for ktap_ctl in io memory; do echo "-$ktap_ctl" >$CG_ROOT/cgroup.subtree_control; done
	# A group that was removed counts until its last reference has gone, and not all are ours
	# to drop: a built-in loop driver's idle threads (lifetime-6) hold some for two minutes.
	ktap_begin=$(now)
	if ! eventually 130 cg1_mount; then
		note "$(cat "$WORK/mount"); v2 has: $(cat $CG_ROOT/cgroup.subtree_control)"
		note "groups of v2: $(cd $CG_ROOT && find . -mindepth 1 -type d | tr '\n' ' ')"
		note "$(tr '\n' ' ' <$CG_ROOT/cgroup.stat)"
		give_up "blkio cannot be mounted as cgroup v1"
	fi
	note "v2 let go of it after $(calc "$(now) - $ktap_begin") s"
	defer "cg1_remove"
}

cg1_mount() { mount -t cgroup -o blkio blkio "$CG" 2>"$WORK/mount"; }

cg1_remove() {
	find "$CG" -mindepth 1 -depth -type d | while read -r ktap_d; do eventually 10 rmdir "$ktap_d"; done
	# A hierarchy unmounted while a removed group still counts stays, and keeps the controller.
	eventually $((30 * SLOW)) cg1_alone || note "removed groups still count: $(grep ^blkio /proc/cgroups)"
	umount "$CG"
}

# Only the root counts. In /proc/cgroups: name, hierarchy, groups, enabled.
cg1_alone() { awk '$1 == "blkio" && $3 == 1 { alone = 1 } END { exit !alone }' /proc/cgroups; }

# cg1 NAME WEIGHT: a group there
cg1() {
	mkdir "$CG/$1" || give_up "cannot make $CG/$1"
	echo "$2" >"$CG/$1/blkio.$BFQ_NAME.weight" || give_up "cannot weigh $1"
}

# --- load ---------------------------------------------------------------------

# fio_to FILE ARGS...: quiet fio on $DEV, in terse form to FILE
fio_to() {
	ktap_out=$1
	shift
	fio --filename="$DEV" --thread --eta=never --output-format=terse --terse-version=3 \
		--norandommap --randrepeat=0 --allow_mounted_write=1 "$@" \
		>"$ktap_out" 2>"$ktap_out.err"
}

# terse FILE JOB read|write kb|iops, or read longest_us|mean_us: a figure of fio's
terse() {
	case $3.$4 in
	read.kb) ktap_field=6 ;; read.iops) ktap_field=8 ;;
	read.longest_us) ktap_field=39 ;; read.mean_us) ktap_field=40 ;;
	write.kb) ktap_field=47 ;; write.iops) ktap_field=49 ;;
	esac
	awk -F';' -v job="$2" -v f="$ktap_field" '$3 == job { n += $f } END { print n + 0 }' "$1"
}

# fio_load ARGS...: endless fio on $DEV; for background and in_cg_bg
fio_load() {
	exec fio --name=load --filename="$DEV" --thread --eta=never --norandommap \
		--randrepeat=0 --gtod_reduce=1 --allow_mounted_write=1 --output=/dev/null \
		--time_based --runtime=3600 "$@"
}

# reader_in GROUP N ARGS...: endless direct fio on partition N of $DEV, in a group; sets $child
reader_in() {
	ktap_group=$1 ktap_part=$2
	shift 2
	reader_on "${DEV}p$ktap_part" "$ktap_group" "$@"
}

# reader_on FILE GROUP ARGS...: the same on any device
reader_on() {
	ktap_file=$1 ktap_group=$2
	shift 2
	in_cg_bg "$ktap_group" fio --name=load --filename="$ktap_file" --thread --eta=never \
		--gtod_reduce=1 --output=/dev/null --randrepeat=0 --norandommap --time_based \
		--runtime=3600 --direct=1 "$@"
}

# verify_load NAME ARGS...: fio writes and reads back, over and over, until
# verify_stop. Sets $child; results in $WORK/NAME.*. One fio makes several rounds,
# since starting it takes longer than a round; without a backlog fio 3.33 mistakes
# the second for an error. On the debug kernel it pauses after each 32 requests:
# otherwise the processors have time for nothing else.
# More jobs follow as --name=JOB --filename=FILE; they have the ARGS before them.
verify_load() {
	ktap_name=$1
	shift
	rm -f "$WORK/stop"
	verify_rounds "$ktap_name" "$@" &
	child=$!
	ktap_children="$ktap_children $child"
	echo "$child" >"$WORK/$ktap_name.pid"
	ktap_loads="$ktap_loads $ktap_name"
}

verify_rounds() {
	ktap_name=$1
	ktap_rounds=0
	ktap_loops=${VERIFY_LOOPS:-3}
	ktap_pause=${DEBUG:+"--thinktime=1s --thinktime_blocks=32"}
	shift
	case " $* " in *" --name="*) ;; *) set -- "$@" --name="$ktap_name" ;; esac
	trap - EXIT INT TERM
	# one round at least: on a busy host the load may be ended before it has begun
	while [ $ktap_rounds -eq 0 ] || [ ! -e "$WORK/stop" ]; do
		# shellcheck disable=SC2086 # options
		fio --name=global --thread --eta=never --randrepeat=0 --verify=crc32c \
			--verify_fatal=1 --verify_dump=0 --verify_backlog=16 --allow_mounted_write=1 \
			--loops="$ktap_loops" $ktap_pause "$@" >"$WORK/$ktap_name.log" 2>&1 || exit 1
		ktap_rounds=$((ktap_rounds + ktap_loops))
		echo $ktap_rounds >"$WORK/$ktap_name.rounds"
	done
}

# verify_stop DESC: one result: every load ended well and had done something
verify_stop() {
	ktap_bad=
	ktap_total=0
	touch "$WORK/stop"
	for ktap_name in $ktap_loads; do
		finished $((60 * SLOW)) "$(cat "$WORK/$ktap_name.pid")"
		ktap_status=$?
		ktap_rounds=$(cat "$WORK/$ktap_name.rounds" 2>/dev/null)
		ktap_total=$((ktap_total + ${ktap_rounds:-0}))
		if [ "$ktap_status" -ne 0 ] || [ "${ktap_rounds:-0}" -eq 0 ]; then
			ktap_bad="$ktap_bad $ktap_name: status $ktap_status, ${ktap_rounds:-0} rounds;"
			grep -E 'verify|err|bad' "$WORK/$ktap_name.log" | head -n 5 | sed 's/^/# fio: /'
		fi
	done
	ktap_loads=
	is "$1" "" "$ktap_bad"
	note "$ktap_total rounds of writing and reading back"
}
ktap_loads=

# batch HOW N LEN [nowait] [known]: that many reads of $DEV in one call (ops.c); sets figures for
# field
batch() {
	"$HELPER" batch "$DEV" "$@" >"$WORK/batch" || give_up "helper batch $*"
	note "$*: $(cat "$WORK/batch")"
}

# field NAME: how many of the batch ended so: ok, wrong, again, an error's name; or its ms
field() { awk -v RS='[ \n]' -v FS== -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$WORK/batch"; }

# results STEP...: what each of them gave (ops.c), in one line
results() { "$HELPER" ops "$DEV" "$@" | awk '{ printf "%s%s", sep, $2; sep = " " }'; }

# --- shares ------------------------------------------------------------------

latency_us='' depth='' least='' seconds='' reads='' bound='' tunables='' device='' pin='' shares_first='' shares_look=''

# shares DESC FIO_ARGS GROUP:PERCENT...: load each group, each on a partition of its own, on a
# device that takes $depth requests of $latency_us each on each hardware queue, and measure for
# $seconds, or until $reads have been done, where time is not virtual. No share may be wrong
# by more than $bound percent of it; and, if $least is said, all together get that part of what the
# device can do, which with exact_shares takes one at a time from who reads synchronously and so
# has it to itself. $tunables are written before (KEY=VALUE...), $device are
# more keys of null_blk, $pin lets each load run on a processor of its own, and $shares_first and
# $shares_look are called before and after.
shares() {
	desc=$1
	args=$2
	shift 2
	at_once=$depth
	case "$args $tunables" in
	*ioengine=psync*exact_shares=1*) at_once=1 ;;
	*ioengine=psync*) at_once=$# ;;
	esac
	# shellcheck disable=SC2086 # a list
	nullb hw_queue_depth="$depth" completion_nsec=$((latency_us * 1000)) $device
	parts $#
	sched "${SCHED:-$BFQ_NAME}"
	for ktap_kv in $tunables; do
		case $ktap_kv in
		nr_requests=*) echo "${ktap_kv#*=}" >"$QUEUE/${ktap_kv%%=*}" ;;
		*) [ -n "${SCHED-}" ] || echo "${ktap_kv#*=}" >"$QUEUE/iosched/${ktap_kv%%=*}" ;;
		esac || give_up "$DISK refuses $ktap_kv"
	done
	pids=
	part=0
	for share; do
		part=$((part + 1))
		# shellcheck disable=SC2086 # options
		in_cg_bg "${share%:*}" fio --name=load --filename="${DEV}p$part" --thread --eta=never \
			--norandommap --randrepeat=0 --gtod_reduce=1 --output=/dev/null \
			--time_based --runtime=3600 ${pin:+--cpus_allowed=$((part - 1))} $args
		pids="$pids $child"
	done
	while [ $part -gt 0 ]; do
		eventually 60 shares_started || give_up "no I/O from job $part"
		part=$((part - 1))
	done
	[ -z "$shares_first" ] || $shares_first
	sleep 0.3
	shares_count "$@" >"$WORK/before"
	if [ -n "$reads" ]; then
		until_reads=$((reads + $(requests "$DISK")))
		eventually $((120 * SLOW)) shares_enough || give_up "too few reads in $((120 * SLOW)) s"
	else
		sleep "$seconds"
	fi
	shares_count "$@" >"$WORK/after"
	[ -z "$shares_look" ] || $shares_look
	# shellcheck disable=SC2086 # a list
	killed 20 $pids 2>/dev/null
	nullb_remove "$DISK"
	shares_judge "$desc"
}

shares_started() { [ "$(done_by "$part")" -ge 50 ]; }
shares_enough() { [ "$(requests "$DISK")" -ge "$until_reads" ]; }

# One line for each group: name, percent, requests completed so far. All at the same moment, so
# without a process for each.
shares_count() {
	n=0
	for share; do
		n=$((n + 1))
		read -r ktap_reads _ <"/sys/block/$DISK/${DISK}p$n/stat"
		echo "${share%:*} ${share#*:} $ktap_reads"
	done
}

shares_judge() {
	paste -d' ' "$WORK/before" "$WORK/after" | awk -v bound="$bound" '
		{ name[NR] = $1; want[NR] = $2; got[NR] = $6 - $3; sum += $6 - $3 }
		END {
			for (i = 1; i <= NR; i++) {
				share = sum ? 100 * got[i] / sum : 0
				error = 100 * (share / want[i] - 1)
				if (error < 0) error = -error
				if (error > worst) worst = error
				text = text sprintf("%s %.2f %% of %.2f, ", name[i], share, want[i])
			}
			printf "%d %slargest error %.2f %%\n", sum, text, worst
			exit sum == 0 || worst > bound
		}' >"$WORK/verdict"
	ktap_wrong=$?
	read -r ktap_done ktap_verdict <"$WORK/verdict"
	if [ $ktap_wrong -eq 0 ]; then
		pass "$1"
		note "$ktap_verdict"
	else
		fail "$1" "an error of at most $bound %" "$ktap_verdict"
	fi
	[ -n "$least" ] || return
	ktap_rate=$((ktap_done / seconds))
	compare "$1: $ktap_rate I/Os per second are most of what the device can do" \
		"$ktap_rate" -ge "$(calc "$least * $at_once * 1000000 / $latency_us")"
}

# --- files -------------------------------------------------------------------

# write_errno FILE VALUE: OK or the name of the error, e.g. EINVAL
write_errno() { "$HELPER" put "$1" "$2"; }

# tries FILE <TABLE: one result for each line "VALUE, tabs, RESULT, tabs, DESC":
# VALUE is written (\n is a newline), and RESULT is the error's name, or OK; then,
# after a colon, what the file says (newlines as commas). One process for all, since
# forks are dear.
tries() {
	ktap_file=$1
	ktap_tab=$(printf '\t')
	: >"$WORK/want"
	set --
	while IFS=$ktap_tab read -r ktap_value ktap_want; do
		set -- "$@" "$ktap_value"
		echo "$ktap_want" >>"$WORK/want"
	done
	"$HELPER" try "$ktap_file" "$@" >"$WORK/seen"
	while IFS=$ktap_tab read -r ktap_want ktap_desc <&3; do
		IFS= read -r ktap_seen <&4
		is "$ktap_desc" "$ktap_want" "$ktap_seen"
	done 3<"$WORK/want" 4<"$WORK/seen"
}
