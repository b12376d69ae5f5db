# SPDX-License-Identifier: GPL-2.0
"""Modules of the lab itself, for its guests: built with a kernel's headers, and kept."""

import fcntl
import os
import subprocess
import sys

from kernels import LabError


def link_sources(room, sources):
    """kbuild leaves its objects beside the sources, so those are links."""
    os.makedirs(room, exist_ok=True)
    for entry in os.scandir(room):
        if entry.is_symlink() and not os.path.exists(entry.path):
            os.unlink(entry.path)
    for path in sources:
        link = os.path.join(room, os.path.basename(path))
        if not os.path.islink(link):
            os.symlink(path, link)


def is_current(path, sources, kdir):
    """Is it there, and neither a source nor the kernel's configuration newer?"""
    config = os.path.join(kdir, "include", "generated", "autoconf.h")
    return os.path.exists(path) and \
        all(os.path.getmtime(s) <= os.path.getmtime(path) for s in [*sources, config])


def build(name, sources, kdir, top, *, needs=(), make=(), show=False):
    """Build top/NAME.ko from the sources, a Kbuild among them, unless it is there.

    needs: other files that it is built anew for. make: more words for make. show: build
    it anyhow, and print what the compiler says.
    """
    room = os.path.join(top, name)
    ko = os.path.join(top, name + ".ko")
    os.makedirs(top, exist_ok=True)
    with open(os.path.join(top, f".{name}-lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not show and is_current(ko, [*sources, *needs], kdir):
            return ko
        link_sources(room, sources)
        done = subprocess.run(["make", f"-j{os.cpu_count()}", "-C", kdir, f"M={room}", *make,
                               "modules"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        built = os.path.join(room, name + ".ko")
        if done.returncode or not os.path.exists(built):
            sys.stderr.write(done.stdout[-6000:])
            raise LabError(f"{name}.ko does not build with {kdir}")
        if show or "warning:" in done.stdout:
            sys.stderr.write(done.stdout)
        # Renamed into place: somebody may be reading the old one.
        with open(built, "rb") as f, open(ko + ".new", "wb") as to:
            to.write(f.read())
        os.rename(ko + ".new", ko)
    return ko
