// SPDX-License-Identifier: GPL-2.0
/*
 * Those who ask for little and wait for it, and what a disk does meanwhile.
 *
 *	asker timed DEVICE OFFSET_KIB SIZE_KIB STAT WARMUP_MS WINDOW_MS SLICE_MS
 *	asker burst DEVICE OFFSET_KIB SIZE_KIB BYTES READS PAUSE_MS COUNT
 *	asker fsync|create DIRECTORY PAUSE_MS COUNT
 *	asker append FILE SIZE_KIB
 *
 * timed: 4 KiB direct reads at random places, one after the other, and a window of WINDOW_MS.
 * Printed: "times N P50 P99 P99.9 MAX", ns, of all reads that were under way at any time in the
 * window, so that one who starves is seen; "done N", how many of them ended in it; "begin
 * NANOSECONDS", when it began, and from then on "slice N NANOSECONDS IOS BYTES", what
 * the disk whose statistics are STAT has completed in how long, every SLICE_MS.
 *
 * burst: sleeps for PAUSE_MS, then does READS direct reads of BYTES each, one after the other, and
 * that COUNT times. Places are random where BYTES are 4 KiB, else in sequence. Printed for each:
 * "burst N SECONDS".
 *
 * fsync: every PAUSE_MS, counted from the end of the last time, appends 4 KiB to a file and calls
 * fsync(); create: makes a file of 4 KiB under another name, calls fsync() and renames it. COUNT
 * times. Printed, of write to end: "count", "p50_us", "p99_us", "max_us".
 *
 * append: writes a file through the page cache, 128 KiB at a time, cuts it off when it has
 * SIZE_KIB, and so on for ever: each block is a new one to the file system.
 */
#include "common.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#define BLOCK		4096
#define APPENDED	(128 << 10)
#define NS_PER_MS	1000000ull
#define MAX_TIMES	(1 << 18)	/* 2.6 s of reads that take 10 us */
#define MAX_SLICES	8192
#define MAX_COUNT	1000000

enum phase { WARMING_UP, MEASURING, OVER };

/* Of the reader, for the one who watches. */
struct times {
	enum phase phase;
	uint64_t n, done, took[MAX_TIMES];
};

/* What the disk had completed by some moment. */
struct slice {
	uint64_t at, ios, bytes;
};

static enum phase phase_of(struct times *t)
{
	return __atomic_load_n(&t->phase, __ATOMIC_RELAXED);
}

static void set_phase(struct times *t, enum phase phase)
{
	__atomic_store_n(&t->phase, phase, __ATOMIC_RELAXED);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of n in ascending order the smallest that part per thousand of all do not exceed. */
static uint64_t part_of(const uint64_t *took, uint64_t n, unsigned int part)
{
	return took[(n * part + 999) / 1000 - 1];
}

static int open_direct(const char *device)
{
	int fd = open(device, O_RDONLY | O_DIRECT);

	if (fd < 0)
		die("cannot open", device);
	return fd;
}

static void read_at(int fd, void *buffer, uint64_t bytes, uint64_t at)
{
	if (pread(fd, buffer, bytes, at) != (ssize_t)bytes)
		die("a read", "failed");
}

/* The child: reads until the window is over. */
static void read_timed(struct times *t, const char *device, uint64_t offset, uint64_t size)
{
	void *buffer = map_memory(BLOCK, MAP_PRIVATE | MAP_POPULATE);
	uint64_t random = random_start(0), begin, at;
	int fd = open_direct(device);
	enum phase first, last;

	do {
		at = offset + next_random(&random) % (size / BLOCK) * BLOCK;
		first = phase_of(t);
		begin = now_ns();
		read_at(fd, buffer, BLOCK, at);
		last = phase_of(t);
		if (first == OVER || last == WARMING_UP)
			continue;
		if (t->n == MAX_TIMES) {
			errno = ENOSPC;
			die("too many reads of", device);
		}
		t->took[t->n++] = now_ns() - begin;
		t->done += last == MEASURING;
	} while (last != OVER);
	_exit(0);
}

/* Reads and writes, of a disk's statistics (Documentation/block/stat.rst of the kernel). */
static void take_slice(struct slice *s, const char *stat)
{
	uint64_t v[7];
	char text[512];
	int fd = open(stat, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		die("cannot read", stat);
	close(fd);
	text[n] = 0;
	s->at = now_ns();
	if (sscanf(text, "%lu %lu %lu %lu %lu %lu %lu", v, v + 1, v + 2, v + 3, v + 4, v + 5,
		   v + 6) != 7) {
		errno = EINVAL;
		die("no statistics in", stat);
	}
	s->ios = v[0] + v[4];
	s->bytes = (v[2] + v[6]) * 512;
}

/* How many slices there are from the beginning to the end of the window. */
static unsigned int watch(struct slice *s, const char *stat, uint64_t window_ns, uint64_t slice_ns)
{
	unsigned int n = 0;
	uint64_t begin, now;

	take_slice(s, stat);
	begin = s->at;
	while (n < MAX_SLICES && (now = now_ns()) < begin + window_ns) {
		uint64_t next = begin + (n + 1) * slice_ns;

		if (next > now)
			sleep_ns(next - now);
		take_slice(&s[++n], stat);
	}
	return n;
}

static int time_reads(const char *device, char **arg)
{
	uint64_t offset = strtoull(arg[0], NULL, 10) * 1024, size = strtoull(arg[1], NULL, 10) * 1024;
	uint64_t warmup = strtoull(arg[3], NULL, 10), window = strtoull(arg[4], NULL, 10);
	uint64_t slice = strtoull(arg[5], NULL, 10);
	struct times *t = map_memory(sizeof(*t), MAP_SHARED | MAP_POPULATE);
	struct slice *s = map_memory((MAX_SLICES + 1) * sizeof(*s), MAP_PRIVATE | MAP_POPULATE);
	unsigned int i, n;
	int status = 0;
	pid_t reader;

	if (size < BLOCK || !window || !slice || window / slice >= MAX_SLICES)
		return -1;
	reader = fork();
	if (!reader)
		read_timed(t, device, offset, size);
	sleep_ns(warmup * NS_PER_MS);
	set_phase(t, MEASURING);
	n = watch(s, arg[2], window * NS_PER_MS, slice * NS_PER_MS);
	set_phase(t, OVER);
	if (reader < 0 || waitpid(reader, &status, 0) != reader || status || !t->n)
		die("no reads of", device);
	qsort(t->took, t->n, sizeof(*t->took), by_size);
	printf("times %lu %lu %lu %lu %lu\ndone %lu\nbegin %lu\n", t->n, part_of(t->took, t->n, 500),
	       part_of(t->took, t->n, 990), part_of(t->took, t->n, 999), t->took[t->n - 1],
	       t->done, s[0].at);
	for (i = 0; i < n; i++)
		printf("slice %u %lu %lu %lu\n", i, s[i + 1].at - s[i].at, s[i + 1].ios - s[i].ios,
		       s[i + 1].bytes - s[i].bytes);
	return 0;
}

static int read_bursts(const char *device, char **arg)
{
	uint64_t offset = strtoull(arg[0], NULL, 10) * 1024, size = strtoull(arg[1], NULL, 10) * 1024;
	uint64_t bytes = strtoull(arg[2], NULL, 10), reads = strtoull(arg[3], NULL, 10);
	uint64_t pause_ms = strtoull(arg[4], NULL, 10), count = strtoull(arg[5], NULL, 10);
	uint64_t random = random_start(0), i, n, next = 0, begin, block;
	int fd = open_direct(device);
	void *buffer;

	if (bytes < BLOCK || size < bytes || !reads || !count)
		return -1;
	buffer = map_memory(bytes, MAP_PRIVATE | MAP_POPULATE);
	for (n = 0; n < count; n++) {
		sleep_ns(pause_ms * NS_PER_MS);
		begin = now_ns();
		for (i = 0; i < reads; i++) {
			block = bytes == BLOCK ? next_random(&random) : next++;
			read_at(fd, buffer, bytes, offset + block % (size / bytes) * bytes);
		}
		printf("burst %lu %.9f\n", n, (now_ns() - begin) / 1e9);
	}
	return 0;
}

static void write_block(int fd, const char *name)
{
	static const char block[BLOCK];

	if (fd < 0 || write(fd, block, BLOCK) != BLOCK || fsync(fd))
		die("cannot write", name);
}

static void create_one(uint64_t number)
{
	int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char name[32];

	write_block(fd, "new");
	close(fd);
	snprintf(name, sizeof(name), "file%lu", number);
	if (rename("new", name))
		die("cannot rename to", name);
}

static int write_safely(int creates, const char *directory, char **arg)
{
	uint64_t pause_ms = strtoull(arg[0], NULL, 10), count = strtoull(arg[1], NULL, 10), i, begin;
	uint64_t *took;
	int fd;

	if (!count || count > MAX_COUNT)
		return -1;
	took = map_memory(count * sizeof(*took), MAP_PRIVATE);
	if (chdir(directory))
		die("no directory", directory);
	fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (i = 0; i < count; i++) {
		sleep_ns(pause_ms * NS_PER_MS);
		begin = now_ns();
		if (creates)
			create_one(i);
		else
			write_block(fd, "log");
		took[i] = now_ns() - begin;
	}
	qsort(took, count, sizeof(*took), by_size);
	printf("count %lu\np50_us %.3f\np99_us %.3f\nmax_us %.3f\n", count,
	       part_of(took, count, 500) / 1e3, part_of(took, count, 990) / 1e3,
	       took[count - 1] / 1e3);
	return 0;
}

static int append(const char *name, uint64_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	void *buffer = map_memory(APPENDED, MAP_PRIVATE | MAP_POPULATE);
	uint64_t at;

	if (size < APPENDED)
		return -1;
	if (fd < 0)
		die("cannot make", name);
	for (;;) {
		for (at = 0; at + APPENDED <= size; at += APPENDED)
			if (pwrite(fd, buffer, APPENDED, at) != APPENDED)
				die("cannot write", name);
		if (ftruncate(fd, 0))
			die("cannot cut off", name);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int status = -1;

	prctl(PR_SET_TIMERSLACK, 1);	/* on time */
	if (argc == 9 && !strcmp(what, "timed"))
		status = time_reads(argv[2], argv + 3);
	else if (argc == 9 && !strcmp(what, "burst"))
		status = read_bursts(argv[2], argv + 3);
	else if (argc == 5 && (!strcmp(what, "fsync") || !strcmp(what, "create")))
		status = write_safely(!strcmp(what, "create"), argv[2], argv + 3);
	else if (argc == 4 && !strcmp(what, "append"))
		status = append(argv[2], strtoull(argv[3], NULL, 10) * 1024);
	if (!status)
		return 0;
	fprintf(stderr, "usage: asker timed DEVICE OFFSET_KIB SIZE_KIB STAT WARMUP_MS WINDOW_MS SLICE_MS, or\n"
		"       asker burst DEVICE OFFSET_KIB SIZE_KIB BYTES READS PAUSE_MS COUNT, or\n"
		"       asker fsync|create DIRECTORY PAUSE_MS COUNT, or\n"
		"       asker append FILE SIZE_KIB\n");
	return 2;
}
