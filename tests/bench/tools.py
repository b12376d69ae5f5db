# SPDX-License-Identifier: GPL-2.0
"""Builds the programs of the experiments, for the guest, and insn.so, for QEMU."""

import fcntl
import hashlib
import os
import subprocess

from bench import BenchError

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
ROOM = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "bench-tools")
FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")


def build(source, target, *flags, headers=()):
    """Path of the program, in a directory named after the contents of its source and headers.

    So an experiment that is running keeps the program it began with.
    """
    source = os.path.join(HERE, source)
    digest = hashlib.sha256()
    for path in (source, *headers):
        with open(os.path.join(HERE, path), "rb") as f:
            digest.update(f.read())
    room = os.path.join(ROOM, digest.hexdigest()[:12])
    target = os.path.join(room, target)
    os.makedirs(room, exist_ok=True)
    with open(os.path.join(room, ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(target):
            return target
        done = subprocess.run(["gcc", *FLAGS, *flags, "-o", target + ".new", source],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode:
            raise BenchError(f"{os.path.basename(source)} does not compile: {done.stdout[:300]}")
        os.rename(target + ".new", target)
    return target


def program(name):
    """One of those that run in the guest."""
    return build(name + ".c", name, "-static", headers=("common.h",))


def load():
    return program("load")


def reads(program):
    """Path of a table for replay.c: what a program reads when it starts."""
    if program != "longer":
        return os.path.join(DATA, program + ".reads")
    path = os.path.join(ROOM, "longer.reads")
    os.makedirs(ROOM, exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        subprocess.run([os.path.join(DATA, "longer")], stdout=f, check=True)
    return path


def plugin(out, dump=False):
    """What Boot.plugin wants: counts go to the file out in the boot's directory."""
    path = build("insn.c", "insn.so", "-shared", "-fPIC", headers=("qemu-plugin.h",))
    return f"{path},out={{out}}/{out},dump={int(dump)}"
