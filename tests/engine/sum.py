#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run make for several targets in turn, and add up what their tests passed.

usage: sum.py MAKE ARG... -- TARGET...

Every target must end with a line "N passed, N failed"; one that does not, or
that fails without saying so, counts as a failure. The last line is the sum.
"""
import re
import subprocess
import sys


def run(make, target):
    """Passed and failed tests of one target, its output passed through."""
    counts = [0, 0]
    with subprocess.Popen([*make, target], stdout=subprocess.PIPE,
                          text=True) as child:
        for line in child.stdout:
            found = re.fullmatch(r'(\d+) passed, (\d+) failed\n', line)
            if found:
                counts = [a + int(b) for a, b in zip(counts, found.groups())]
            elif not line.startswith('1..'):
                print(line, end='', flush=True)
    if counts[1] == 0 and (child.returncode or counts[0] == 0):
        print(f'not ok - {target}: ended with {child.returncode} and without '
              f'a failed test')
        counts[1] = 1
    return counts


def main():
    if '--' not in sys.argv or sys.argv[1] in ('-h', '--help'):
        print(__doc__)
        return 0 if '--help' in sys.argv or '-h' in sys.argv else 2
    split = sys.argv.index('--')
    passed = failed = 0
    for target in sys.argv[split + 1:]:
        counts = run(sys.argv[1:split], target)
        passed += counts[0]
        failed += counts[1]
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
