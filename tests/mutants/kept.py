# SPDX-License-Identifier: GPL-2.0
"""What a run of hours has found so far, so that the next one goes on where it was stopped."""

import fcntl
import json
import os
import queue
import threading


class Busy(Exception):
    """Another run is at work."""


def alone(folder):
    """Two runs would change the same copies. Keep what is returned."""
    os.makedirs(folder, exist_ok=True)
    lock = open(os.path.join(folder, "lock"), "w", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy(f"another run is at work in build/{os.path.basename(folder)}: "
                   "wait for it, or stop it") from None
    return lock


def taken(todo, stop):
    """What is in a queue, until that is empty."""
    while not stop.is_set():
        try:
            yield todo.get_nowait()
        except queue.Empty:
            return


class Kept:
    """A line of JSON for each result; the last one of a key holds."""

    def __init__(self, path):
        self.path, self.lock, self.entries = path, threading.Lock(), {}
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as f:
            for line in f:
                try:
                    entry = json.loads(line)
                except ValueError:      # the last one, of a run that was killed
                    continue
                self.entries[entry["key"]] = entry

    def find(self, key):
        with self.lock:
            return self.entries.get(key)

    def keep(self, key, **entry):
        """Write down a result; return it."""
        entry = {"key": key, **entry}
        with self.lock:
            self.entries[key] = entry
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as f:
                f.write(json.dumps(entry) + "\n")
        return entry
