# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# The guest's part of tests/bench/profile: load in a window between two marks.

null_blk
select_scheduler "$scheduler"
put "$iostats" "$QUEUE/iostats"
echo "- /dev/$DISK 0 $((32 << 20)) 4096 $depth $pattern $processes" |
	/lab/load 30 "$window_ms" 0 >"$OUT/load" || die "no figures"
cat /proc/kallsyms >"$OUT/kallsyms"
