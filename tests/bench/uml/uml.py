# SPDX-License-Identifier: GPL-2.0
"""User-mode Linux: kernels built for it, modules built for those, and a run.

Two kernels from one source, the linux-source of tests/vm/debug.version with
lazy-ipi.patch: "plain" (uml.config) and "lockstat" (lockstat.config on top). They are kept under the
cache like the debug kernel, in a directory named by the version and a digest
of the configurations; while there is one, no newer source is looked for.
"""

import fcntl
import glob
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(REPO, "tests/vm"))
import kbuild                                               # noqa: E402
import kernels                                              # noqa: E402
from kernels import LabError, cache_dir                     # noqa: E402

CONFIGS = {"plain": ("uml.config",), "lockstat": ("uml.config", "lockstat.config")}
PATCH = "lazy-ipi.patch"
# Built by the kernel and wanted in the machine.
MODULES = ("block/mq-deadline", "block/kyber-iosched", "block/bfq",
           "drivers/block/null_blk/null_blk")

# Part of the cache key: raise it when the build below produces something else
# from the same source and configurations.
RECIPE = 1
# Objects of the present configurations, for the progress line alone.
EXPECTED_OBJECTS = 560
PROGRESS_SECONDS = 10

# What compiling a module against the tree needs of the source.
KEEP = ("Makefile", "Kbuild", "Kconfig", "arch", "block", "include", "scripts")


def say(text):
    print(f"uml: {text}", file=sys.stderr, flush=True)


def config_key():
    """Comments aside, what the kernels are made from."""
    digest = hashlib.sha256(b"recipe %d" % RECIPE)
    for name in (*CONFIGS["lockstat"], PATCH):
        with open(os.path.join(HERE, name), encoding="utf-8") as f:
            digest.update("".join(line for line in f if line[0] in "C+- ").encode())
    return digest.hexdigest()[:12]


def make(*args, **kwargs):
    """Run make without what an outer make left in the environment."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(["make", "--no-print-directory", "ARCH=um", *args], env=env,
                          check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **kwargs)


def must(done, what):
    if done.returncode:
        sys.stderr.write(done.stdout[-3000:])
        raise LabError(what)


class Tree:
    """The kernels of one source."""

    def __init__(self, top):
        self.top = top
        self.source = os.path.join(top, "linux")

    @property
    def lazy(self):
        """Is disabling interrupts cheap (PATCH)?"""
        return os.path.exists(os.path.join(self.top, "patched"))

    def kdir(self, kind):
        return os.path.join(self.top, kind)

    def image(self, kind):
        return os.path.join(self.kdir(kind), "linux")

    def release(self, kind):
        with open(os.path.join(self.kdir(kind), "include/config/kernel.release"),
                  encoding="ascii") as f:
            return f.read().strip()


def find():
    """The newest finished tree of the present configurations, or None."""
    tops = kernels.built_trees("uml", config_key())
    return Tree(tops[0]) if tops else None


def apply_patch(tree):
    """Apply PATCH whole or not at all: what it does can be done without, see Machine."""
    command = ["patch", "-p1", "--batch", "-d", tree.source, "-i", os.path.join(HERE, PATCH)]
    done = os.path.join(tree.top, "patched")
    if os.path.exists(done):
        os.unlink(done)
    if subprocess.run([*command, "--dry-run", "-F0"], stdout=subprocess.DEVNULL,
                      check=False).returncode:
        say(f"{PATCH} does not fit this source: disabling interrupts will cost two system "
            "calls, and all figures will be several times larger")
        return
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    with open(done, "w", encoding="ascii") as f:
        f.write(PATCH + "\n")


def configure(tree, kind):
    out = tree.kdir(kind)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    wanted = [os.path.join(HERE, name) for name in CONFIGS[kind]]
    must(make("-s", "-C", tree.source, "O=" + out, "tinyconfig"), "tinyconfig fails")
    subprocess.run([os.path.join(tree.source, "scripts/kconfig/merge_config.sh"),
                    "-m", "-O", out, os.path.join(out, ".config"), *wanted],
                   check=True, stdout=subprocess.DEVNULL)
    must(make("-s", "-C", tree.source, "O=" + out, "olddefconfig"), "olddefconfig fails")
    kbuild.check_settings(os.path.join(out, ".config"), wanted)


def compile_kernel(tree, kind):
    log = os.path.join(tree.top, kind + ".log")
    if not kbuild.compile_kernel(
            ["ARCH=um", "-C", tree.source, "O=" + tree.kdir(kind)], log, PROGRESS_SECONDS,
            lambda built, seconds: say(f"{kind}: {built} of about {EXPECTED_OBJECTS} objects, "
                                       f"{seconds:.0f} s")):
        raise LabError(f"user-mode Linux ({kind}) does not build, see {log}")


def prune(tree):
    """Drop what neither booting nor building modules needs: about 3 GB."""
    for name in os.listdir(tree.source):
        path = os.path.join(tree.source, name)
        if name not in KEEP:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    # This project's scheduler is written without looking at the others.
    for path in glob.glob(os.path.join(tree.source, "block/*")):
        if not path.endswith(".h") or os.path.basename(path).startswith("bfq-"):
            os.unlink(path) if os.path.isfile(path) else shutil.rmtree(path)
    for kind in CONFIGS:
        kbuild.drop_objects(tree.kdir(kind), ("scripts",))


def build():
    """Return the tree, built if it is not in the cache."""
    tree = find()
    if tree:
        return tree
    version, tarball = kbuild.fetch_source()
    tree = Tree(os.path.join(cache_dir(), "kernels", f"uml-{version}-{config_key()}"))
    os.makedirs(tree.top, exist_ok=True)
    with open(os.path.join(tree.top, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = os.path.join(tree.top, "built")
        if os.path.exists(done):
            return tree
        say(f"building user-mode Linux {version} twice: ten minutes on two cores, once")
        kbuild.unpack(tarball, tree.source, say)
        apply_patch(tree)
        for kind in CONFIGS:
            configure(tree, kind)
            compile_kernel(tree, kind)
        prune(tree)
        with open(done, "w", encoding="ascii") as f:
            f.write(version + "\n")
    return tree


def build_scheduler(tree, kind, name, work):
    """Build this project's module for a kernel; return the path."""
    release = tree.release(kind)
    must(make("-C", REPO, "KDIR=" + tree.kdir(kind), "KSRC=" + tree.source,
              "NAME=" + name, "BUILD=" + work), f"{name}.ko does not build for {release}")
    return os.path.join(work, release, name + ".ko")


def build_submit(tree, kind, work):
    """Build the module that makes the load; return the path."""
    room = os.path.join(work, tree.release(kind), "submit")
    os.makedirs(room, exist_ok=True)
    for name in ("submit.c", "Kbuild"):
        link = os.path.join(room, name)
        if not os.path.lexists(link):
            os.symlink(os.path.join(HERE, name), link)
    must(make("-C", tree.kdir(kind), "M=" + room, "modules"), "submit.ko does not build")
    return os.path.join(room, "submit.ko")


class Machine:
    """One boot: a root directory of its own on the host, and nothing else of it."""

    MEMORY = "512M"
    BOOT_SECONDS = 60       # and to go down again
    DIRS = ("bin", "dev", "lab/out", "proc", "sys", "tmp")

    def __init__(self, tree, kind, root, cpus, nice=0, lazy=True):
        self.tree, self.kind, self.root, self.cpus = tree, kind, root, cpus
        self.nice, self.lazy = nice, lazy and tree.lazy
        self.out = os.path.join(root, "lab/out")
        for name in self.DIRS:
            os.makedirs(os.path.join(root, name))
        self.add_busybox()

    def add_busybox(self):
        busybox = shutil.which("busybox")
        if not busybox:
            raise LabError("busybox is not installed: run tools/setup --for bench")
        bin_dir = os.path.join(self.root, "bin")
        shutil.copy(busybox, os.path.join(bin_dir, "busybox"))
        names = subprocess.run([busybox, "--list"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split()
        for name in names:
            if name != "busybox":
                os.symlink("busybox", os.path.join(bin_dir, name))

    def add(self, path, name=None):
        """Have a file of the host under /lab."""
        shutil.copy(path, os.path.join(self.root, "lab", name or os.path.basename(path)))

    def write(self, name, text):
        with open(os.path.join(self.root, "lab", name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        try:
            with open(os.path.join(self.out, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def command(self):
        return ["nice", "-n", str(self.nice),
                self.tree.image(self.kind), "mem=" + self.MEMORY, f"ncpus={self.cpus}",
                "seccomp=on",           # SMP wants it
                *(["lazy_ipi"] if self.lazy else []),
                "uml_dir=" + self.root + "/", "umid=machine",
                "rootfstype=hostfs", "rootflags=" + self.root, "rw", "init=/lab/guest",
                "con=null", "con0=null,fd:1"]

    def run(self, seconds, tick, started=None):
        """Boot and wait for the end, calling tick() now and then; return the kernel's log."""
        log = os.path.join(self.root, "console")
        with open(log, "wb") as out:
            with subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=out, start_new_session=True) as proc:
                try:
                    self.raise_session(proc.pid)
                    if started:
                        started(proc.pid)
                    self.wait(proc, time.monotonic() + seconds + self.BOOT_SECONDS, tick)
                finally:
                    try:
                        os.killpg(proc.pid, signal.SIGKILL)     # and what it may have left
                    except ProcessLookupError:
                        pass
        with open(log, encoding="utf-8", errors="replace") as f:
            return f.read().replace("\r", "")

    def raise_session(self, pid):
        """Where the host shares its time by session first, priority within ours is not enough."""
        path = f"/proc/{pid}/autogroup"
        if self.nice and os.geteuid() == 0 and os.path.exists(path):
            with open(path, "w", encoding="ascii") as f:
                f.write(str(self.nice))

    @staticmethod
    def pin(pid):
        """
        Keep the machine's CPUs, which are threads, on processors of their own.

        Two of them on one processor hand a contended spinlock over once in a time slice:
        a hundred I/Os per second.
        """
        processors = sorted(os.sched_getaffinity(0))
        try:
            threads = sorted(map(int, os.listdir(f"/proc/{pid}/task")))
            for nr, thread in enumerate(threads):
                os.sched_setaffinity(thread, {processors[nr % len(processors)]})
        except (FileNotFoundError, ProcessLookupError):
            pass                # it has just ended

    def wait(self, proc, deadline, tick):
        while proc.poll() is None:
            time.sleep(0.2)
            self.pin(proc.pid)
            tick()
            if time.monotonic() > deadline:
                raise LabError("the user-mode machine hangs; its console ends with: "
                               + self.last_words())

    def last_words(self):
        with open(os.path.join(self.root, "console"), encoding="utf-8", errors="replace") as f:
            return " / ".join(line.strip() for line in f.readlines()[-8:])
