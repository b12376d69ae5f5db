# SPDX-License-Identifier: GPL-2.0
"""A disk with two actuators: does each of them work while the other does?

Such a disk has two arms, each with half of the sectors, and says so to the block layer
(independent access ranges). Whoever reads the one half costs those who read the other nothing. A
scheduler which keeps the disk for one process at a time leaves one of the arms at rest.

A case's name says who reads the first half, and who the second, directly and one request after
the other: seq 64 KiB in sequence, rand 4 KiB at random; deep are sixteen requests of 64 KiB in
sequence at a time, write eight of one who writes. The disk is the two-actuator of
tests/diskmodel: each arm makes about 32 MB/s in sequence and 0.45 at random.

of_one is the total against that of one reader in sequence alone under the same scheduler; where
the second half is read at random, what the first makes against that.
"""

from bench import PEERS, Boot, Column

SCHEDULERS = PEERS
PIVOT = True
COLUMNS = [Column("first_mb_s", "first half, MB/s", "{:.2f}"),
           Column("second_mb_s", "second half, MB/s", "{:.2f}"),
           Column("total_mb_s", "total, MB/s", "{:.1f}"),
           Column("of_one", "times one reader in sequence", "{:.2f}")]
PLOT = {"figure": "total_mb_s", "ylabel": "total, MB/s"}
ALONE = "1 seq"
# name: who reads the first half, and who the second
CASES = {ALONE: ("seq", ""), "2 seq in one": ("seq seq", ""), "seq/seq": ("seq", "seq"),
         "2 seq/2 seq": ("seq seq", "seq seq"), "2 seq/seq": ("seq seq", "seq"),
         "seq/rand": ("seq", "rand"), "rand/rand": ("rand", "rand"),
         "2 seq/rand": ("seq seq", "rand"), "seq/8 rand": ("seq", "rand " * 8), "deep/deep": ("deep", "deep"), "deep/seq": ("deep", "seq"),
         "seq/write": ("seq", "write")}
QUICK = (ALONE, "seq/seq", "seq/rand")
WARMUP_S, WINDOW_S = 4, 8


def boots(options):
    for case, (first, second) in CASES.items():
        if options.quick and case not in QUICK:
            continue
        for s in options.schedulers:
            yield Boot(s, case, {"first": first.strip(), "second": second.strip(),
                                 "warmup": WARMUP_S, "length": WINDOW_S}, mem="512M", disk=True)


def rows(boot, out):
    w = out.window()
    yield {"case": boot.case, "first_mb_s": w.parts[1].mb_s, "second_mb_s": w.parts[2].mb_s,
           "total_mb_s": w.disk.mb_s}


def finish(found):
    """Each against one reader in sequence under the same scheduler."""
    alone = {r["scheduler"]: r["total_mb_s"] for r in found if r["case"] == ALONE}
    for r in found:
        if r["scheduler"] in alone:
            key = "first_mb_s" if "seq/" in r["case"] and "rand" in r["case"] else "total_mb_s"
            r["of_one"] = r[key] / alone[r["scheduler"]]
    return found
