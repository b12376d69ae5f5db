// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that come in numbers, and some that work hand in hand.
 *
 *	crew crowd DEVICE OFFSET_KIB KIB COUNT AT_ONCE
 *	crew pipeline DEVICE OFFSET_KIB DIRECTORY COUNT WORK_US
 *	crew unpack DIRECTORY COUNT
 *
 * crowd: COUNT processes, AT_ONCE of them at a time: as soon as one ends, the next begins, as make -j
 * does. Each reads KIB in sequence, directly, 128 KiB each time, at a place of its own. Printed:
 * "processes" and "crowd_seconds", from the first one's begin to the last one's end.
 *
 * pipeline: a reader reads 64 KiB in sequence, directly, from the device; a worker thinks about it
 * for WORK_US; a writer appends it to a file of DIRECTORY and calls fsync(). Each hands the block to
 * the next, who may have one waiting, so all three are at work at a time. Printed: "count" of
 * blocks, "pipeline_seconds" for them all, "p50_us", "p99_us" and "max_us" from one's read to the
 * end of its fsync().
 *
 * unpack: makes COUNT files of 4 to 32 KiB through the page cache, in directories of 64, and calls
 * syncfs() at the end, as who wants to take the medium out. Printed: "files" and "unpack_seconds".
 */
#include "common.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHUNK		(128 << 10)
#define CROWD_GAP	(16ull << 20)	/* between places: they are not to be one stream */
#define BLOCK		(64 << 10)
#define TOKEN		4096		/* fills a pipe of one page */
#define MAX_COUNT	100000
#define FILE_UNIT	4096
#define MOST_UNITS	8		/* of a file */
#define FILES_IN_ONE	64		/* directory */

static int open_direct(const char *device)
{
	int fd = open(device, O_RDONLY | O_DIRECT);

	if (fd < 0)
		die("cannot open", device);
	return fd;
}

static void read_direct(int fd, void *buffer, size_t bytes, uint64_t at)
{
	if (pread(fd, buffer, bytes, at) != (ssize_t)bytes)
		die("a read", "failed");
}

static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("cannot", "fork");
	return pid;
}

/* A child that has failed has said why. */
static void wait_one(void)
{
	int status;

	if (wait(&status) < 0 || status)
		exit(1);
}

static void read_place(const char *device, uint64_t offset, uint64_t bytes)
{
	void *buffer = map_memory(CHUNK, MAP_PRIVATE | MAP_POPULATE);
	int fd = open_direct(device);
	uint64_t at;

	for (at = 0; at < bytes; at += CHUNK)
		read_direct(fd, buffer, CHUNK, offset + at);
	_exit(0);
}

static int crowd(const char *device, char **arg)
{
	uint64_t offset = strtoull(arg[0], NULL, 10) * 1024, bytes = strtoull(arg[1], NULL, 10) * 1024;
	uint64_t count = strtoull(arg[2], NULL, 10), at_once = strtoull(arg[3], NULL, 10), i;
	uint64_t begin = now_ns();

	if (!bytes || bytes % CHUNK || !count || !at_once)
		return -1;
	for (i = 0; i < count; i++) {
		if (i >= at_once)
			wait_one();
		if (!fork_or_die())
			read_place(device, offset + i * CROWD_GAP, bytes);
	}
	for (i = 0; i < at_once && i < count; i++)
		wait_one();
	printf("processes %lu\ncrowd_seconds %.9f\n", count, (now_ns() - begin) / 1e9);
	return 0;
}

/* What goes from one to the next: when the block's read began, in a pipe that holds one of them. */
struct token {
	uint64_t begin;
	char rest[TOKEN - sizeof(uint64_t)];
};

static void make_pipe(int *ends)
{
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, TOKEN) != TOKEN)
		die("no pipe of", "one page");
}

static void hand_on(int fd, const struct token *t)
{
	if (write(fd, t, TOKEN) != TOKEN)
		die("the next one", "is gone");
}

static void take(int fd, struct token *t)
{
	if (read(fd, t, TOKEN) != TOKEN)
		die("the one before", "is gone");
}

static void read_blocks(const char *device, uint64_t offset, uint64_t count, int to)
{
	void *buffer = map_memory(BLOCK, MAP_PRIVATE | MAP_POPULATE);
	int fd = open_direct(device);
	static struct token t;
	uint64_t i;

	for (i = 0; i < count; i++) {
		t.begin = now_ns();
		read_direct(fd, buffer, BLOCK, offset + i * BLOCK);
		hand_on(to, &t);
	}
	_exit(0);
}

static void work_on_blocks(uint64_t work_us, uint64_t count, int from, int to)
{
	static struct token t;
	uint64_t i;

	for (i = 0; i < count; i++) {
		take(from, &t);
		sleep_ns(work_us * 1000);
		hand_on(to, &t);
	}
	_exit(0);
}

static void write_blocks(uint64_t count, int from, uint64_t *took)
{
	int fd = open("blocks", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	static char block[BLOCK];
	static struct token t;
	uint64_t i;

	for (i = 0; i < count; i++) {
		take(from, &t);
		if (fd < 0 || write(fd, block, BLOCK) != BLOCK || fsync(fd))
			die("cannot write", "blocks");
		took[i] = now_ns() - t.begin;
	}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of n in ascending order the smallest that part per thousand of all do not exceed, us. */
static double part_of(const uint64_t *took, uint64_t n, unsigned int part)
{
	return took[(n * part + 999) / 1000 - 1] / 1e3;
}

static int pipeline(const char *device, char **arg)
{
	uint64_t offset = strtoull(arg[0], NULL, 10) * 1024, count = strtoull(arg[2], NULL, 10);
	uint64_t work_us = strtoull(arg[3], NULL, 10), begin = now_ns(), *took;
	int first[2], second[2];

	if (!count || count > MAX_COUNT)
		return -1;
	took = map_memory(count * sizeof(*took), MAP_PRIVATE);
	make_pipe(first);
	make_pipe(second);
	if (!fork_or_die())
		read_blocks(device, offset, count, first[1]);
	if (!fork_or_die())
		work_on_blocks(work_us, count, first[0], second[1]);
	if (chdir(arg[1]))
		die("no directory", arg[1]);
	write_blocks(count, second[0], took);
	wait_one();
	wait_one();
	qsort(took, count, sizeof(*took), by_size);
	printf("count %lu\npipeline_seconds %.9f\np50_us %.3f\np99_us %.3f\nmax_us %.3f\n", count,
	       (now_ns() - begin) / 1e9, part_of(took, count, 500), part_of(took, count, 990),
	       took[count - 1] / 1e3);
	return 0;
}

static void unpack_one(uint64_t number, size_t bytes)
{
	static const char contents[FILE_UNIT * MOST_UNITS];
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "dir%lu", number / FILES_IN_ONE);
	if (number % FILES_IN_ONE == 0 && mkdir(name, 0700))
		die("cannot make", name);
	snprintf(name, sizeof(name), "dir%lu/file%lu", number / FILES_IN_ONE, number);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, contents, bytes) != (ssize_t)bytes || close(fd))
		die("cannot write", name);
}

static int unpack(const char *directory, char **arg)
{
	uint64_t count = strtoull(arg[0], NULL, 10), random = random_start(0), begin = now_ns(), i;
	int fd;

	if (!count || count > MAX_COUNT)
		return -1;
	if (chdir(directory))
		die("no directory", directory);
	for (i = 0; i < count; i++)
		unpack_one(i, (1 + next_random(&random) % MOST_UNITS) * FILE_UNIT);
	fd = open(".", O_RDONLY | O_DIRECTORY);
	if (fd < 0 || syncfs(fd))
		die("cannot sync", directory);
	printf("files %lu\nunpack_seconds %.9f\n", count, (now_ns() - begin) / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int status = -1;

	prctl(PR_SET_TIMERSLACK, 1);	/* on time */
	if (argc == 7 && !strcmp(what, "crowd"))
		status = crowd(argv[2], argv + 3);
	else if (argc == 7 && !strcmp(what, "pipeline"))
		status = pipeline(argv[2], argv + 3);
	else if (argc == 4 && !strcmp(what, "unpack"))
		status = unpack(argv[2], argv + 3);
	if (!status)
		return 0;
	fprintf(stderr, "usage: crew crowd DEVICE OFFSET_KIB KIB COUNT AT_ONCE, or\n"
		"       crew pipeline DEVICE OFFSET_KIB DIRECTORY COUNT WORK_US, or\n"
		"       crew unpack DIRECTORY COUNT\n");
	return 2;
}
