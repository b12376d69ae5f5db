/* SPDX-License-Identifier: GPL-2.0 */
/* What load, cells, replay and player share. Comes before all other headers. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S	1000000000ull
#define RANDOM_SEED	0x9e3779b97f4a7c15ull	/* times a number: a seed for next_random() */
#define MAX_PROCESSES	16384			/* 10,000 groups with one each */

static inline void __attribute__((noreturn)) die(const char *what, const char *which)
{
	fprintf(stderr, "%s: %s%s%s: %s\n", program_invocation_short_name, what,
		*which ? " " : "", which, strerror(errno));
	exit(1);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static inline struct timespec timespec(uint64_t ns)
{
	return (struct timespec){ ns / NS_PER_S, ns % NS_PER_S };
}

static inline void sleep_ns(uint64_t ns)
{
	struct timespec t = timespec(ns);

	nanosleep(&t, NULL);
}

/* xorshift64: any sequence will do that is the same each time */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Where a process, one of many, begins: follows from the boot's seed. */
static inline uint64_t random_start(unsigned int number)
{
	const char *seed = getenv("LAB_SEED");

	return RANDOM_SEED * ((seed ? strtoull(seed, NULL, 10) : 1) * MAX_PROCESSES + number + 1);
}

/* Memory filled with zeroes; flags are those of mmap(). */
static inline void *map_memory(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("no memory", "");
	return p;
}

/* Move this process into a cgroup, "-" for none. */
static inline void join_group(const char *procs)
{
	int fd;

	if (!strcmp(procs, "-"))
		return;
	fd = open(procs, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die("cannot join", procs);
	close(fd);
}

/* The reading end of a pipe. Nothing comes through: wait until the parent closes its end. */
static inline void wait_at_gate(int gate)
{
	char c;

	if (read(gate, &c, 1))
		die("waiting on", "the gate");
}

#endif
