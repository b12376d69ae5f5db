#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a request goes by the queues where nothing waits, but not where the device is to be kept for its process
# where: icount
#
# Ten requests end within a millisecond here, and who competes is looked at once in four. So a
# process that comes back for 16 of them is mostly through before the next look: if its first one passed
# as if nobody were to be kept from the device, another's would go on beside all of them.
. "${0%/*}/ktap.sh"
plan 3
require_helper

rounds=20
nullb hw_queue_depth=4 completion_nsec=100000
sched "${SCHED:-$BFQ_NAME}"
echo 2 >"$QUEUE/nomerges"	# each is to be a request of its own
echo 2 >"$QUEUE/iosched/slice_idle"

# often N TEXT: that text so often
often() { awk -v n="$1" -v text="$2" 'BEGIN { while (n--) printf "%s ", text }'; }
# both PRIO: one process, of this priority, comes back for 16 reads again and again; another of usual
# priority goes on reading. What $WORK/ended has then, see issue.c.
both() {
	# shellcheck disable=SC2046 # lists
	"$HELPER" issue "$DEV" "prio=$1 $(often $rounds "h=s16+4 sleep=6")" "$(often 1800 l=s1+4)" \
		>"$WORK/ended" || give_up "helper issue"
}
# beside: how many of the other's reads have ended while the 16 were read, in all rounds but the first two, which
# teach the scheduler what it has to do with
beside() {
	awk '$1 == "h" { asked[++n] = $2; ended[n] = $3 } $1 == "l" { end[++m] = $3 }
		END { for (i = 3; i <= n; i++) for (j = 1; j <= m; j++) seen += end[j] > asked[i] && end[j] < ended[i]
			print seen + 0 }' "$WORK/ended"
}

both 2.4
note "of two equals $(beside) of the other's reads ended while $((rounds * 16 - 32)) were read"
compare "equals are served beside each other" "$(beside)" -ge $((rounds * 10))
awk '$1 == "h" { most = $3 - $2 > most ? $3 - $2 : most } END { print most / 1000 }' "$WORK/ended" >"$WORK/most"
compare "each nearly as fast as alone ($(cat "$WORK/most") ms)" "$(cat "$WORK/most")" -le 2.4
both 1.4
note "of two classes $(beside) did"
compare "a higher class has the device to itself from its first request on" "$(beside)" -le $((rounds * 2))
