#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: nr_requests changes under verified I/O
# where: guest
. "${0%/*}/ktap.sh"
plan 3
require fio
require_helper

# shellcheck disable=SC2086 # a list
nullb $STRESS
sched "$BFQ_NAME"
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
