# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What video.py measures: a player of $frames frames on a disk of $profile, beside $readers
# and $writers. Leaves $OUT/player, and the snapshots before and after it.

gib=1024		# MiB

start_load() {
	{
		[ "$readers" = 0 ] ||
			echo "- /dev/$DISK $((gib * 1024)) $((readers * gib * 1024)) 131072 2 read $readers"
		[ "$writers" = 0 ] ||
			echo "- /dev/$DISK $((20 * gib * 1024)) $((writers * gib * 1024)) 65536 1 bufwrite $writers"
	} >/tmp/jobs
	/lab/load 0 86400000 0 </tmp/jobs >"$OUT/load" 2>&1 &
	load_pid=$!
	sleep "$(awk -v ms="$warmup_ms" -v seed="$LAB_SEED" 'BEGIN { print (ms + seed * 137) / 1000 }')"
}

disk_model "$profile" size_mb=$((32 * gib)) store=0
select_scheduler "$scheduler"
describe_device
[ $((readers + writers)) = 0 ] || start_load
snapshot before
/lab/player video "/dev/$DISK" 0 "$frames" >"$OUT/player" || die "no player"
snapshot after
[ $((readers + writers)) = 0 ] && return 0
[ -d "/proc/$load_pid" ] || { cat "$OUT/load"; die "the load ended early"; }
killall load
wait
