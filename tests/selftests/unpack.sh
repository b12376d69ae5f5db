#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: who writes a little through the page cache goes before who reads without end, and much does not
# where: icount
# build: modelled disks
#
# On the modelled hdd somebody reads in sequence. Another writes half a MiB at a time through the page cache
# and waits for it each time, as the flusher does for a file system that lets only so much be under way at a
# time: of all turns of the reader's, 125 ms each, it has one request.
. "${0%/*}/ktap.sh"
plan 7
require fio

modelled_disk disk0 profile=hdd size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
latency=$QUEUE/iosched/low_latency
queues=/sys/kernel/debug/block/$DISK/sched/queues

# writes MIB: sets $took, the seconds for that
writes() {
	began=$(now)
	fio --name=writes --filename="$DEV" --thread --eta=never --allow_mounted_write=1 --output=/dev/null \
		--rw=write --bs=512k --ioengine=psync --offset=6g --size="${1}m" \
		--sync_file_range=write,wait_after:1 || give_up fio
	took=$(calc "$(now) - $began")
}
# credit KIND: in MiB, of the queue of that kind
credit() { sed -n "s/.*kind=$1 .*credit_kib=\([0-9]*\) .*/\1/p" "$queues" | awk '{ printf "%d", $1 / 1024 }'; }
spent() { [ "$(credit sync)" -eq 0 ]; }
has_credit() { grep -q "kind=$1 .*credit_kib=[1-9]" "$queues"; }
read_mb() { awk '{ printf "%d", $3 * 512 / 1e6 }' "/sys/block/$DISK/stat"; }

writes 8
note "alone 8 MiB take $took s"
background fio_load --direct=1 --rw=read --bs=128k --ioengine=libaio --iodepth=2 --size=4g
eventually 20 has_credit sync
compare "a reader is new (MiB of credit)" "$(credit sync)" -ge 100
holds "alone it uses that up in some seconds, too" eventually 6 spent
sleep 9			# the writes before have rested for as long, and more than they need to

before=$(read_mb)
began=$(now)
writes 8
quick=$took
compare "what is written next does not wait for turns (s)" "$quick" -le 0.6
compare "while the reader goes on (MB/s)" "$(calc "($(read_mb) - $before) / ($(now) - $began)")" -ge 8

sleep 9
background fio_load --rw=write --bs=512k --ioengine=psync --offset=6g --size=64m --sync_file_range=write,wait_after:1
eventually 20 has_credit async
compare "who rests long has some credit for writes, not that of a process (MiB)" "$(credit async)" -le 32
sleep 3
before=$(read_mb)
sleep 2
compare "and with it used up the reader has its turns again (MB/s)" "$(calc "($(read_mb) - $before) / 2")" -ge 20
killed 20 "$child" 2>/dev/null

echo 0 >"$latency"
before=$(read_mb)
writes 8
note "the reader has $(calc "($(read_mb) - $before) / $took") MB/s meanwhile"
# Half of the disk is what it is due: then twice as long as alone. With one request a turn it takes 2 s.
compare "with low_latency off it waits, so that this shows something (s)" "$took" -ge "$(calc "1.5 * $quick")"
