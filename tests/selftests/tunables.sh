#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: each tunable has its known name, unit and default, and refuses nonsense
# where: guest
. "${0%/*}/ktap.sh"
plan $((12 * 9 + 4))
require_helper
nullb size=256
sched "$BFQ_NAME"
dir=$QUEUE/iosched

# tunable NAME DEFAULT VALID BEYOND: BEYOND is a number out of range
tunable() {
	read -r seen <"$dir/$1"
	is "$1 has its default" "$2" "$seen"
	tries "$dir/$1" <<END
$3\n	OK: $3	$1 takes $3
-1	EINVAL: $3	$1 refuses -1
lots	EINVAL: $3	$1 refuses text
\n	EINVAL: $3	$1 refuses an empty line
99999999999999999999999	EINVAL: $3	$1 refuses a number that no word holds
$4	EINVAL: $3	$1 refuses $4, out of range
$3x	EINVAL: $3	$1 refuses a number followed by text
$2	OK: $2	$1 takes its default
END
}

# Names, units and defaults are what cat shows for the in-tree scheduler; its
# timeout_sync is rounded to jiffies and reads 124 where these take 4 ms.
tunable fifo_expire_sync	125	200	4294967296
tunable fifo_expire_async	250	300	4294967296
tunable back_seek_max		16384	1024	4294967296
tunable back_seek_penalty	2	5	0
tunable slice_idle		8	4	4294967296
tunable slice_idle_us		8000	1500	4294967296000
tunable timeout_sync		125	200	0
tunable max_budget		0	4096	4294967296
tunable strict_guarantees	0	1	2
tunable low_latency		1	0	2
# Ours alone.
tunable exact_shares		0	1	2
tunable device_limit		auto	512	0
tries "$dir/device_limit" <<END
off\n	OK: off	device_limit can be switched off
1048577	EINVAL: off	device_limit refuses more than a GiB
auto	OK: auto	device_limit can be learned again
END

echo 3 >"$dir/slice_idle"
is "slice_idle and slice_idle_us are one value" 3000 "$(cat "$dir/slice_idle_us")"
