#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Fuzz the engine for a while, and report like a test.

usage: fuzz.py BINARY SEEDS.txt WORKDIR [--seconds N] [--broken BINARY]

With --broken, first shows that a broken engine is found out. A failing input is kept in WORKDIR, with how to run it.
"""
import argparse
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap


def write_corpus(seeds, folder):
    os.makedirs(folder, exist_ok=True)
    number = 0
    with open(seeds, encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                number += 1
                with open(os.path.join(folder, f'seed{number}'), 'wb') as out:
                    out.write(bytes.fromhex(line))
    if not number:
        sys.exit(f'fuzz.py: {seeds} holds no seeds')


def fuzz(binary, workdir, seconds, name):
    print(f'# fuzzing {binary} for up to {seconds} s', file=sys.stderr, flush=True)
    return subprocess.run(
        [binary, os.path.join(workdir, 'corpus'), f'-max_total_time={seconds}',
         '-max_len=601', f'-artifact_prefix={os.path.join(workdir, name)}-',
         '-print_final_stats=1', '-timeout=10', '-reload=0', '-seed=1'],
        stderr=subprocess.PIPE, text=True, errors='replace', check=False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('seeds')
    parser.add_argument('workdir')
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--broken', help='build of an engine known to be broken')
    args = parser.parse_args()
    corpus = os.path.join(args.workdir, 'corpus')
    write_corpus(args.seeds, corpus)
    if args.broken:
        done = fuzz(args.broken, args.workdir, 30, 'broken')
        found = re.search(r'^# .*: (call .*)$', done.stderr, re.MULTILINE)
        good = done.returncode != 0 and found is not None
        tap.result(good, 'engine fuzz: a broken engine is found out: '
                         f'{found.group(1) if found else "not seen"}')

    done = fuzz(args.binary, args.workdir, args.seconds, 'failing')
    runs = re.search(r'number_of_executed_units: (\d+)', done.stderr)
    edges = re.findall(r'cov: (\d+)', done.stderr)
    good = done.returncode == 0 and runs is not None and int(runs.group(1)) > 1000
    if not good:
        print(done.stderr[-6000:], file=sys.stderr)
        print(f'# run a failing input again: {args.binary} '
              f'{os.path.join(args.workdir, "failing")}-...', file=sys.stderr)
    tap.result(good, f'engine fuzz: {runs.group(1) if runs else "no"} inputs of up to 200 '
                     f'calls each, {edges[-1] if edges else "no"} branches covered, '
                     'structure in order')
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
