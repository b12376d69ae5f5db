#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: io.bfq.weight takes what users, systemd and runc write, and nothing else
# where: guest
. "${0%/*}/ktap.sh"
plan 40
require_helper
nullb size=256
sched "$BFQ_NAME"
cg_setup
cg a
file=$CG/a/io.$BFQ_NAME.weight
dev=$MAJMIN
shown() { tr '\n' ',' <"$file" | sed 's/,$//'; }

is "a new group weighs 100" "default 100" "$(shown)"
[ -e "$CG_ROOT/io.$BFQ_NAME.weight" ]
is "the root has no weight" 1 $?

# systemd writes "default N" for IOWeight= and "MAJ:MIN N" for IODeviceWeight=,
# each with a newline; runc and crun write the bare number, or "MAJ:MIN N",
# without one.
tries "$file" <<END
300	OK: default 300	a bare number
301\n	OK: default 301	a number and a newline, as echo writes it
default 302	OK: default 302	default and a number
1	OK: default 1	the smallest weight
1000	OK: default 1000	the largest weight
$dev 500	OK: default 1000,$dev 500	a weight for one device
$dev 1\n	OK: default 1000,$dev 1	another one for it
100	OK: default 100,$dev 1	the default changes beside it
$dev default	OK: default 100	back to the default there
default 200\n	OK: default 200	what systemd writes for IOWeight=200
$dev 250\n	OK: default 200,$dev 250	what systemd writes for IODeviceWeight=
210	OK: default 210,$dev 250	what runc writes for weight
$dev 260	OK: default 210,$dev 260	what runc writes for weightDevice
0	refused: default 210,$dev 260	0 is refused
1001	refused: default 210,$dev 260	1001 is refused
-1	refused: default 210,$dev 260	-1 is refused
heavy	refused: default 210,$dev 260	text is refused
100 kg	refused: default 210,$dev 260	a number and text is refused
1.5	refused: default 210,$dev 260	a fraction is refused
\n	refused: default 210,$dev 260	an empty line is refused
default	refused: default 210,$dev 260	default alone is refused
default heavy	refused: default 210,$dev 260	default and text is refused
default 0	refused: default 210,$dev 260	default and 0 is refused
default100	refused: default 210,$dev 260	default without a space is refused
18446744073709551716	refused: default 210,$dev 260	a number beyond 64 bits is refused
4294967396	refused: default 210,$dev 260	a number that is 100 in 32 bits is refused
$dev 0	refused: default 210,$dev 260	0 for a device is refused
$dev 1001	refused: default 210,$dev 260	1001 for a device is refused
$dev -1	refused: default 210,$dev 260	-1 for a device is refused
$dev heavy	refused: default 210,$dev 260	text for a device is refused
$dev	refused: default 210,$dev 260	a device without a weight is refused
251:4095 100	refused: default 210,$dev 260	a device that does not exist is refused
1: 100	refused: default 210,$dev 260	half a device is refused
@65536:	refused: default 210,$dev 260	a number of 64 KiB is refused
@65536:$dev 	refused: default 210,$dev 260	a device's weight of 64 KiB is refused
700	OK: default 700,$dev 260	a weight before the scheduler goes
END

sched none
sched "$BFQ_NAME"
is "the group's weight outlives the scheduler" "default 700" "$(head -n 1 "$file")"
rmdir "$CG/a"
cg a
is "a group of the same name is a new group" "default 100" "$(shown)"
