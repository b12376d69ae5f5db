# SPDX-License-Identifier: GPL-2.0
"""What the figures of an experiment depend on, as digests, for a published table to remember.

  experiment  the definitions that its boots(), rows() and finish() reach, here and in modules that
              experiments share; its guest script and data
  lab         what experiments have in common: guest.sh, the programs that make load and measure,
              the machine, the modelled disks
  module      the sources of the scheduler

Digests are of code: comments, docstrings and layout may change, and so may how a figure is shown
(columns, plots), since pages are made of the JSON at any time.
"""

import ast
import glob
import hashlib
import os
import re
import subprocess

import plot
from bench import BenchError

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
BENCH = "tests/bench/"
# What an experiment's figures come of, of all that it may declare (bench.py).
ROOTS = ("SCRIPT", "SCHEDULERS", "PROGRAM", "boots", "rows", "finish")
# Modules beside experiments that have no figures of any of them in them.
MACHINERY = ("bench", "crashes", "plot", "results", "tools")
LAB = (BENCH + "guest.sh", "tests/vm/init", "tests/vm/nap/nap.c", "tests/vm/patient.c", "tests/vm/thinfio.py")
# Of the lab's Python, what makes a machine.
LAB_ROOTS = {"tests/vm/machine.py": ("icount_argv", "COMMON"), "tests/vm/initramfs.py": ("build",)}
DISKS = "tests/diskmodel/disk*.[ch]"
# Of an experiment that is a program of its own, and what it measures in.
PROGRAM_ROOTS = ("Measurement", "all_cases", "LOCK_CASES")
NATIVE = ("uml.py", "submit.c", "Kbuild", "guest", "kernel", "lazy-ipi.patch", "uml.config",
          "lockstat.config")
MODULE = ("bfq-*.c", "*.h", "compat/*.c", "compat/*.h", "Kbuild")
DIGITS = 12             # of a digest: they tell versions of one file apart


class Tree:
    """The files of this checkout."""

    def text(self, path):
        try:
            with open(os.path.join(REPO, path), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            raise BenchError(f"there is no {path}") from None

    def has(self, path):
        return os.path.isfile(os.path.join(REPO, path))

    def glob(self, pattern):
        found = glob.glob(os.path.join(REPO, pattern))
        return sorted(os.path.relpath(p, REPO) for p in found if os.path.isfile(p))


def without_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and \
                ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def names_of(statement):
    """What a statement of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return {n.id for t in targets if t for n in ast.walk(t) if isinstance(n, ast.Name)}


def taken_by(statement):
    """(names, attributes) that a statement takes from around it: a function's own names are not."""
    nodes = list(ast.walk(statement))
    own = set()
    if isinstance(statement, ast.FunctionDef):
        own = {n.arg for n in nodes if isinstance(n, ast.arg)}
        own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return ({n.id for n in nodes if isinstance(n, ast.Name)} - own,
            {(n.value.id, n.attr) for n in nodes if isinstance(n, ast.Attribute)
             and isinstance(n.value, ast.Name) and n.value.id not in own})


def reached(text, roots):
    """Statements that the roots reach, as text, and what they take of modules: (module, name)."""
    body = without_docstrings(ast.parse(text)).body
    modules = {a.asname or a.name: a.name for s in body if isinstance(s, ast.Import)
               for a in s.names}
    body = [s for s in body if not isinstance(s, (ast.Import, ast.ImportFrom))]
    todo, seen, taken, of_others = set(roots), set(), set(), set()
    while todo:
        name = todo.pop()
        seen.add(name)
        for statement in (s for s in body if name in names_of(s) and s not in taken):
            taken.add(statement)
            names, attributes = taken_by(statement)
            todo |= names - seen
            of_others |= {(modules[m], n) for m, n in attributes if m in modules}
    return "\n".join(ast.dump(s) for s in body if s in taken), of_others


def code(path, text):
    """A file's text without what no machine reads."""
    if path.endswith(".py") or re.match(r"#!.*python", text):
        return ast.dump(without_docstrings(ast.parse(text)))
    if path.endswith((".c", ".h")):
        return " ".join(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).split())
    if path.endswith((".sh", "Kbuild")) or re.match(r"#!.*\bsh\b", text):
        lines = (line.strip() for line in text.splitlines())
        return "\n".join(line for line in lines if line and not line.startswith("#"))
    return text


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def of_file(tree, path):
    return digest(code(path, tree.text(path)))


def programs(text):
    """Sources of the programs that an experiment brings along (tools.py)."""
    names = set(re.findall(r'tools\.program\("(\w+)"\)', text))
    names |= {"load"} if "tools.load(" in text else set()
    found = {BENCH + n + ".c" for n in names} | ({BENCH + "common.h"} if names else set())
    return found | ({BENCH + "insn.c"} if "tools.plugin(" in text else set())


def data(tree, text):
    """Files of data/ and guest scripts whose names an experiment says."""
    words = set(re.findall(r'"([\w.-]+)"', text))
    found = {p for w in words for p in (BENCH + "data/" + w, BENCH + "data/" + w + ".reads")}
    found |= {f"{BENCH}experiments/{w}" for w in words if w.endswith(".sh")}
    return {p for p in found if tree.has(p)}


def experiment(name, tree):
    """Digests of an experiment's own files, and all their text."""
    main = f"{BENCH}experiments/{name}.py"
    module = plot.load(name)
    roots, found = {main: set(ROOTS)}, {}
    while True:
        before = {path: set(names) for path, names in roots.items()}
        for path in sorted(before):
            statements, of_others = reached(tree.text(path), before[path])
            found[path] = digest(statements)
            for other, name_there in of_others:
                beside = f"{BENCH}{other}.py"
                if other not in MACHINERY and tree.has(beside):
                    roots.setdefault(beside, set()).add(name_there)
        if roots == before:
            break
    said = "".join(map(tree.text, sorted(roots)))
    files = data(tree, said)
    if hasattr(module, "PROGRAM"):
        found[module.PROGRAM] = digest(reached(tree.text(module.PROGRAM), PROGRAM_ROOTS)[0])
        files |= {BENCH + "uml/" + name for name in NATIVE}
    else:
        files.add(f"{BENCH}experiments/{getattr(module, 'SCRIPT', name + '.sh')}")
    return found | {path: of_file(tree, path) for path in sorted(files)}, said


def lab(tree, said):
    found = {path: of_file(tree, path) for path in (*LAB, *sorted(programs(said)))}
    for path, roots in LAB_ROOTS.items():
        found[path] = digest(reached(tree.text(path), roots)[0])
    if re.search(r'disk"?[=:] ?True', said):
        found |= {path: of_file(tree, path) for path in tree.glob(DISKS)}
    return found


def module(tree):
    paths = {p for pattern in MODULE for p in tree.glob(pattern)}
    return digest("".join(f"{p} {of_file(tree, p)}\n" for p in sorted(paths)))


def now(name, tree=None):
    """Digests for a result: they are what its figures come of."""
    tree = tree or Tree()
    own, said = experiment(name, tree)
    native = hasattr(plot.load(name), "PROGRAM")
    return {"experiment": own, "lab": {} if native else lab(tree, said), "module": module(tree)}


def changed(then, current):
    """Names of files whose digests are no longer the same."""
    return sorted(p for p in {*then, *current} if then.get(p) != current.get(p))


def module_commit():
    """The last commit that touched a source of the module."""
    done = subprocess.run(["git", "-C", REPO, "log", "-1", "--format=%h", "--abbrev=7", "--",
                           *(f":(glob){p}" for p in MODULE)],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() or "unknown"


