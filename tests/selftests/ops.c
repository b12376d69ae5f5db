// SPDX-License-Identifier: GPL-2.0
/*
 * Single operations with their results: what exactly did the kernel answer, and
 * are the data what they are to be?  fio gives up at the first error; a test that
 * provokes errors wants to see each.
 *
 *	helper ops DEV STEP...	do each, print "STEP RESULT": OK, an error's name,
 *				SHORT, WRONG (other data), CHECK (a SCSI command
 *				ended with CHECK CONDITION)
 *
 *	rAT+LEN			read LEN KiB at AT KiB
 *	wAT+LEN[=G]		write, generation G of the data (1)
 *	cAT+LEN[=G]		read and compare with generation G
 *	dAT+LEN[=G]		write with RWF_DSYNC: FUA, or a flush behind it
 *	nAT+LEN			read with RWF_NOWAIT
 *	f			fdatasync: a flush
 *	sr, sw, scAT+LEN[=G]	the same as r, w and c, by SG_IO
 *	st, sf, sx		SG_IO: test unit ready, synchronize cache, no such command
 *
 *	helper batch DEV HOW N LEN [nowait] [known] [discards]
 *				ask for N reads of LEN KiB in one system call, by io_uring
 *				(HOW is uring) or io_submit (aio), after two single ones where
 *				the scheduler is to know the process; with io_uring all but the
 *				first may be discards, behind DISCARDS_AT; print how many ended
 *				how, how many completions came too many or twice, and the
 *				milliseconds that the call took
 *	helper readers FILE...	read the files over and over; how often each result came
 *	helper prios PID	give PID's tasks other classes and levels, over and over
 *
 * The last two end by SIGTERM and print then.  All I/O is direct.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "helper.h"

#define SECTOR		512
#define LARGEST		(1 << 20)
#define MOST_OF_BATCH	1024
#define SG_TIMEOUT_MS	60000
#define READS_TO_BE_KNOWN	2
#define KNOWN_FOR_US	200000
#define DISCARDS_AT	(32LL << 20)
#define CHECK_CONDITION	2
#define MOST_ERRNO	134

/* from Linux 6.12 on, which these headers may be older than */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD	_IO(0x12, 0)
#endif

static int stop;

static void on_term(int sig)
{
	(void)sig;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static int goes_on(void)
{
	return !__atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* What stands in the sectors from @at: each its own number and the generation. */
static void fill(char *buf, long long at, long len, int generation)
{
	uint64_t *word = (uint64_t *)buf;
	long i;

	for (i = 0; i < len / (long)sizeof(*word); i++)
		word[i] = ((at + i * (long long)sizeof(*word)) / SECTOR) << 8 | (generation & 0xff);
}

static const char *compare_data(const char *buf, long long at, long len, int generation)
{
	char *want = malloc(len);
	int same;

	if (!want)
		die("malloc");
	fill(want, at, len, generation);
	same = !memcmp(buf, want, len);
	free(want);
	return same ? "OK" : "WRONG";
}

struct op {
	char kind;
	int by_sg;
	long long at;	/* bytes */
	long len;
	int generation;
};

static struct op parse(const char *text)
{
	struct op op = { .generation = 1 };
	char *end;

	op.by_sg = *text == 's';
	text += op.by_sg;
	op.kind = *text++;
	if (!*text)
		return op;
	op.at = strtoll(text, &end, 10) * 1024;
	if (*end != '+')
		die("no operation: %s", text);
	op.len = strtol(end + 1, &end, 10) * 1024;
	if (*end == '=')
		op.generation = atoi(end + 1);
	if (op.len > LARGEST)
		die("too long: %s", text);
	return op;
}

static const char *result(ssize_t n, long len)
{
	if (n < 0)
		return strerrorname_np(errno);
	return n == len ? "OK" : "SHORT";
}

/* One SCSI command; @cdb has 10 bytes. */
static const char *sg_command(int fd, unsigned char *cdb, int direction, char *buf, long len)
{
	unsigned char sense[32];
	struct sg_io_hdr hdr = {
		.interface_id = 'S', .dxfer_direction = direction, .cmd_len = 10,
		.mx_sb_len = sizeof(sense), .dxfer_len = len, .dxferp = buf, .cmdp = cdb,
		.sbp = sense, .timeout = SG_TIMEOUT_MS,
	};

	if (ioctl(fd, SG_IO, &hdr))
		return strerrorname_np(errno);
	if (hdr.status == CHECK_CONDITION)
		return "CHECK";
	if (hdr.status || hdr.host_status || hdr.resid)
		return "FAILED";
	return "OK";
}

static const char *sg_op(int fd, const struct op *op, char *buf)
{
	unsigned char cdb[10] = { 0 };
	const char *how;

	switch (op->kind) {
	case 't':
		return sg_command(fd, cdb, SG_DXFER_NONE, NULL, 0);
	case 'f':
		cdb[0] = 0x35;
		return sg_command(fd, cdb, SG_DXFER_NONE, NULL, 0);
	case 'x':
		cdb[0] = 0x2c;		/* of optical disks */
		return sg_command(fd, cdb, SG_DXFER_NONE, NULL, 0);
	}
	cdb[0] = op->kind == 'w' ? 0x2a : 0x28;
	cdb[2] = op->at / SECTOR >> 24;
	cdb[3] = op->at / SECTOR >> 16;
	cdb[4] = op->at / SECTOR >> 8;
	cdb[5] = op->at / SECTOR;
	cdb[7] = op->len / SECTOR >> 8;
	cdb[8] = op->len / SECTOR;
	how = sg_command(fd, cdb, op->kind == 'w' ? SG_DXFER_TO_DEV : SG_DXFER_FROM_DEV, buf, op->len);
	if (op->kind == 'c' && !strcmp(how, "OK"))
		return compare_data(buf, op->at, op->len, op->generation);
	return how;
}

static const char *one_op(int fd, const struct op *op, char *buf)
{
	struct iovec vec = { .iov_base = buf, .iov_len = op->len };
	const char *how;

	if (op->kind == 'w' || op->kind == 'd')
		fill(buf, op->at, op->len, op->generation);
	if (op->by_sg)
		return sg_op(fd, op, buf);
	switch (op->kind) {
	case 'r':
		return result(pread(fd, buf, op->len, op->at), op->len);
	case 'w':
		return result(pwrite(fd, buf, op->len, op->at), op->len);
	case 'd':
		return result(pwritev2(fd, &vec, 1, op->at, RWF_DSYNC), op->len);
	case 'n':
		return result(preadv2(fd, &vec, 1, op->at, RWF_NOWAIT), op->len);
	case 'f':
		return result(fdatasync(fd), 0);
	case 'c':
		how = result(pread(fd, buf, op->len, op->at), op->len);
		return strcmp(how, "OK") ? how : compare_data(buf, op->at, op->len, op->generation);
	}
	die("no operation: %c", op->kind);
}

static char *memory(long len)
{
	void *buf;

	if (posix_memalign(&buf, BLOCK, len))
		die("memory");
	memset(buf, 0, len);
	return buf;
}

int cmd_ops(int argc, char **argv)
{
	int fd = open_device(argv[0], O_DIRECT | O_RDWR), i;
	char *buf = memory(LARGEST);

	for (i = 1; i < argc; i++) {
		struct op op = parse(argv[i]);

		printf("%s %s\n", argv[i], one_op(fd, &op, buf));
		fflush(stdout);
	}
	return 0;
}

/* What became of a batch. */
struct outcome {
	int n;
	int seen[MOST_OF_BATCH];
	int error[MOST_ERRNO];
	int ok, wrong, again;	/* again: completions of the same request */
	int discards;		/* all but the first are */
	double ms;
};

static void ended(struct outcome *o, unsigned long me, long res, const char *buf, long len)
{
	if (me >= (unsigned long)o->n || o->seen[me]++) {
		o->again++;
		return;
	}
	if (res < 0)
		o->error[-res < MOST_ERRNO ? -res : 0]++;
	else if (o->discards && me)
		o->ok++;
	else if (res != len || strcmp(compare_data(buf + me * len, me * len, len, 1), "OK"))
		o->wrong++;
	else
		o->ok++;
}

static void batch_aio(struct outcome *o, int fd, char *buf, long len, int nowait)
{
	struct iocb *cb = calloc(o->n, sizeof(*cb)), **list = calloc(o->n, sizeof(*list));
	struct io_event *event = calloc(o->n, sizeof(*event));
	aio_context_t ctx = 0;
	long i, n, left;
	double begin;

	if (!cb || !list || !event || syscall(SYS_io_setup, o->n, &ctx))
		die("io_setup");
	for (i = 0; i < o->n; i++) {
		cb[i] = (struct iocb) {
			.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd, .aio_data = i,
			.aio_buf = (unsigned long)(buf + i * len), .aio_nbytes = len,
			.aio_offset = i * len, .aio_rw_flags = nowait ? RWF_NOWAIT : 0,
		};
		list[i] = &cb[i];
	}
	begin = now();
	n = syscall(SYS_io_submit, ctx, (long)o->n, list);
	o->ms = (now() - begin) * 1e3;
	if (n != o->n)
		die("io_submit took %ld of %d", n, o->n);
	for (left = n; left > 0; left -= n) {
		n = syscall(SYS_io_getevents, ctx, 1L, left, event, NULL);
		if (n <= 0)
			die("io_getevents");
		for (i = 0; i < n; i++)
			ended(o, event[i].data, event[i].res, buf, len);
	}
}

static void *ring_map(int fd, size_t size, off_t offset)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	if (p == MAP_FAILED)
		die("mmap of a ring");
	return p;
}

static unsigned int *ring_word(char *ring, unsigned int offset)
{
	return (unsigned int *)(ring + offset);
}

static void batch_uring(struct outcome *o, int fd, char *buf, long len, int nowait)
{
	struct io_uring_params p = { 0 };
	int ring = syscall(SYS_io_uring_setup, o->n, &p);
	struct io_uring_cqe *cqes;
	struct io_uring_sqe *sqe;
	unsigned int head;
	char *sq, *cq;
	double begin;
	int i, left;
	long n;

	if (ring < 0)
		die("io_uring_setup");
	sq = ring_map(ring, p.sq_off.array + p.sq_entries * sizeof(unsigned int), IORING_OFF_SQ_RING);
	cq = ring_map(ring, p.cq_off.cqes + p.cq_entries * sizeof(*cqes), IORING_OFF_CQ_RING);
	sqe = ring_map(ring, p.sq_entries * sizeof(*sqe), IORING_OFF_SQES);
	cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	for (i = 0; i < o->n; i++) {
		sqe[i] = (struct io_uring_sqe) {
			.opcode = IORING_OP_READ, .fd = fd, .off = i * len, .len = len,
			.addr = (unsigned long)(buf + i * len), .user_data = i,
			.rw_flags = nowait ? RWF_NOWAIT : 0,
		};
		if (o->discards && i)
			sqe[i] = (struct io_uring_sqe) {
				.opcode = IORING_OP_URING_CMD, .fd = fd, .user_data = i,
				.cmd_op = BLOCK_URING_CMD_DISCARD,
				.addr = DISCARDS_AT + i * len, .addr3 = len,
			};
		ring_word(sq, p.sq_off.array)[i] = i;
	}
	__atomic_store_n(ring_word(sq, p.sq_off.tail), o->n, __ATOMIC_RELEASE);
	begin = now();
	n = syscall(SYS_io_uring_enter, ring, o->n, 0, 0, NULL, 0);
	o->ms = (now() - begin) * 1e3;
	if (n != o->n)
		die("io_uring_enter took %ld of %d", n, o->n);
	for (left = o->n; left > 0; ) {
		head = *ring_word(cq, p.cq_off.head);
		if (head == __atomic_load_n(ring_word(cq, p.cq_off.tail), __ATOMIC_ACQUIRE)) {
			if (syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
				die("io_uring_enter");
			continue;
		}
		cqes[head & *ring_word(cq, p.cq_off.ring_mask)].flags = 0;
		ended(o, cqes[head & *ring_word(cq, p.cq_off.ring_mask)].user_data,
		      cqes[head & *ring_word(cq, p.cq_off.ring_mask)].res, buf, len);
		__atomic_store_n(ring_word(cq, p.cq_off.head), head + 1, __ATOMIC_RELEASE);
		left--;
	}
}

static void show_errors(const int *error)
{
	int i;

	for (i = 0; i < MOST_ERRNO; i++)
		if (error[i])
			printf(" %s=%d", i ? strerrorname_np(i) : "unknown", error[i]);
}

int cmd_batch(int argc, char **argv)
{
	struct outcome o = { 0 };
	int nowait = 0, known = 0, fd, i;
	char *buf;
	long len;

	if (argc < 4)
		return 2;
	for (i = 4; i < argc; i++) {
		nowait |= !strcmp(argv[i], "nowait");
		known |= !strcmp(argv[i], "known");
		o.discards |= !strcmp(argv[i], "discards");
	}
	fd = open_device(argv[0], O_DIRECT | (o.discards ? O_RDWR : O_RDONLY));
	o.n = atoi(argv[2]);
	len = atol(argv[3]) * 1024;
	if (o.n < 1 || o.n > MOST_OF_BATCH || len < 1)
		return 2;
	buf = memory(o.n * len);
	for (i = 0; known && i < READS_TO_BE_KNOWN; i++)
		if (pread(fd, buf, len, 0) != len)
			die("read");
	/* others whose requests ended just now have new ones by then */
	if (known)
		usleep(KNOWN_FOR_US);
	if (!strcmp(argv[1], "uring"))
		batch_uring(&o, fd, buf, len, nowait);
	else
		batch_aio(&o, fd, buf, len, nowait);
	printf("asked=%d ok=%d wrong=%d again=%d", o.n, o.ok, o.wrong, o.again);
	show_errors(o.error);
	printf(" ms=%.1f\n", o.ms);
	return 0;
}

/* Read a file to its end. Return 0 or the error. */
static int read_all(const char *path)
{
	char text[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	while ((n = read(fd, text, sizeof(text))) > 0)
		;
	if (n < 0)
		error = errno;
	close(fd);
	return error;
}

int cmd_readers(int argc, char **argv)
{
	int error[MOST_ERRNO] = { 0 }, i;

	signal(SIGTERM, on_term);
	while (goes_on())
		for (i = 0; i < argc; i++)
			error[read_all(argv[i]) % MOST_ERRNO]++;
	printf("OK=%d", error[0]);
	error[0] = 0;
	show_errors(error);
	putchar('\n');
	return 0;
}

/* Another class and level for each task of a process; which one follows from @lots. */
static int change_prios(const char *pid, unsigned int *lots)
{
	char path[PATH_LEN];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		int prio = (1 + rand_r(lots) % 3) << 13 | rand_r(lots) % 8;

		if (atoi(entry->d_name) && !syscall(SYS_ioprio_set, 1, atoi(entry->d_name), prio))
			n++;
	}
	closedir(dir);
	return n;
}

int cmd_prios(int argc, char **argv)
{
	unsigned int lots = 1;
	int n = 0;

	if (argc != 1)
		return 2;
	signal(SIGTERM, on_term);
	while (goes_on()) {
		n += change_prios(argv[0], &lots);
		usleep(1000);
	}
	printf("%d\n", n);
	return 0;
}
