#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk with moving parts who asks now and then does not wait for the end of another's turn
# where: icount
# kernels: each
# build: modelled disks
#
# Four in groups read 128 KiB here and there, eight at a time. Another group asks for a block every 60 ms: it
# is behind, and is served next. A turn of theirs takes 125 ms.
. "${0%/*}/ktap.sh"
plan 3
require fio
require_helper
cg_setup
for i in 1 2 3 4; do cg "deep$i" 100; done
cg asks 100
modelled_disk disk0 profile=hdd size_mb=65536
sched "${SCHED:-$BFQ_NAME}"
for i in 1 2 3 4; do
	reader_on "$DEV" "deep$i" --rw=randread --bs=128k --ioengine=libaio --iodepth=8 --size=1g --offset="$((i * 4))g"
done
eventually 60 at_work "$DISK" || give_up "fio does not start"
sleep 5			# they begin nothing any more
deep=$(read_mb_s 2 "")
asks=$(i=0; while [ $i -lt 60 ]; do i=$((i + 1)); echo "a=r$((40000000 + i * 7919 % 60 * 4000))+4 wait sleep=60"; done)
background "$HELPER" issue "$DEV" "cg=$CG/asks $asks" >"$WORK/ended"
beside=$(read_mb_s 4 "")
finished 60 "$child" || give_up "reads are not served within 60 s"
took=$(awk '{ sum += $3 - $2; n++ } END { printf "%.4g", sum / n / 1000 }' "$WORK/ended")
note "the deep ones make $deep MB/s, beside who asks $beside; a block of his takes $took ms"

compare "four deep ones make of the disk (MB/s)" "$deep" -ge 10
# 110 ms for what is in the disk; what is left of a turn would be 35 to 40 more.
compare "a block takes no longer than what is in the disk already (ms)" "$took" -le 128
compare "and they lose no more than the disk's time for that (MB/s)" "$beside" -ge "$(calc "0.88 * $deep")"
