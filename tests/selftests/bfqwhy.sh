#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: bfqwhy finds out what a process waits for: another's turns, or only itself
# where: stock
#
# A tool in user space, for which the debug kernel takes minutes; what the events read is read there
# by stress-depth.
#
# Enabling an event under load may hang these emulators (strict.sh tells why), so the
# events are enabled in a tracing instance of the test's before anything is loaded, and
# bfqwhy is told to use that.
. "${0%/*}/ktap.sh"
plan 13
require fio addpart python3
why=$TESTS/../tools/bfqwhy
tracing=/sys/kernel/tracing
[ -d $tracing/events/block ] || give_up "no events of the block layer at $tracing"
instances() { ls $tracing/instances; }

defer "rmdir $tracing/instances/$TEST; echo 1 >$tracing/options/record-cmd"
echo 0 >$tracing/options/record-cmd
cg_setup
cg light 100
cg heavy 1000
# One request at a time: who waits, waits for what others have before it, and not in the
# device for what it does beside.
nullb hw_queue_depth=1 completion_nsec=20000000
parts 2
refused "a disk that another scheduler has is refused" python3 "$why" "$DISK" $$
sched "$BFQ_NAME"
echo 32 >"$QUEUE/nr_requests"	# twice what the device takes would be two
python3 "$why" --seconds 0.1 "$DISK" $$ >"$WORK/nothing" 2>&1
is "who made no request is told so" 1 "$(grep -c "^no request of it reached $DISK" "$WORK/nothing")"
python3 "$why" --seconds 600 "$DISK" $$ >"$WORK/killed" 2>&1 &
child=$!
ktap_children="$ktap_children $child"
recording() { grep -q "recording" "$WORK/killed"; }
eventually 120 recording || give_up "bfqwhy does not begin: $(cat "$WORK/killed")"
is "it records in an instance of its own" "bfqwhy-$child" "$(instances)"
kill "$child"
finished 60 "$child"
is "which is gone when it is ended" "" "$(instances)"
python3 "$why" --instance "$TEST" --seconds 0.1 "$DISK" $$ >"$WORK/prepare" 2>&1
is "an instance that is named stays" "$TEST" "$(instances)"

# load GROUP PART RUNTIME ARGS...
load() {
	where=$1 part=$2 runtime=$3
	shift 3
	in_cg_bg "$where" fio --name=load --filename="${DEV}p$part" --thread --eta=never --norandommap \
		--randrepeat=0 --gtod_reduce=1 --output=/dev/null \
		--time_based --runtime="$runtime" --direct=1 --rw=randread --bs=4k "$@"
}
# row FILE WORDS: percent of the time, in that row
row() { awk -v what="$2" 'index($0, what) == 1 { print $NF }' "$1"; }
# others FILE: percent of the time waited in the queue that was somebody else's turn
others() {
	awk '/^waited in its queue/ { queue = $NF } /^  (turn|turns|device kept) (of|for) / { n += $NF }
		END { printf "%.1f", queue ? 100 * n / queue : 0 }' "$1"
}
# parts_of FILE: percent in all rows that are not part of another, but the last
parts_of() { awk '/^(waited|gathered|in the device)/ { n += $NF } END { printf "%.0f", n }' "$1"; }
working() { [ "$(done_by "$1")" -gt 5 ]; }

load heavy 2 3600 --ioengine=libaio --iodepth=8
heavy=$child
eventually 120 working 2 || give_up "fio does not start"
load light 1 3600 --ioengine=psync
eventually 120 working 1 || give_up "fio does not start beside another"
light=$child
# A guest that gets next to no processor for a second has a window in which fio is what all wait for:
# such a window says so, and another is looked at, of three.
windows=0
while
	python3 "$why" --instance "$TEST" --seconds 6 \
		--save "$OUT/bfqwhy-beside.txt" "$DISK" "$light" >"$WORK/beside" 2>&1
	status=$?
	sed 's/^/# /' "$WORK/beside"
	windows=$((windows + 1))
	[ "$windows" -lt 3 ] && ! calc_true "$(others "$WORK/beside") > 80"
do :; done
killed 20 "$light"
killed 20 "$heavy"
is "beside another: it ends well, with the process" 0 "$status"
compare "beside another: most of the time in its queue was the other's turn or plug" \
	"$(others "$WORK/beside")" -gt 80
compare "and that was most of all" "$(row "$WORK/beside" "waited in its queue")" -gt 50
is "the sentence says so" 1 "$(grep -c "^A request took .* during the turns of fio [0-9]* in /$TEST/heavy" "$WORK/beside")"
is "the parts add up to the whole" 100 "$(parts_of "$WORK/beside")"

load light 1 3600 --ioengine=libaio --iodepth=8
light=$child
eventually 120 working 1
: >"$WORK/alone"
python3 "$why" --instance "$TEST" --seconds 5 "$DISK" "$light" >"$WORK/alone" 2>&1 &
child=$!
ktap_children="$ktap_children $child"
# To start a program takes long on a busy host, so to look takes none: reads, and
# their ms from when they had a tag until they were done, as the disk counts them
look() { read -r reads _ _ ms _ <"/sys/block/$DISK/${DISK}p1/stat"; }
# told WORD: bfqwhy has said it, or ended
told() {
	while read -r line; do
		case $line in *"$1"*) return 0 ;; esac
	done <"$WORK/alone"
	ktap_over "$child"
}
until told recording; do sleep 0.1; done
look
reads_before=$reads ms_before=$ms
until told recorded; do sleep 0.1; done
look
finished 120 "$child"
killed 20 "$light"
sed 's/^/# /' "$WORK/alone"
is "alone with many requests: none of the time was another's turn" 0.0 "$(others "$WORK/alone")"
compare "which is in its queue, until the driver has room" "$(row "$WORK/alone" "waited in its queue")" -gt 50
# whole, without what was before the tag
mean=$(awk '/^waited for a tag/ { tag = $(NF - 1) } /^whole/ { print $(NF - 1) - tag }' "$WORK/alone")
disk=$(calc "($ms - $ms_before) / ($reads - $reads_before)")
compare "from its tag on a request took as long as the disk says, $disk ms, within 10 %" \
	"$(calc "100 * ($mean > $disk ? $mean - $disk : $disk - $mean) / $disk")" -lt 10
