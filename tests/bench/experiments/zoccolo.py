# SPDX-License-Identifier: GPL-2.0
"""Readers and writers on a disk with moving parts: bandwidth, largest and mean latency.

After Corrado Zoccolo's "Low latency I/O scheduling" (linux-kernel, June 2009), whose ten
tables are of eight loads. Everything comes 4 KiB at a time, as there: his mean latencies times his
bandwidths are 4 KiB per job. The hdd of tests/diskmodel is made to give his figures for
one sequential reader, and for two of either kind, under noop.

  sequential readers   through the page cache, so with read-ahead; in the first and second half
                       of the disk
  random readers       O_DIRECT, which is the same load for less work, all over the disk
  writers              through the page cache, without end and without fsync, each its own part;
                       not in files: a journal would only add its own I/O

Readers' figures are fio's. A writer's latency is that of a write() into the page cache, its
bandwidth what the disk has completed. Figures are of 8 s, a good sixty turns of 125 ms,
after 1 s for starting; with writers after 4 s, in which dirty pages reach their limit: 512 MB of
memory make it a low one. A virtual second of this load takes more than a real one.

His mean latencies are divided by the number of all jobs of a test, those that cannot have had
one included: four readers beside a writer look a fifth faster than they are. Ours are not, and in
the table his are multiplied by what they were divided by too much.

In-tree bfq is shown with its default, low_latency=1, and as bfq-ll0 without.

Today's kernel holds back writeback for the sake of readers (wbt), unless bfq does, in-tree or
ours; in 2009 there was no such thing. So random readers beside a writer are measured without, too.
"""

from bench import KIB, PEERS, Boot, Column
from plot import bars

COLUMNS = [Column("read_kb_s", "random or all reads, KB/s", "{:,.0f}"),
           Column("max_latency_ms", "their largest latency, ms", "{:,.0f}"),
           Column("avg_latency_ms", "mean, ms", "{:,.2f}"),
           Column("seq_read_kb_s", "sequential reads, KB/s", "{:,.0f}"),
           Column("seq_max_latency_ms", "largest latency, ms", "{:,.0f}"),
           Column("seq_avg_latency_ms", "mean, ms", "{:,.2f}"),
           Column("write_kb_s", "writes, KB/s", "{:,.0f}"),
           Column("write_max_latency_ms", "largest latency, ms", "{:,.0f}"),
           Column("write_avg_latency_ms", "mean, ms", "{:,.3f}")]
# name: sequential readers, random readers, writers
CASES = {"1 seq reader": (1, 0, 0), "1 writer": (0, 0, 1), "2 seq readers": (2, 0, 0),
         "1 seq, 1 random reader": (1, 1, 0), "2 writers": (0, 0, 2),
         "2 random readers": (0, 2, 0), "4 random readers, 1 writer": (0, 4, 1),
         "32 random readers, 1 writer": (0, 32, 1)}
QUICK = ("2 seq readers", "1 seq, 1 random reader")
WITH_WBT = ("none", "mq-deadline", "kyber")
SCHEDULERS = (*PEERS, "bfq-ll0")
MEMORY = "512M"
# seconds, of tests without and with writers
WARMUP_S, WINDOW_S = (1, 4), (8, 8)


def published(case, keys, *lines):
    """Rows of one of his tables, in our units."""
    seq, random, writers = CASES[case]
    jobs, readers = seq + random + writers, random or seq

    def ours(key, value):
        if key.endswith("_kb_s"):
            return round(value * KIB, 1)
        if key.endswith("avg_latency_ms"):
            return round(value * jobs / (writers if key.startswith("write") else readers), 4)
        return value
    for name, *figures in lines:
        yield {"case": case, "scheduler": "2009 " + name,
               **{k: ours(k, v) for k, v in zip(keys, figures)}}


READ = ("read_kb_s", "max_latency_ms", "avg_latency_ms")
WRITE = ("write_kb_s", "write_max_latency_ms", "write_avg_latency_ms")
RANDOM_AND_SEQ = ("read_kb_s", "seq_read_kb_s", "max_latency_ms", "avg_latency_ms")
# Of his six schedulers the three that are known since.
PUBLISHED = [
    *published("1 seq reader", READ, ("noop", 32457, 18, .124), ("deadline", 31746, 21, .127),
               ("cfq", 30138, 18, .134)),
    *published("1 writer", WRITE, ("noop", 27851, 283, .134), ("deadline", 26971, 1924, .138),
               ("cfq", 26626, 414, .132)),
    *published("2 seq readers", READ, ("noop", 20690, 64, .394), ("deadline", 20196, 64, .404),
               ("cfq", 31916, 150, .255)),
    *published("1 seq, 1 random reader", RANDOM_AND_SEQ, ("noop", 72, 13240, 102, 28),
               ("deadline", 75, 13581, 101, 27), ("cfq", 191, 16129, 152, 10)),
    *published("2 writers", WRITE, ("noop", 25979, 573, .286), ("deadline", 25086, 899, .276),
               ("cfq", 23469, 1066, .311)),
    *published("2 random readers", READ, ("noop", 450, 44, 18), ("deadline", 456, 48, 17),
               ("cfq", 451, 136, 18)),
    *published("4 random readers, 1 writer", READ + WRITE,
               ("noop", 96, 400, 135, 21920, 354, .037),
               ("deadline", 389, 235, 33, 7665, 5383, .1064),
               ("cfq", 425, 617, 30, 4009, 15076, .2038)),
    *published("32 random readers, 1 writer", READ + WRITE,
               ("noop", 66, 2132, 1526, 19839, 784, .0053),
               ("deadline", 363, 1704, 345, 2484, 5629, .042),
               ("cfq", 326, 7630, 391, 3792, 16797, .026)),
]


def boots(options):
    for name, (seq, random, writers) in CASES.items():
        if options.quick and name not in QUICK:
            continue
        args = {"seq": seq, "random": random, "writers": writers, "wbt": 1,
                "warmup": WARMUP_S[writers > 0], "length": WINDOW_S[writers > 0]}
        for s in options.schedulers:
            yield Boot(s, name, args, mem=MEMORY, disk=True)
        for s in options.schedulers:
            if writers and random and s in WITH_WBT:
                yield Boot(s, name + ", no wbt", {**args, "wbt": 0}, mem=MEMORY,
                           disk=True)


def latency(jobs, direction, prefix=""):
    """Of all of them, each request counting once."""
    found = [j[direction]["lat_ns"] for j in jobs]
    mean = sum(f["mean"] * f["N"] for f in found) / sum(f["N"] for f in found)
    return {prefix + "max_latency_ms": max(f["max"] for f in found) / 1e6,
            prefix + "avg_latency_ms": mean / 1e6}


def reads(job, prefix=""):
    return {prefix + "read_kb_s": job["read"]["bw_bytes"] / 1e3, **latency([job], "read", prefix)}


def rows(boot, out):
    row, writers = {"case": boot.case}, boot.args["writers"]
    if boot.args["seq"]:
        row |= reads(out.fio("seq"), "seq_" if boot.args["random"] else "")
    if boot.args["random"]:
        row |= reads(out.fio("random"))
    if writers:
        row |= {"write_kb_s": out.window().disk.write_kb_s,
                **latency([out.fio(f"writer{n + 1}") for n in range(writers)], "write", "write_")}
    yield row


def plot(figure, data):
    upper, lower = figure.subplots(2, 1, sharex=True)
    for axes, key, label in ((upper, "read_kb_s", "random readers, KB/s"),
                             (lower, "avg_latency_ms", "mean latency, ms")):
        bars(axes, data["rows"], {"figure": key, "ylabel": label, "cases": "*random*", "log": True})
    lower.get_legend().remove()
