# SPDX-License-Identifier: GPL-2.0
"""Programs that guests need and that a distribution may not have any more."""

import os
import shutil
import subprocess

from kernels import HERE, REPO, LabError

# Built from NAME.c beside this, where the system has none.
OWN = ("addpart",)


def find(name):
    """The system's path of a program, or that of our own; None if there is neither."""
    path = shutil.which(name)
    return path or (own(name) if name in OWN else None)


def own(name, flags=("-static",)):
    source = os.path.join(HERE, name + ".c")
    path = os.path.join(REPO, "build", "vm", "bin", name)
    if os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(source):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = f"{path}.{os.getpid()}"       # two guests may start at once
    done = subprocess.run(["cc", "-O2", "-Wall", "-Wextra", *flags, "-o", new, source],
                          check=False)
    if done.returncode:
        raise LabError(f"{name} does not build: run tools/setup --for demo")
    os.replace(new, path)
    return path


def patient():
    """A library that fio is given beside its own where time is virtual; see there."""
    return own("patient", ("-shared", "-fPIC", "-nostartfiles"))


def lacking():
    """Paths of our own programs that the system does not have."""
    return [own(name) for name in OWN if not shutil.which(name)]
