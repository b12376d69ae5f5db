# SPDX-License-Identifier: GPL-2.0
"""The command that boots a machine in virtual time and runs guest.sh in it."""

import os
import shlex

import bench

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))


def command(boot, script, kernel, out, files=(), options=()):
    """For a Boot: what guest.sh sources, where results go, files besides those of the boot.

    options: more for tests/vm/run.
    """
    own = ["--name", bench.OURS] if boot.scheduler == bench.OURS else \
        ["--name", bench.OURS, "--no-module"]
    argv = [*shlex.split(os.environ.get("BENCH_PREFIX", "")), os.path.join(REPO, "tests/vm/run"),
            "--icount", "--lean", "--kernel", kernel, *own, "--seed", str(boot.seed),
            "--mem", boot.mem, "--timeout", str(boot.timeout), "--out", out, *options]
    for path in (script, *boot.files, *files):
        argv += ["--file", path]
    for module in ("null_blk", "configfs", *bench.NEEDS.get(boot.scheduler, ()), *boot.modules):
        argv += ["--module", module]
    for program in ("addpart", *boot.programs):
        argv += ["--with", program]
    if boot.append:
        argv += ["--append", boot.append]
    if boot.plugin:
        argv += ["--plugin", boot.plugin.replace("{out}", out)]
    return [*argv, os.path.join(HERE, "guest.sh"), os.path.basename(script), boot.scheduler,
            *(f"{k}={v}" for k, v in boot.args.items())]
