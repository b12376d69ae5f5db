#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 1,000 changes of scheduler (200 on the debug kernel and 6.1) under verified I/O lose nothing
# where: guest
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

# Four devices at once: a change waits for grace periods, not for the CPU.
total=$(few 1000)
# shellcheck disable=SC2034 # for verify_load: fewer pauses in which it starts anew
VERIFY_LOOPS=8
disks=
set --
for i in 1 2 3 4; do
	# shellcheck disable=SC2086 # a list
	nullb $STRESS
	disks="$disks $DISK"
	set -- "$@" --name="disk$i" --filename="$DEV"
done
verify_load disks --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw --bs=4k --size=256k "$@"
sched mq-deadline	# it may be a module
no_autoload
# shellcheck disable=SC2086 # a list
eventually $((60 * SLOW)) at_work $disks || give_up "fio does not start"
# shellcheck disable=SC2086
before=$(requests $disks)

pids=
for d in $disks; do
	background "$HELPER" switch $((total / 4)) "/sys/block/$d/queue/scheduler" \
		"$BFQ_NAME" none "$BFQ_NAME" mq-deadline >"$WORK/switch.$d" 2>&1
	pids="$pids $child"
done
bad=
for pid in $pids; do finished $((200 * SLOW)) "$pid" || bad="$bad status $?"; done
is "none of the changes fails or hangs" "" "$bad"
is "there were $total" "$total" "$(cat "$WORK"/switch.* | awk '{ n += $1 } END { print n }')"
# shellcheck disable=SC2086 # a list
compare "fio is at work meanwhile" $(($(requests $disks) - before)) -ge $((total / 4))
verify_stop "nothing is lost"
