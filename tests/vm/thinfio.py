# SPDX-License-Identifier: GPL-2.0
"""Empty libraries for those that fio is linked with and no test uses.

Debian's fio needs sixty libraries: Ceph, Gluster, RDMA and what those need. To
map and to bind them is most of what it costs to start fio: on the debug kernel,
in software emulation, seven times as much as everything else before the first
request. With LD_LIBRARY_PATH=fio_libraries() the same fio starts with empty
ones in their place, whose functions, if it ever called one, would kill it.
"""

import fcntl
import os
import re
import shutil
import subprocess

from kernels import REPO, LabError

DIRECTORY = os.path.join(REPO, "build", "vm", "fio-libraries")
# What it needs for the engines that tests use: libaio, io_uring, psync, null.
KEPT = re.compile(r"(libc|libm|libz|libaio|libnuma|libpthread|libdl|librt|ld-linux.*)\.so\.")


def out(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(path, kind):
    """Pairs (name, version) of the dynamic symbols."""
    for line in out("nm", "-D", kind, path).splitlines():
        name, _, version = line.split()[-1].replace("@@", "@").partition("@")
        yield name, version


def empty_library(path, wanted):
    """One that has these functions in these versions."""
    versions = {}
    for name, version in sorted(wanted):
        versions.setdefault(version, []).append(name)
    code = "".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name, _ in sorted(wanted))
    script = "".join(f"{version} {{ {'; '.join(names)}; }};\n"
                     for version, names in versions.items() if version)
    with open(path + ".map", "w", encoding="ascii") as f:
        f.write(script)
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", "-w", "-x", "c", "-", "-o", path,
                    f"-Wl,-soname,{os.path.basename(path)}",
                    *([f"-Wl,--version-script={path}.map"] if script else [])],
                   input=code, text=True, check=True)
    os.unlink(path + ".map")


def fill(new, fio):
    wants = set(symbols(fio, "--undefined-only"))
    found = dict(re.findall(r"(\S+) => (\S+)", out("ldd", fio)))
    for soname in re.findall(r"NEEDED\s+(\S+)", out("objdump", "-p", fio)):
        if soname not in found:
            continue
        if KEPT.match(soname):
            os.symlink(found[soname], os.path.join(new, soname))
        else:
            empty_library(os.path.join(new, soname),
                          wants & set(symbols(found[soname], "--defined-only")))


def fio_libraries():
    """Fill the directory, if there is a fio and it is not done yet; its path."""
    fio = shutil.which("fio")
    if not fio:
        return DIRECTORY
    os.makedirs(os.path.dirname(DIRECTORY), exist_ok=True)
    with open(DIRECTORY + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)        # guests may start side by side
        newest = max(os.path.getctime(fio), os.path.getmtime(__file__))
        if os.path.exists(DIRECTORY) and os.path.getmtime(DIRECTORY) > newest:
            return DIRECTORY
        new = DIRECTORY + ".new"
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        try:
            fill(new, fio)
        except (OSError, subprocess.CalledProcessError) as error:
            raise LabError(f"fio's libraries cannot be looked at: {error}") from None
        shutil.rmtree(DIRECTORY, ignore_errors=True)
        os.rename(new, DIRECTORY)
    return DIRECTORY
