// SPDX-License-Identifier: GPL-2.0
/*
 * What iozone -I -a -i 0..5 -n 8m -g 16m -y 1024 -q 8192 does to a disk, by any number of
 * processes side by side, each on a part of its own.
 *
 *	cells <JOBS
 *
 * A line of JOBS is a process: CGROUP-PROCS-FILE DEVICE.
 *
 * A cell is a file of 8 or 16 MiB gone through once, in one of nine ways, in records of
 * 1, 2, 4 or 8 MiB, one at a time and by O_DIRECT. A process goes through all cells in the order
 * of iozone, again and again, until the last of them has been through once: so the
 * neighbours are there all the time. A cell that is not complete then is dropped.
 *
 * Printed for each cell: process, pass, way, file and record in KiB, nanoseconds.
 */
#include "common.h"

#include <stdatomic.h>
#include <sys/wait.h>

#define MAX_JOBS	16
#define MAX_CELLS	65536
#define MIN_FILE	(8ull << 20)
#define MAX_FILE	(16ull << 20)
#define MIN_RECORD	(1ull << 20)
#define MAX_RECORD	(8ull << 20)
#define STRIDE		17	/* iozone's: coprime to the number of records, so all are read */

enum cell_way {
	WRITE, REWRITE, READ, REREAD, RANDREAD, RANDWRITE, BACKWARD, RECORD_REWRITE, STRIDE_READ,
	WAYS
};

static const char *const names[WAYS] = {
	"write", "rewrite", "read", "reread", "randread", "randwrite", "backward",
	"record-rewrite", "stride"
};

struct cell {
	uint64_t file, record, ns;
	enum cell_way way;
	unsigned int pass;
};

struct process {
	unsigned int nr_cells, passes;
	struct cell cell[MAX_CELLS];
};

struct worker {
	int fd;
	char *buffer;
	uint64_t random;
	struct process *log;
};

static atomic_int *stop;
static struct process *process;

/* The order in which a cell's records are gone through. */
static void set_order(struct worker *w, enum cell_way way, unsigned int *order, unsigned int n)
{
	unsigned int i, j, other;

	for (i = 0; i < n; i++) {
		order[i] = i;
		if (way == BACKWARD)
			order[i] = n - 1 - i;
		else if (way == RECORD_REWRITE)
			order[i] = n / 2;
		else if (way == STRIDE_READ)
			order[i] = i * STRIDE % n;
	}
	if (way != RANDREAD && way != RANDWRITE)
		return;
	for (i = n - 1; i > 0; i--) {
		j = next_random(&w->random) % (i + 1);
		other = order[i];
		order[i] = order[j];
		order[j] = other;
	}
}

static int is_write(enum cell_way way)
{
	return way == WRITE || way == REWRITE || way == RANDWRITE || way == RECORD_REWRITE;
}

static void run_cell(struct worker *w, enum cell_way way, uint64_t file, uint64_t record)
{
	unsigned int order[MAX_FILE / MIN_RECORD], n = file / record, i;
	uint64_t begin = now_ns();
	ssize_t done;

	set_order(w, way, order, n);
	for (i = 0; i < n && !*stop; i++) {
		done = is_write(way) ? pwrite(w->fd, w->buffer, record, order[i] * record) :
				       pread(w->fd, w->buffer, record, order[i] * record);
		if (done != (ssize_t)record)
			die("cannot", names[way]);
	}
	if (*stop)
		return;
	if (w->log->nr_cells == MAX_CELLS) {
		errno = ENOSPC;
		die("no room for another", "cell");
	}
	w->log->cell[w->log->nr_cells++] = (struct cell){
		.file = file, .record = record, .way = way, .pass = w->log->passes,
		.ns = now_ns() - begin
	};
}

static void run_all_cells(struct worker *w)
{
	uint64_t file, record;
	enum cell_way way;

	while (!*stop) {
		for (file = MIN_FILE; file <= MAX_FILE; file *= 2)
			for (record = MIN_RECORD; record <= MAX_RECORD; record *= 2)
				for (way = 0; way < WAYS && !*stop; way++)
					run_cell(w, way, file, record);
		w->log->passes++;
	}
}

static void work(const char *procs, const char *device, unsigned int number, int gate)
{
	struct worker w = {
		.random = random_start(number),
		.log = &process[number],
	};

	join_group(procs);
	w.fd = open(device, O_RDWR | O_DIRECT);
	if (w.fd < 0)
		die("cannot open", device);
	w.buffer = map_memory(MAX_RECORD, MAP_PRIVATE | MAP_POPULATE);
	wait_at_gate(gate);
	run_all_cells(&w);
	_exit(0);
}

static unsigned int start_all(void)
{
	char procs[160], device[64];
	unsigned int total = 0;
	int gate[2];
	pid_t pid;

	if (pipe(gate))
		die("pipe", "");
	while (scanf("%159s %63s", procs, device) == 2) {
		if (total == MAX_JOBS) {
			errno = ENOSPC;
			die("no room for a process on", device);
		}
		pid = fork();
		if (pid < 0)
			die("cannot fork for", device);
		if (!pid) {
			close(gate[1]);
			work(procs, device, total, gate[0]);
		}
		total++;
	}
	close(gate[0]);
	close(gate[1]);
	return total;
}

static void wait_all_passed(unsigned int total)
{
	unsigned int i = 0;

	while (i < total) {
		if (process[i].passes) {
			i++;
			continue;
		}
		/* A child only ends early when something is wrong, and it has said what. */
		if (waitpid(-1, NULL, WNOHANG)) {
			*stop = 1;
			exit(1);
		}
		usleep(100000);
	}
}

int main(void)
{
	size_t size = 4096 + sizeof(*process) * MAX_JOBS;
	unsigned int total, i, j;
	char *shared;

	shared = map_memory(size, MAP_SHARED);
	stop = (atomic_int *)shared;
	process = (struct process *)(shared + 4096);

	total = start_all();
	wait_all_passed(total);
	*stop = 1;
	while (wait(NULL) > 0)
		;
	for (i = 0; i < total; i++) {
		for (j = 0; j < process[i].nr_cells; j++) {
			struct cell *c = &process[i].cell[j];

			printf("%u %u %s %lu %lu %lu\n", i, c->pass, names[c->way],
			       c->file >> 10, c->record >> 10, c->ns);
		}
	}
	return 0;
}
