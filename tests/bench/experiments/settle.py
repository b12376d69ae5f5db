# SPDX-License-Identifier: GPL-2.0
"""How soon has everybody what he is going to have?

Some processes, each in a group of its own, begin in the same moment on a disk that has rested, under
a scheduler that knows nothing of them or of the disk. In the case's name are the disk and who they
are:

  weights   two that read 64 KiB at random, 16 at a time, weights 300 and 100
  equal     four of the same, all weights 100
  single    one that reads 4 KiB at random, one after the other, beside four that read 128 KiB, 16 at
            a time, all weights 100
  writers   the same beside four that write 128 KiB in sequence, 16 at a time
  streams   two that read 128 KiB in sequence, one after the other, weights 300 and 100
  seek      one such stream and one that reads 4 KiB at random, all weights 100

low_latency is 0, since with it new processes go first for some seconds, as they should.

settle_s is the time from the first request until the rate of each process and of all together, from
then on and at any later time over one second on flash and six on the disk, is within a tenth of
what it is in the second half of the time; worst is whose rate takes longest, by number, or all.
Half of the time is the figure for who never settles. spread_pct is by how much the rates of the
second half differ at most from their mean: of one that is near ten, settle_s says little. (Over less
than that they do differ: on the disk turns are long, and beside writers who is behind has the
SSD to himself until their data has been programmed, three times a second.)

The NVMe drive's link is slowed to 1.5 GB/s, as in isolation.
"""

import dataclasses

import tools
from bench import PEERS, BenchError, Boot, Column

SCHEDULERS = PEERS
PIVOT = True
COLUMNS = [Column("settle_s", "seconds until the rates stay", "{:.2f}"),
           Column("worst", "of whom", "{}"),
           Column("spread_pct", "differ later by, %", "{:.1f}"),
           Column("total_mb_s", "total later, MB/s", "{:,.0f}")]
PLOT = {"figure": "settle_s", "ylabel": "seconds until the rates stay"}
DEEP, SINGLE = "65536/16/randread", "100/4096/1/randread"
NEIGHBOURS = {"single": "100/131072/16/randread", "writers": "100/131072/16/write"}
FLASH = {"weights": f"300/{DEEP} 100/{DEEP}", "equal": " ".join([f"100/{DEEP}"] * 4),
         **{k: " ".join([SINGLE] + [n] * 4) for k, n in NEIGHBOURS.items()}}
STREAM = "131072/1/read"
DISK = {"streams": f"300/{STREAM} 100/{STREAM}", "seek": f"100/{STREAM} {SINGLE}"}
CASES = {f"{disk} {name}": (disk, jobs)
         for disk, all_jobs in (("sata-ssd", FLASH), ("nvme", FLASH), ("hdd", DISK))
         for name, jobs in all_jobs.items()}
QUICK = ("sata-ssd weights",)
SLOWER = {"nvme": "link_mb_s=1500"}
NEAR = 0.1


@dataclasses.dataclass
class Clock:
    """Seconds: of a slice, of the window in which a rate is taken, of all."""
    slice: float
    window: float
    length: float

    @property
    def slices(self):
        return round(self.length / self.slice)


FLASH_CLOCK, DISK_CLOCK = Clock(0.02, 1, 8), Clock(0.2, 6, 60)


def clock_of(case):
    return DISK_CLOCK if case.startswith("hdd") else FLASH_CLOCK


def boots(options):
    files = (tools.program("slices"), tools.load())
    for case, (profile, jobs) in CASES.items():
        if options.quick and case not in QUICK:
            continue
        clock = clock_of(case)
        for s in options.schedulers:
            yield Boot(s, case, {"profile": profile, "slower": SLOWER.get(profile, ""), "jobs": jobs,
                                 "slice_ms": round(clock.slice * 1000), "count": clock.slices},
                       disk=True, files=files)


def read_slices(text):
    """Times in seconds, and for each of them what each has completed, in bytes."""
    found = [[int(w) for w in line.split()[1:]] for line in text.splitlines()
             if line.startswith("slice ")]
    return [s[0] / 1e9 for s in found], [[n * 512 for n in s[1:]] for s in found]


def begins(done):
    """The slice before the first of all that has something completed in it.

    Before the load begins each of its processes does one request, one process after the other.
    """
    rising = [sum(b) - sum(a) for a, b in zip(done, done[1:])]
    busy = max(rising) / 4
    return next(i for i, r in enumerate(rising) if r > busy)


def settles(times, done, window):
    """When does one who has completed so much by these times keep his rate, and how well?"""
    half = len(times) // 2
    steady = (done[-1] - done[half]) / (times[-1] - times[half])
    if not steady:
        return times[half] - times[0], 1.0
    off = [abs((done[i + window] - done[i]) / (times[i + window] - times[i]) / steady - 1)
           for i in range(len(times) - window)]
    late = [i for i in range(half) if off[i] > NEAR]
    first = late[-1] + 1 if late else 0
    return times[first] - times[0], max(off[half:])


def rows(boot, out):
    clock = clock_of(boot.case)
    times, done = read_slices(out.text("slices"))
    if len(times) != clock.slices + 1:
        raise BenchError(f"{len(times)} slices, expected {clock.slices + 1}")
    out.window().need_idle()
    first = begins(done)
    times, done = times[first:], done[first:]
    window = round(clock.window / clock.slice)
    each = {str(i + 1): [d[i] for d in done] for i in range(len(done[0]))}
    each["all"] = [sum(d) for d in done]
    found = {who: settles(times, bytes_done, window) for who, bytes_done in each.items()}
    worst = max(found, key=lambda who: found[who][0])
    half = len(times) // 2
    yield {"case": boot.case, "settle_s": found[worst][0], "worst": worst,
           "spread_pct": 100 * max(spread for _, spread in found.values()),
           "total_mb_s": (each["all"][-1] - each["all"][half]) / (times[-1] - times[half]) / 1e6,
           "settle_of": {who: when for who, (when, _) in found.items()}}
