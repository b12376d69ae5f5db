# SPDX-License-Identifier: GPL-2.0
"""Several variants of the module in one guest: to boot one takes longer than most tests.

Only for tests in virtual time, which leave nothing behind that the next could feel: each
makes its own devices, and time goes by what the guest does.
"""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time

import copies

sys.path[:0] = [os.path.join(copies.REPO, "tests", name) for name in ("vm", "selftests")]
import kernels                                              # noqa: E402
import klog                                                 # noqa: E402

SIZE = 8                # variants in a guest: when one breaks it, the others begin again
# Of its own time, that a guest is allowed, and more for each test. Who hangs is ended by the guest itself, which
# counts virtual seconds (tests/mutants/guest); a slow machine needs four of its own and more for one of these.
BOOT_S, TEST_S = 200, 1000


def selftests(top):
    """tests/selftests/run of a copy, as a module."""
    path = os.path.join(top, "tests/selftests/run")
    loader = importlib.machinery.SourceFileLoader(f"selftests_{os.path.basename(top).replace('-', '_')}", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def script(name):
    """The text of a selftest, empty if it is something else."""
    path = os.path.join(copies.REPO, "tests/selftests", name + ".sh")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def in_virtual_time(test):
    """Does all of it run there, on one processor, and leave cgroup v2 its controllers?"""
    name, _, place = test.partition("@")
    text = script(name)
    if not text:
        return False
    where = re.search(r"^# where: (.*)$", text, re.M).group(1).split()
    if re.search(r"^# cpus: ", text, re.M) or "\ncg1_setup\n" in text:
        return False
    return place == "icount" or where == ["icount"]


def fits(job):
    """Programs, and tests for which a guest of another kind is needed, do not."""
    return job.kernel not in kernels.CONFIGS and all(in_virtual_time(t) for t in job.tests)


def build(copy, job, number, room):
    """The variant's module, as room/vNUMBER.ko; raises MutantError."""
    copy.become(copies.broken(job.mutant) if job.mutant else {})
    kernel = kernels.find(job.kernel)
    done = subprocess.run(["make", "--no-print-directory", f"KDIR={kernel.kdir}", "NAME=bfq"], cwd=copy.top,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    built = os.path.join(copy.top, "build", kernel.release, "bfq.ko")
    if done.returncode or not os.path.exists(built):
        raise copies.MutantError(f"it does not build: {done.stdout[-300:].strip()}")
    shutil.copy(built, os.path.join(room, f"v{number}.ko"))


def names(job):
    return [t.partition("@")[0] for t in job.tests]


def boot(copy, kernel, variants, room, stop):
    """Run {number: job} in one guest; its output and kernel log."""
    lab = selftests(copy.top)
    lab.build_helper()
    files = [lab.HELPER, *(os.path.join(room, f"v{n}.ko") for n in variants)]
    if any("\n# build: modelled disks\n" in script(name) for job in variants.values() for name in names(job)):
        files.append(lab.build_disks(kernel))
    out = os.path.join(room, "out")
    limit = BOOT_S + TEST_S * sum(len(job.tests) for job in variants.values())
    argv = ["tests/vm/run", "--kernel", kernel, "--icount", "--no-module", "--out", out, "--timeout", str(limit)]
    for program in lab.PROGRAMS:
        argv += ["--with", program]
    for path in files:
        argv += ["--file", path]
    argv += ["tests/mutants/guest", *(f"v{n}:{','.join(names(job))}" for n, job in variants.items())]
    text = copies.follow(argv, copy.top, copies.COMMAND_S, stop)
    log = ""
    if os.path.exists(os.path.join(out, "dmesg.txt")):
        with open(os.path.join(out, "dmesg.txt"), encoding="utf-8", errors="replace") as f:
            log = f.read()
    return text, log


def read(text, log):
    """{variant: [(test, what failed)]} of those that were begun, and which came to their end."""
    failed, done = {}, set()
    variant = test = None
    ended = True
    for line in text.splitlines():
        head = re.match(r"# Subtest: v(\d+) (\S+)", line)
        if head:
            variant, test, ended = int(head.group(1)), head.group(2), False
            failed.setdefault(variant, [])
            before = len(failed[variant])
        elif line.startswith("not ok ") and variant is not None:
            failed[variant].append((test, copies.plain(re.sub(r"^not ok \d+ ", "", line))))
        elif line.startswith("# Status: "):
            ended = True
            if line != "# Status: 0" and len(failed[variant]) == before:
                failed[variant].append((test, "failed without a failed result"))
        elif line.startswith("# Stuck: v"):
            number = int(re.match(r"# Stuck: v(\d+)", line).group(1))
            failed.setdefault(number, []).append((test, "the guest ended in the middle of it"))
        elif line.startswith("# Done: v"):
            done.add(int(line[9:]))
    if variant is not None and not ended:
        failed[variant].append((test, "the guest ended in the middle of it"))
    for number, what, line in reports(log):
        if number in failed:
            failed[number].append((what, copies.plain(f"kernel log: {line}")))
    return failed, done


def reports(log):
    """(variant, test, line) of what a kernel log complains of."""
    bad = set(klog.problems(log))
    variant = test = None
    for line in log.splitlines():
        mark = re.search(r"mutant: v(\d+) (\S+) (begins|ends)", line)
        if mark:
            variant, test = int(mark.group(1)), mark.group(2)
        elif line.strip() in bad and variant is not None:
            yield variant, test, line.strip()


def do(copy, jobs, stop, told):
    """Try them all, in as many guests as it takes; told(job, result) for each."""
    begin = time.monotonic()
    room = os.path.join(copies.BUILD, f"{os.path.basename(copy.top)}-batch")
    shutil.rmtree(room, ignore_errors=True)
    os.makedirs(room)
    left = {}
    for number, job in enumerate(jobs):
        try:
            build(copy, job, number, room)
            left[number] = job
        except copies.MutantError as e:
            told(job, {"error": str(e)})
    copy.become({})
    while left and not stop.is_set():
        text, log = boot(copy, jobs[0].kernel, left, room, stop)
        if stop.is_set():
            return
        copies.write_log(f"batch-{os.path.basename(copy.top)}-{min(left)}", text)
        failed, done = read(text, log)
        if not failed:
            for job in left.values():
                told(job, {"error": f"the guest tested nothing: {text[-300:].strip()}"})
            return
        for number in sorted(set(failed) | done):
            if number in left:
                begun = set(re.findall(rf"^# Subtest: v{number} (\S+)", text, re.M))
                failed.setdefault(number, []).extend(
                    (test, "the guest did not start it") for test in names(left[number]) if test not in begun)
                told(left.pop(number), {"failed": failed.get(number, []),
                                        "seconds": round((time.monotonic() - begin) / len(jobs))})
