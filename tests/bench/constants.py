# SPDX-License-Identifier: GPL-2.0
"""The numbers of the module: found in its sources, halved and doubled.

Found are, in bfq-*.c and bfq-*.h,

  #define NAME VALUE      also with arguments, as  #define STEP(ns) ((ns) / 8)
  NAME = VALUE,           of an enumeration
  .field = VALUE,         of each struct bfq_kind, named after it: moving.limit, solid.limit

where the value is a number or an expression of numbers, casts, other constants and arguments.
Others are no numbers: a boolean is an idea, which is switched off in ablation.py.

  a decimal number        becomes its half, rounded down, and its double; 1 has no half, 0 neither
  ..._SHIFT, ..._BITS     stands for a power of two: one less, and one more
  anything else           is put in brackets, with / 2 behind or 2 * before it

What is derived from a constant changes with it (BFQ_CREDIT_ASYNC is a quarter of BFQ_CREDIT).
Numbers that have no name are not found.
"""

import glob
import os
import re
from typing import NamedTuple

DEFINE = re.compile(r"^#\s*define[ \t]+(\w+)(?:\(([\w, ]*)\))?[ \t]+"
                    r"((?:[^\n]*\\\n)*[^\n]*?)[ \t]*(?:/\*[^\n]*)?$", re.MULTILINE)
ENUM = re.compile(r"^enum\b[^;{]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
ENUMERATOR = re.compile(r"^\t(\w+)\s*=\s*([^,\n]+),", re.MULTILINE)
KIND = re.compile(r"^static const struct bfq_kind (?:bfq_)?(\w+) = \{(.*?)^\}",
                  re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\t\.(\w+) = ([^,\n]+),", re.MULTILINE)
TOKEN = re.compile(r"\s*(?:(\d\w*)|([A-Za-z_]\w*)|<<|>>|[-+*/%&|()]|\\\n)\s*")
TYPES = {"u8", "u16", "u32", "u64", "s32", "s64", "int", "unsigned", "long"}
HALF, DOUBLE = "half", "double"
WAYS = (HALF, DOUBLE)


class Constant(NamedTuple):
    """The text before a value is long enough to be found once in the file."""
    name: str
    file: str
    value: str
    before: str

    def scaled(self, way):
        return scaled(self.name, self.value, way)

    def edit(self, way):
        """(file, text, replacement)."""
        return self.file, self.before + self.value, self.before + self.scaled(way)


def is_number(value, arguments=()):
    """Is it an expression of numbers?"""
    at = words = 0
    while at < len(value):
        token = TOKEN.match(value, at)
        if not token:
            return False
        number, name = token.groups()
        if name and name not in TYPES and name not in arguments and not name.isupper():
            return False
        words += bool(number or (name and name.isupper()))
        at = token.end()
    return words > 0


def bracketed(value):
    """The value in brackets; one pair is enough."""
    depth = 0
    for at, sign in enumerate(value):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return value if at == len(value) - 1 and at else f"({value})"
    return f"({value})"


def scaled(name, value, way):
    """The value, halved or doubled; None if it has no half."""
    plain = re.fullmatch(r"(\d+)([uUlL]*)", value)
    if plain and re.search(r"_(SHIFT|BITS)$", name):
        return f"{int(plain[1]) + (1 if way == DOUBLE else -1)}{plain[2]}"
    if not plain:
        return f"(2 * {bracketed(value)})" if way == DOUBLE else f"({bracketed(value)} / 2)"
    number = int(plain[1])
    if number < (1 if way == DOUBLE else 2):
        return None
    return f"{number * 2 if way == DOUBLE else number // 2}{plain[2]}"


def in_text(file, text):
    """The constants of a file, in its order."""
    found = []
    for match in DEFINE.finditer(text):
        name, arguments, value = match.groups()
        if is_number(value, re.findall(r"\w+", arguments or "")):
            found.append((match.start(3), name, value, match.start()))
    for pattern, inside, prefix in ((ENUM, ENUMERATOR, ""), (KIND, FIELD, "{}.")):
        for block in pattern.finditer(text):
            body = block.lastindex
            for match in inside.finditer(text, block.start(body), block.end(body)):
                if is_number(match[2]):
                    found.append((match.start(2), prefix.format(block[1]) + match[1], match[2],
                                  block.start()))
    return [Constant(name, file, value, text[begin:at]) for at, name, value, begin in sorted(found)]


def in_tree(top):
    found = []
    for path in sorted(glob.glob(os.path.join(top, "bfq-*.[ch]"))):
        with open(path, encoding="utf-8") as f:
            found += in_text(os.path.basename(path), f.read())
    return found


def varied(found, excluded):
    """Those that are not excluded; a name that is excluded has to be there, and each only once."""
    names = [c.name for c in found]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)}: defined twice, so nobody can say which is meant")
    gone = sorted(set(excluded) - set(names))
    if gone:
        raise ValueError(f"{', '.join(gone)}: excluded, but there is no such constant: "
                         "take it out of NO_HEURISTIC in tests/bench/ablation.py")
    return [c for c in found if c.name not in excluded]
