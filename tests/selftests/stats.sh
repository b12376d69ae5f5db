#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: io.stat and debugfs say what a group has been served, and how long it waited
# where: icount
# kernels: each
. "${0%/*}/ktap.sh"
plan 8
require_helper
cg_setup

# One request at a time, 1 ms each.
nullb hw_queue_depth=1 completion_nsec=1000000
sched "${SCHED:-$BFQ_NAME}"
echo 256 >"$QUEUE/nr_requests"
cg outer 300
cg_inner outer
cg outer/leaf 200
groups=/sys/kernel/debug/block/$DISK/sched/groups

# figure GROUP KEY, shown GROUP KEY: a figure of io.stat, and of debugfs
figure() { grep "^$MAJMIN " "$CG/$1/io.stat" | tr ' ' '\n' | sed -n "s/^$BFQ_NAME\\.$2=//p"; }
id() { stat -c %i "$CG/$1"; }
shown() { grep "^cgroup=$(id "$1") " "$groups" | tr ' ' '\n' | sed -n "s/^$2=//p"; }

"$HELPER" issue "$DEV" "cg=$CG/outer/leaf s=s20+16" >/dev/null || give_up "helper issue"
is "20 reads of 16 KiB are bytes and requests in io.stat" "327680 20" "$(figure outer/leaf bytes) $(figure outer/leaf requests)"
is "and in that of the group above" "327680 20" "$(figure outer bytes) $(figure outer requests)"
is "debugfs says the same of the group" "327680 20" "$(shown outer/leaf bytes) $(shown outer/leaf requests)"
is "and of the one above" "327680 20" "$(shown outer bytes) $(shown outer requests)"
is "with weights" "200 300" "$(shown outer/leaf weight) $(shown outer weight)"
is "and who is above" "$(id outer)" "$(shown outer/leaf parent)"
alone=$(figure outer/leaf wait_usec)
compare "who asks for one at a time hardly waits for a turn (us)" "$alone" -le 40000

# The last of 100 waits for nearly 100 ms, half of that on average; eight are chosen at a time,
# and what has been chosen does not wait any more.
"$HELPER" issue "$DEV" "cg=$CG/outer/leaf b=b100+4" >/dev/null || give_up "helper issue"
waited=$(($(figure outer/leaf wait_usec) - alone))
note "100 reads at once waited for $waited us together"
if [ $waited -ge 3600000 ] && [ $waited -le 5000000 ]; then pass "a hundred wait for each other"
else fail "a hundred wait for each other" "3.6 to 5.0 s" "$waited us"; fi
