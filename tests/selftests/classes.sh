#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: I/O priorities: class and level decide, at once when they change
# where: icount
# kernels: each
#
# Only in virtual time: where the host decides when fio runs, this measures the
# host.
. "${0%/*}/ktap.sh"
plan 12
require fio ionice addpart

depth=4
seconds=2
nullb hw_queue_depth=$depth completion_nsec=1000000
parts 2
sched "${SCHED:-$BFQ_NAME}"
# A reader that begins a tenth of a second after the other would be raised beside it for a while.
no_raising() { [ -n "${SCHED-}" ] || echo 0 >"$QUEUE/iosched/low_latency"; }
no_raising

# one NAME PARTITION [OPTION]...: a random reader of a partition, until it is killed
one() {
	name=$1
	part=$2
	shift 2
	exec fio --filename="${DEV}p$part" --thread --eta=never --output="$WORK/$name.txt" --direct=1 \
		--rw=randread --bs=4k --ioengine=libaio --iodepth=16 --norandommap --randrepeat=0 \
		--time_based --runtime=3600 --name="$name" "$@"
}

# What both have been served in the same time: $first and $second, in requests.
# Their own figures would not do: who is starved begins to measure when the
# other has ended.
both() {
	first=-$(done_by 1)
	second=-$(done_by 2)
	sleep $seconds
	first=$((first + $(done_by 1)))
	second=$((second + $(done_by 2)))
}

# pair CLASS LEVEL CLASS LEVEL: two random readers
pair() {
	background one first 1 --prioclass="$1" --prio="$2"
	first_pid=$child
	background one second 2 --prioclass="$3" --prio="$4"
	sleep 1
	both
	note "class $1 level $2: $first requests, class $3 level $4: $second in $seconds s"
	kill "$first_pid" "$child"
	wait "$first_pid" "$child" 2>/dev/null
}

# near DESC EXPECTED SEEN PERCENT
near() {
	if calc_true "$3 > $2 * (1 - $4 / 100) && $3 < $2 * (1 + $4 / 100)"; then
		pass "$1"
	else
		fail "$1" "$2, give or take $4 %" "$3"
	fi
}
ratio() { calc "$second ? $first / $second : 999"; }

pair 1 4 2 4
compare "real time takes nearly all from best effort" "$(ratio)" -ge 9
pair 2 4 3 0
compare "best effort takes most from idle" "$(ratio)" -ge 4
compare "but idle does not starve" "$second" -gt 0
# A weight of 10 against one of 80 has so few turns in 2 s that one more or less is a tenth.
# So turns are short, and the window is longer.
seconds=3
echo 64 >"$QUEUE/iosched/max_budget"
pair 2 0 2 7
near "levels 0 and 7 share 8 : 1" 8 "$(ratio)" 10
pair 2 2 2 5
near "levels 2 and 5 share 6 : 3" 2 "$(ratio)" 10

# Two equal readers, until one is told to be nicer; not before both are at it.
first_before=$(done_by 1)
second_before=$(done_by 2)
background one nice 1
nicer=$child
background one other 2
busy() { [ "$(done_by 1)" -gt $((first_before + 100)) ] && [ "$(done_by 2)" -gt $((second_before + 100)) ]; }
eventually 30 busy
for t in /proc/"$nicer"/task/*; do ionice -c 2 -n 7 -p "${t##*/}"; done
sleep 1
both
near "a change from level 4 to 7 while running makes 1 : 1 into 1 : 4" 0.25 "$(ratio)" 10

# A device that is kept for a process of best effort, whose request takes 100 ms, is not
# kept from real time: ten reads of 100 ms with 30 ms between them take 1.3 s.
kill "$nicer" "$child"
wait "$nicer" "$child" 2>/dev/null
nullb hw_queue_depth=4 completion_nsec=100000000
parts 2
sched "${SCHED:-$BFQ_NAME}"
no_raising
background one slow 1 --ioengine=psync --prioclass=2
slow=$child
slow_busy() { [ "$(done_by 1)" -gt 3 ]; }
eventually 30 slow_busy
background fio --name=urgent --filename="${DEV}p2" --thread --eta=never --output="$WORK/urgent.txt" \
	--direct=1 --rw=randread --bs=4k --ioengine=psync --prioclass=1 --number_ios=10 \
	--thinktime=30000 --norandommap --randrepeat=0 --output-format=terse --terse-version=3
finished 60 "$child"
took=$(awk -F';' '{ print $9 / 1000 }' "$WORK/urgent.txt")
kill "$slow" 2>/dev/null
compare "real time does not wait for a plug of best effort ($took s)" "$took" -le 1.4

# beside_idle DESC: those who read the first partition lose little when one of class idle reads the other
beside_idle() {
	both
	alone=$first
	background one idle 2 --ioengine=psync --prioclass=3 --thinktime=5ms
	sleep 1
	both
	compare "$1 ($first requests, $alone without)" "$(calc "$first / $alone")" -ge 0.9
}

# Four of best effort that read one block after the other, of which one thinks for a while, lose nothing by one of
# class idle: a device that is kept from that one is not kept from one of them.
nullb hw_queue_depth=8 completion_nsec=1000000
parts 2
sched "${SCHED:-$BFQ_NAME}"
no_raising
for name in a b c; do background one $name 1 --ioengine=psync; done
background one thinker 1 --ioengine=psync --thinktime=4ms
readers_busy() { [ "$(done_by 1)" -gt 1000 ]; }
eventually 30 readers_busy
beside_idle "four equals lose little by one of class idle"
compare "which goes on ($second)" "$second" -ge 20

# Nor do four that read several at a time.
killall -9 fio
for name in e f g h; do background one $name 1 --iodepth=4; done
sleep 1
beside_idle "nor do equals that read several at a time"

# Nor does one whose request mostly is in the device when the other, which thinks, runs empty.
killall -9 fio
background one steady 1 --ioengine=psync
background one thinker 1 --ioengine=psync --thinktime=4ms
sleep 1
beside_idle "nor does one that never pauses beside one that thinks"

# But an equal that is not waited for itself, since it thinks for long, keeps nobody out for another.
killall -9 fio
background one urgent 1 --ioengine=psync --prioclass=1
background one seldom 1 --ioengine=psync --prioclass=1 --thinktime=12ms
background one deep 2 --prioclass=3
sleep 1
both
compare "and real time keeps its device from a deep one of class idle beside another that thinks ($first, $second)" \
	"$(ratio)" -ge 5
