# SPDX-License-Identifier: GPL-2.0
"""io.cost with a fitted model, as a peer: the scheduler "io.cost-model".

The kernel's documentation asks for a model of the device. It has six figures: bytes a second,
and 4 KiB requests in sequence and at random a second, of reads and of writes. Those of a
modelled disk follow from what it is calibrated to (tests/diskmodel/README.md): in sequence a
small request costs its bytes and no more.
"""

NAME = "io.cost-model"
# The latency targets: of reads what the disk needs when it is well used and not more, of writes
# twice that. The SSD's are those that the mails about io.cost try (io-cost.py).
LATENCY_US = {"sata-ssd": 2500, "nvme": 2500, "hdd": 100000}
BLOCK = 4096


def model(read_bytes, read_random, write_bytes, write_random):
    """For io.cost.model, from bytes and from random requests a second."""
    return ("ctrl=user model=linear "
            f"rbps={read_bytes} rseqiops={read_bytes // BLOCK} rrandiops={read_random} "
            f"wbps={write_bytes} wseqiops={write_bytes // BLOCK} wrandiops={write_random}")


# sata-ssd: 500 MB/s, 160 MB/s of 4k at random; writes as fast as its seven channels program.
# nvme with its link at 1.5 GB/s, as isolation has it: that is what bounds everything.
# hdd: 32 MB/s, 450 KB/s at random; its cache sorts random writes: a little more than reads.
MODELS = {
    "sata-ssd": model(500_000_000, 39_000, 380_000_000, 92_000),
    "nvme": model(1_500_000_000, 366_000, 1_500_000_000, 366_000),
    "hdd": model(32_000_000, 110, 32_000_000, 220),
}


def settings(scheduler, profile):
    """What a boot's arguments need for this scheduler: nothing for any other."""
    if scheduler != NAME:
        return {}
    latency = LATENCY_US[profile]
    return {"qos": f"enable=1 rpct=95 rlat={latency} wpct=95 wlat={2 * latency}",
            "model": MODELS[profile]}
