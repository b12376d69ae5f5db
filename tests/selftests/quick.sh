#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: equals that are some MiB apart are equals where the device is fast
# where: icount
#
# One process has used up some 15 MiB of its credit when another begins, which is no child of the same
# parent; both read 4 KiB after 4 KiB, on a device that takes 10 us, and on one that takes 100 us, as flash does.
# When their credit ends one has used it up before the other, and must not wait for it.
# Then six on a device that answers at once, which are new to the scheduler in the same moment: who has the
# processor gets some MiB further than who has not.
. "${0%/*}/ktap.sh"
plan 9
require fio
require_helper

# endless: sets $child; a process of a shell of its own, so of another family, that reads until it is killed
endless() { background sh -c "\"$HELPER\" issue \"$DEV\" p=s1000000+4 >/dev/null; true"; }
# ended: no process reads any more
ended() { killall -9 "${HELPER##*/}"; finished 20 "$first"; finished 20 "$child"; }
raised() { grep -c raised=1 "$queues"; }
# apart: how many MiB of credit the two had that compete
apart() { awk '{ sub(".*credit_kib=", ""); c[NR] = $1 } END { d = c[1] - c[2]; print int((d < 0 ? -d : d) / 1024) }' "$WORK/seen"; }
# looks often, since they get further apart
both_compete() {
	for _ in $(seq 100); do
		cat "$queues" >"$WORK/seen"
		[ "$(wc -l <"$WORK/seen")" -eq 2 ] && return
		sleep 0.01
	done
	return 1
}
# two US S [TEXT]: two read on a device that takes so long, the second so much later
two() {
	nullb completion_nsec=$(($1 * 1000)) hw_queue_depth=32
	sched "${SCHED:-$BFQ_NAME}"
	queues=/sys/kernel/debug/block/$DISK/sched/queues
	endless
	first=$child
	sleep "$2"
	endless
	holds "on $1 us both compete${3:+ $3}" both_compete
}
# both US S: the same; sets $together, how many are raised
both() {
	two "$1" "$2"
	compare "and are far apart ($(apart) MiB of credit)" "$(apart)" -ge 8
	sleep 0.02
	together=$(raised)
	ended
}

both 10 0.1
is "both are raised, so that neither waits" 2 "$together"
both 100 0.2
is "the newer goes first, so that this shows something" 1 "$together"

# both read on: of the looks as long as anybody has credit, at how many was one raised, and not the other?
two 10 0.1 "to the end"
awk -v file="$queues" 'BEGIN {
	for (;;) {
		raised = credit = 0
		while ((getline line <file) > 0) {
			raised += line ~ /raised=1/
			sub(".*credit_kib=", "", line)
			credit += line
		}
		close(file)
		if (!credit) break
		looks++
		ones += raised == 1
		system("sleep 0.01")
	}
	print looks, ones
}' >"$WORK/ends"
ended
read -r looks ones <"$WORK/ends"
[ "$looks" -ge 20 ] || give_up "their credit has ended after $looks looks"
compare "while their credit ends, how often one waits for the other ($looks looks)" "$ones" -le 2

nullb irqmode=0 hw_queue_depth=128
queues=/sys/kernel/debug/block/$DISK/sched/queues
sched none
for _ in 1 2 3 4 5 6; do
	background sh -c "fio --name=load --filename=\"$DEV\" --thread --eta=never --output=/dev/null --gtod_reduce=1 \
		--norandommap --time_based --runtime=3600 --direct=1 --rw=randread --bs=32k --ioengine=libaio --iodepth=16 \
		--iodepth_batch=4 --iodepth_batch_complete_max=4; true"
done
sleep 3		# until the last of them has begun
sched "${SCHED:-$BFQ_NAME}"
seen="" all=0 looks=0
for _ in $(seq 12); do
	sleep 0.01
	cat "$queues" >"$WORK/seen"
	together=$(grep -c raised=1 "$WORK/seen")
	seen="$seen $together"
	# as long as all have credit: once that has ended they are not raised
	[ "$(grep -c 'credit_kib=[1-9]' "$WORK/seen")" -lt 6 ] || all=$((all + together)) looks=$((looks + 1))
done
note "of six equals are raised, every 10 ms:$seen"
[ "$looks" -ge 4 ] || give_up "of six equals hardly any has credit:$seen"
compare "six equals on a fast device: how many are raised while all have credit, in percent" "$((100 * all / (6 * looks)))" -ge 83
killall -9 fio
