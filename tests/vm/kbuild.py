# SPDX-License-Identifier: GPL-2.0
"""Building a kernel: what the debug kernel and user-mode Linux (tests/bench/uml) share.

Whoever builds one says how in a RECIPE of its own, which is part of its key in the cache:
raise both if something here makes another kernel of the same source.
"""

import os
import re
import shutil
import subprocess
import sys
import time

from kernels import REPO, LabError


def fetch_source():
    """Return (version, tarball) of the source that debug.version names, or of the newest if it is gone."""
    out = subprocess.run([os.path.join(REPO, "tools/setup"), "--fetch-source"],
                         stdout=subprocess.PIPE, text=True, check=False)
    if out.returncode:
        raise LabError("the kernel's source cannot be fetched, see above")
    version, tarball = out.stdout.split()
    return version, tarball


def unpack(tarball, tree, say):
    say("unpacking " + os.path.basename(tarball))
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    subprocess.run(["tar", "-xf", tarball, "-C", tree, "--strip-components=1"], check=True)


def settings(paths):
    """What configuration files ask for; the last word counts."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            found.update(m.groups() for m in map(re.compile(r"(CONFIG_\w+)=(.*)").match, f) if m)
    return found


def check_settings(config, wanted):
    """Kconfig drops without a word what it cannot have: every line wanted must have taken."""
    got = settings([config])
    lost = [f"{k}={v} became {got.get(k, 'n')}" for k, v in settings(wanted).items()
            if got.get(k, "n") != v]
    if lost:
        raise LabError(f"Kconfig dropped what {os.path.basename(wanted[-1])} asks for: "
                       + "; ".join(lost))


def compile_kernel(arguments, log, every, progress):
    """make; now and then, progress(objects built, seconds) says how far it is. True if built."""
    start = said = time.monotonic()
    with open(log, "w", encoding="utf-8") as out:
        command = ["nice", "-n", "5", "make", f"-j{os.cpu_count() or 2}", *arguments]
        with subprocess.Popen(command, stdout=out, stderr=out) as proc:
            while proc.poll() is None:
                time.sleep(1)
                if time.monotonic() - said >= every:
                    said = time.monotonic()
                    with open(log, encoding="utf-8", errors="replace") as f:
                        built = sum(line.startswith(("  CC ", "  AS ")) for line in f)
                    progress(built, said - start)
    if proc.returncode:
        with open(log, encoding="utf-8", errors="replace") as f:
            sys.stderr.writelines(f.readlines()[-15:])
    return proc.returncode == 0


def drop_objects(tree, spare):
    """Drop what neither booting nor building modules needs; keep the folders to spare."""
    for where, dirs, files in os.walk(tree):
        if where == tree:
            dirs[:] = [d for d in dirs if d not in spare]
        for name in files:
            # some kernels link other people's modules with it
            if name.endswith((".o", ".a", ".cmd")) and not name.endswith("module-common.o"):
                os.unlink(os.path.join(where, name))
