#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: with cgroup v1, groups get their weights' share of a device
# where: icount
# kernels: each
. "${0%/*}/ktap.sh"
plan 8
require fio addpart

# What ktap.sh's shares() wants to know.
# shellcheck disable=SC2034
latency_us=500 depth=4 seconds=1 bound=2 least=0.8 tunables="max_budget=64"
libaio="--direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=16"
cg1_setup
cg1 light 100
cg1 heavy 300
shares "100 : 300" "$libaio" light:25 heavy:75
# shellcheck disable=SC2317 # shares() calls it
reweigh() { echo 100 >"$CG/heavy/blkio.$BFQ_NAME.weight"; }
shares_first=reweigh
shares "equal weights, of which one has been changed under I/O" "$libaio" light:50 heavy:50
# shellcheck disable=SC2317,SC2329
reweigh() { echo "$MAJMIN 200" >"$CG/heavy/blkio.$BFQ_NAME.weight_device"; }
shares "and one of them for this device" "$libaio" light:33.3333 heavy:66.6667
shares_first=
cg1 heavy/one 100
cg1 heavy/three 300
shares "nested: 100 of which 1 : 3, and 100" "$libaio" heavy/one:12.5 heavy/three:37.5 light:50
