# SPDX-License-Identifier: GPL-2.0
"""The bare initramfs of virtual-time guests.

Everything such a guest runs is in here, so that nothing outside of it can show
in a measurement: busybox, fio with its libraries, the kernel's modules, ours,
the tests and the script. The same inputs give the same bytes: files are sorted
and carry no times, for the guest's memory is part of what must repeat.
"""

import lzma
import os
import re
import shutil
import stat
import subprocess

import thinfio
from kernels import HERE, REPO, LabError
from programs import find as find_program
from programs import patient

# Modules a test may ask for with modprobe; what they depend on comes along. A
# kernel that has one built in, or has not got it, simply lacks the file.
MODULES = ("null_blk", "configfs", "bfq", "kyber-iosched", "mq-deadline",
           "scsi_debug", "sd_mod", "loop", "dm-mod", "dm-flakey", "dm-delay", "ext4",
           "crc32c_generic", "crc32c-cryptoapi")
PROGRAMS = ("fio",)
# Parts of tests/ that no guest script needs.
SKIP = {"vm", "engine", "__pycache__", "build"}


class Archive:
    """A cpio archive in the "newc" format, as the kernel unpacks it."""

    def __init__(self):
        self.entries = {}

    def add_dir(self, path):
        path = path.strip("/")
        if not path or path in self.entries:
            return
        self.add_dir(os.path.dirname(path))
        self.entries[path] = (stat.S_IFDIR | 0o755, b"")

    def add(self, path, data, mode=0o644):
        path = path.strip("/")
        self.add_dir(os.path.dirname(path))
        self.entries[path] = (stat.S_IFREG | mode, data)

    def add_link(self, path, target):
        path = path.strip("/")
        self.add_dir(os.path.dirname(path))
        self.entries[path] = (stat.S_IFLNK | 0o777, target.encode())

    def add_file(self, path, source):
        with open(source, "rb") as f:
            data = f.read()
        self.add(path, data, 0o755 if os.access(source, os.X_OK) else 0o644)

    def add_node(self, path, major, minor):
        path = path.strip("/")
        self.add_dir(os.path.dirname(path))
        self.entries[path] = (stat.S_IFCHR | 0o600, b"", major, minor)

    def write(self, out):
        names = sorted(self.entries) + ["TRAILER!!!"]
        for ino, name in enumerate(names, 1):
            mode, data, *dev = self.entries.get(name, (0, b""))
            major, minor = dev or (0, 0)
            head = [ino if mode else 0, mode, 0, 0, 1, 0, len(data), 0, 0,
                    major, minor, len(name) + 1, 0]
            raw = b"070701" + b"".join(b"%08x" % n for n in head) + name.encode() + b"\0"
            out.write(raw + b"\0" * (-len(raw) % 4))
            out.write(data + b"\0" * (-len(data) % 4))


def read_cpio(path):
    """Yield (name, data) of a "newc" archive."""
    with open(path, "rb") as f:
        raw = f.read()
    at = 0
    while raw[at:at + 6] == b"070701":
        size, namesize = (int(raw[at + o:at + o + 8], 16) for o in (54, 94))
        name = raw[at + 110:at + 110 + namesize - 1].decode()
        data = at + 110 + namesize + (-(110 + namesize) % 4)
        if name == "TRAILER!!!":
            return
        yield name.lstrip("./"), raw[data:data + size]
        at = data + size + (-size % 4)


def cache_root(path):
    """Let virtme's initramfs mount the host's files with caching.

    Without, every read of every program is a message to QEMU, and 6.12 has been
    seen to retry a read without end. The files do not change under a guest that
    matters. A later archive in the same file overrides an earlier one.
    """
    init = next((d for n, d in read_cpio(path) if n == "init"), b"")
    cached = re.sub(rb"access=any,msize=\d+", b"access=any,msize=512000,cache=loose", init)
    if cached == init:
        raise LabError("virtme-ng's initramfs is not as expected: run tools/setup --for check")
    archive = Archive()
    archive.add("/init", cached, 0o755)
    with open(path, "ab") as f:
        f.write(b"\0" * (-os.path.getsize(path) % 512))
        archive.write(f)


def libraries(program, first=""):
    """The shared objects a program loads, as ldd tells; those in the directory first before others."""
    out = subprocess.run(["ldd", program], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False,
                         env=dict(os.environ, LD_LIBRARY_PATH=first)).stdout
    missing = re.findall(r"(\S+) => not found", out)
    if missing:
        raise LabError(f"{program} lacks the library {missing[0]}")
    return re.findall(r"(/\S+) \(0x", out)


def add_program(archive, name):
    """Add a program with what it loads; fio with empty libraries for most of that (thinfio.py)."""
    path = name if "/" in name else find_program(name)
    if not path:
        raise LabError(f"{name} is not installed: run tools/setup --for check")
    archive.add_file("/usr/bin/" + os.path.basename(path), path)
    thin = thinfio.fio_libraries() if name == "fio" else ""
    for lib in libraries(path, thin):
        if os.path.dirname(lib) != thin:
            archive.add_file(lib, lib)
        elif os.path.islink(lib):       # one that is needed
            archive.add_file(os.readlink(lib), lib)
        else:
            archive.add_file("/usr/lib/" + os.path.basename(lib), lib)


def module_name(path):
    return re.sub(r"\.ko(\.\w+)?$", "", os.path.basename(path)).replace("-", "_")


def read_module(path):
    if path.endswith(".xz"):
        with lzma.open(path) as f:
            return f.read()
    if path.endswith(".ko"):
        with open(path, "rb") as f:
            return f.read()
    raise LabError(f"{path} is packed in a way that the lab cannot read")


def add_modules(archive, kernel, wanted):
    """Copy modules with what they need, unpacked, and the tables modprobe reads."""
    deps = {}
    with open(f"{kernel.moddir}/modules.dep", encoding="ascii") as f:
        for line in f:
            path, _, rest = line.partition(":")
            deps[path] = rest.split()
    by_name = {module_name(p): p for p in deps}
    need = set()
    for name in wanted:
        path = by_name.get(name.replace("-", "_"))
        if path:
            need.update([path, *deps[path]])
    top = f"/lib/modules/{kernel.release}/"
    plain = {p: re.sub(r"\.ko\.\w+$", ".ko", p) for p in need}
    table = "".join(f"{plain[p]}: {' '.join(plain[d] for d in deps[p])}\n"
                    for p in sorted(need))
    for p in need:
        archive.add(top + plain[p], read_module(f"{kernel.moddir}/{p}"))
    archive.add(top + "modules.dep", table.encode())
    names = {module_name(p) for p in need}
    with open(f"{kernel.moddir}/modules.alias", encoding="utf-8") as f:
        aliases = [line for line in f
                   if line.split() and line.split()[-1].replace("-", "_") in names]
    archive.add(top + "modules.alias", "".join(aliases).encode())


def add_busybox(archive):
    path = shutil.which("busybox")
    if not path:
        raise LabError("busybox is not installed: run tools/setup --for check")
    if libraries(path):
        raise LabError("busybox is not static: install the package busybox-static")
    archive.add_file("/bin/busybox", path)
    for name in subprocess.run([path, "--list"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split():
        if name == "busybox":
            continue
        archive.add_link("/bin/" + name, "busybox")
    for name in ("modprobe", "insmod", "rmmod"):
        archive.add_link("/sbin/" + name, "/bin/busybox")


def add_tests(archive):
    top = os.path.join(REPO, "tests")
    for where, dirs, files in os.walk(top):
        dirs[:] = sorted(d for d in dirs if d not in SKIP)
        for name in files:
            path = os.path.join(where, name)
            archive.add_file("/lab/tests/" + os.path.relpath(path, top), path)


def build(out, kernel, programs, modules, lean=False):
    """Fill an archive with what every virtual-time guest has.

    A lean one lacks the tests and the usual modules, so that its contents, and
    with them its figures, change only with what the script itself asks for.
    """
    archive = Archive()
    for d in ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/mnt", "/etc"):
        archive.add_dir(d)
    archive.add_node("/dev/console", 5, 1)
    archive.add("/etc/passwd", b"root:x:0:0:root:/tmp:/bin/sh\n")
    archive.add("/etc/group", b"root:x:0:\n")
    add_busybox(archive)
    for p in (*PROGRAMS, *programs):
        add_program(archive, p)
    archive.add_file("/lab/patient.so", patient())
    add_modules(archive, kernel, modules if lean else (*MODULES, *modules))
    if not lean:
        add_tests(archive)
    archive.add_file("/init", os.path.join(HERE, "init"))
    for path, data in out.items():
        archive.add(path, data, 0o755)
    return archive
