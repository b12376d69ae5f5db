#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: io.bfq.weight takes what users, systemd and runc write, and nothing else
# where: guest
. "${0%/*}/ktap.sh"
plan 40
require_helper
nullb
sched "$BFQ_NAME"
cg_setup
cg a
file=$CG/a/io.$BFQ_NAME.weight

weigh() { write_errno "$file" "$1"; }
shown() { tr '\n' ',' <"$file" | sed 's/,$//'; }

# takes DESC VALUE SHOWN
takes() { is "$1" "OK: $3" "$(weigh "$2"): $(shown)"; }

is "a new group weighs 100" "default 100" "$(shown)"
[ -e "$CG_ROOT/io.$BFQ_NAME.weight" ]
is "the root has no weight" 1 $?

takes "a bare number" 300 "default 300"
takes "a number and a newline, as echo writes it" "301
" "default 301"
takes "default and a number" "default 302" "default 302"
takes "the smallest weight" 1 "default 1"
takes "the largest weight" 1000 "default 1000"
takes "a weight for one device" "$MAJMIN 500" "default 1000,$MAJMIN 500"
takes "another one for it" "$MAJMIN 1
" "default 1000,$MAJMIN 1"
takes "the default changes beside it" 100 "default 100,$MAJMIN 1"
takes "back to the default there" "$MAJMIN default" "default 100"

# systemd writes "default N" for IOWeight= and "MAJ:MIN N" for IODeviceWeight=,
# each with a newline; with no setting, "default 100". runc and crun write the
# bare number, or "MAJ:MIN N", without a newline.
takes "what systemd writes for IOWeight=200" "default 200
" "default 200"
takes "what systemd writes for IODeviceWeight=" "$MAJMIN 250
" "default 200,$MAJMIN 250"
takes "what runc writes for blkioWeight" "210" "default 210,$MAJMIN 250"
takes "what runc writes for blkioWeightDevice" "$MAJMIN 260" "default 210,$MAJMIN 260"

# refuses DESC VALUE
refuses() {
	seen=$(weigh "$2")
	case $seen in EINVAL|ERANGE|ENODEV) seen=refused ;; esac
	is "$1 is refused and changes nothing" \
		"refused: default 210,$MAJMIN 260" "$seen: $(shown)"
}

refuses "0" 0
refuses "1001" 1001
refuses "-1" -1
refuses "text" heavy
refuses "a number and text" "100 kg"
refuses "a fraction" 1.5
refuses "an empty line" "
"
refuses "default alone" default
refuses "default and text" "default heavy"
refuses "default and 0" "default 0"
refuses "default without a space" default100
refuses "a number beyond 64 bits" 18446744073709551716
refuses "a number that is 100 in 32 bits" 4294967396
refuses "0 for a device" "$MAJMIN 0"
refuses "1001 for a device" "$MAJMIN 1001"
refuses "-1 for a device" "$MAJMIN -1"
refuses "text for a device" "$MAJMIN heavy"
refuses "a device without a weight" "$MAJMIN"
refuses "a device that does not exist" "251:4095 100"
refuses "half a device" "1: 100"
refuses "a number of 64 KiB" "@65536:"
refuses "a device's weight of 64 KiB" "@65536:$MAJMIN "

# Weights are the group's, not the device's: they outlive a change of scheduler.
takes "a weight before the scheduler goes" 700 "default 700,$MAJMIN 260"
sched none
sched "$BFQ_NAME"
case $(shown) in
"default 700"|"default 700,$MAJMIN 260") pass "the group's weight outlives the scheduler" ;;
*) fail "the group's weight outlives the scheduler" "default 700" "$(shown)" ;;
esac
rmdir "$CG/a"
cg a
is "a group of the same name is a new group" "default 100" "$(shown)"
