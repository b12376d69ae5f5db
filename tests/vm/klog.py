# SPDX-License-Identifier: GPL-2.0
"""What in a kernel log means that a run has failed, whatever the test said."""

import re

# Written to the log by tests/vm/init just before our module is loaded, or,
# without one, before the script starts.
MARKS = ("bfq-lab: loading", "bfq-lab: script starts")

BAD = [re.compile(p) for p in (
    r"\bWARNING: ",
    r"\bBUG: ",                             # also KASAN, KFENCE, soft lockups, workqueues
    r"\bBUG ",                              # SLUB's "BUG kmalloc-64 (Tainted..."
    r"kernel BUG at",
    r"\bOops\b",
    r"Kernel panic",
    r"general protection fault",
    r"Unable to handle kernel|unable to handle page fault",
    r"KASAN:",
    r"UBSAN:",
    r"possible circular locking",
    r"possible recursive locking",
    r"possible irq lock inversion",
    r"inconsistent lock state",
    r"-safe -> .*-unsafe lock order",
    r"suspicious RCU usage",
    r"Voluntary context switch within RCU",
    r"Illegal context switch in RCU",
    r"bad unlock balance|held lock freed|lock held when returning",
    r"sleeping function called from invalid",
    r"scheduling while atomic",
    r"INFO: task .* blocked",
    r"rcu: INFO: .*(stall|detected)",
    r"watchdog: ",
    r"ODEBUG:|DEBUG_OBJECTS",
    r"unreferenced object|kmemleak: .*new suspected",
    r"kmemleak: (Cannot|Kernel memory leak detector disabled)",
    r"refcount_t:",
    r"list_(add|del) corruption",
    r"stack-protector:|stack frame overflow|Corrupted stack end",
    r"possible deadlock",
    r"nobody cared",
    r"DEBUG_LOCKS_WARN_ON|turning off the locking correctness validator",
    r"Out of memory: ",
    r"page allocation failure",
    r"bfq-lab: WARNING",
)]

# KCSAN says between which two functions a race is, each with its module. What of the kernel
# races with itself is not ours to judge, and there is some.
FOREIGN_RACE = re.compile(r"BUG: KCSAN: (?!.* in .*\[bfq)")

# Reports of the booting machine that are not ours, each with its reason. They
# are forgiven only before the mark.
BOOT_ALLOWED = [re.compile(p) for p in (
    # QEMU's CPU "max" has features that these kernels greet with a warning.
    r"MDS CPU bug|MMIO Stale Data|Spectre|RETBleed|Speculative",
    # Not a report: the watchdog driver introduces itself.
    r"watchdog: (Delayed init|Enabled|NMI watchdog)|NMI watchdog: ",
)]


def problems(text):
    """Return the lines of a kernel log for which the run must fail."""
    booting = any(mark in text for mark in MARKS)
    found = []
    for line in text.splitlines():
        if any(mark in line for mark in MARKS):
            booting = False
        if not any(p.search(line) for p in BAD) or FOREIGN_RACE.search(line):
            continue
        if booting and any(p.search(line) for p in BOOT_ALLOWED):
            continue
        found.append(line.strip())
    return found
