#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a task that has just inserted a request may be slow, and the scheduler go meanwhile
# where: guest
# build: test points
#
# From the moment a request is on a stage it may end, and then nothing but the inserting
# task itself keeps the scheduler from being taken away. On the debug kernel KASAN tells
# who looks at what has gone.
. "${0%/*}/ktap.sh"
plan 4
require_helper
require pkill dd
points=$TESTS/../build/$(uname -r)/$BFQ_NAME-test.ko
[ -f "$points" ] || give_up "no module with test points: tests/selftests/run builds it"
rmmod "$(module)" || give_up "the module is in use"
defer "rmmod $BFQ_NAME; insmod $BFQ_KO"
insmod "$points" || give_up "insmod $points"
set_point() { printf %s "$2" >"/sys/module/$BFQ_NAME/parameters/$1" || give_up "no test point"; }

nullb size=256
no_autoload
reads() { awk '{ print $1 }' "/sys/block/$DISK/stat"; }
more_reads() { [ "$(reads)" -gt "$1" ]; }
# Only at the test point does it sleep by itself.
held() { grep -q msleep "/proc/$inserter/stack" 2>/dev/null; }

# The device is kept for a process that has read, for long. Another inserts, and stops right
# behind that; the one that the device is kept for goes, so what was inserted is served.
hold_up() {
	sched "$BFQ_NAME"
	echo 60000 >"$QUEUE/iosched/timeout_sync"
	echo 1 >"$QUEUE/iosched/strict_guarantees"
	echo 60000 >"$QUEUE/iosched/slice_idle"
	before=$(reads)
	background "$HELPER" issue "$DEV" "p=s1+4 sleep=60000"
	holder=$child
	eventually 20 more_reads "$before" || give_up "no read"
	before=$(reads)
	set_point test_delay_ms $((delay * 1000))
	background dd if="$DEV" of="$WORK/read" bs=4k count=1 skip=16 iflag=direct status=none
	inserter=$child
	eventually 20 held || return 1
	set_point test_delay_ms 0
	pkill -9 -P "$holder"
	killed 20 "$holder" >/dev/null 2>&1
	eventually "$delay" more_reads "$before"
	served=$?
	held
}

# It is held up for a time by the guest's clock: on a busy host that may be over before we
# have looked, and then it is held up for longer.
delay=$((4 * SLOW))
set_point test_point inserted
until hold_up; do
	[ $delay -lt $((100 * SLOW)) ] || give_up "the task was not seen to wait, not even for $delay s"
	note "$delay s were over before we had looked"
	set_point test_delay_ms 0
	killed 20 "$inserter" "$holder" >/dev/null 2>&1
	sched none
	delay=$((delay * 2))
done
is "a request ends whose task is still about to leave the scheduler" 0 "$served"
is "the scheduler can be changed meanwhile" OK "$(write_errno "$QUEUE/scheduler" none)"
if held; then left=no; else left=yes; fi
is "but not before the task has left it" yes $left
finished $((20 * SLOW)) "$inserter"
is "whose read ends well" 0 $?
