#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: weights can be written while the scheduler of a device is changed
# where: guest
. "${0%/*}/ktap.sh"
plan 2
require_helper
cg_setup

# A change makes a group for each cgroup that has done I/O to the device, first all and
# then, on older kernels, one after the other what is in them: many, so that this takes
# time. The cgroup whose weight is written is among the first that are made.
nullb size=64 irqmode=0
no_autoload
# the older kernel is the one that it is about
SHORT=$DEBUG
groups=$(few 100)
steps=
n=0
while [ $n -lt "$groups" ]; do
	n=$((n + 1))
	cg "g$n"
	steps="$steps cg=$CG/g$n r=s1+4"
done
"$HELPER" issue "$DEV" "$steps" >/dev/null || give_up "helper issue"
background "$HELPER" switch 100000000 "$CG/g1/io.$BFQ_NAME.weight" 100 200 300 400
writer=$child
changes=$(few 40)
holds "$changes changes of the scheduler of a device with $groups cgroups" \
	"$HELPER" switch "$changes" "$QUEUE/scheduler" "$BFQ_NAME" none
is "weights are written all the time" alive "$(if kill -0 "$writer"; then echo alive; else echo gone; fi)"
killed 20 "$writer" 2>/dev/null
