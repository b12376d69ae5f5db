# SPDX-License-Identifier: GPL-2.0
"""A process's own time: what the clock says, less what it has waited for a processor.

A guest on a busy host gets less done in a second of the clock, but what it can do in a
second of its own time is nearly the same everywhere. So limits are in own time: who
computes for ever spends it, and who sleeps for ever does so, too; who is only given few
processors spends it slowly.

The kernel counts for each thread how long it was ready to run and had to wait
(/proc/PID/task/TID/schedstat, second word, ns). Of a process with several threads the one
that has waited longest counts: the others mostly need what it does.
"""

import glob
import os
import time

# Own time may stand still: a machine that is suspended, a limit of processor time of 0.
# A far limit by the clock ends that, in multiples of the limit in own time.
FAR = 10


class OwnClock:
    """Seconds of its own that a process has spent since this was made."""

    def __init__(self, pid):
        self.tasks = f"/proc/{pid}/task"
        self.began = time.monotonic()
        self.waited = 0.0

    def longest_wait(self):
        """Seconds, of the living thread that has waited longest; 0 where the kernel does not count."""
        longest = 0
        try:
            for tid in os.listdir(self.tasks):
                with open(f"{self.tasks}/{tid}/schedstat", "rb") as f:
                    longest = max(longest, int(f.read().split()[1]))
        except (OSError, IndexError):
            pass        # a thread or all of it has ended
        return longest / 1e9

    def wall(self):
        return time.monotonic() - self.began

    def seconds(self):
        # A thread that has waited and ends takes its count along.
        self.waited = max(self.waited, self.longest_wait())
        return max(0.0, self.wall() - self.waited)


class Limits:
    """When does a guest hang? limit and silence are seconds of own time, of all and since the last word."""

    def __init__(self, clock, limit, silence=None):
        self.clock = clock
        self.limit, self.silence = limit, silence
        self.said = 0.0     # own time at the last word
        self.said_wall = 0.0

    def heard(self):
        """The guest has said something."""
        self.said, self.said_wall = self.clock.seconds(), self.clock.wall()

    def exceeded(self):
        """None, or in what way it hangs."""
        own, wall = self.clock.seconds(), self.clock.wall()
        if own > self.limit:
            return f"not done after {self.limit} s of its own time ({wall:.0f} s of the clock)"
        if wall > FAR * self.limit:
            return f"not done after {wall:.0f} s of the clock, only {own:.0f} s of them its own time"
        if self.silence is None:
            return None
        own, wall = own - self.said, wall - self.said_wall
        if own > self.silence:
            return (f"nothing said for {self.silence} s of its own time ({wall:.0f} s of the clock)")
        if wall > FAR * self.silence:
            return f"nothing said for {wall:.0f} s of the clock, only {own:.0f} s of them its own time"
        return None


class Tree:
    """A process and all that it has started: what they have computed."""

    TICK = os.sysconf("SC_CLK_TCK")

    def __init__(self, pid):
        self.pid = pid
        self.most = 0.0

    def cpu_seconds(self):
        """Seconds of processor time, with those of children that have ended; it never falls."""
        parents, spent = {}, {}
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path, "rb") as f:
                    text = f.read()
            except OSError:
                continue
            words = text[text.rindex(b")") + 2:].split()
            pid = int(path.split("/")[2])
            parents[pid] = int(words[1])
            spent[pid] = sum(map(int, words[11:15])) / self.TICK     # utime, stime and the children's
        ours, more = {self.pid}, True
        while more:
            more = {pid for pid, parent in parents.items() if parent in ours} - ours
            ours |= more
        self.most = max(self.most, sum(spent.get(pid, 0) for pid in ours))
        return self.most
