#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: nr_requests changes under verified I/O
# where: guest
#
# All events of the module are recorded meanwhile. They are turned on before the disk is used
# (strict.sh tells why).
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
tracing=/sys/kernel/tracing/instances/$TEST
mkdir "$tracing" || give_up "no instance of tracing"
defer "echo 0 >$tracing/events/enable; rmdir $tracing; echo 1 >/sys/kernel/tracing/options/record-cmd"
echo 0 >/sys/kernel/tracing/options/record-cmd
echo 1 >"$tracing/events/$BFQ_NAME/enable" || give_up "no events of $BFQ_NAME"
cg_setup
for g in 1 2 3; do
	cg "g$g" $((g * 100))
	echo 0 >"$CG/g$g/cgroup.procs"
	verify_load "load$g" --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw \
		--bs=4k --size=256k --offset=$((g * 8))m
done
echo 0 >$CG_ROOT/cgroup.procs
set --
while [ $# -lt "$(few 100)" ]; do set -- "$@" 4 128 16 512 8; done
"$HELPER" try "$QUEUE/nr_requests" "$@" >"$WORK/depths" 2>&1
head -n 5 "$WORK/depths" | sed 's/^/# /'
is "many changes" "$(few 100)" "$(grep -c ^OK "$WORK/depths")"
is "the last one holds" 8 "$(cat "$QUEUE/nr_requests")"
verify_stop "nothing is lost"
echo 0 >"$tracing/tracing_on"
kinds=$(sed -n 's/.* \(bfq_[a-z_]*\): .*/\1/p' "$tracing/trace" | sort | uniq -c | awk '{ print $2 "=" $1 }' | xargs)
note "events: $kinds"
compare "five kinds of events and more can be read" "$(echo "$kinds" | wc -w)" -ge 5
