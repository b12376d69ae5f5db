#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: tasks that share an io_context and come to a device at once have one queue
# where: debug
#
# A second one, or one that is forgotten, is never freed. Counted by the allocator, which
# keeps queues apart from other objects only where it is told to look after them.
. "${0%/*}/ktap.sh"
plan 2
require_helper
queues() { cat /sys/kernel/slab/bfq_queue/objects; }
[ -f /sys/kernel/slab/bfq_queue/objects ] || give_up "no count of the queues"

nullb size=64 irqmode=0
no_autoload
sched "$BFQ_NAME"
holds "30 pairs read" "$HELPER" twins 30 "$DEV"
sched none
# The sanitizer keeps what has been freed for a while; to shrink takes it back.
none_left() { echo 1 >/sys/kernel/slab/bfq_queue/shrink; [ "$(queues)" = 0 ]; }
eventually 30 none_left
is "and no queue is left behind" 0 "$(queues)"
