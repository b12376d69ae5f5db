#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: io.bfq.weight takes what users, systemd and runc write, and nothing else
# where: guest
. "${0%/*}/ktap.sh"
plan 42
require_helper
require addpart
nullb size=16
other=$MAJMIN
addpart "$DEV" 1 0 8192 || give_up "cannot make a partition on $DEV"
part=$(cat "/sys/block/$DISK/${DISK}p1/dev")
nullb size=256
sched "$BFQ_NAME"
cg_setup
cg a
file=$CG/a/io.$BFQ_NAME.weight
dev=$MAJMIN
shown() { tr '\n' ',' <"$file" | sed 's/,$//'; }

is "a new group weighs 100" "default 100" "$(shown)"
refused "the root has no weight" [ -e "$CG_ROOT/io.$BFQ_NAME.weight" ]

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
0	ERANGE: default 210,$dev 260	0 gets ERANGE
1001	ERANGE: default 210,$dev 260	1001 gets ERANGE
-1	ERANGE: default 210,$dev 260	-1 gets ERANGE
heavy	EINVAL: default 210,$dev 260	text gets EINVAL
100 kg	EINVAL: default 210,$dev 260	a number and text gets EINVAL
1.5	EINVAL: default 210,$dev 260	a fraction gets EINVAL
\n	EINVAL: default 210,$dev 260	an empty line gets EINVAL
default	EINVAL: default 210,$dev 260	default alone gets EINVAL
default heavy	EINVAL: default 210,$dev 260	default and text gets EINVAL
default 0	ERANGE: default 210,$dev 260	default and 0 gets ERANGE
default100	EINVAL: default 210,$dev 260	default without a space gets EINVAL
18446744073709551716	ERANGE: default 210,$dev 260	a number beyond 64 bits gets ERANGE
4294967396	ERANGE: default 210,$dev 260	a number that is 100 in 32 bits gets ERANGE
$dev 0	ERANGE: default 210,$dev 260	0 for a device gets ERANGE
$dev 1001	ERANGE: default 210,$dev 260	1001 for a device gets ERANGE
$dev -1	ERANGE: default 210,$dev 260	-1 for a device gets ERANGE
$dev heavy	EINVAL: default 210,$dev 260	text for a device gets EINVAL
$dev	EINVAL: default 210,$dev 260	a device without a weight gets EINVAL
251:4095 100	ENODEV: default 210,$dev 260	a device that does not exist gets ENODEV
$other 100	EOPNOTSUPP: default 210,$dev 260	a device with another scheduler gets EOPNOTSUPP
$part 100	ENODEV: default 210,$dev 260	a partition gets ENODEV
1: 100	EINVAL: default 210,$dev 260	half a device gets EINVAL
@65536:	ERANGE: default 210,$dev 260	a number of 64 KiB gets ERANGE
@65536:$dev 	ERANGE: default 210,$dev 260	a device's weight of 64 KiB gets ERANGE
700	OK: default 700,$dev 260	a weight before the scheduler goes
END

sched none
sched "$BFQ_NAME"
is "the group's weight outlives the scheduler" "default 700" "$(head -n 1 "$file")"
rmdir "$CG/a"
cg a
is "a group of the same name is a new group" "default 100" "$(shown)"
