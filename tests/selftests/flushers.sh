#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where tags are few, a reader has its share beside more flushers than are looked at
# where: icount
# build: modelled disks
#
# Eighty groups write through the page cache to a card with two tags, so eighty flushers stand in line for the one that
# writes may have. They stay there while it is taken; who reads comes behind them, and is not to wait for a write of each.
. "${0%/*}/ktap.sh"
plan 4
require fio addpart

# in_line N: so many tasks, or more, stand in line for a tag
in_line() { [ "$(sed -n 's/.*in line for a tag: \([0-9]*\).*/\1/p' "/sys/kernel/debug/block/$DISK/sched/state")" -ge "$1" ]; }
# writers N: until there are so many, each in its group and on its partition
nr=0
writers() {
	while [ "$nr" -lt "$1" ]; do
		nr=$((nr + 1))
		cg "writes$nr" 100
		in_cg_bg "writes$nr" fio --name=load --filename="${DEV}p$nr" --eta=never --output=/dev/null --time_based \
			--runtime=3600 --rw=write --bs=1m --size=200m --ioengine=psync
	done
	holds "$nr flushers stand in line, or nearly" eventually 120 in_line $((nr - 4))
}
# reads: sets $mb, what a reader makes beside them
reads() {
	reader_in reads "$((nr + 1))" --rw=read --bs=4k --ioengine=psync
	reader=$child
	sleep 2
	mb=$(read_mb_s 8 "$((nr + 1))")
	killed 60 "$reader" 2>/dev/null
}

cg_setup
cg reads 100
modelled_disk disk0 profile=sd-card size_mb=32768 store=0
parts 81 $((256 * 2048))
sched "${SCHED:-$BFQ_NAME}"
# It is not to go first because it is new.
[ -n "${SCHED-}" ] || echo 0 >"$QUEUE/iosched/low_latency"
writers 40
reads
few=$mb
writers 80
reads
note "a reader makes $few MB/s beside forty, $mb beside eighty"
compare "beside twice as many it has three tenths of that at least, half is due (MB/s)" "$mb" -ge "$(calc "0.3 * $few")"
killall -9 fio
at_rest "nothing is left"
