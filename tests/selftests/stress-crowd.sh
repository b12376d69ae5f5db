#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: tasks that stand in line since they are more than there are tags survive whatever changes meanwhile
# where: guest
#
# 60 tasks and 20 tags, which become more, and few, and others than these; tasks are killed in line and come back, and the
# scheduler goes and comes, beside verified I/O.
. "${0%/*}/ktap.sh"
plan 4
require fio
require_helper

# shellcheck disable=SC2086 # a list
nullb $STRESS poll_queues=0
sched mq-deadline	# it may be a module
sched "$BFQ_NAME"
cg_setup
cg crowd 300
verify_load beside --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --rw=randrw --bs=4k --size=256k
crowd() {
	in_cg_bg crowd fio --name=load --filename="$DEV" --thread --eta=never --output=/dev/null --randrepeat=0 --norandommap \
		--time_based --runtime=3600 --direct=1 --offset=16m --size=32m --rw=randread --bs=4k --ioengine=psync --numjobs=60
}
in_line() { grep -q 'in line for a tag: [1-9]' "/sys/kernel/debug/block/$DISK/sched/state"; }
tags() { for n; do echo "$n" >"$QUEUE/nr_requests" || give_up "cannot set nr_requests"; sleep 0.05; done; }

crowd
echo 20 >"$QUEUE/nr_requests"
holds "a line forms" eventually $((60 * SLOW)) in_line
seen=0 round=0 rounds=$(few 10)
while [ $round -lt "$rounds" ]; do
	tags 200 18 4 20 128 17 20
	kill -9 "$child"	# in line, as likely as not
	[ $((round % 5)) -ne 4 ] || { sched mq-deadline; sched "$BFQ_NAME"; echo 20 >"$QUEUE/nr_requests"; }
	crowd
	eventually $((60 * SLOW)) in_line && seen=$((seen + 1))
	round=$((round + 1))
done
is "and again and again" "$rounds" "$seen"
kill -9 "$child"
verify_stop "nothing is lost"
at_rest "and nothing is left"
