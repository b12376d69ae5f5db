# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# What video.py measures: a player of $frames frames on a disk of $profile, beside $readers
# and $writers. Leaves $OUT/player, and the snapshots before and after it.

gib=1024		# MiB

write_jobs() {
	[ "$readers" = 0 ] ||
		echo "- /dev/$DISK $((gib * 1024)) $((readers * gib * 1024)) 131072 2 read $readers"
	[ "$writers" = 0 ] ||
		echo "- /dev/$DISK $((20 * gib * 1024)) $((writers * gib * 1024)) 65536 1 bufwrite $writers"
}

disk_model "$profile" size_mb=$((32 * gib)) store=0
select_scheduler "$scheduler"
describe_device
write_jobs >/tmp/jobs
if [ -s /tmp/jobs ]; then
	start_load
	warm_up "$warmup_ms"
fi
snapshot before
/lab/player video "/dev/$DISK" 0 "$frames" >"$OUT/player" || die "no player"
snapshot after
[ ! -s /tmp/jobs ] || end_load
