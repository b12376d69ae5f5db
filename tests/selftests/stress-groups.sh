#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 1,000 groups (200 on all but 6.12) are made, entered and removed under verified I/O
# where: guest
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

total=$(few 1000)
# shellcheck disable=SC2034 # for verify_load: fewer pauses in which it starts anew
VERIFY_LOOPS=8
# KCSAN stops so often at what fio does that it makes ten or twenty requests a second, whatever the
# device could: eight loops of it took longer than a thousand groups.
# shellcheck disable=SC2034 # likewise
if [ "${LAB_KERNEL-}" = race ]; then
	VERIFY_LOOPS=1
	[ -n "${FULL-}" ] || total=200
fi
# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
cg_setup
for g in 1 2; do
	cg "start$g" 100
	echo 0 >"$CG/start$g/cgroup.procs"
	verify_load "load$g" --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw \
		--bs=4k --size=256k --offset=$((g * 8))m
done
echo 0 >$CG_ROOT/cgroup.procs
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"
before=$(requests "$DISK")

background "$HELPER" groups "$total" "$CG" "io.$BFQ_NAME.weight" start1 start2 \
	>"$WORK/groups" 2>&1
finished $((200 * SLOW)) "$child"
is "none of it fails or hangs" 0 $?
is "there were $total groups" "$total" "$(cat "$WORK/groups")"
compare "fio is at work meanwhile" $(($(requests "$DISK") - before)) -ge $((total / 4))
verify_stop "nothing is lost"
