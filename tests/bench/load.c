// SPDX-License-Identifier: GPL-2.0
/*
 * Load with little overhead, for cases where fio itself would be most of what is measured
 * (its own 10,000 instructions for an I/O, 30 million for a start): any number of processes,
 * each in a cgroup of its choice, each counting what it completes.
 *
 *	load WARMUP_MS WINDOW_MS MIN_IOS [START_S] <JOBS
 *	load mark PROGRAM ARGUMENT...		a mark before and behind a program
 *
 * A line of JOBS is one or more processes:
 *
 *	CGROUP-PROCS-FILE DEVICE OFFSET_KIB SIZE_KIB BS DEPTH PATTERN PROCESSES
 *
 * Direct readers and writers share their memory as threads do, but are processes in all else: to
 * switch between address spaces is what costs an emulated computer most. Each does one I/O
 * before all begin, one process after the other: at a group's first I/O the kernel makes what
 * it needs for the group and the disk, out of a reserve that is refilled in the background.
 * While the reserve is empty it tries in vain with each I/O, and that is charged to the parent.
 *
 * CGROUP-PROCS-FILE "-" stays where it is. PATTERN is read, randread, write or randwrite
 * (direct), or bufwrite (through the page cache, in sequence); with "+yield" another process
 * may run after each I/O, with "+once" there is but one I/O for each process. With PROCESSES
 * above 1 the region is divided among them. DEPTH above 1 goes by io_submit: as many as have
 * completed are submitted together.
 *
 * When all have completed something and WARMUP_MS are over, the window begins; where some may
 * starve, START_S later at most, else it is an error if they do. It ends when WINDOW_MS are over
 * and MIN_IOS completed in it. Begin and end are marks for the plugin insn.c. Printed then:
 *
 *	window NANOSECONDS
 *	process N IOS BYTES		in the order of the lines
 */
#include "common.h"

#include <linux/aio_abi.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MAX_DEPTH	1024
#define STACK_BYTES	32768
#define POLL_NS		5000000	/* how often to look at what others have done */
#define REST_NS		10000000000ull	/* thousands with nothing to do must not busy a CPU */
#define STUCK_S		600	/* virtual seconds without an I/O that is waited for */

struct job {
	char procs[160], device[64], pattern[32];
	uint64_t offset, size;
	unsigned int bs, depth, processes;
	int buffered;
};

/* One cache line for each process. */
struct counter {
	uint64_t ios, bytes;
} __attribute__((aligned(64)));

struct shared {
	int stop;
	struct counter of[MAX_PROCESSES];
};

struct worker {
	struct job *job;
	int gate[2];
	struct counter *counter;
	uint64_t start, blocks, next, random;
	int fd, is_random, is_write, yields, once;
};

static struct shared *shared;
static uint64_t before[MAX_PROCESSES][2], after[MAX_PROCESSES][2];

/* Nobody else has this nop; insn.c looks for it. */
static void mark(void)
{
	asm volatile(".byte 0x0f, 0x1f, 0x80, 0x21, 0x51, 0x46, 0x42" : : : "memory");
}

static int stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static uint64_t ios_of(unsigned int i)
{
	return __atomic_load_n(&shared->of[i].ios, __ATOMIC_RELAXED);
}

static uint64_t next_offset(struct worker *w)
{
	uint64_t block;

	if (w->is_random) {
		block = next_random(&w->random) % w->blocks;
	} else {
		block = w->next;
		w->next = w->next + 1 == w->blocks ? 0 : w->next + 1;
	}
	return w->start + block * w->job->bs;
}

static void count_io(struct worker *w, unsigned int n)
{
	w->counter->ios += n;
	w->counter->bytes += (uint64_t)n * w->job->bs;
	if (w->yields)
		sched_yield();
	while (w->once && !stopped())
		sleep_ns(REST_NS);
}

static void do_one(struct worker *w, char *buffer)
{
	uint64_t at = next_offset(w);
	ssize_t done = w->is_write ? pwrite(w->fd, buffer, w->job->bs, at) :
				     pread(w->fd, buffer, w->job->bs, at);

	if (done != (ssize_t)w->job->bs)
		die("I/O on", w->job->device);
}

static void one_at_a_time(struct worker *w, char *buffer)
{
	while (!stopped()) {
		do_one(w, buffer);
		count_io(w, 1);
	}
}

struct flights {
	struct iocb iocbs[MAX_DEPTH], *todo[MAX_DEPTH];
	struct io_event events[MAX_DEPTH];
};

static void many_at_a_time(struct worker *w, char *buffer)
{
	struct flights *f = map_memory(sizeof(*f), MAP_PRIVATE);
	struct iocb **todo = f->todo;
	unsigned int i, free = w->job->depth, flying = 0;
	aio_context_t ctx = 0;
	long n;

	if (syscall(SYS_io_setup, w->job->depth, &ctx))
		die("io_setup for", w->job->device);
	for (i = 0; i < free; i++)
		todo[i] = &f->iocbs[i];
	while (flying || !stopped()) {
		for (i = 0; i < free && !stopped(); i++) {
			*todo[i] = (struct iocb){
				.aio_lio_opcode = w->is_write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
				.aio_fildes = w->fd,
				.aio_buf = (uintptr_t)buffer,
				.aio_nbytes = w->job->bs,
				.aio_offset = next_offset(w),
			};
		}
		n = i ? syscall(SYS_io_submit, ctx, i, todo) : 0;
		if (n < 0)
			die("io_submit to", w->job->device);
		memmove(todo, todo + n, (free - n) * sizeof(*todo));
		free -= n;
		flying += n;
		n = syscall(SYS_io_getevents, ctx, 1, w->job->depth, f->events, NULL);
		if (n < 0)
			die("io_getevents from", w->job->device);
		for (i = 0; i < n; i++) {
			if (f->events[i].res != w->job->bs)
				die("I/O on", w->job->device);
			todo[free++] = (struct iocb *)(uintptr_t)f->events[i].obj;
		}
		flying -= n;
		count_io(w, n);
	}
}

/* The child. */
static int work(void *arg)
{
	struct worker *w = arg;
	struct job *job = w->job;
	char *buffer = map_memory(job->bs, MAP_PRIVATE);

	close(w->gate[1]);
	join_group(job->procs);
	w->fd = open(job->device, O_RDWR | (job->buffered ? 0 : O_DIRECT));
	if (w->fd < 0)
		die("cannot open", job->device);
	if (!job->buffered)
		do_one(w, buffer);
	wait_at_gate(w->gate[0]);
	if (w->once && !job->buffered)
		count_io(w, 1);		/* that was it */
	if (job->depth > 1)
		many_at_a_time(w, buffer);
	else
		one_at_a_time(w, buffer);
	_exit(0);
}

/* A process of a job, `within` all of that and with a number among those of all jobs. */
static void launch(struct job *job, unsigned int within, unsigned int number, const int *gate)
{
	uint64_t part = job->size / job->processes / job->bs * job->bs;
	struct worker *w = map_memory(sizeof(*w), MAP_PRIVATE);
	char *stack = map_memory(STACK_BYTES, MAP_PRIVATE);

	*w = (struct worker){
		.job = job,
		.gate = { gate[0], gate[1] },
		.counter = &shared->of[number],
		.start = job->offset + within * part,
		.blocks = part / job->bs,
		.random = random_start(number),
		.is_random = !strncmp(job->pattern, "rand", 4),
		.is_write = !!strstr(job->pattern, "write"),
		.yields = !!strstr(job->pattern, "+yield"),
		.once = !!strstr(job->pattern, "+once"),
	};
	if (!w->blocks) {
		errno = EINVAL;
		die("no room for a block on", job->device);
	}
	/* A page in the cache is charged to the group of who owns the address space. */
	if (clone(work, stack + STACK_BYTES, SIGCHLD | (job->buffered ? 0 : CLONE_VM), w) < 0)
		die("cannot start a process for", job->device);
}

/* The next line of JOBS, or NULL. */
static struct job *read_job(void)
{
	struct job *job = map_memory(sizeof(*job), MAP_PRIVATE);

	if (scanf("%159s %63s %lu %lu %u %u %31s %u", job->procs, job->device, &job->offset,
		  &job->size, &job->bs, &job->depth, job->pattern, &job->processes) != 8)
		return NULL;
	job->offset *= 1024;
	job->size *= 1024;
	job->buffered = !strncmp(job->pattern, "bufwrite", 8);
	return job;
}

static unsigned int start_all(void)
{
	unsigned int total = 0, i;
	struct job *job;
	int gate[2];

	if (pipe(gate))
		die("pipe", "");
	while ((job = read_job())) {
		if (!job->bs || !job->depth || job->depth > MAX_DEPTH || !job->processes ||
		    total + job->processes > MAX_PROCESSES) {
			errno = EINVAL;
			die("a job for", job->device);
		}
		for (i = 0; i < job->processes; i++)
			launch(job, i, total++, gate);
	}
	close(gate[0]);
	close(gate[1]);
	return total;
}

/* A child only ends early when something is wrong, and it has said what. */
static void check_alive(void)
{
	if (waitpid(-1, NULL, WNOHANG) > 0) {
		__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
		exit(1);
	}
}

static void wait_all_started(unsigned int total, uint64_t start_s)
{
	uint64_t limit = now_ns() + (start_s ? start_s : STUCK_S) * NS_PER_S;
	unsigned int i = 0;

	while (i < total) {
		if (ios_of(i)) {
			i++;
			continue;
		}
		if (now_ns() > limit) {
			if (start_s)
				return;
			errno = ETIMEDOUT;
			die("no I/O of", "a process");
		}
		check_alive();
		sleep_ns(POLL_NS);
	}
}

static uint64_t snapshot(uint64_t (*to)[2], unsigned int total)
{
	uint64_t ios = 0;
	unsigned int i;

	for (i = 0; i < total; i++) {
		to[i][0] = ios_of(i);
		to[i][1] = shared->of[i].bytes;
		ios += to[i][0];
	}
	return ios;
}

static int measure(uint64_t warmup_ms, uint64_t window_ms, uint64_t min_ios, uint64_t start_s)
{
	uint64_t begin, end, from, limit;
	unsigned int i, total;

	shared = map_memory(sizeof(*shared), MAP_SHARED);
	/* not one page fault in the window */
	memset(before, 1, sizeof(before));
	memset(after, 1, sizeof(after));
	total = start_all();
	wait_all_started(total, start_s);
	sleep_ns(warmup_ms * 1000000);

	begin = now_ns();
	from = snapshot(before, total);
	mark();
	sleep_ns(window_ms * 1000000);
	limit = now_ns() + STUCK_S * NS_PER_S;
	while (snapshot(after, total) - from < min_ios && now_ns() < limit)
		sleep_ns(POLL_NS);
	end = now_ns();
	snapshot(after, total);
	mark();

	check_alive();
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	while (wait(NULL) > 0)
		;
	printf("window %lu\n", end - begin);
	for (i = 0; i < total; i++)
		printf("process %u %lu %lu\n", i, after[i][0] - before[i][0],
		       after[i][1] - before[i][1]);
	return 0;
}

static int mark_around(char **argv)
{
	uint64_t begin = now_ns();
	int status = 0;

	mark();
	if (!fork()) {
		execvp(argv[0], argv);
		die("cannot run", argv[0]);
	}
	wait(&status);
	mark();
	printf("window %lu\n", now_ns() - begin);
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "mark"))
		return mark_around(argv + 2);
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: load WARMUP_MS WINDOW_MS MIN_IOS [START_S] <JOBS, or\n"
			"       load mark PROGRAM ARGUMENT...\n");
		return 2;
	}
	return measure(strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10),
		       strtoul(argv[3], NULL, 10), argc == 5 ? strtoul(argv[4], NULL, 10) : 0);
}
