# SPDX-License-Identifier: GPL-2.0
"""The kernels of the lab: where each one's image, headers and modules are.

6.1 and 6.12 are Debian's packages, installed by tools/setup; Debian 13 has no 6.1.
"debug" and "race" are built by tests/vm/kernel from the linux-source whose version stands in
tests/vm/debug.version and from tests/vm/debug.config, "race" with tests/vm/race.config on top, and kept under the
cache, each in a directory whose name is its key: the version of the source and a digest of the configuration and
of the way it is built. "race" is there only where somebody has asked for it.
"""

import glob
import hashlib
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
# Of the kernels that are built here: what they are made of, the last word counts.
CONFIGS = {"debug": ("debug.config",), "race": ("debug.config", "race.config")}
VERSION = os.path.join(HERE, "debug.version")
NAMES = ("6.1", "6.12", "debug")
# And those that no part of `make check` needs.
EVERY = (*NAMES, "race")
# Kernels that a Debian does not have.
ABSENT = {"13": ("6.1",)}

# Part of the cache key: raise it when tests/vm/kernel makes something else of the same source and
# configuration.
RECIPES = {"debug": 1, "race": 1}


class LabError(Exception):
    """Something that the user has to know, in one sentence."""


def debian():
    """The version of this Debian, such as "12"; tools/setup has seen that it is one."""
    try:
        with open("/etc/os-release", encoding="utf-8") as f:
            return re.search(r'^VERSION_ID="?([0-9]+)"?$', f.read(), re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return ""


def offered():
    """The names of the kernels that this Debian has, and the debug kernel's."""
    return tuple(name for name in NAMES if name not in ABSENT.get(debian(), ()))


def pinned_version():
    """Of the debug kernel's source."""
    with open(VERSION, encoding="utf-8") as f:
        return re.search(r"^([0-9][0-9.]*)$", f.read(), re.MULTILINE).group(1)


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "bfq-lab")


def configs(kind):
    """The files that say what this kernel is made of."""
    return [os.path.join(HERE, name) for name in CONFIGS[kind]]


def config_key(kind):
    digest = hashlib.sha256()
    for path in configs(kind):
        with open(path, "rb") as f:
            digest.update(f.read())
    digest.update(b"recipe %d" % RECIPES[kind])
    return digest.hexdigest()[:12]


class Kernel:
    """One kernel that can be booted and built for."""

    def __init__(self, name, release, image, kdir, moddir):
        self.name = name
        self.release = release
        self.image = image      # bzImage
        self.kdir = kdir        # what `make KDIR=` wants; may be missing
        self.moddir = moddir    # holds modules.dep

    @property
    def foreign(self):
        """Are the modules elsewhere than under /lib/modules?"""
        return not self.moddir.startswith("/lib/modules/")


def version_key(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def release_of(kdir):
    """The release that modules built with these headers are for."""
    path = os.path.join(kdir, "include/generated/utsrelease.h")
    try:
        with open(path, encoding="ascii") as f:
            return re.search(r'UTS_RELEASE "(.*)"', f.read()).group(1)
    except (OSError, AttributeError):
        raise LabError(f"{kdir} is no directory to build modules with: "
                       "it lacks include/generated/utsrelease.h") from None


def find_stock(name):
    found = []
    for moddir in glob.glob(f"/lib/modules/{name}.*"):
        release = os.path.basename(moddir)
        image = f"/boot/vmlinuz-{release}"
        if os.path.exists(image) and os.path.exists(f"{moddir}/modules.dep"):
            found.append(Kernel(name, release, image,
                                f"/usr/src/linux-headers-{release}", moddir))
    if not found:
        if name not in offered():
            raise LabError(f"Debian {debian()} has no kernel {name}")
        raise LabError(f"kernel {name} is not installed: run tools/setup --for check")
    # A half-done upgrade leaves an image without headers: no use for building.
    return max(found, key=lambda k: (os.path.isdir(k.kdir), version_key(k.release)))


def built_trees(kind, key):
    """Finished kernels KIND-VERSION-KEY of the cache, newest first."""
    trees = glob.glob(os.path.join(cache_dir(), "kernels", f"{kind}-*-{key}"))
    done = [t for t in trees if os.path.exists(os.path.join(t, "built"))]
    return sorted(done, key=lambda t: version_key(os.path.basename(t).split("-")[1]),
                  reverse=True)


def own_trees(kind):
    """Finished kernels of the present configuration: of the pinned version, then newest first."""
    pinned = f"{kind}-{pinned_version()}-"
    return sorted(built_trees(kind, config_key(kind)),
                  key=lambda tree: not os.path.basename(tree).startswith(pinned))


def find_own(kind):
    trees = own_trees(kind)
    if not trees:
        raise LabError(f"the {kind} kernel is not built: run tests/vm/kernel build {kind}")
    tree = trees[0]
    with open(os.path.join(tree, "built"), encoding="ascii") as f:
        release = f.read().strip()
    return Kernel(kind, release,
                  os.path.join(tree, "linux/arch/x86/boot/bzImage"),
                  os.path.join(tree, "linux"),
                  os.path.join(tree, "modules/lib/modules", release))


def find(name):
    if name in CONFIGS:
        return find_own(name)
    if name in NAMES:
        return find_stock(name)
    raise LabError(f"no kernel is called {name}; there are: {', '.join(EVERY)}")
