#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: each tunable has its known name, unit and default, and refuses nonsense
# where: guest
. "${0%/*}/ktap.sh"

# name, default, a valid value, a value out of range. Names, units and defaults
# are what cat shows for the in-tree scheduler (6.1 to 7.x).
# timeout_sync is kept in jiffies: 125 ms are 31 of 4 ms each at 250 Hz.
table='
fifo_expire_sync	125	200	4294967296
fifo_expire_async	250	300	4294967296
back_seek_max		16384	1024	4294967296
back_seek_penalty	2	5	0
slice_idle		8	4	4294967296
slice_idle_us		8000	1500	4294967296000
timeout_sync		124	200	0
max_budget		0	4096	4294967296
strict_guarantees	0	1	2
'
plan $((9 * 9 + 1))
require_helper
nullb
sched "$BFQ_NAME"
dir=$QUEUE/iosched

# Values are set at a device's birth: a fresh selection has the defaults again.
reset() { sched none; sched "$BFQ_NAME"; }

refuses() {
	seen=$(write_errno "$dir/$1" "$2")
	is "$1 refuses $3 and keeps its value" "EINVAL, $4" "$seen, $(cat "$dir/$1")"
}

while read -r name default valid beyond; do
	[ -n "$name" ] || continue
	is "$name has its default" "$default" "$(cat "$dir/$name" 2>&1)"
	write_errno "$dir/$name" "$valid
" >/dev/null
	is "$name takes $valid" "$valid" "$(cat "$dir/$name" 2>&1)"
	refuses "$name" -1 "-1" "$valid"
	refuses "$name" lots "text" "$valid"
	refuses "$name" "
" "an empty line" "$valid"
	refuses "$name" 99999999999999999999999 "a number that no word holds" "$valid"
	refuses "$name" "$beyond" "$beyond, out of range," "$valid"
	refuses "$name" "${valid}x" "a number followed by text" "$valid"
	reset
	is "$name has its default again" "$default" "$(cat "$dir/$name" 2>&1)"
done <<END
$table
END

echo 3 >"$dir/slice_idle"
is "slice_idle and slice_idle_us are one value" 3000 "$(cat "$dir/slice_idle_us")"
