# SPDX-License-Identifier: GPL-2.0
"""Boots in virtual time that have been run, kept so that none is run twice.

Such a boot is a function of what goes in: QEMU and its firmware, its command line (with seed,
memory and the kernel's command line), the kernel, the initramfs (with every program, module,
script and argument) and a plugin. A digest of all of these names what came out: the files
in --out and what the script printed. Only boots that passed are kept, each in one file under
${XDG_CACHE_HOME:-~/.cache}/bfq-lab/boots. Those that were not used for longest go when there
are too many.
"""

import contextlib
import fcntl
import hashlib
import io
import lzma
import os
import re
import subprocess
import tarfile
import tempfile

from kernels import LabError, cache_dir

# Part of every digest: raise it when a boot leaves other files behind, the inputs being equal.
RECIPE = 1
KEPT = "not run again, kept boot"       # what tests/vm/run says of one
# Five seeds of every experiment are some 2,000 boots of 7 to 30 KiB: room for ten of these, and
# for the selftests of some hundred modules.
MOST_BYTES = 512 << 20
# What is left after old ones went, so that this does not happen at every boot.
PRUNED_TO = 0.9
SCRIPT = "script"       # what the script printed; the boot's files are under OUT
OUT = "out/"
# What microvm executes before the kernel.
FIRMWARE = re.compile(r"(bios-microvm|qboot|linuxboot|pvh|kvmvapic).*\.(bin|rom)$")


def directory():
    return os.path.join(cache_dir(), "boots")


def was_kept(said):
    """Of what tests/vm/run has said on standard error: has no machine been booted?"""
    return f"run: {KEPT}" in said


def path_of(key):
    return os.path.join(directory(), key + ".tar.xz")


def digest_of(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def firmware(qemu):
    """Files that QEMU gives the machine by itself."""
    said = subprocess.run([qemu, "-L", "help"], stdout=subprocess.PIPE, text=True, check=False)
    for place in said.stdout.split():
        if os.path.isdir(place):
            yield from (os.path.join(place, name) for name in sorted(os.listdir(place))
                        if FIRMWARE.match(name))


def key(argv, files, places):
    """Name of the boot that argv, QEMU's command line, would make.

    files: those it reads, whose contents count and not their names; places: directories
    that it writes to, whose names do not count either.
    """
    qemu, *words = argv
    line = "\0".join(words)
    for i, path in enumerate([*files, *places]):
        line = line.replace(path, f"<{i}>")
    version = subprocess.run([qemu, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    parts = [f"recipe {RECIPE}", version.stdout, line]
    parts += [digest_of(path) for path in (qemu, *firmware(qemu), *files)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def read(name):
    """Contents by name of a kept boot, or None: there is none, or it is damaged."""
    try:
        with tarfile.open(path_of(name), "r:xz") as tar:
            return {m.name: tar.extractfile(m).read() for m in tar}
    except FileNotFoundError:
        return None
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError):
        return None


def files_below(top):
    """(name below top, path) of every file."""
    for where, _, names in os.walk(top):
        for name in names:
            path = os.path.join(where, name)
            yield os.path.relpath(path, top), path


def gather(out, printed):
    found = {SCRIPT: printed}
    for name, path in files_below(out):
        with open(path, "rb") as f:
            found[OUT + name] = f.read()
    return found


def need_empty(out):
    """What is there after the boot is to be the boot's."""
    if os.path.isdir(out) and os.listdir(out):
        raise LabError(f"{out} is not empty: a boot that is to be kept needs a directory of its own")


def fetch(name, out):
    """Put a kept boot's files into out; return what its script printed, or None."""
    found = read(name)
    if found is None:
        return None
    for inside, data in found.items():
        if inside.startswith(OUT):
            path = os.path.join(out, inside[len(OUT):])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)
    with contextlib.suppress(FileNotFoundError):        # pruned by another meanwhile
        os.utime(path_of(name))
    return found[SCRIPT]


def keep(name, out, printed):
    """Keep a boot, and return [].

    Or, if one of the same name is kept that left anything else, the names of the files that
    differ: then something that goes in is not in the digest, and neither is kept.
    """
    mine, before = gather(out, printed), read(name)
    if before is not None and mine != before:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path_of(name))
        return sorted(n for n in {*mine, *before} if mine.get(n) != before.get(n))
    os.makedirs(directory(), exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=directory(), prefix="new.", delete=False) as f:
        with tarfile.open(fileobj=f, mode="w:xz") as tar:
            for inside in sorted(mine):
                info = tarfile.TarInfo(inside)
                info.size = len(mine[inside])
                tar.addfile(info, io.BytesIO(mine[inside]))
    os.replace(f.name, path_of(name))
    prune()
    return []


def prune(most=MOST_BYTES):
    """Let the boots go that were not used for longest, when all take more than so many bytes."""
    with open(os.path.join(directory(), ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = []
        for entry in os.scandir(directory()):
            try:
                info = entry.stat()
            except FileNotFoundError:       # another's, that was renamed
                continue
            kept.append((info.st_mtime, info.st_size, entry.path))
        total = sum(size for _, size, _ in kept)
        if total <= most:
            return
        for _, size, path in sorted(kept):
            if total <= most * PRUNED_TO:
                return
            if path != lock.name:
                os.unlink(path)
                total -= size
