// SPDX-License-Identifier: GPL-2.0
/*
 * Two readers that have a clock to keep.
 *
 *	player video DEVICE OFFSET_KIB FRAMES
 *	player steady DEVICE OFFSET_KIB SIZE_KIB RATE COUNT
 *
 * video: a film of 25 frames a second, 60 KiB each (1.5 MB/s), read in sequence and directly,
 * one frame at a time, as a player without much of a buffer does. A frame's read is begun at
 * its time, or as soon as the one before is there; it is dropped if it is not there when the
 * next one's time has come. Those whose time is over before they were begun are dropped
 * without being read, so a player that is late does not stay so for ever. Printed:
 * "frames", "dropped", and "longest_ms", one read.
 *
 * steady: 4 KiB reads at random places, one every 1/RATE s, however many are still under way,
 * COUNT of them. What counts is the time from the moment at which a read was due, so
 * nothing is forgiven that makes the reader itself late. Printed, of exactly these times: "reads",
 * "p50_us", "p99_us", "p999_us", "max_us".
 */
#include "common.h"

#include <linux/aio_abi.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define FRAME_BYTES	(60 << 10)
#define FRAME_NS	40000000ull
#define BLOCK		4096
#define MAX_FLYING	1024	/* steady reads under way; more are begun late */
#define MAX_READS	1000000

static void sleep_until(uint64_t ns)
{
	struct timespec t = timespec(ns);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int play(int fd, uint64_t offset, uint64_t frames)
{
	uint64_t start = now_ns() + FRAME_NS, dropped = 0, longest = 0, i;
	void *buffer = map_memory(FRAME_BYTES, MAP_PRIVATE | MAP_POPULATE);

	for (i = 0; i < frames; i++) {
		uint64_t due = start + i * FRAME_NS, begin = now_ns(), end;

		if (begin >= due + FRAME_NS) {
			dropped++;
			continue;
		}
		if (begin < due)
			sleep_until(due);
		begin = now_ns();
		if (pread(fd, buffer, FRAME_BYTES, offset + i * FRAME_BYTES) != FRAME_BYTES)
			die("cannot read", "a frame");
		end = now_ns();
		dropped += end > due + FRAME_NS;
		if (end - begin > longest)
			longest = end - begin;
	}
	printf("frames %lu\ndropped %lu\nlongest_ms %.6f\n", frames, dropped, longest / 1e6);
	return 0;
}

/* A read that is under way, and when it was due. */
struct flight {
	struct iocb iocb;
	uint64_t due;
};

struct steady {
	aio_context_t ctx;
	struct flight *free[MAX_FLYING], flights[MAX_FLYING];
	unsigned int nr_free;
	uint64_t *took, done;
};

/* Wait for completions, until there is one or it is time. */
static void reap(struct steady *s, uint64_t until)
{
	static struct io_event events[MAX_FLYING];
	uint64_t now = now_ns();
	struct timespec t = timespec(until > now ? until - now : 0);
	long i, n;

	n = syscall(SYS_io_getevents, s->ctx, 1, MAX_FLYING, events, &t);
	if (n < 0)
		die("io_getevents", "");
	now = now_ns();
	for (i = 0; i < n; i++) {
		struct flight *f = (struct flight *)(uintptr_t)events[i].obj;

		if (events[i].res != BLOCK)
			die("a read", "failed");
		s->took[s->done++] = now - f->due;
		s->free[s->nr_free++] = f;
	}
}

static void begin_read(struct steady *s, int fd, void *buffer, uint64_t at, uint64_t due)
{
	struct flight *f = s->free[--s->nr_free];
	struct iocb *iocb = &f->iocb;

	f->due = due;
	*iocb = (struct iocb){
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)buffer,
		.aio_nbytes = BLOCK,
		.aio_offset = at,
	};
	if (syscall(SYS_io_submit, s->ctx, 1, &iocb) != 1)
		die("io_submit", "");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest of n that part per thousand of all do not exceed. */
static double percentile(const uint64_t *took, uint64_t n, unsigned int part)
{
	return took[(n * part + 999) / 1000 - 1] / 1e3;
}

static int read_steadily(int fd, uint64_t offset, uint64_t size, uint64_t rate, uint64_t count)
{
	static struct steady s;
	uint64_t start, i, random = random_start(0), period = NS_PER_S / rate;
	void *buffer = map_memory(BLOCK, MAP_PRIVATE | MAP_POPULATE);

	s.took = map_memory(count * sizeof(*s.took), MAP_PRIVATE | MAP_POPULATE);
	if (syscall(SYS_io_setup, MAX_FLYING, &s.ctx))
		die("io_setup", "");
	for (i = 0; i < MAX_FLYING; i++)
		s.free[s.nr_free++] = &s.flights[i];
	start = now_ns() + period;
	for (i = 0; i < count; i++) {
		uint64_t due = start + i * period;

		/* with none under way io_getevents is a mere sleep */
		while (now_ns() < due)
			reap(&s, due);
		while (!s.nr_free)
			reap(&s, due + NS_PER_S);
		begin_read(&s, fd, buffer,
			   offset + next_random(&random) % (size / BLOCK) * BLOCK, due);
	}
	while (s.done < count)
		reap(&s, now_ns() + NS_PER_S);
	qsort(s.took, count, sizeof(*s.took), compare);
	printf("reads %lu\np50_us %.3f\np99_us %.3f\np999_us %.3f\nmax_us %.3f\n", count,
	       percentile(s.took, count, 500), percentile(s.took, count, 990),
	       percentile(s.took, count, 999), s.took[count - 1] / 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	int steady = argc == 7 && !strcmp(argv[1], "steady");
	uint64_t n[4] = {};
	int i, fd;

	if (!steady && (argc != 5 || strcmp(argv[1], "video"))) {
		fprintf(stderr, "usage: player video DEVICE OFFSET_KIB FRAMES, or\n"
			"       player steady DEVICE OFFSET_KIB SIZE_KIB RATE COUNT\n");
		return 2;
	}
	fd = open(argv[2], O_RDONLY | O_DIRECT);
	if (fd < 0)
		die("cannot open", argv[2]);
	for (i = 3; i < argc; i++)
		n[i - 3] = strtoull(argv[i], NULL, 10);
	prctl(PR_SET_TIMERSLACK, 1);	/* on time */
	if (!steady)
		return play(fd, n[0] * 1024, n[1]);
	if (n[1] < BLOCK / 1024 || !n[2] || !n[3] || n[3] > MAX_READS) {
		fprintf(stderr, "player: no such size, rate or count\n");
		return 2;
	}
	return read_steadily(fd, n[0] * 1024, n[1] * 1024, n[2], n[3]);
}
