// SPDX-License-Identifier: GPL-2.0
/*
 * Requests by a script: which process asks for which sectors, when, and what is
 * on its way meanwhile.  fio's jobs draw lots; a test that promises an order
 * wants these requests and no others.
 *
 *	helper issue DEV SCRIPT...
 *
 * Each SCRIPT is a process of its own, which does its steps in turn:
 *
 *	NAME=rAT+LEN[@C.L]	a direct read of LEN KiB at AT KiB, with I/O
 *				priority C.L (1.0 to 3.7) if that is said
 *	NAME=wAT+LEN[@C.L]	the same, written
 *	NAME=bN+LEN		N such reads all over its own part of the device
 *	NAME=sN+LEN		N of those, one after the other: one line at the end
 *	/			what has been asked for so far goes out in one call
 *	wait			and is waited for
 *	sleep=MS, until=MS	so long, or until so long after the common start
 *	prio=C.L		the process's own priority from here on
 *	cg=DIR			it moves to this cgroup
 *	cpu=N			and runs on this processor only
 *	put=FILE:VALUE		it writes the value to a file
 *
 * When all have ended, a line "NAME ASKED ENDED" for each request, in order of
 * their ends; times in us since the common start.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"

#define MOST_REQUESTS	4096	/* of all processes */
#define MOST_AT_ONCE	1024	/* of one, not yet sent or not yet ended */
#define LARGEST		(4 << 20)
#define NAME_LEN	16
#define START_AFTER_S	0.05		/* what a process needs to be ready, and more */
#define SPREAD_KIB	(16 << 10)	/* a process's own part, for b and s */

struct record {
	char name[NAME_LEN];
	double asked;
	double ended;
};

/* What the processes share. */
struct board {
	double start;
	int n;
	struct record record[MOST_REQUESTS];
};

struct worker {
	struct board *board;
	int me;
	int fd;
	aio_context_t aio;
	void *buf;
	struct iocb iocb[MOST_AT_ONCE];
	struct iocb *list[MOST_AT_ONCE];
	int collected;		/* in @list, not sent yet */
	int sent;		/* not ended yet */
	int used;		/* of @iocb */
	unsigned int lots;	/* the next random place */
};

static double since(const struct worker *w)
{
	return now() - w->board->start;
}

static struct record *new_record(struct worker *w, const char *name)
{
	int i = __atomic_fetch_add(&w->board->n, 1, __ATOMIC_SEQ_CST);
	struct record *r = &w->board->record[i];

	if (i >= MOST_REQUESTS)
		die("more than %d requests", MOST_REQUESTS);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->asked = since(w);
	return r;
}

/* The kernel's number for "C.L". */
static int priority(const char *text)
{
	if (strlen(text) != 3 || text[1] != '.')
		die("%s is no class and level", text);
	return (text[0] - '0') << 13 | (text[2] - '0');
}

static void collect(struct worker *w, const char *name, int write, long long at, long len,
		    const char *prio)
{
	struct iocb *cb = &w->iocb[w->used];

	if (w->used == MOST_AT_ONCE || len > LARGEST)
		die("too much for one process: %s", name);
	memset(cb, 0, sizeof(*cb));
	cb->aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
	cb->aio_fildes = w->fd;
	cb->aio_buf = (unsigned long)w->buf;
	cb->aio_nbytes = len;
	cb->aio_offset = at;
	cb->aio_data = (unsigned long)new_record(w, name);
	if (prio) {
		cb->aio_flags = IOCB_FLAG_IOPRIO;
		cb->aio_reqprio = priority(prio);
	}
	w->list[w->collected++] = cb;
	w->used++;
}

static void submit(struct worker *w)
{
	int done = 0;

	while (done < w->collected) {
		long n = syscall(SYS_io_submit, w->aio, w->collected - done, w->list + done);

		if (n <= 0)
			die("io_submit");
		done += n;
	}
	w->sent += done;
	w->collected = 0;
}

/* Take what ends until @until, or until all has if that is below zero. */
static void reap(struct worker *w, double until)
{
	struct io_event event[64];

	submit(w);
	while (until >= 0 ? since(w) < until : w->sent > 0) {
		double left = until >= 0 ? until - since(w) : 1000;
		struct timespec ts = { .tv_sec = (long)left };
		long n, i;

		ts.tv_nsec = (left - (double)ts.tv_sec) * 1e9;
		if (left <= 0)
			break;
		n = syscall(SYS_io_getevents, w->aio, 1L, 64L, event, &ts);
		if (n < 0)
			die("io_getevents");
		for (i = 0; i < n; i++) {
			struct record *r = (struct record *)(unsigned long)event[i].data;

			if (event[i].res < 0)
				die("%s: error %lld", r->name, (long long)event[i].res);
			r->ended = since(w);
		}
		w->sent -= n;
	}
	if (!w->sent)
		w->used = 0;
}

static long long anywhere(struct worker *w, long len)
{
	long blocks = SPREAD_KIB * 1024L / len;

	w->lots = w->lots * 1103515245 + 12345;
	return w->me * (SPREAD_KIB * 1024LL) + (w->lots >> 8) % blocks * len;
}

static void ask(struct worker *w, const char *name, const char *what)
{
	long long at;
	char kind, *text;
	long len;
	const char *prio = strchr(what, '@');

	kind = *what;
	at = strtoll(what + 1, &text, 10);
	if (*text != '+' || !strchr("rwbs", kind))
		die("no request: %s", what);
	len = strtol(text + 1, NULL, 10) * 1024;
	if (kind == 'r' || kind == 'w') {
		collect(w, name, kind == 'w', at * 1024, len, prio ? prio + 1 : NULL);
		return;
	}
	if (kind == 's') {
		struct record *r;

		reap(w, -1);
		r = new_record(w, name);
		for (; at > 0; at--)
			if (pread(w->fd, w->buf, len, anywhere(w, len)) != len)
				die("%s: read", name);
		r->ended = since(w);
		return;
	}
	for (; at > 0; at--)
		collect(w, name, 0, anywhere(w, len), len, prio ? prio + 1 : NULL);
}

static void step(struct worker *w, char *word)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	if (!strcmp(word, "/")) {
		submit(w);
	} else if (!strcmp(word, "wait")) {
		reap(w, -1);
	} else if (!value) {
		die("what does %s mean", word);
	} else if (!strcmp(word, "sleep")) {
		reap(w, since(w) + atof(value) / 1e3);
	} else if (!strcmp(word, "until")) {
		reap(w, atof(value) / 1e3);
	} else if (!strcmp(word, "prio")) {
		if (syscall(SYS_ioprio_set, 1, 0, priority(value)))
			die("ioprio_set %s", value);
	} else if (!strcmp(word, "cg")) {
		char path[PATH_LEN];

		snprintf(path, sizeof(path), "%s/cgroup.procs", value);
		errno = put(path, "0", 1);
		if (errno)
			die("%s", path);
	} else if (!strcmp(word, "put")) {
		char *text = strchr(value, ':');

		if (!text)
			die("put what? %s", value);
		*text++ = '\0';
		errno = put(value, text, strlen(text));
		if (errno)
			die("%s: %s", value, text);
	} else if (!strcmp(word, "cpu")) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(atoi(value), &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("processor %s", value);
	} else {
		ask(w, word, value);
	}
}

static void work(struct board *board, int fd, int me, char *script)
{
	struct worker *w = calloc(1, sizeof(*w));
	double early;
	char *word;

	if (!w || posix_memalign(&w->buf, BLOCK, LARGEST))
		die("memory");
	w->board = board;
	w->me = me;
	w->fd = fd;
	w->lots = me;
	/* the memory is there before it is in a hurry */
	memset(w->buf, 0, LARGEST);
	if (syscall(SYS_io_setup, MOST_AT_ONCE, &w->aio))
		die("io_setup");
	early = -since(w);	/* looked at once: it may be time between two looks */
	if (early > 0)
		usleep(early * 1e6);
	for (word = strtok(script, " \t\n"); word; word = strtok(NULL, " \t\n"))
		step(w, word);
	reap(w, -1);
}

static int by_end(const void *a, const void *b)
{
	double x = ((const struct record *)a)->ended, y = ((const struct record *)b)->ended;

	return (x > y) - (x < y);
}

int cmd_issue(int argc, char **argv)
{
	int fd = open_device(argv[0], O_DIRECT | O_RDWR), i, status, failed = 0;
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (board == MAP_FAILED)
		die("mmap");
	memset(board, 0, sizeof(*board));
	/* so that all are ready before the first begins */
	board->start = now() + START_AFTER_S * argc;
	for (i = 1; i < argc; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			work(board, fd, i - 1, argv[i]);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += status != 0;
	qsort(board->record, board->n, sizeof(board->record[0]), by_end);
	for (i = 0; i < board->n; i++)
		printf("%s %.0f %.0f\n", board->record[i].name, board->record[i].asked * 1e6,
		       board->record[i].ended * 1e6);
	return failed != 0;
}
