# SPDX-License-Identifier: GPL-2.0
"""From trace lines to where a process's requests have spent their time.

A request's life as the tracepoints tell it:

    block_bio_queue   the process asks                       \\ waits for a tag
    block_getrq       a request is made of it, it has a tag  / \\ gathered: more may be merged
    block_rq_insert   the scheduler has it                     / \\ waits in its queue
    bfq_choose        it is its turn                             / \\ waits for the driver
    block_rq_issue    the driver has it                            / \\ in the device
    block_rq_complete it is done                                     /

The first three happen in the process itself, so the trace says whose they are; the last
three in anybody. They are joined by the first sector, which merges move.

Beside that, the scheduler says whose turn it is and when the device is kept (plugged)
for a queue that is empty. That is a line of time cut into pieces, each with an owner,
or nobody. A wait in the queue is laid beside it and cut where it is cut; so the parts
add up to the whole, whatever the trace contains.
"""

import bisect
import re
from collections import namedtuple

import bfqdev

# "<...>-1234    [001] d..1.  100.123456: event: text"; a thread group may stand before [001]
LINE = re.compile(r".*?-(\d+)\s+(?:\([\d\s-]+\)\s+)?\[\d+\]\s+(?:\S+\s+)?(\d+)\.(\d+): (\w+): (.*)$")
LOST = re.compile(r"CPU:\d+ \[LOST (\d+ )?EVENTS\]")
DEV = re.compile(r"(\d+),(\d+) ")
RQ = re.compile(r"\d+,\d+ (\S+) (?:\d+ )?\(.*?\) (\d+) \+ (\d+) ")
BIO = re.compile(r"\d+,\d+ (\S+) (\d+) \+ (\d+) ")
SPLIT = re.compile(r"\d+,\d+ (\S+) (\d+) / (\d+) ")

NEEDED = ("block_rq_insert", "block_rq_issue", "block_rq_complete")
# Without these it is told less, not wrong.
WANTED = ("block_bio_queue", "block_getrq", "block_split", "block_bio_backmerge",
          "block_bio_frontmerge", "block_rq_merge", "block_rq_requeue")
TURNS = ("bfq_turn_begin", "bfq_turn_end", "bfq_plug", "bfq_unplug")
WAITS = ("bfq_depth_wait", "bfq_line_wait")
OURS = (*TURNS, "bfq_choose", *WAITS)

Event = namedtuple("Event", "at tid name text")
# Whose queue: a process's, or, with pid 0, one that a group's processes share.
Owner = namedtuple("Owner", "pid cgroup")
NOBODY = None
UNKNOWN = Owner(-1, 0)


def parse(lines, numbers):
    """(events of these devices in order of time, how many the kernel had to drop).

    Processors' buffers are read one after the other, so lines come nearly in order.
    """
    events, lost = [], 0
    known = {tuple(int(n) for n in number.split(":")) for number in numbers}
    for line in lines:
        found = LINE.match(line)
        if not found:
            dropped = LOST.match(line)
            if dropped:
                lost += int(dropped.group(1) or 1)
            continue
        tid, seconds, fraction, name, text = found.groups()
        dev = DEV.match(text)
        if dev and (int(dev.group(1)), int(dev.group(2))) in known:
            at = int(seconds) + int(fraction) / 10 ** len(fraction)
            events.append(Event(at, int(tid), name, text))
    events.sort(key=lambda e: e.at)
    return events, lost


class Turns:
    """Whose turn it was when: pieces of time that follow each other without a gap."""

    def __init__(self, begin):
        # each piece: from when, whose turn, was the device kept for it
        self.starts, self.pieces = [begin], [(UNKNOWN, False)]
        self.groups = {}        # of a process, as a turn has said it

    def event(self, event):
        words = bfqdev.key_values(event.text)
        pid = words.get("pid", 0)
        if "cgroup" in words:
            self.groups[pid] = words["cgroup"]
        owner = self.pieces[-1][0]
        if owner is NOBODY or owner.pid != pid or words.get("cgroup", owner.cgroup) != owner.cgroup:
            owner = Owner(pid, words.get("cgroup", self.groups.get(pid, 0)))
        if self.pieces[0][0] == UNKNOWN:
            # the first that is said tells what was before
            before = NOBODY if event.name == "bfq_turn_begin" else owner
            self.pieces[0] = (before, event.name == "bfq_unplug")
        if event.name == "bfq_turn_begin":
            self._now(event.at, owner, False)
        elif event.name == "bfq_turn_end":
            self._now(event.at, NOBODY, False)
        elif event.name == "bfq_plug":
            self._now(event.at, owner, True)
        elif event.name == "bfq_unplug" and self.pieces[-1][1]:
            self._now(event.at, owner, False)

    def _now(self, at, owner, plugged):
        self.starts.append(at)
        self.pieces.append((owner, plugged))

    def between(self, begin, end):
        """(seconds, owner, plugged) for all pieces of that time."""
        here = max(bisect.bisect_right(self.starts, begin) - 1, 0)
        while begin < end:
            after = self.starts[here + 1] if here + 1 < len(self.starts) else end
            until = min(max(after, begin), end)
            if until > begin:
                yield (until - begin, *self.pieces[here])
            begin = until
            here += 1
            if here >= len(self.starts):
                return


class Request:
    """One of the process's requests, from when it was asked for to when it was done."""

    def __init__(self, tid, rwbs, sector, sectors, asked, got):
        self.tid, self.rwbs = tid, rwbs
        self.sector, self.sectors = sector, sectors
        self.length = sectors   # as issued; self.sectors gets less when it is done in pieces
        self.asked, self.got = asked, got
        self.inserted = None    # into the scheduler, for the first time
        self.since = None       # in the queue, or in the device, since then
        self.in_device = False
        self.queue, self.device = [], []    # (begin, end); more than one if it was requeued
        self.chosen = []        # when; it need not be, if it goes past the scheduler
        self.queue_pid = None   # of the process whose queue it was in
        self.beside = None      # requests of others in the device when it came there
        self.done = None

    @property
    def sync(self):
        """Does somebody wait for it?  The others go to queues that a group's processes share."""
        return any(c in self.rwbs for c in "RSF")


class Story:
    """Follows the requests of some threads through the events of a device."""

    def __init__(self, tids, begin, end):
        self.tids, self.begin, self.end = set(tids), begin, end
        self.turns = Turns(begin)
        self.asked = {}         # sector -> (tid, when), of what has no request yet
        self.last = {}          # tid -> sector asked for and not had yet: it may sleep there
        self.live, self.requests = [], []
        self.in_device = {}     # sector -> sectors, everybody's
        self.held_back = 0.0    # for its share of the tags
        self.in_line = 0.0      # for a tag where there are few
        self.queues = {}        # (thread, sync) -> the pid by which its queue is called
        self.choices = False    # is it told at all what is chosen?
        self.handlers = {name: getattr(self, "_" + name.partition("_")[2])
                         for name in (*NEEDED, *WANTED, "bfq_choose", *WAITS)}

    def follow(self, events):
        for event in events:
            if event.name in self.handlers:
                self.handlers[event.name](event)
            elif event.name in TURNS:
                self.turns.event(event)
        self._finish()
        return self

    def _find(self, sector, in_device):
        return next((r for r in self.live if r.sector == sector and r.in_device == in_device), None)

    # --- asked for, made a request, merged ---

    def _bio_queue(self, event):
        found = BIO.match(event.text)
        if found and event.tid in self.tids:
            self._ask(event, int(found.group(2)))

    def _split(self, event):
        found = SPLIT.match(event.text)
        if found and event.tid in self.tids:
            self._ask(event, int(found.group(3)))

    def _ask(self, event, sector):
        self.asked[sector] = event.tid, event.at
        self.last[event.tid] = sector

    def _getrq(self, event):
        found = BIO.match(event.text)
        if not found or event.tid not in self.tids or int(found.group(3)) == 0:
            return              # of a bare flush nothing else is told
        self.last.pop(event.tid, None)
        rwbs, sector, sectors = found.group(1), int(found.group(2)), int(found.group(3))
        asked = self.asked.pop(sector, (event.tid, event.at))[1]
        self.live.append(Request(event.tid, rwbs, sector, sectors, asked, event.at))

    def _bio_backmerge(self, event):
        rwbs, sector, sectors = self._merged(event)
        for r in self.live:
            if rwbs and not r.in_device and r.sector + r.sectors == sector:
                r.sectors += sectors
                return

    def _bio_frontmerge(self, event):
        rwbs, sector, sectors = self._merged(event)
        for r in self.live:
            if rwbs and not r.in_device and sector + sectors == r.sector:
                r.sector, r.sectors = sector, r.sectors + sectors
                return

    def _merged(self, event):
        found = BIO.match(event.text)
        if not found:
            return None, 0, 0
        if event.tid in self.tids:
            self.asked.pop(int(found.group(2)), None)
            self.last.pop(event.tid, None)
        return found.group(1), int(found.group(2)), int(found.group(3))

    def _rq_merge(self, event):
        """A request goes, another has grown by it."""
        found = RQ.match(event.text)
        if not found:
            return
        sector, sectors = int(found.group(2)), int(found.group(3))
        gone = self._find(sector, False)
        if gone:
            self.live.remove(gone)
        for r in self.live:
            if not r.in_device and r.sector + r.sectors == sector:
                r.sectors += sectors
                if gone:
                    r.asked, r.got = min(r.asked, gone.asked), min(r.got, gone.got)
                return

    # --- through the scheduler and the device ---

    def _rq_insert(self, event):
        found = RQ.match(event.text)
        if not found:
            return
        rwbs, sector, sectors = found.group(1), int(found.group(2)), int(found.group(3))
        r = next((r for r in self.live if r.sector == sector and r.since is None), None)
        if not r and event.tid in self.tids and sectors:
            if self._find(sector, False):
                return          # inserted again after it was given back
            r = Request(event.tid, rwbs, sector, sectors, event.at, event.at)
            self.live.append(r)
        if r:
            r.sectors = sectors
            r.inserted = r.since = event.at

    def _choose(self, event):
        words = bfqdev.key_values(event.text)
        self.choices = True
        r = self._find(words["sector"], False)
        if r:
            r.chosen.append(event.at)
            r.queue_pid = self.queues[r.tid, r.sync] = words["pid"]

    def _rq_issue(self, event):
        found = RQ.match(event.text)
        if not found:
            return
        sector, sectors = int(found.group(2)), int(found.group(3))
        r = self._find(sector, False)
        if r:
            if r.since is None:             # past the scheduler, e.g. behind a flush
                r.inserted = r.since = event.at
            r.queue.append((r.since, event.at))
            r.since, r.in_device = event.at, True
            r.sectors = r.length = sectors
            if r.beside is None:
                ours = sum(1 for other in self.live if other.in_device) - 1
                r.beside = max(len(self.in_device) - ours, 0)
        if sectors:
            self.in_device[sector] = sectors

    def _rq_requeue(self, event):
        found = RQ.match(event.text)
        if not found:
            return
        sector = int(found.group(2))
        self.in_device.pop(sector, None)
        r = self._find(sector, True)
        if r:
            r.device.append((r.since, event.at))
            r.since, r.in_device = event.at, False

    def _rq_complete(self, event):
        found = RQ.match(event.text)
        if not found:
            return
        sector, sectors = int(found.group(2)), int(found.group(3))
        left = self.in_device.pop(sector, sectors) - sectors
        if left > 0:            # done in pieces: the rest begins further on
            self.in_device[sector + sectors] = left
        r = self._find(sector, True)
        if not r:
            return
        if sectors < r.sectors:
            r.sector, r.sectors = sector + sectors, r.sectors - sectors
            return
        r.device.append((r.since, event.at))
        r.done = event.at
        self.live.remove(r)
        self.requests.append(r)

    def _slept(self, event):
        """Seconds, if the task is one of the process's."""
        return bfqdev.key_values(event.text).get("us", 0) / 1e6 if event.tid in self.tids else 0.0

    def _depth_wait(self, event):
        self.held_back += self._slept(event)

    def _line_wait(self, event):
        self.in_line += self._slept(event)

    def _finish(self):
        """What is under way at the end has come as far as it has."""
        for sector, (tid, at) in self.asked.items():
            # a thread that waits for a tag has done nothing since
            if self.last.get(tid) == sector:
                self.live.append(Request(tid, "R", sector, 0, at, self.end))
        for r in self.live:
            r.queue_pid = self.queues.get((r.tid, r.sync), r.tid if r.sync else 0)
            if r.since is not None:
                (r.device if r.in_device else r.queue).append((r.since, self.end))
        self.requests += self.live


class Account:
    """Where the time of a process's requests went, in seconds summed over requests."""

    def __init__(self, story, cgroup=None):
        self.cgroup = cgroup    # the process's: of its group's shared queues, that is known
        self.requests = len(story.requests)
        self.unfinished = sum(1 for r in story.requests if r.done is None)
        self.bytes = sum(r.length * bfqdev.SECTOR for r in story.requests if r.done is not None)
        self.tag = self.gathered = self.own = self.nobody = self.unknown = self.driver = self.device = 0.0
        self.others = {}        # Owner -> [its turns, the device kept for it]
        self.whole = 0.0
        self.longest = 0.0
        for r in story.requests:
            self._add(story, r)
        self.held_back = min(story.held_back, self.tag)
        self.in_line = min(story.in_line, self.tag - self.held_back)
        beside = [r.beside for r in story.requests if r.beside is not None]
        self.beside = sum(beside) / len(beside) if beside else 0.0
        self.asking = self._covered(story)

    def _add(self, story, r):
        end = story.end if r.done is None else r.done
        self.whole += end - r.asked
        self.longest = max(self.longest, end - r.asked)
        self.tag += r.got - r.asked
        handed_over = end if r.inserted is None else r.inserted
        self.gathered += handed_over - r.got
        self.device += sum(b - a for a, b in r.device)
        for begin, until in r.queue:
            chosen = self._chosen(story, r, begin, until)
            self.driver += until - chosen
            for seconds, owner, plugged in story.turns.between(begin, chosen):
                self._wait(r, seconds, owner, plugged)

    def _wait(self, r, seconds, owner, plugged):
        if owner is NOBODY:
            self.nobody += seconds
        elif owner == UNKNOWN:
            self.unknown += seconds
        elif self._own(r, owner):
            self.own += seconds
        else:
            self.others.setdefault(owner, [0.0, 0.0])[plugged] += seconds

    @staticmethod
    def _chosen(story, r, begin, until):
        """When a request in the queue from begin to until ceased to wait for a turn."""
        choice = next((at for at in r.chosen if begin <= at <= until), None)
        if choice is not None:
            return choice
        # given back by the driver, or past the scheduler; not so one that is still in the queue
        past = r.chosen or (story.choices and (r.done is not None or r.in_device))
        return begin if past else until

    def _own(self, r, owner):
        pid = r.tid if r.queue_pid is None and r.sync else r.queue_pid or 0
        return owner.pid == pid and (pid or owner.cgroup == self.cgroup)

    @property
    def queue(self):
        return self.own + self.nobody + self.unknown + self.driver + sum(map(sum, self.others.values()))

    @staticmethod
    def _covered(story):
        """Seconds in which at least one request was under way."""
        covered, until = 0.0, story.begin
        spans = sorted((r.asked, story.end if r.done is None else r.done) for r in story.requests)
        for begin, end in spans:
            covered += max(0.0, end - max(begin, until))
            until = max(until, end)
        return covered
