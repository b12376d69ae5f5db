# SPDX-License-Identifier: GPL-2.0
"""Copies of the tree in which mutants are built and tested, and what the tests said there."""

import filecmp
import os
import re
import shutil
import signal
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(REPO, "build", "mutants")
SUM = re.compile(r"^(\d+) passed, (\d+) failed\b")
# Seconds of its own time for a guest: a broken module may not let go of what it holds. And by the
# clock for a command, when all that has not helped.
LIMITS = {"debug": 900, "race": 900}
USUAL_LIMIT = 400
COMMAND_S = 2 * 3600
# Tests that need no kernel: what runs them, and the folder whose files they depend on.
PROGRAMS = {
    "engine": (["make", "--no-print-directory", "-C", "tests/engine", "fast"], "tests/engine/"),
    "orders": (["tests/orders/check"], "tests/orders/"),
}
# What a test that just stopped leaves behind. Somebody waited, and nobody said for what.
SILENT = re.compile(r"planned \S+ results|failed without a failed result|did not end within|"
                    r"the guest (ended in the middle|gave no end|did not start)|"
                    r"\d+ tests gave no result|says nothing|kernel log: .*blocked for more than")


class MutantError(Exception):
    """It can't be said whether the tests notice."""


def tracked():
    """Every file of the tree that is not built, relative to its top."""
    out = subprocess.run(["git", "-C", REPO, "ls-files", "-co", "--exclude-standard", "-z"],
                         stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in out.stdout.split("\0")
            if name and os.path.exists(os.path.join(REPO, name))]


def module_since():
    """The last commit that changed the module, which must be committed as it is."""
    def git(*argv):
        done = subprocess.run(["git", "-C", REPO, *argv, "--", "bfq-*", "compat", "Kbuild"],
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    if git("status", "--short"):
        raise MutantError("the module has changes that are not committed")
    return git("log", "-1", "--format=%h")


def read(name):
    with open(os.path.join(REPO, name), encoding="utf-8") as f:
        return f.read()


def broken(mutant):
    """The files that the mutant changes, as {name: text}."""
    texts = {}
    for name, old, new in mutant.edits:
        if not os.path.exists(os.path.join(REPO, name)):
            raise MutantError(f"there is no {name}")
        texts.setdefault(name, read(name))
        found = texts[name].count(old)
        if found != 1:
            raise MutantError(f"{name} has its text {found} times, not once: {old.strip()!r}")
        texts[name] = texts[name].replace(old, new)
    return texts


def _write_if_other(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Copy:
    """A copy of the tree, for one mutant after the other.

    What has not changed since the one before keeps its time and is not built again, so a
    mutant costs the building of one room or two.
    """

    def __init__(self, number, build=BUILD):
        self.top = os.path.join(build, f"copy-{number}")

    def become(self, texts):
        """Bring the copy up to date, with these texts instead of those in the tree."""
        wanted = tracked()
        for path in wanted:
            source, target = os.path.join(REPO, path), os.path.join(self.top, path)
            if path in texts:
                _write_if_other(target, texts[path])
            elif not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(source, target)
        for path in set(os.listdir(self.top)) - {p.split("/")[0] for p in wanted} - {"build"}:
            if path.startswith("bfq-"):     # a room that has gone would still be built
                os.remove(os.path.join(self.top, path))

    def test(self, name, texts, tests, kernel, stop):
        """Run the tests with these texts; what failed, as [(test, result)]."""
        self.become(texts)
        failed = []
        for number, argv in enumerate(commands(tests, kernel)):
            out = follow(argv, self.top, COMMAND_S, stop)
            log = write_log(f"{name}-{kernel}{'-' + str(number) if number else ''}", out)
            if stop.is_set():
                raise KeyboardInterrupt
            if "does not build" in out:
                raise MutantError(f"it does not build, see {os.path.relpath(log, REPO)}")
            if not any(SUM.match(line) for line in out.splitlines()):
                raise MutantError(f"the tests came to no end, see {os.path.relpath(log, REPO)}")
            failed += failures(out, next((n for n, (a, _) in PROGRAMS.items() if a == argv), ""))
        return failed


def write_log(name, text):
    """Keep what was said; where."""
    path = os.path.join(BUILD, "logs", f"{name}.txt")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def commands(tests, kernel):
    """What runs them: programs, or selftests; NAME@icount and NAME@guest run in one place only."""
    places = {}
    for test in tests:
        name, _, place = test.partition("@")
        if name in PROGRAMS:
            yield PROGRAMS[name][0]
        else:
            places.setdefault(place, []).append(name)
    options = {"": (), "icount": ("--icount-only",), "guest": ("--no-icount",)}
    limit = LIMITS.get(kernel, USUAL_LIMIT) * (1 + len(tests) // 4)
    for place, names in places.items():
        if names:
            yield ["tests/selftests/run", "--kernel", kernel, *options[place],
                   "--guest-timeout", str(limit),
                   *(x for t in names for x in ("--only", t))]


def follow(argv, top, limit, stop):
    """Run a command in the copy; its output, to which it is said if it came to no end."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    with subprocess.Popen(argv, cwd=top, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as p:
        ended = threading.Event()

        def watch():
            waited = 0
            while not ended.wait(1):
                waited += 1
                if stop.is_set() or waited >= limit:
                    os.killpg(p.pid, signal.SIGTERM)
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        out, _ = p.communicate()
        ended.set()
        watcher.join()
    return out


def plain(text):
    """A result without the figures that some have in brackets."""
    return re.sub(r"\s*\([^)]*\)|\[ *[\d.]+\] *", "", text).strip()


def failures(out, test):
    """The results that are not ok, as [(test, text)].

    tests/selftests/run says in a line "FAIL NAME ..." whose results follow.
    """
    found = []
    for line in out.splitlines():
        head = re.match(r"(?:FAIL|pass|skip|\.\.\.) +(\S+?):? ", line)
        if head:
            test = head.group(1)
        match = re.search(r"\bnot ok (?:\d+ )?(?:- )?(.*)$", line) or \
            re.search(r"^FAIL +\S+ +(kernel log: .*)$", line)
        if match:
            text = plain(match.group(1))
            if (test, text) not in found:
                found.append((test, text))
    return found
