// SPDX-License-Identifier: GPL-2.0
/*
 * Replay the reads of a program that starts, at the speed at which they complete.
 *
 *	replay DEVICE TABLE LIMIT_S
 *
 * TABLE has a line for each read (see data/derive), "#" begins a remark:
 *
 *	THREAD AFTER GAP_US THINK_US SECTORS POSITION WAITS
 *
 * Every thread is a process of its own, so a scheduler sees as many as there were. A read is
 * begun THINK_US after the thread's read before it has completed, if that one WAITS (1), or
 * has been submitted, if it is read-ahead (0); and not before the read in line AFTER (counted
 * from 1, 0: none) has got as far, which is how threads wait for each other. Reads are direct:
 * no cache helps. GAP_US is what was recorded, and not used.
 *
 * Printed: "seconds" from the first read to the end of the last that was waited for, or "limit"
 * where that took LIMIT_S; "done" and "of", reads waited for; "longest_ms", one of these, as
 * far as it had come by then.
 */
#include "common.h"

#include <linux/aio_abi.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MAX_READS	16384
#define MAX_THREADS	64
#define MAX_SECTORS	2048
#define MAX_AHEAD	256	/* read-ahead in flight, more than any disk takes */
#define SECTOR		512

struct read {
	unsigned int thread, after, think_us, sectors, waits;
	unsigned int followers;		/* reads that begin after this one */
	uint64_t position;
};

struct shared {
	sem_t reached[MAX_READS];
	uint64_t end[MAX_THREADS], longest[MAX_THREADS];
	uint64_t since[MAX_THREADS];	/* begin of the read that is waited for, or 0 */
	unsigned int done[MAX_THREADS];
};

struct ahead {
	aio_context_t ctx;
	unsigned int flying;
};

static struct read reads[MAX_READS];
static unsigned int nr_reads, nr_threads;
static struct shared *shared;

static void load_table(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int gap_us;
	char line[160];

	if (!f)
		die("cannot open", path);
	while (fgets(line, sizeof(line), f)) {
		struct read *r = &reads[nr_reads];

		if (line[0] == '#')
			continue;
		errno = EINVAL;
		if (nr_reads == MAX_READS ||
		    sscanf(line, "%u %u %u %u %u %lu %u", &r->thread, &r->after, &gap_us,
			   &r->think_us, &r->sectors, &r->position, &r->waits) != 7 ||
		    r->thread >= MAX_THREADS || r->after > nr_reads || !r->sectors ||
		    r->sectors > MAX_SECTORS)
			die("a bad line in", path);
		if (r->after)
			reads[r->after - 1].followers++;
		if (r->thread >= nr_threads)
			nr_threads = r->thread + 1;
		nr_reads++;
	}
	fclose(f);
}

static void reap(struct ahead *a, unsigned int least)
{
	struct io_event events[MAX_AHEAD];
	long i, n = syscall(SYS_io_getevents, a->ctx, least, MAX_AHEAD, events, NULL);

	if (n < 0)
		die("io_getevents", "");
	for (i = 0; i < n; i++) {
		struct iocb *iocb = (struct iocb *)(uintptr_t)events[i].obj;

		if (events[i].res != (int64_t)iocb->aio_nbytes)
			die("read-ahead", "failed");
		iocb->aio_nbytes = 0;
	}
	a->flying -= n;
}

static void read_ahead(struct ahead *a, int fd, void *buffer, struct read *r)
{
	static struct iocb iocbs[MAX_AHEAD];
	struct iocb *iocb = iocbs;

	reap(a, a->flying == MAX_AHEAD);
	while (iocb->aio_nbytes)
		iocb++;
	*iocb = (struct iocb){
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)buffer,
		.aio_nbytes = r->sectors * SECTOR,
		.aio_offset = r->position * SECTOR,
	};
	if (syscall(SYS_io_submit, a->ctx, 1, &iocb) != 1)
		die("io_submit", "");
	a->flying++;
}

static void read_and_wait(unsigned int thread, int fd, void *buffer, struct read *r)
{
	ssize_t size = r->sectors * SECTOR;
	uint64_t begin = now_ns(), end;

	shared->since[thread] = begin;
	if (pread(fd, buffer, size, r->position * SECTOR) != size)
		die("a read", "failed");
	end = now_ns();
	shared->since[thread] = 0;
	shared->end[thread] = end;
	shared->done[thread]++;
	if (end - begin > shared->longest[thread])
		shared->longest[thread] = end - begin;
}

/* The process that does the reads of one thread. */
static void replay(unsigned int thread, const char *device, int gate)
{
	void *buffer = map_memory(MAX_SECTORS * SECTOR, MAP_PRIVATE | MAP_POPULATE);
	int fd = open(device, O_RDONLY | O_DIRECT);
	struct ahead ahead = {};
	unsigned int i, j;

	if (fd < 0)
		die("cannot open", device);
	if (syscall(SYS_io_setup, MAX_AHEAD, &ahead.ctx))
		die("io_setup for", device);
	prctl(PR_SET_TIMERSLACK, 1);	/* thinking is short */
	wait_at_gate(gate);
	for (i = 0; i < nr_reads; i++) {
		struct read *r = &reads[i];

		if (r->thread != thread)
			continue;
		if (r->after)
			while (sem_wait(&shared->reached[r->after - 1]))
				;
		if (r->think_us)
			sleep_ns(r->think_us * 1000ull);
		if (r->waits)
			read_and_wait(thread, fd, buffer, r);
		else
			read_ahead(&ahead, fd, buffer, r);
		for (j = 0; j < r->followers; j++)
			sem_post(&shared->reached[i]);
	}
	while (ahead.flying)
		reap(&ahead, 1);
	_exit(0);
}

static sigset_t child_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

/* Wait for all, or for the limit; kill who is left. SIGCHLD is blocked. */
static void wait_all(pid_t *pids, uint64_t until)
{
	unsigned int i, left = nr_threads;
	int status;
	sigset_t set = child_signal();
	pid_t pid;

	while (left) {
		uint64_t now = now_ns(), rest = until > now ? until - now : 0;
		struct timespec t = timespec(rest);

		if (sigtimedwait(&set, NULL, &t) < 0 && errno == EAGAIN)
			break;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (status)
				exit(1);	/* it has said why */
			left--;
		}
	}
	for (i = 0; left && i < nr_threads; i++) {
		uint64_t since = shared->since[i];

		kill(pids[i], SIGKILL);
		if (since && since < until && until - since > shared->longest[i])
			shared->longest[i] = until - since;
	}
	while (wait(NULL) > 0)
		;
}

static void report(uint64_t begin, const char *limit)
{
	unsigned int i, done = 0, of = 0;
	uint64_t end = 0, longest = 0;

	for (i = 0; i < nr_reads; i++)
		of += reads[i].waits;
	for (i = 0; i < nr_threads; i++) {
		done += shared->done[i];
		if (shared->end[i] > end)
			end = shared->end[i];
		if (shared->longest[i] > longest)
			longest = shared->longest[i];
	}
	if (done == of)
		printf("seconds %.9f\n", (end - begin) / 1e9);
	else
		printf("limit %s\n", limit);
	printf("done %u\nof %u\nlongest_ms %.6f\n", done, of, longest / 1e6);
}

int main(int argc, char **argv)
{
	static pid_t pids[MAX_THREADS];
	unsigned int i;
	uint64_t begin;
	sigset_t set = child_signal();
	int gate[2];

	if (argc != 4) {
		fprintf(stderr, "usage: replay DEVICE TABLE LIMIT_S\n");
		return 2;
	}
	load_table(argv[2]);
	shared = map_memory(sizeof(*shared), MAP_SHARED);
	if (pipe(gate))
		die("pipe", "");
	for (i = 0; i < nr_reads; i++)
		sem_init(&shared->reached[i], 1, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < nr_threads; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("cannot fork for", argv[1]);
		if (!pids[i]) {
			close(gate[1]);
			replay(i, argv[1], gate[0]);
		}
	}
	close(gate[0]);
	begin = now_ns();
	close(gate[1]);
	wait_all(pids, begin + atoi(argv[3]) * NS_PER_S);
	report(begin, argv[3]);
	return 0;
}
