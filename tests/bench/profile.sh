# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # variables come from guest.sh
#
# The guest's part of tests/bench/profile: load in a window between two marks.

null_blk
select_scheduler "$scheduler"
put "$iostats" "$QUEUE/iostats"
if [ "$cgroups" = 0 ]; then
	echo "- /dev/$DISK 0 $((32 << 20)) 4096 $depth $pattern $processes" >/tmp/jobs
else
	put +io "$CGROOT/cgroup.subtree_control"
	mkdir "$CGROOT/g" || die "no group"
	put +io "$CGROOT/g/cgroup.subtree_control"
	(cd "$CGROOT/g" && seq "$cgroups" | xargs mkdir) || die "no groups"
	seq "$cgroups" | awk -v dev="/dev/$DISK" -v top="$CGROOT" -v how="$depth $pattern" '{
		print top "/g/" $1 "/cgroup.procs", dev, $1 * 3072, 3072, 4096, how, 1 }' >/tmp/jobs
fi
/lab/load 30 "$window_ms" $((cgroups * 3)) </tmp/jobs >"$OUT/load" || die "no figures"
cat /proc/kallsyms >"$OUT/kallsyms"
