#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: service follows a task into another group; a removed group loses nothing
# where: guest icount
# kernels: each
. "${0%/*}/ktap.sh"
if [ -n "$LAB_ICOUNT" ]; then plan 9; else plan 7; fi
require fio addpart
require_helper

seconds=$((2 * SLOW))
nullb memory_backed=1 hw_queue_depth=4 completion_nsec=$((1500000 * SLOW))
parts 2
sched "${SCHED:-$BFQ_NAME}"
cg_setup
cg rich 300
cg poor 100
cg other 100

load="fio --name=load --thread --eta=never --norandommap --randrepeat=0
	--output=/dev/null --time_based --runtime=3600 --direct=1 --rw=randread --bs=4k
	--ioengine=libaio --iodepth=16"

# share: percent that job 1 gets of both
share() {
	[ -n "$LAB_ICOUNT" ] || return 0
	a=$(done_by 1)
	b=$(done_by 2)
	sleep $seconds
	a=$(($(done_by 1) - a))
	b=$(($(done_by 2) - b))
	calc "$a + $b ? 100 * $a / ($a + $b) : 0"
}
# Only virtual time can tell: elsewhere the host decides when fio runs.
near() {
	[ -n "$LAB_ICOUNT" ] || return 0
	if calc_true "$3 > $2 * 0.95 && $3 < $2 * 1.05"; then pass "$1"
	else fail "$1" "$2 %, give or take 5 % of it" "$3 %"; fi
}
going() { [ "$(done_by 1)" -gt 50 ] && [ "$(done_by 2)" -gt 50 ]; }
# How many requests the scheduler says that it has served for a group on this device: 0 for
# other schedulers, which say nothing.
served() { sed -n "s/^$MAJMIN .*\b$BFQ_NAME\.requests=\([0-9]*\).*/\1/p" "$CG/$1/io.stat" | grep . || echo 0; }
served_more() { [ "$(served "$1")" -ge $(($2 + many)) ]; }
# Many more than the task has requests at a time: those it has left behind are done by then.
many=100

# shellcheck disable=SC2086 # options
in_cg_bg poor $load --filename="${DEV}p1"
mover=$child
# shellcheck disable=SC2086
in_cg_bg other $load --filename="${DEV}p2"
eventually 60 going || give_up "fio does not start"
near "equal weights at first" 50 "$(share)"
compare "its group is charged while it is in there" "$(served poor)" -gt 0
echo "$mover" >"$CG/rich/cgroup.procs"
holds "the group of 300 is charged from then on" eventually 60 served_more rich 0
near "service follows the task into the group of 300" 75 "$(share)"
before=$(served poor)
eventually 60 served_more rich "$(served rich)"
is "nothing is charged to the group it left" "$before" "$(served poor)"
holds "which can be removed under I/O" rmdir "$CG/poor"
echo "$mover" >"$CG/other/cgroup.procs"
holds "and the other one, just left with requests queued," rmdir "$CG/rich"
a=$(done_by 1)
alive() { [ "$(done_by 1)" -gt "$a" ]; }
holds "and the task reads on" eventually 60 alive
killed 20 "$mover" "$child"

moves=$(few 50)
# Deep queues of verified writes, whose groups are replaced all the time.
cg chain1 100
cg chain2 300
for g in chain1 chain2; do
	echo 0 >"$CG/$g/cgroup.procs"
	verify_load $g --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw \
		--bs=4k --size=256k --offset=$((${g#chain} * 16))m
done
echo 0 >$CG_ROOT/cgroup.procs
"$HELPER" groups "$moves" "$CG" "io.$BFQ_NAME.weight" chain1 chain2 >"$WORK/groups" 2>&1 ||
	note "groups: $(cat "$WORK/groups")"
verify_stop "verified writes survive $moves moves, their groups removed each time"
