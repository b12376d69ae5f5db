# SPDX-License-Identifier: GPL-2.0
"""What bfqtop and bfqwhy both have to know: the device, and who is who on it.

The scheduler speaks of processes by their ids and of cgroups by theirs. A cgroup's
id is the inode number of its directory, so a walk over the mounted hierarchy gives
the path back. A device is asked for by any name it has; what is scheduled is the
disk, so a partition stands for the disk it is on.

Everything is read below System.root, so that tests can bring a /sys and a /proc of
their own.
"""

import os
import re
import stat
import time

SECTOR = 512
# A walk over thousands of cgroups takes a while; one that is not found will not be
# there a moment later either.
WALK_AGAIN_S = 2.0
# Sectors, requests, milliseconds: where they stand in /sys/block/X/stat.
STAT_IOS = (0, 4, 11)
STAT_SECTORS = (2, 6, 13)
STAT_BUSY_MS = 9


class ToolError(Exception):
    """What the user has to be told, in one sentence and with the remedy."""


class System:
    """The running machine, or a copy of a few of its files for tests."""

    def __init__(self, root="/"):
        self.root = root

    def path(self, *parts):
        return os.path.join(self.root, *(p.lstrip("/") for p in parts))

    def read(self, *parts):
        """The text of a file, or None where there is none."""
        try:
            with open(self.path(*parts), encoding="utf-8", errors="replace") as f:
                return f.read()
        except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
            return None

    def need_root(self):
        if self.root == "/" and os.geteuid() != 0:
            raise ToolError("only root may read what the scheduler says: try sudo")

    def mounts(self):
        """(where, type, options) of each mounted file system."""
        for line in (self.read("proc/self/mounts") or "").splitlines():
            fields = line.split()
            if len(fields) >= 4:
                where = re.sub(r"\\(\d{3})", lambda m: chr(int(m.group(1), 8)), fields[1])
                yield where, fields[2], fields[3].split(",")

    def mounted(self, kind, usual):
        """Where a file system of that kind is mounted; the usual place if at several."""
        places = [where for where, name, _ in self.mounts() if name == kind]
        if not places:
            raise ToolError(f"{kind} is not mounted: mount -t {kind} {kind} {usual}")
        return usual if usual in places else places[0]


class Device:
    """A disk, by any of its names: sda, /dev/sda, /dev/disk/by-id/..., 8:0, /dev/sda1."""

    def __init__(self, system, name):
        self.system = system
        self.name = self._disk(name)
        self.number = system.read("sys/block", self.name, "dev").strip()
        self.parts = self._parts()

    def _disk(self, name):
        known = self.system.path("sys/block", name.replace("/", "!"))
        if re.fullmatch(r"[^/]+|cciss/[^/]+", name) and os.path.isdir(known):
            return os.path.basename(known)
        number = name if re.fullmatch(r"\d+:\d+", name) else None
        if not number:
            number = self._number_of(name if "/" in name else f"/dev/{name}")
        link = self.system.path("sys/dev/block", number)
        if not os.path.exists(link):
            raise ToolError(f"{name} is no block device of this machine: lsblk shows them")
        where = os.path.realpath(link)
        if os.path.exists(os.path.join(where, "partition")):
            where = os.path.dirname(where)
        return os.path.basename(where)

    def _number_of(self, path):
        try:
            node = os.stat(self.system.path(path))
        except OSError as error:
            raise ToolError(f"{path}: {error.strerror}; lsblk shows the disks") from error
        if not stat.S_ISBLK(node.st_mode):
            raise ToolError(f"{path} is no block device; lsblk shows them")
        return f"{os.major(node.st_rdev)}:{os.minor(node.st_rdev)}"

    def _parts(self):
        """The device numbers that requests to this disk may carry: its own and its partitions'."""
        numbers = {self.number}
        top = self.system.path("sys/block", self.name)
        for entry in os.listdir(top):
            if os.path.exists(os.path.join(top, entry, "partition")):
                numbers.add(self.system.read("sys/block", self.name, entry, "dev").strip())
        return numbers

    def schedulers(self):
        """(the selected one, all)."""
        words = (self.system.read("sys/block", self.name, "queue/scheduler") or "none").split()
        selected = [w.strip("[]") for w in words if w.startswith("[")]
        return (selected or words)[0], [w.strip("[]") for w in words]

    def scheduler(self):
        """The name under which this module schedules the disk; says so if it does not."""
        selected, known = self.schedulers()
        if selected.startswith("bfq"):
            return selected
        below = self.system.path("sys/block", self.name, "slaves")
        below = sorted(os.listdir(below)) if os.path.isdir(below) else []
        if below:
            raise ToolError(f"{self.name} is made of {', '.join(below)}, and there it is scheduled: "
                            f"ask for {below[0]}")
        ours = [w for w in known if w.startswith("bfq")]
        remedy = f"echo {ours[0]} >/sys/block/{self.name}/queue/scheduler" if ours else "modprobe bfq"
        raise ToolError(f"{self.name} is scheduled by {selected}, not by this module: {remedy}")

    def debug_path(self, name):
        """A file of the scheduler's under debugfs."""
        scheduler = self.scheduler()
        debugfs = self.system.mounted("debugfs", "/sys/kernel/debug")
        path = os.path.join(debugfs, "block", self.name, "sched", name)
        try:
            os.stat(self.system.path(path))
        except PermissionError as error:
            raise ToolError(f"{path} may not be read: the kernel is locked down") from error
        except FileNotFoundError as error:
            raise ToolError(
                f"the {scheduler} that schedules {self.name} has no {path}: it is the kernel's own "
                f"bfq or an older build of this module; /sys/module/{scheduler}/taint says O if it "
                "is this module") from error
        return path

    def totals(self):
        """(requests, bytes, ms busy) that the disk has completed since it was found."""
        fields = [int(n) for n in (self.system.read("sys/block", self.name, "stat") or "").split()]
        if not fields:
            raise ToolError(f"{self.name} has gone")

        def total(which):
            return sum(fields[n] for n in which if n < len(fields))

        return total(STAT_IOS), total(STAT_SECTORS) * SECTOR, fields[STAT_BUSY_MS]


class Groups:
    """cgroups by id: the inode number of the directory."""

    def __init__(self, system):
        self.system = system
        self.version, self.top = self._hierarchy()
        self.paths = {}
        self.walked = None

    def _hierarchy(self):
        """v1's blkio where that is mounted, since then it has the disks; else v2."""
        unified = None
        for where, kind, options in self.system.mounts():
            if kind == "cgroup" and "blkio" in options:
                return 1, where
            if kind == "cgroup2" and not unified:
                unified = where
        return 2, unified

    def _walk(self):
        self.walked = time.monotonic()
        if not self.top:
            return
        top = self.system.path(self.top)
        found = {}
        for where, _, _ in os.walk(top):
            try:
                found[os.stat(where).st_ino] = where[len(top):] or "/"
            except FileNotFoundError:
                pass                # removed meanwhile
        # Those that are gone keep the name they had.
        self.paths.update(found)

    def path(self, number):
        """/a/b; or the id, where no directory has it (any more)."""
        if number not in self.paths and (
                self.walked is None or time.monotonic() - self.walked > WALK_AGAIN_S):
            self._walk()
        return self.paths.get(number, f"(cgroup {number})")

    def of_process(self, pid):
        """The id of the group that a process is in, None if it is gone."""
        for line in (self.system.read("proc", str(pid), "cgroup") or "").splitlines():
            _, controllers, path = line.split(":", 2)
            if (not controllers) if self.version == 2 else "blkio" in controllers.split(","):
                try:
                    return os.stat(self.system.path(self.top, path)).st_ino if self.top else None
                except OSError:
                    return None
        return None


class Names:
    """What processes call themselves; who has gone keeps its name."""

    def __init__(self, system):
        self.system = system
        self.known = {}

    def name(self, pid):
        if not pid:
            return "(shared)"
        seen = self.system.read("proc", str(pid), "comm")
        if seen is not None:
            self.known[pid] = printable(seen.rstrip("\n"))
        return self.known.get(pid, "(gone)")


def printable(text):
    """A process may call itself anything, so nothing of it may reach a terminal unseen."""
    return "".join(c if c.isprintable() else "?" for c in text)


def key_values(text):
    """The words of "a=1 b=x" as a dictionary; numbers as such, "-" (none) as None."""
    out = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals:
            continue
        if value == "-":
            out[key] = None
        else:
            out[key] = int(value) if re.fullmatch(r"-?\d+", value) else value
    return out
