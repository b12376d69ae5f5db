#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what is served beside who is behind keeps nobody out later, and a lag keeps out no higher class
# where: icount
# build: modelled disks
. "${0%/*}/ktap.sh"
plan 6
require fio addpart

divided_disk 4 disk0 profile=sata-ssd
cg_setup
cg heavy 900
cg other 100
cg late 100

deep() { # deep GROUP PART SECONDS ARGS...
	deep_group=$1 deep_part=$2 deep_for=$3
	shift 3
	reader_in "$deep_group" "$deep_part" --rw=randread --bs=128k --ioengine=libaio --iodepth=16 --runtime="$deep_for" "$@"
}

# The first is behind all the time, and never leaves: of the two others one is there earlier.
reader_in heavy 1 --rw=randread --bs=4k --runtime=16
one=$child
deep other 2 16
two=$child
eventually 60 part_at_work 2 || give_up "fio does not start"
sleep 11
deep late 3 4
three=$child
eventually 60 part_at_work 3 || give_up "fio does not start"
sleep 0.5
read_each 2 2 3 >"$WORK/rates"
read -r there come <"$WORK/rates"
note "who was there $there, who has come $come MB/s"
compare "who has been served beside another for long is served when a third comes (MB/s)" "$there" -ge 45
compare "and the third is, as much (MB/s)" "$come" -ge 45
all_end "$one" "$two" "$three"

# pair WHAT SECONDS GROUP ARGS...: a reader with ARGS, and a deep one, of $CLASS; sets $part, in percent of what the
# former makes alone, and $others, in MB/s
pair() {
	what=$1 long=$2 group=$3
	shift 3
	reader_in "$group" 1 --rw=randread --bs=4k --runtime="$((2 * long + 4))" "$@"
	one=$child
	eventually 60 part_at_work 1 || give_up "fio does not start"
	sleep 1
	alone=$(read_mb_s "$long" 1)
	deep other 2 "$((long + 2))" ${CLASS:+"--prioclass=$CLASS"}
	two=$child
	eventually 60 part_at_work 2 || give_up "fio does not start"
	sleep 1
	read_each "$long" 1 2 >"$WORK/rates"
	read -r part others <"$WORK/rates"
	part=$(calc "100 * $part / $alone")
	note "$what: $part % of $alone MB/s, and the others $others"
	all_end "$one" "$two"
}

CLASS=1
pair "beside who is of the real-time class" 2 other --ioengine=psync
compare "who has a thin share gets something (%)" "$part" -ge 1
compare "and the real-time class the rest, though the former is behind (MB/s)" "$others" -ge 490
CLASS=
pair "many at a time, and pauses" 6 heavy --ioengine=libaio --iodepth=16 --thinktime=500ms --thinktime_blocks=10000
compare "who asks for many, and pauses, has its share after that, too (%)" "$part" -ge 85
compare "and others something (MB/s)" "$others" -ge 100
