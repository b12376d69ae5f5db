#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the scheduler is loaded, selected, left and unloaded as any other
# where: guest
. "${0%/*}/ktap.sh"
if [ -n "$DEBUG" ]; then plan 15; else plan 18; fi
require modinfo

nullb size=256
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug

# Writeback throttling: 1 is on by default, other figures are off or by hand.
# Not from wbt_lat_usec, which 6.1 shows as it was set, on or off.
wbt() { cat "/sys/kernel/debug/block/$DISK/rqos/wbt/enabled"; }
file_type=$(modinfo -F alias "${BFQ_KO:-$BFQ_NAME}" | tr '\n' ' ')
case " $file_type" in
*" $BFQ_NAME-iosched "*) pass "the module has the alias that the kernel asks for" ;;
*) fail "the module has the alias that the kernel asks for" "$BFQ_NAME-iosched" "$file_type" ;;
esac

case " $(cat "$QUEUE/scheduler") " in
*" $BFQ_NAME "*) pass "a device offers $BFQ_NAME" ;;
*) fail "a device offers $BFQ_NAME" "$BFQ_NAME in the list" "$(cat "$QUEUE/scheduler")" ;;
esac
is "writeback throttling is on by default" 1 "$(wbt)"

is "it can be selected" OK "$(write_errno "$QUEUE/scheduler" "$BFQ_NAME")"
is "and is shown as selected" "$BFQ_NAME" "$(sched_now)"
compare "writeback throttling is off then" "$(wbt)" -gt 1

refused "rmmod is refused while a device uses it" rmmod "$(module)"
is "and has changed nothing" "$BFQ_NAME" "$(sched_now)"

is "it can be left" OK "$(write_errno "$QUEUE/scheduler" none)"
is "writeback throttling is back" 1 "$(wbt)"

write_errno "$QUEUE/scheduler" "$BFQ_NAME-iosched" >/dev/null
is "its alias selects it" "$BFQ_NAME" "$(sched_now)"

write_errno "$QUEUE/scheduler" mq-deadline >/dev/null
is "another scheduler can follow" mq-deadline "$(sched_now)"

# Two schedulers cannot have one name. As beside one that the kernel has built in, of which there is no module
# either: ours under another module's name comes too late, and takes nothing from the first. (With KASAN every
# short text in a module looks like its name.)
second_is_refused() {
	cg_setup
	cg one
	zeros='\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00'
	# the host's, since busybox's knows no zeros
	/bin/sed "s/\x00$BFQ_NAME$zeros$zeros/\x00$(printf %s "$BFQ_NAME" | tr f g)$zeros$zeros/" \
		"$(module_file)" >"$WORK/second.ko"
	refused "a second of that name is not loaded" insmod "$WORK/second.ko"
	holds "because there is one" grep -q "Device or resource busy" "$WORK/refused"
	holds "and the first has its files" cat "$CG/one/io.$BFQ_NAME.weight"
}
[ -n "$DEBUG" ] || second_is_refused

holds "rmmod works when no device uses it" rmmod "$(module)"

# The kernel is to load it by itself. What it would call modprobe for is handed
# to a script, because the module is not installed here.
old_modprobe=$(cat /proc/sys/kernel/modprobe)
defer "echo $old_modprobe >/proc/sys/kernel/modprobe"
cat >"$WORK/modprobe" <<END
#!/bin/sh
echo "\$@" >>$WORK/asked
case "\$*" in
*"$BFQ_NAME-iosched"*) exec insmod $(module_file) ;;
esac
END
chmod +x "$WORK/modprobe"
echo "$WORK/modprobe" >/proc/sys/kernel/modprobe
write_errno "$QUEUE/scheduler" "$BFQ_NAME" >/dev/null
is "selecting it loads the module" "$BFQ_NAME" "$(sched_now)"
echo "$old_modprobe" >/proc/sys/kernel/modprobe

nullb_remove "$DISK"
# The tests that follow find it loaded, as they found it before.
holds "a device that goes lets go of it" eventually 10 unused
