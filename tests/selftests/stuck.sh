#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a request that the disk passes over is served, by sending nothing else, and the others are not kept from it for long
# where: icount
# build: modelled disks
#
# The modelled disk serves what its head can get at first, and the oldest only after 20 s. Of 24 reads
# near each other there is always one that it can get at sooner than at one far away.
. "${0%/*}/ktap.sh"
plan 6
require fio addpart

# kept_disk NAME KEY=VALUE...: with two partitions, a narrow one at its beginning and one at its end
kept_disk() {
	name=$1
	shift
	modelled_disk "$name" profile=hdd size_mb=4096 "$@"
	addpart "$DEV" 1 0 65536 || give_up "no partition"
	addpart "$DEV" 2 7340032 1048576 || give_up "no partition"
	for part in 1 2; do
		eventually 20 [ -b "${DEV}p$part" ] || give_up "${DEV}p$part does not appear"
	done
	sched "${SCHED:-$BFQ_NAME}"
	readers=
}
# seeking PARTITION FIO-ARGUMENT...: for ever
seeking() {
	part=$1
	shift
	background fio --name=load --filename="${DEV}p$part" --thread --eta=never --gtod_reduce=1 --output=/dev/null \
		--randrepeat=0 --norandommap --time_based --runtime=3600 --direct=1 --rw=randread --bs=4k "$@"
	readers="$readers $child"
	eventually 60 at_work_on "$part" || give_up "fio does not start"
}
at_work_on() { [ "$(done_by "$1")" -gt 0 ]; }
stop() {
	# shellcheck disable=SC2086 # a list
	killed 60 $readers 2>/dev/null
	sleep 0.1
}
# centis: hundredths of a second
centis() { now | tr -d .; }
# watch SECONDS PARTITION: $longest, in ms: no read of the partition ended for so long
watch() {
	last=$(centis)
	end=$((last + $1 * 100))
	was=$(done_by "$2")
	longest=0
	while [ "$last" -lt $end ] && [ "$(centis)" -lt $end ]; do
		sleep 0.02
		reads=$(done_by "$2")
		for_now=$((($(centis) - last) * 10))
		[ $for_now -le $longest ] || longest=$for_now
		[ "$reads" = "$was" ] || last=$(centis)
		was=$reads
	done
}
kept() { sed -n 's/^requests that the disk kept: //p' "/sys/kernel/debug/block/$DISK/sched/state"; }

kept_disk disk0 reorder=1 reorder_max_ms=20000
seeking 2 --ioengine=psync
seeking 1 --ioengine=libaio --iodepth=24
sleep 1
near=$(done_by 1) far=$(done_by 2)
watch 6 2
near=$((($(done_by 1) - near) / 6)) far=$((($(done_by 2) - far) / 6))
compare "who reads far away is not passed over for longer than a second ($longest ms)" "$longest" -le 1000
compare "and gets on ($far reads a second)" "$far" -ge 10
compare "beside who reads near the head ($near)" "$near" -ge 100
stop

# A disk that keeps a read for 5 s whatever else it is sent, and serves others: to send nothing is in vain.
kept_disk disk1 keep_every_ms=6000 keep_ms=5000
for _ in 1 2 3 4 5 6; do seeking 1 --ioengine=psync; done
watch 8 1
compare "a read that the disk keeps for 5 s does not keep the others for long ($longest ms)" "$longest" -le 400
compare "it has been waited for ($(kept) times)" "$(calc "0$(kept)")" -ge 1
stop
at_rest "nothing is left of it all"
