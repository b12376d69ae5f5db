// SPDX-License-Identifier: GPL-2.0
/*
 * What devices have completed, in slices of time.
 *
 *	slices SLICE_MS COUNT STAT...
 *
 * STAT is a statistics file of a disk or partition. Printed at the end, COUNT + 1 times, SLICE_MS
 * apart: "slice NANOSECONDS SECTORS...", the time and what each has read and written so far.
 */
#include "common.h"

#define MAX_STATS	32
#define MAX_SLICES	8192
#define NS_PER_MS	1000000ull

static uint64_t at[MAX_SLICES + 1], sectors[MAX_SLICES + 1][MAX_STATS];

/* The third number is what has been read, the seventh what has been written. */
static uint64_t completed(int fd, const char *name)
{
	uint64_t was_read, was_written;
	char line[256];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

	if (n <= 0)
		die("cannot read", name);
	line[n] = 0;
	if (sscanf(line, "%*u %*u %lu %*u %*u %*u %lu", &was_read, &was_written) != 2) {
		errno = EINVAL;
		die("no statistics in", name);
	}
	return was_read + was_written;
}

int main(int argc, char **argv)
{
	int nr = argc - 3, fds[MAX_STATS], i, slice, count;
	uint64_t begin, slice_ns;

	count = nr > 0 && nr <= MAX_STATS ? atoi(argv[2]) : 0;
	if (count < 1 || count > MAX_SLICES) {
		fprintf(stderr, "usage: slices SLICE_MS COUNT STAT...\n");
		return 2;
	}
	slice_ns = atoi(argv[1]) * NS_PER_MS;
	for (i = 0; i < nr; i++) {
		fds[i] = open(argv[i + 3], O_RDONLY);
		if (fds[i] < 0)
			die("cannot open", argv[i + 3]);
	}
	memset(at, 1, sizeof(at));	/* not one page fault later */
	memset(sectors, 1, sizeof(sectors));
	begin = now_ns();
	for (slice = 0; slice <= count; slice++) {
		uint64_t due = begin + slice * slice_ns;
		uint64_t now = now_ns();

		if (due > now)
			sleep_ns(due - now);
		at[slice] = now_ns();
		for (i = 0; i < nr; i++)
			sectors[slice][i] = completed(fds[i], argv[i + 3]);
	}
	for (slice = 0; slice <= count; slice++) {
		printf("slice %lu", at[slice]);
		for (i = 0; i < nr; i++)
			printf(" %lu", sectors[slice][i]);
		printf("\n");
	}
	return 0;
}
