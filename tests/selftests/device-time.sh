#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk with moving parts it is the disk's time that is shared, not bytes
# where: icount
# build: modelled disks
#
# The modelled hdd makes 32 MB/s of a sequential reader and 0.45 of random ones.
. "${0%/*}/ktap.sh"
plan 13
require fio addpart
require_helper

# job PARTITION FIO-ARGUMENT...: for ever
job() {
	part=$1
	shift
	background fio --name=load --filename="${DEV}p$part" --thread --eta=never --gtod_reduce=1 \
		--output=/dev/null --randrepeat=0 --norandommap --time_based --runtime=3600 "$@"
	jobs="$jobs $child"
}
# along and deep PART [FIO-ARGUMENT...]
along() { job "$@" --rw=read --bs=64k --direct=1 --ioengine=psync; }
deep() { job "$@" --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=8; }
seeking() { job "$1" --rw=randread --bs=4k --direct=1 --ioengine=psync; }
jobs=''
at_work() { [ "$(sectors_read "$1")" -gt "$2" ]; }
# rates SECONDS: $first and $second, in KB/s, of the partitions
rates() {
	read_each "$1" 1 2 >"$WORK/rates"
	read -r first second <"$WORK/rates"
	first=$(calc "1000 * $first") second=$(calc "1000 * $second")
}
stop() {
	# shellcheck disable=SC2086 # a list
	killed 20 $jobs 2>/dev/null
	jobs=
	sleep 0.1
}
# price WORD: a seek in KiB or us, as the module says
price() { sed -n 's/^prices: a seek \([0-9]*\) KiB (\([0-9]*\) us)$/KiB \1 us \2/p' \
	"/sys/kernel/debug/block/$DISK/sched/state" | sed "s/.*$1 \([0-9]*\).*/\1/"; }

# What each makes alone. This is also when the prices are learned.
divided_disk 2 disk0 profile=hdd
along 1
eventually 60 at_work 1 1000 || give_up "fio does not start"
sleep 1
rates 2
stream=$first
stop
deep 2
eventually 60 at_work 2 100 || give_up "fio does not start"
sleep 1
rates 4
random=$second
stop
note "alone: $stream KB/s in sequence, $random at random, a seek costs $(price KiB) KiB, $(price us) us"
# 2.2 ms are 70 KiB of this disk.
compare "what a seek takes is learned" "$(price us)" -ge 5000
compare "and is no more than half a turn and a move of the arm" "$(price us)" -le 14000
compare "and what the disk moves meanwhile" \
	"$(calc "$(price KiB) / ($(price us) * $stream / 1024 / 1000)")" -ge 0.8

# Equal weights, half of the time each, less what seeking to and fro costs.
along 1
deep 2
eventually 60 at_work 2 1000 || give_up "fio does not start"
sleep 1
rates 6
stop
compare "beside a deep random reader a sequential one has half of the disk ($first of $stream KB/s)" \
	"$(calc "$first / $stream")" -ge 0.4
compare "and so has the random one ($second of $random KB/s)" "$(calc "$second / $random")" -ge 0.4

# Levels 1 and 6: 70 to 20.
along 1 --prioclass=2 --prio=1
deep 2 --prioclass=2 --prio=6
eventually 60 at_work 2 1500 || give_up "fio does not start"
sleep 1
rates 6
stop
compare "of 7 : 2 the one has seven ninths ($first of $stream KB/s)" "$(calc "$first / $stream / (7 / 9)")" -ge 0.85
compare "the other two ($second of $random KB/s)" "$(calc "$second / $random / (2 / 9)")" -ge 0.85

# Who reads 64 KiB in 2 ms and thinks for 4 keeps the device for itself meanwhile, and pays for it.
thinking() { along 1 --thinktime=4000; }
thinking
eventually 60 at_work 1 1000 || give_up "fio does not start"
sleep 1
rates 2
slow=$first
deep 2
eventually 60 at_work 2 2000 || give_up "fio does not start"
sleep 1
rates 6
stop
compare "who thinks has half of what it makes alone ($first of $slow KB/s)" "$(calc "$first / $slow")" -ge 0.4
compare "and so has the one beside it ($second of $random KB/s)" "$(calc "$second / $random")" -ge 0.4

# Four that ask for one block after the other beside a writer for whom nobody waits, at first with
# the disk's cache empty: each is guaranteed a fifth of what it makes alone.
seeking 2
eventually 60 at_work 2 2000 || give_up "fio does not start"
sleep 1
rates 8
alone=$second
for _ in 1 2 3; do seeking 2; done
job 1 --rw=write --bs=64k --ioengine=psync
sleep 6
wrote=$(sectors_written 1)
rates 16
wrote=$(calc "($(sectors_written 1) - $wrote) * 512 / 1e3 / 16")
# A fifth reader looks how long each of its reads takes; the writer's turns are 125 ms.
reads=$(for _ in $(seq 150); do printf 'r=s1+4 '; done)
"$HELPER" issue "${DEV}p2" "$reads" >"$WORK/ended" || give_up "helper issue"
longest=$(awk '{ if ($3 - $2 > most) most = $3 - $2 } END { printf "%.0f", most / 1000 }' "$WORK/ended")
stop
compare "none of 150 reads waits for more than three of its turns (ms)" "$longest" -le 400
note "the longest took $longest ms"
compare "readers beside a buffered writer have what they are guaranteed ($second of 4 * $alone / 5 KB/s)" \
	"$(calc "$second / (4 * $alone / 5)")" -ge 0.85
compare "and it has its own ($wrote of $stream KB/s)" "$(calc "$wrote / $stream / (1 / 5)")" -ge 0.7

# A disk that moves three times as much in the time of a seek.
divided_disk 2 disk1 profile=hdd media_kb_s=96000
along 1
eventually 60 at_work 1 1000 || give_up "fio does not start"
sleep 1
stop
seeking 2
eventually 60 at_work 2 100 || give_up "fio does not start"
slow=$(price KiB)
sleep 3
stop
note "a seek costs $(price KiB) KiB, $(price us) us"
compare "on a faster disk a seek costs more ($slow, then $(price KiB) KiB)" "$(price KiB)" -ge 450
