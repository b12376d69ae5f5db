# SPDX-License-Identifier: GPL-2.0
"""What does a scheduler make of a disk that misbehaves?

One process reads 4 KiB at random, one after the other, beside two random readers and two random
writers of 64 KiB, 8 at a time each; all five are in groups of their own with weight 100. The
disks, in the case's name, are those of tests/diskmodel with its faults:

  well        the SATA SSD, without any
  gc          it collects garbage for 200 ms every 2.5 s, in which writing takes ten times as long
  cache       it has 256 MiB of fast flash, which come back at 20 MiB/s, and beyond writes at a fifth
  keep        its firmware keeps one read for a second every 2.5 s
  steal       the host takes the guest's CPU away for 20 ms every 0.5 s
  sd-card     one request at a time, no cache, 100 ms for erasing after every 4 MiB
  usb-stick   the same, slower, 200 ms after every 2 MiB
  starve      a hard disk that serves what its head gets at first, and the oldest after 20 s; two that
              read 4 KiB at random, 16 at a time, in 64 MiB each, and the reader far away

stall_ms is the longest time without any completion (in steps of 10 ms), of_none_pct the total
against none's on the same disk. recovered_pct is the same for the time that begins one second
after a fault has ended (gc, keep): a scheduler that has learned from the fault what is not true has
unlearned it by then. What faults there were is counted by the disk, and none is an error.
"""

import re

import iocost
import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = (*PEERS, iocost.NAME)
PIVOT = True
COLUMNS = [Column("total_mb_s", "total, MB/s", "{:,.1f}"),
           Column("written_mb_s", "of which written, MB/s", "{:,.1f}"),
           Column("of_none_pct", "total, % of none's", "{:.0f}"),
           Column("recovered_pct", "from one second after a fault, % of none's", "{:.0f}"),
           Column("stall_ms", "longest time without a completion, ms", "{:,.0f}"),
           Column("p50_us", "the reader's P50, us", "{:,.0f}"),
           Column("p99_us", "P99, us", "{:,.0f}"), Column("max_us", "longest, us", "{:,.0f}")]
PLOT = {"figure": "of_none_pct", "ylabel": "total, % of none's on the same disk"}
# Profile, settings, and the counter of the disk that shows that it happened.
DISKS = {
    "well": ("sata-ssd", "", ""),
    "gc": ("sata-ssd", "gc_every_ms=2500 gc_ms=200 gc_factor=10", "slow_programs"),
    "cache": ("sata-ssd", "fast_kb=262144 fast_refill_kb_s=20480 slow_factor=5", "slow_programs"),
    "keep": ("sata-ssd", "keep_every_ms=2500 keep_ms=1000", "kept"),
    "steal": ("sata-ssd", "steal_every_ms=500 steal_ms=20", "stolen"),
    "sd-card": ("sd-card", "", "erases"),
    "usb-stick": ("usb-stick", "", "erases"),
    "starve": ("hdd", "reorder=1 reorder_max_ms=20000", ""),
}
GIB = 1048576           # KiB
ERASE_BYTES = 4 << 20   # the larger of the two
# Neighbours: readers, writers, where they begin and how much each has in KiB, bytes of a request, depth.
USUAL = (2, 2, 0, GIB, 65536, 8)
NEIGHBOURS = {"starve": (2, 0, 7 * GIB, GIB // 16, 4096, 16)}
# Period of a fault that comes and goes, and its length, as in the settings.
COMES_AND_GOES_MS = {"gc": (2500, 200), "keep": (2500, 1000)}
REST_MS = 1000          # after which it is to be forgotten
KEPT = 0.95             # of none's throughput is what a scheduler has to keep
# Two faults at least; io.cost changes its speed by a few percent a period.
WARMUP_MS, SETTLE_MS, WINDOW_MS, SLICE_MS = 1000, 4000, 6000, 10
QUICK = ("gc", "keep")


def boots(options):
    for case, (profile, faults, _) in DISKS.items():
        if options.quick and case not in QUICK:
            continue
        readers, writers, base, span, size, depth = NEIGHBOURS.get(case, USUAL)
        for s in options.schedulers:
            # The slow disks' models follow from nothing; nobody fits one for an SD card.
            if s == iocost.NAME and profile != "sata-ssd":
                continue
            yield Boot(s, case, {"profile": profile, "faults": faults, "readers": readers,
                                 "writers": writers, "base": base, "span": span, "bs": size,
                                 "depth": depth, "window_ms": WINDOW_MS, "slice_ms": SLICE_MS,
                                 "warmup_ms": SETTLE_MS if s == iocost.NAME else WARMUP_MS,
                                 **iocost.settings(s, profile)},
                       disk=True, files=(tools.program("asker"), tools.load()))


def slices(text):
    """(begin, nanoseconds, I/Os, bytes) of each."""
    at = int(re.search(r"^begin (\d+)", text, re.M).group(1))
    for line in re.findall(r"^slice \d+ (\d+ \d+ \d+)", text, re.M):
        ns, ios, size = map(int, line.split())
        yield at, ns, ios, size
        at += ns


def longest_stall(found):
    """Nanoseconds of the longest run of slices without a completion."""
    longest = run = 0
    for _, ns, ios, _ in found:
        run = 0 if ios else run + ns
        longest = max(longest, run)
    return longest


def recovered(case, found, made_ns):
    """MB/s from a second after a fault to the next one."""
    every, length = COMES_AND_GOES_MS[case]
    late = [(ns, size) for at, ns, _, size in found
            if (at - made_ns) / 1e6 % every >= length + REST_MS]
    return sum(size for _, size in late) / sum(ns for ns, _ in late) * 1e3


def rows(boot, out):
    text, disk, w = out.text("reader"), out.words("faults"), out.window()
    w.need_idle()
    counter = DISKS[boot.case][2]
    # who lets nobody write has no erasing to wait for
    misbehaves = counter != "erases" or int(disk["write_bytes"]) >= ERASE_BYTES
    if counter and misbehaves and int(disk[counter]) == 0:
        raise BenchError(f"the disk has not misbehaved: {counter} is 0")
    found = list(slices(text))
    times = re.search(r"^times (.*)", text).group(1).split()
    row = {"case": boot.case,
           "total_mb_s": sum(s[3] for s in found) / sum(s[1] for s in found) * 1e3,
           "written_mb_s": w.disk.write_bytes / w.seconds / 1e6,
           "stall_ms": longest_stall(found) / 1e6, "reads": int(times[0]),
           **{k: int(t) / 1e3 for k, t in zip(("p50_us", "p99_us", "p999_us", "max_us"),
                                             times[1:])}, "idle_pct": w.idle_pct}
    if boot.case in COMES_AND_GOES_MS:
        row["recovered_mb_s"] = recovered(boot.case, found, int(disk["made_ns"]))
    if counter:
        row["faults"] = int(disk[counter])
    yield row


def finish(found):
    """Each against none on the same disk."""
    none = {r["case"]: r for r in found if r["scheduler"] == "none"}
    for r in found:
        base = none.get(r["case"])
        if base:
            r["floor_mb_s"] = KEPT * base["total_mb_s"]
            r["of_none_pct"] = 100 * r["total_mb_s"] / base["total_mb_s"]
        if base and "recovered_mb_s" in r:
            r["recovered_pct"] = 100 * r["recovered_mb_s"] / base["recovered_mb_s"]
    return found
