#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: readers of its files, changes of class, rmdir and rmmod, against each other under I/O
# where: guest
. "${0%/*}/ktap.sh"
plan 7
require fio
require_helper
cg_setup

rounds=$(few 8)
ko=$(module_file)
# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
sched none
no_autoload
dbg=/sys/kernel/debug/block/$DISK
cg stays 100
file=io.$BFQ_NAME.weight
# They never cease, and what they read is to change: with less of the processors than that.
for n in 1 2; do
	background nice -n 10 "$HELPER" readers "$dbg/sched/state" "$dbg/sched/queues" "$dbg/sched/groups" "$CG/stays/io.stat" \
		"$CG/stays/$file" "$CG/io.stat" "$QUEUE/iosched/slice_idle" >"$WORK/readers$n"
	readers="$readers $child"
done
echo 0 >"$CG/stays/cgroup.procs"
verify_load stays --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw --bs=4k --size=256k
echo 0 >$CG_ROOT/cgroup.procs
eventually $((60 * SLOW)) at_work "$DISK" || give_up "fio does not start"

more() { [ "$(requests "$DISK")" -ge $((before + $1)) ]; }
# Removed while requests of its tasks are on their way, which have been killed.
remove() { eventually 20 rmdir "$CG/$1"; }
bad=
changes=0
i=0
while [ $i -lt "$rounds" ]; do
	i=$((i + 1))
	[ -d "/sys/module/$(module)" ] || insmod "$ko" || bad="$bad insmod $i"
	sched "$BFQ_NAME"
	cg "goes$i" $((i * 50))
	in_cg_bg "goes$i" fio --name=load --filename="$DEV" --thread --eta=never --output=/dev/null --direct=1 --rw=randread \
		--bs=4k --ioengine=libaio --iodepth=8 --offset=32m --size=16m --numjobs=2 --norandommap \
		--randrepeat=0 --time_based --runtime=3600
	load=$child
	background "$HELPER" prios "$load" >"$WORK/prios"
	prios=$child
	before=$(requests "$DISK")
	eventually $((60 * SLOW)) more 60 || bad="$bad no I/O $i"
	kill -9 "$load"
	kill "$prios"
	remove "goes$i" &
	remover=$!
	# Every other time the scheduler goes while the group does.
	[ $((i % 2)) -eq 0 ] || wait $remover || bad="$bad rmdir $i"
	[ "$(write_errno "$QUEUE/scheduler" none)" = OK ] || bad="$bad none $i"
	rmmod "$(module)" 2>"$WORK/rmmod" || bad="$bad rmmod $i: $(cat "$WORK/rmmod")"
	[ $((i % 2)) -eq 1 ] || wait $remover || bad="$bad rmdir $i"
	# on a busy host it may not have begun to heed signals
	finished $((20 * SLOW)) "$prios" || killed $((20 * SLOW)) "$prios"
	n=$(cat "$WORK/prios")
	changes=$((changes + ${n:-0}))
	finished $((20 * SLOW)) "$load" 2>/dev/null
done
is "$rounds times a group is removed under I/O, and the module after it" "" "$bad"
compare "classes have been changed" $changes -gt "$rounds"
insmod "$ko"
sched "$BFQ_NAME"
before=$(requests "$DISK")
eventually $((60 * SLOW)) more 60
verify_stop "verified I/O loses nothing meanwhile"
at_rest "and nothing is left of it"
for pid in $readers; do kill "$pid"; done
for pid in $readers; do finished $((20 * SLOW)) "$pid" || note "a reader ends with $?"; done
sed 's/^/# readers: /' "$WORK"/readers*
compare "files have been read all the time" "$(sed -n 's/^OK=\([0-9]*\).*/\1/p' "$WORK"/readers* | sort -n | head -n 1)" -ge $((rounds * 5))
is "or they were not there, or going" "" \
	"$(cat "$WORK"/readers* | tr ' ' '\n' | sed '/^OK=/d;/^ENOENT=/d;/^ENODEV=/d;/^EBUSY=/d;/^EIO=/d' | tr '\n' ' ' | sed 's/ *$//')"
sched none
holds "no one holds the module" eventually 20 unused
