#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a group of several that ask for little at a time has its share of what they make together
# where: icount
# build: modelled disks
#
# Eight processes that read a block at a time make 113 MB/s of this drive, one of them 23. Nine parts of ten are 102,
# and eight times 9/80 of what one makes are 21. What they make alone is measured first; then the other group comes.
. "${0%/*}/ktap.sh"
plan 16
require fio addpart

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg heavy 900
cg even 100
cg late 100
cg other 100

readers() { # readers GROUP PART NUMBER SIZE SECONDS: so many that read one after the other
	reader_in "$1" "$2" --rw=randread --bs="$4" --numjobs="$3" --runtime="$5"
}
deep() { reader_in other 2 --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime="$1"; }

# beside WHAT GROUP NUMBER SIZE COMMAND...: sets $alone and $others, in MB/s, and $part in percent of $alone
beside() {
	what=$1
	readers "$2" 1 "$3" "$4" 10
	one=$child
	shift 4
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep 1
	alone=$(read_mb_s 1 1)
	"$@"
	sleep 2
	read_each 4 1 2 >"$WORK/rates"
	read -r part others <"$WORK/rates"
	part=$(calc "100 * $part / $alone")
	note "$what: $part % of $alone MB/s, and the others $others"
	all_end "$one"
}

beside "two" heavy 2 4k deep 7
compare "two readers of a block, nine of ten parts: that of what they make (%)" "$part" -ge 84
compare "and a deep reader something (MB/s)" "$others" -ge 35
beside "eight, half" even 8 4k deep 7
compare "eight, half of all: half of what they make (%)" "$part" -ge 45
compare "and a deep reader most of its half and what they can't use (MB/s)" "$others" -ge 350
eight=$alone
beside "eight" heavy 8 4k deep 7
compare "eight, nine of ten parts (%)" "$part" -ge 86
compare "and a deep reader something (MB/s)" "$others" -ge 35
beside "sixteen beside sixteen" heavy 16 4k readers other 2 16 4k 7
compare "sixteen beside sixteen like them, nine of ten parts (%)" "$part" -ge 84
compare "and these something (MB/s)" "$others" -ge 8
beside "four beside four" heavy 4 64k readers other 2 4 64k 7
compare "four that use all the drive can do, beside four: nine of ten parts (%)" "$part" -ge 86
compare "and no throughput is lost (%)" "$(calc "$part + 100 * $others / $alone")" -ge 95
beside "eight beside four of 64 KiB" heavy 8 4k readers other 2 4 64k 7
compare "eight beside four large ones, nine of ten parts (%)" "$part" -ge 78
compare "and these what they are due of the 500 MB/s that they make alone, nearly (MB/s)" "$others" -ge 30

# There are others from the beginning: what mates make alone is seen by keeping these out now and then.
deep 8
two=$child
eventually 60 part_at_work 2 || give_up "fio does not start"
readers late 1 8 4k 4
one=$child
sleep 2
part=$(calc "100 * $(read_mb_s 1.5 1) / $eight")
note "eight that come when the deep reader is there: $part % of $eight MB/s"
compare "eight that come later: half of what they make (%)" "$part" -ge 45
all_end "$one" "$two"

# Of one group, and of two sizes.
readers heavy 1 4 4k 7
one=$child
readers heavy 3 2 64k 7
eventually 60 part_at_work 3 || give_up "fio does not start"
sleep 1
read_each 1 1 3 >"$WORK/rates"
read -r small large <"$WORK/rates"
deep 5
sleep 1.5
read_each 1 1 3 2 >"$WORK/rates"
read -r a b others <"$WORK/rates"
a=$(calc "100 * $a / $small") b=$(calc "100 * $b / $large")
note "small and large ones: $a and $b % of $small and $large MB/s, the others $others"
compare "small and large ones, nine of ten parts: the small ones (%)" "$a" -ge 85
compare "and the large ones (%)" "$b" -ge 85
compare "and a deep reader something (MB/s)" "$others" -ge 20
