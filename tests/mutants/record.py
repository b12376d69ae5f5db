# SPDX-License-Identifier: GPL-2.0
"""What is known of each mutant already, so that a run goes on where the last one stopped.

A result counts as long as everything that it depends on is what it was: the mutant, the
module, the tests named for it and what all tests share.
"""

import hashlib
import os

import copies
import kept

RESULTS = os.path.join(copies.BUILD, "results")
# What every selftest depends on beside itself.
SHARED = ("tests/selftests/ktap.sh", "tests/selftests/helper.c", "tests/selftests/issue.c")


def _sources():
    """Of the module."""
    return sorted(name for name in copies.tracked()
                  if (name.startswith(("bfq-", "compat/")) or name == "Kbuild"))


def _of_tests(tests):
    names = {t.partition("@")[0] for t in tests}
    for program in sorted(names & set(copies.PROGRAMS)):
        yield from sorted(n for n in copies.tracked() if n.startswith(copies.PROGRAMS[program][1]))
    names -= set(copies.PROGRAMS)
    if names:
        yield from SHARED
    for name in sorted(os.listdir(os.path.join(copies.REPO, "tests/selftests"))):
        stem, end = os.path.splitext(name)
        if end == ".sh" and any(stem == n or stem.startswith(n + "-") for n in names):
            yield "tests/selftests/" + name


class Record(kept.Kept):
    """Results of mutants."""

    def __init__(self):
        super().__init__(RESULTS)
        self.module = hashlib.sha256()
        for name in _sources():
            self.module.update(name.encode() + b"\0" + copies.read(name).encode())

    def key(self, edits, tests, kernel):
        """What a result depends on, as one word."""
        digest = self.module.copy()
        digest.update(repr((edits, sorted(tests), kernel)).encode())
        for name in _of_tests(tests):
            digest.update(name.encode() + b"\0" + copies.read(name).encode())
        return digest.hexdigest()
