#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Count what the engine costs, in instructions under valgrind's callgrind.

usage: cost.py BINARY [--json FILE]

Per decision (select, charge, requeue; and with a leaf going to sleep and one
waking) for 10 .. 100,000 backlogged leaves of one group, random weights and
budgets. The test: from 10 leaves to N the cost grows by at most 1.5 times

    (cost(100) - cost(10)) * log10(N / 10)

that is no faster than log N, at the rate of the first step and half as much
again for chance. (Growth by the square root of N would be 2.2 times that at
1,000 leaves and 7.2 times at 100,000.) Then, per request, what a lone process
that reads one request at a time pays: activate, select, charge, deactivate.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap

SIZES = (10, 100, 1000, 10000, 100000)
TURNS = 20000
ALLOWANCE = 1.5
# What a lone leaf may cost per request, by its depth: so that it shows when the
# engine gets dearer (it was 279 and 615 when this was written). The
# whole scheduler is to add less than 1,700 instructions to an I/O.
LONE_LIMIT = {1: 320, 3: 700}


def count(binary, *what):
    """Instructions per turn."""
    print('# measuring', *what, file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
             '--toggle-collect=measure*', binary, *map(str, what), str(TURNS)],
            capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit('cost.py: valgrind is missing: apt-get install valgrind')
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode or not found:
        sys.exit(f'cost.py: {binary} failed under valgrind:\n{done.stderr}')
    return int(found.group(1)) / TURNS


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('--json', help='also write the figures to this file')
    args = parser.parse_args()
    rows = []

    for what in ('decide', 'sleep'):
        costs = [count(args.binary, what, n) for n in SIZES]
        step = costs[1] - costs[0]
        good = step > 0
        print(f'# instructions per decision, {what}:')
        for n, cost in zip(SIZES, costs):
            allowed = costs[0] + ALLOWANCE * step * math.log10(n / SIZES[0])
            good = good and (n == SIZES[0] or cost <= allowed)
            print(f'#   {n:7} leaves {cost:8.0f}   allowed {allowed:8.0f}')
            rows.append({'case': f'{what}/{n}', 'insn': round(cost, 1)})
        tap.result(good, f'engine cost {what}: '
                         'grows no faster than log N from 10 to 100,000 leaves')
    for depth, limit in LONE_LIMIT.items():
        cost = count(args.binary, 'lone', depth)
        rows.append({'case': f'lone/{depth}', 'insn': round(cost, 1)})
        tap.result(cost <= limit, f'engine cost lone: a request at depth {depth} '
                                  f'takes {cost:.0f} instructions, allowed {limit}')
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as out:
            json.dump({'name': 'engine-cost', 'rows': rows}, out, indent=1)
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
