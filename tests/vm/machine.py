# SPDX-License-Identifier: GPL-2.0
"""The virtual machines of the lab, and how a running one is watched.

Two kinds. The ordinary guest has the host's file system as its root, read-only,
the way virtme-ng arranges it: virtme-run works out the machine, the initramfs
and the modules, and says so with --show-command; console, script and init are
then ours (tests/vm/init). The virtual-time guest is a microvm with a bare
initramfs, where one instruction is one nanosecond and nothing outside can show.
"""

import ctypes
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time

import initramfs
from kernels import HERE, LabError, cache_dir, debian

# Both kinds: a report above "notice" reaches the console, everything the log
# buffer; an oops is the end, at once; a break on the console is a sysrq key and
# an NMI a panic, for stack dumps of hung guests. Making 256 old-style terminals
# takes the debug kernel seven seconds.
COMMON = ("console=ttyS0 loglevel=5 log_buf_len=8M panic=-1 oops=panic "
          "sysrq_always_enabled unknown_nmi_panic mitigations=off pty.legacy_count=0")

# Where time is real, an emulated processor that the host does not run for a while is not locked
# up: the guest's watchdog speaks after two minutes, not after 20 s.
BUSY_HOST = "watchdog_thresh=60"

# No timing of firmware, of the host's clock or of real randomness: with these two
# runs are equal to the last digit. The day is always the same one. (Without any
# RTC the kernel searches it for two seconds, half a minute of real time.) And no tests
# of the kernel's cryptography, which go on beside the script for its first second.
# Memory is copied by eight bytes an instruction: a CPU that says it is quick at
# copying single bytes is given these to copy, and each takes a nanosecond here.
ICOUNT_MACHINE = ("-M microvm,rtc=on,x-option-roms=off,auto-kernel-cmdline=off "
                  "-rtc base=2020-01-01T00:00:00,clock=vm "
                  "-accel tcg,thread=single -icount shift=0,sleep=off "
                  "-cpu max,-rdrand,-rdseed,-erms,-fsrm -nodefaults -no-user-config -display none "
                  "-no-reboot")
ICOUNT_CMDLINE = ("tsc=reliable nokaslr norandmaps random.trust_cpu=off "
                  "random.trust_bootloader=off idle=halt reboot=t cryptomgr.notests")

# Five-level page tables: while the kernel looks at its CPU it forgets for a moment
# that it has them, and an interrupt in that moment makes KASAN report an access.
CPU_LESS = ",-la57"

# Options of virtme-run's command line that are kept, with their argument.
VIRTME_KEEP = {"-m", "-fsdev", "-device", "-machine", "-cpu", "-smp", "-object",
               "-numa", "-kernel", "-initrd", "-accel"}


def program(name):
    """A program of the lab's own virtualenv, or of the system."""
    own = os.path.join(cache_dir(), "venv", "bin", name)
    path = own if os.access(own, os.X_OK) else shutil.which(name)
    if not path:
        raise LabError(f"{name} is not installed: run tools/setup --for check")
    return path


def socket_chardev(name, rundir):
    """A port whose output goes to a file, and which we may talk to."""
    options = (f"socket,id={name},path={rundir}/{name}.sock,server=on,wait=off,"
               f"logfile={rundir}/{name}.log,logappend=off")
    return ["-chardev", options]


def ports(rundir):
    """console, script output and result, in the order ttyS0, 1, 2; and QMP."""
    args = []
    for name in ("console", "result"):
        args += socket_chardev(name, rundir)
    args += ["-chardev", f"file,id=script,path={rundir}/script.log",
             "-qmp", f"unix:{rundir}/qmp.sock,server=on,wait=off"]
    return args


def virtme_argv(kernel, rundir, cpus, mem, seed, extra):
    """QEMU's command line for a guest that has the host's files."""
    argv = [program("virtme-run"), "--disable-kvm", "--disable-microvm", "--force-9p",
            "--dry-run", "--show-command", "--memory", mem, "--cpus", str(cpus),
            "--rwdir", f"/run/lab={rundir}/share",
            "--save-initramfs", f"{rundir}/initramfs", "--kimg", kernel.image,
            "--script-sh", "true"]
    # Our own kernel has everything a guest needs to boot built in.
    argv += ["--mods", "none"] if kernel.foreign else ["--mods", "auto"]
    if kernel.foreign:
        argv += ["--force-initramfs"]
    out = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, check=False)
    line = next((li for li in out.stdout.splitlines() if "qemu-system" in li), None)
    if line is None:
        last = (out.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise LabError(f"virtme-run gives no command line ({last}): run tools/setup --for check")
    initramfs.cache_root(f"{rundir}/initramfs")
    words = shlex.split(line)
    kept = [words[0], "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    for flag, value in zip(words, words[1:] + [""]):
        if flag in VIRTME_KEEP and "serial" not in value and "i6300esb" not in value:
            kept += [flag, value + CPU_LESS if flag == "-cpu" else value]
    kept += ["-seed", str(seed), *ports(rundir)]
    for name in ("console", "script", "result"):
        kept += ["-serial", f"chardev:{name}"]
    cmdline = f"{COMMON} {BUSY_HOST} {extra} virtme_root_mods=1 init={HERE}/init"
    return kept + ["-append", cmdline]


def firmware():
    """The small one, which this machine has by itself on Debian 12; QEMU's own choice on Debian 13
    never starts a kernel without option ROMs. Not said where it goes without saying: kept boots
    are named by the command line."""
    return [] if debian() == "12" else ["-bios", "qboot.rom"]


def icount_argv(kernel, rundir, cpus, mem, seed, extra):
    """QEMU's command line for a guest in virtual time."""
    argv = [program("qemu-system-x86_64"), *ICOUNT_MACHINE.split(), *firmware(), "-m", mem,
            "-smp", str(cpus), "-seed", str(seed), *ports(rundir),
            "-serial", "chardev:console",
            "-device", "isa-serial,index=1,iobase=0x2f8,irq=3,chardev=script",
            "-device", "isa-serial,index=2,iobase=0x3e8,irq=5,chardev=result",
            "-kernel", kernel.image, "-initrd", f"{rundir}/initramfs",
            "-append", f"{COMMON} {ICOUNT_CMDLINE} {extra}"]
    return argv


def pack_icount(kernel, rundir, files, programs, modules, lean=False):
    archive = initramfs.build(files, kernel, programs, modules, lean)
    with open(f"{rundir}/initramfs", "wb") as f:
        archive.write(f)


class Qmp:
    """QEMU's control socket: as much of it as is needed to question a guest."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(path)
        self.file = self.sock.makefile("rw", encoding="utf-8")
        self.file.readline()
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        self.file.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "event" not in answer:
                return answer.get("return")

    def registers(self):
        return self.command("human-monitor-command", **{"command-line": "info registers -a"})


def die_with_parent():
    """However the runner ends, its guest must not go on."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Guest:
    """A QEMU process and the files that its ports write."""

    def __init__(self, argv, rundir):
        self.rundir = rundir
        with open(f"{rundir}/qemu.log", "wb") as errors:
            self.proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=errors,
                                         stderr=errors, start_new_session=True,
                                         preexec_fn=die_with_parent)  # noqa: PLW1509 no threads

    def log(self, name):
        try:
            with open(f"{self.rundir}/{name}.log", "rb") as f:
                return f.read()
        except FileNotFoundError:
            return b""

    def size(self, name):
        try:
            return os.path.getsize(f"{self.rundir}/{name}.log")
        except FileNotFoundError:
            return 0

    def kill(self):
        if self.proc.poll() is None:
            self.proc.kill()
        self.proc.wait()

    def settle(self, quiet, limit):
        """Wait until the console says nothing more."""
        start = last = time.monotonic()
        size = self.size("console")
        while time.monotonic() - start < limit and time.monotonic() - last < quiet:
            time.sleep(0.2)
            if self.size("console") != size:
                size, last = self.size("console"), time.monotonic()

    def type(self, port, text):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(f"{self.rundir}/{port}.sock")
            s.sendall(text.encode())
            time.sleep(0.5)

    def sysrq(self, qmp, key):
        qmp.command("chardev-send-break", id="console")
        self.type("console", key)

    def dump(self):
        """Make a hung guest say on its console where it is.

        First what the block layer holds, told by a waiting process of ours;
        then all CPUs, blocked tasks and all tasks by sysrq; and if it is too
        hung for that, a panic by NMI. Return the CPUs' registers.
        """
        qmp = Qmp(f"{self.rundir}/qmp.sock")
        registers = qmp.registers() or ""
        try:
            self.type("result", "dump\n")
            self.settle(3, 20)
        except OSError:
            pass
        before = self.size("console")
        for key in "8lwt":      # 8 lets all of it through to the console
            self.sysrq(qmp, key)
            self.settle(3, 60)
        if self.size("console") == before:
            qmp.command("inject-nmi")
            self.settle(3, 20)
        return registers
