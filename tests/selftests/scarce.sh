#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where more processes compete than there are tags, weights and turns are what they are with enough of them
# where: icount
# kernels: each
# build: modelled disks
#
# 48 processes and 20 tags: as 100 containers have it on a disk with 64.
. "${0%/*}/ktap.sh"
plan 12
require fio addpart

state_says() { grep -q "$1" "/sys/kernel/debug/block/$DISK/sched/state"; }
# got GROUP: bytes that it has read so far, as the kernel counts them
got() { awk -v d="$(cat "/sys/block/$DISK/dev")" '$1 == d { sub(".*rbytes=", ""); sub(" .*", ""); print }' "$CG/$1/io.stat"; }
# all_got: group and bytes
all_got() { for group in $groups; do echo "$group $(got "$group")"; done; }
# measure S: sets $least and $most, the groups' bytes in so many seconds by what is due to them, and $mb, the MB/s of all
measure() {
	all_got >"$WORK/before"
	began=$(now)
	sleep "$1"
	all_got >"$WORK/after"
	took=$(calc "$(now) - $began")
	set -- "$(awk -v s="$took" 'NR == FNR { was[$1] = $2; next }
		{ split($1, name, "-"); got[$1] = $2 - was[$1]; w[$1] = name[2]; all += got[$1]; sum += w[$1] }
		END {
			least = 1000
			for (g in got) {
				part = 100 * got[g] / all / (w[g] / sum)
				if (part < least) least = part
				if (part > most) most = part
			}
			printf "%d %d %.1f", least, most, all / s / 1e6
		}' "$WORK/before" "$WORK/after")"
	least=${1%% *} mb=${1##* }
	most=${1#* } most=${most% *}
}

cg_setup
groups=
cg little 100
cg writer 100
cg program 100
for size in 16 64 256; do
	for weight in 100 300; do
		for nr in 1 2 3 4 5 6 7 8; do
			cg "g$size$nr-$weight" "$weight"
			groups="$groups g$size$nr-$weight"
		done
	done
done

# Greedy readers of unequal requests, each in a group of its own.
modelled_disk disk0 profile=sata-ssd size_mb=8192
sched "${SCHED:-$BFQ_NAME}"
echo 0 >"$QUEUE/iosched/low_latency"
echo 20 >"$QUEUE/nr_requests"
at=0
for group in $groups; do
	size=${group#g}
	size=${size%?-*}
	reader_on "$DEV" "$group" --offset=$((at * 128))m --size=128m --rw=randread --bs="${size}k" --ioengine=libaio --iodepth=16
	at=$((at + 1))
done
holds "tasks stand in line for a tag" eventually 20 state_says 'in line for a tag: [1-9]'
sleep 3
measure 6
compare "no group has less than its share says ($least to $most % of it)" "$least" -ge 85
compare "nor more ($least to $most %)" "$most" -le 115
compare "and the disk is busy ($mb MB/s)" "$mb" -ge 495
# One who reads 4 KiB at a time comes to it; his requests are the next ones, not those behind all others.
reader_on "$DEV" little --offset=7g --size=512m --rw=randread --bs=4k --ioengine=psync
sleep 2
was=$(got little)
began=$(now)
sleep 4
each=$(calc "4096000.0 * ($(now) - $began) / ($(got little) - $was)")
compare "who reads little waits for few ($each ms for each read)" "$each" -le 3
killall -9 fio

# Many in one group, one request each: all are looked at, whoever came when.
served() { sed -n 's/pid=\([0-9]*\) .*kind=sync.* sectors=\([0-9]*\) .*/\1 \2/p' "/sys/kernel/debug/block/$DISK/sched/queues"; }
reader_on "$DEV" little --offset=2g --size=4g --rw=randread --bs=64k --ioengine=psync --numjobs=200
sleep 4
served >"$WORK/before"
sleep 6
served >"$WORK/after"
set -- "$(awk 'NR == FNR { was[$1] = $2; next }
	$1 in was { part = $2 - was[$1]; all += part; nr++; if (nr == 1 || part < least) least = part }
	END { printf "%d %d", nr, 100 * least * nr / all }' "$WORK/before" "$WORK/after")"
compare "so many compete (${1% *})" "${1% *}" -ge 190
compare "and of so many nobody is overlooked (${1#* } % of the mean at least)" "${1#* }" -ge 60

# A buffered writer comes to them, in a group of the same weight, and one of class idle: no tag is kept from it for ever.
parts 1 $((2 * 1024 * 2048))
reader_on "$DEV" program --offset=7g --size=512m --rw=randread --bs=4k --ioengine=psync --prioclass=3
echo $((8 << 20)) >/proc/sys/vm/dirty_bytes
in_cg_bg writer fio --name=load --filename="${DEV}p1" --eta=never --output=/dev/null --time_based --runtime=3600 --rw=write \
	--bs=64k --size=1g --ioengine=psync
sleep 4
began=$(now)
was=$(got program)
mb=$(sectors_written 1)
sleep 6
took=$(calc "$(now) - $began")
mb=$(calc "512.0 * ($(sectors_written 1) - $mb) / 1000000 / $took")
reads=$(calc "($(got program) - $was) / 4096.0 / $took")
compare "a writer has its part beside readers ($mb MB/s)" "$mb" -ge 50
compare "and who is of class idle goes on ($reads reads/s)" "$reads" -ge 1
killall -9 fio

# Processes that read along a hard disk: each has its turns.
modelled_disk disk1 profile=hdd size_mb=65536
sched "${SCHED:-$BFQ_NAME}"
echo 0 >"$QUEUE/iosched/low_latency"
echo 20 >"$QUEUE/nr_requests"
at=0
for group in $groups; do
	reader_on "$DEV" "$group" --offset=${at}g --size=1g --rw=read --bs=64k --ioengine=psync
	at=$((at + 1))
done
holds "on a hard disk, too" eventually 20 state_says 'in line for a tag: [1-9]'
sleep 5
measure 30
compare "who reads along it has turns that are worth a seek ($mb MB/s)" "$mb" -ge 29
compare "and everybody has some ($least % of its share at least)" "$least" -ge 40
killall -9 fio
