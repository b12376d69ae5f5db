#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: on a disk, who has credit and asks now and then is not held back for who goes first
# where: icount
# build: modelled disks
#
# Who has read a block hands it to a process that writes it and pauses, as in a pipeline with fsync(), and a database
# waits for its journal. The reader has more credit and goes first: were the others held back while it thinks for 6 ms
# after each block, a write would wait for what it does for the reader.
. "${0%/*}/ktap.sh"
plan 2
require fio

# writes: 150 of 256 KiB, with 20 ms in between; sets $took, seconds
writes() {
	began=$(now)
	in_cg user fio --name=writes --filename="$DEV" --eta=never --output=/dev/null --direct=1 --rw=write \
		--bs=256k --offset=4g --size=1g --number_ios=150 --thinktime=20000 --ioengine=psync || give_up "fio fails"
	took=$(calc "$(now) - $began")
}

cg_setup
cg user 100
modelled_disk disk0 profile=hdd size_mb=16384
sched "${SCHED:-$BFQ_NAME}"
writes
alone=$took
reader_on "$DEV" user --size=1g --rw=randread --bs=4k --ioengine=psync --thinktime=6000
writes
note "150 writes took $alone s alone, $took s beside it"
compare "a write waits little for it (s)" "$took" -le "$(calc "2 * $alone")"
killall -9 fio
at_rest "nothing is left"
