# SPDX-License-Identifier: GPL-2.0
"""Ways to break what is done for a request that the disk keeps."""

from table import Mutant

MUTANTS = (
    Mutant("stuck-unseen", "a request that the disk passes over is served",
           ("stuck",),
           (("bfq-stuck.c", "#define BFQ_STUCK_PASSED	8\n", "#define BFQ_STUCK_PASSED	8000000\n"),)),
    Mutant("stuck-forever", "nobody is kept from the disk for long by a request that it keeps",
           ("stuck",),
           (("bfq-stuck.c", "#define BFQ_STUCK_MOST_MS	250\n", "#define BFQ_STUCK_MOST_MS	250000\n"),)),
    Mutant("stuck-unfelt", "the disk is run again when the request is back",
           ("stuck",),
           (("bfq-stuck.c", "	return READ_ONCE(bfqd->stuck.awaited) == q &&\n",
             "	return READ_ONCE(bfqd->stuck.awaited) != q &&\n"),)),
)
