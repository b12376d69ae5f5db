# SPDX-License-Identifier: GPL-2.0
"""How a result is written: NAME.json, NAME.md (the table), NAME.svg and NAME.png."""

import datetime
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys

import depends
from bench import BenchError

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
DEPTH = 3               # levels of a result that are written a field a line


def directory(asked, part):
    """Where results go; those of a part do not replace those of the whole."""
    return os.path.abspath(asked) if asked else \
        os.path.join(REPO, "build", "results", *(["part"] if part else []))


def commit():
    done = subprocess.run(["git", "-C", REPO, "describe", "--always", "--dirty", "--abbrev=12"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def origin(name):
    """What a result is of, to be looked up before it is measured."""
    return {"commit": commit(), "module_commit": depends.module_commit(),
            "depends": depends.now(name)}


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def run(name, *options, out):
    """Have tests/bench/run make a result in the directory out; None if it fails."""
    done = subprocess.run([os.path.join(HERE, "run"), name, *options, "--out", out],
                          stdout=subprocess.DEVNULL, check=False)
    path = os.path.join(out, name + ".json")
    if done.returncode or not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def load_vm_run():
    """tests/vm/run, whose name has no .py for an import to find."""
    spec = importlib.util.spec_from_loader("vm_run", importlib.machinery.SourceFileLoader(
        "vm_run", os.path.join(REPO, "tests", "vm", "run")))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dump(data, indent=""):
    """JSON with a row a line, so that a difference of two results can be read."""
    if isinstance(data, dict) and len(indent) < DEPTH:
        inner = (f"{indent} {json.dumps(k)}: {dump(v, indent + ' ')}" for k, v in data.items())
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    if isinstance(data, list):
        return "[\n" + ",\n".join(f"{indent} {json.dumps(v)}" for v in data) + f"\n{indent}]"
    return json.dumps(data)


def draw(path):
    """Plot with the first Python that has matplotlib; it need not be ours."""
    for python in (sys.executable, "/usr/bin/python3"):
        if python and subprocess.run([python, "-c", "import matplotlib"], check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0:
            done = subprocess.run([python, os.path.join(HERE, "plot.py"), path], check=False)
            if done.returncode:
                raise BenchError(f"{os.path.basename(path)} cannot be drawn")
            return
    print("bench: no plots: no Python has matplotlib: run tools/setup --for bench",
          file=sys.stderr)


def write(out, experiment, data, table, plots=True):
    """Write the result into the directory out, and show its table."""
    name = data["name"]
    os.makedirs(out, exist_ok=True)
    stem = os.path.join(out, name)
    for old in (stem + ".svg", stem + ".png"):      # not to be taken for this result's
        if os.path.exists(old):
            os.remove(old)
    with open(stem + ".json", "w", encoding="utf-8") as f:
        f.write(dump(data) + "\n")
    with open(stem + ".md", "w", encoding="utf-8") as f:
        f.write(table)
    if plots:
        draw(stem + ".json")
    print(f"\n{name}: {experiment.__doc__.strip().splitlines()[0]}\n\n{table}")
    print(f"written: {os.path.relpath(stem, os.getcwd())}.json", flush=True)
