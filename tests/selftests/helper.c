// SPDX-License-Identifier: GPL-2.0
/*
 * What the selftests do too often, or too precisely, for a shell: in a guest
 * under software emulation each fork costs milliseconds, and a shell does not
 * tell which error a write got.  Linked statically, since it also runs in an
 * initramfs.
 *
 *	helper put FILE VALUE		write once, print OK or the error's name
 *	helper try FILE VALUE...	write each; print the result and what FILE
 *					says then, newlines shown as commas
 *	helper switch N FILE NAME...	write the names in turn, N times
 *	helper groups N DIR WEIGHT GROUP...
 *					replace each GROUP of DIR by a new one,
 *					in turn, N times, and move its tasks
 *	helper spawn N AT_ONCE DEV	N processes, each with one direct read
 *	helper abandon N AT_ONCE DEV	N processes that exit with reads in flight
 *	helper cloneio SECONDS DEV	processes that share one io_context
 *	helper twins N DEV		N pairs of tasks that share an io_context, new to
 *					the device, and read at the same moment
 *	helper flaky SECONDS DEV	processes that read while their allocations
 *					fail (fault injection's make-it-fail)
 *	helper mkdirs N PATH		make and remove a directory while
 *					allocations fail
 *	helper rob US EVERY SECONDS	keep everybody else off a processor for US in EVERY us
 *	helper compute READS US SECONDS DEV
 *					READS blocks one after the other, then compute for
 *					US, over and over
 *	helper issue DEV SCRIPT...	certain requests in a certain order: issue.c
 *	helper ops, batch, readers, prios
 *					single operations and their results: ops.c
 *
 * A VALUE "@N:TEXT" stands for TEXT followed by ones up to N bytes, and \n in
 * it for a newline.  With FLAKY set in the environment, put and try write with
 * make-it-fail on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"

void die(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(1);
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int put(const char *path, const char *value, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, len) < 0)
		error = errno;
	close(fd);
	return error;
}

/* Ask for failing allocations from here on. */
static void make_it_fail(void)
{
	int error = put("/proc/self/make-it-fail", "1", 1);

	if (error) {
		errno = error;
		die("/proc/self/make-it-fail");
	}
}

/* Turn a VALUE of the command line into bytes. */
static char *expand(const char *arg, size_t *len)
{
	size_t n = 0, total = strlen(arg);
	char *buf;

	if (*arg == '@') {
		char *text;

		total = strtoul(arg + 1, &text, 10);
		arg = text + 1;
	}
	buf = malloc(total + 1);
	if (!buf)
		die("malloc");
	memset(buf, '1', total);
	for (*len = total; *arg && n < total; arg++, n++) {
		buf[n] = *arg;
		if (arg[0] != '\\' || arg[1] != 'n')
			continue;
		buf[n] = '\n';
		arg++;
		--*len;
	}
	return buf;
}

static const char *put_value(const char *path, const char *arg)
{
	size_t len;
	char *buf = expand(arg, &len);
	int error = put(path, buf, len);

	free(buf);
	return error ? strerrorname_np(error) : "OK";
}

static int cmd_put(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (getenv("FLAKY"))
		make_it_fail();
	puts(put_value(argv[0], argv[1]));
	return 0;
}

static int cmd_try(int argc, char **argv)
{
	int i;

	if (getenv("FLAKY"))
		make_it_fail();
	for (i = 1; i < argc; i++) {
		const char *result = put_value(argv[0], argv[i]);
		char text[1024];
		int fd = open(argv[0], O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1), k;

		close(fd);
		while (n > 0 && text[n - 1] == '\n')
			n--;
		for (k = 0; k < n; k++)
			if (text[k] == '\n')
				text[k] = ',';
		printf("%s: %.*s\n", result, n < 0 ? 0 : (int)n, text);
	}
	return 0;
}

static int cmd_switch(int argc, char **argv)
{
	int n = atoi(argv[0]), names = argc - 2, i;

	for (i = 0; i < n; i++) {
		const char *name = argv[2 + i % names];
		int error = put(argv[1], name, strlen(name)), tries;

		/* newer kernels refuse to wait for a change of nr_requests */
		for (tries = 0; error == EBUSY && tries < 60000; tries++) {
			usleep(1000);
			error = put(argv[1], name, strlen(name));
		}
		if (error) {
			errno = error;
			die("switch %d to %s", i, name);
		}
	}
	printf("%d\n", n);
	return 0;
}

/*
 * Move every task of group @from to group @to.  A task that has just been
 * forked may be missed by one reading of the list, and one that has just
 * exited cannot be moved and may be listed as 0, which would mean us: so until
 * the list is empty.
 */
static void move_tasks(const char *from, const char *to)
{
	char list[PATH_LEN + 16], target[PATH_LEN + 16], line[32];

	snprintf(list, sizeof(list), "%s/cgroup.procs", from);
	snprintf(target, sizeof(target), "%s/cgroup.procs", to);
	for (;;) {
		FILE *f = fopen(list, "re");
		int seen = 0;

		if (!f)
			die("%s", list);
		while (fgets(line, sizeof(line), f)) {
			int error = atoi(line) ? put(target, line, strlen(line)) : 0;

			if (error && error != ESRCH) {
				errno = error;
				die("move %s", line);
			}
			seen++;
		}
		fclose(f);
		if (!seen)
			return;
	}
}

/* An exiting task is no longer listed but keeps its group for a moment. */
static void remove_group(const char *path)
{
	int tries;

	for (tries = 0; rmdir(path); tries++) {
		if (errno != EBUSY || tries > 1000)
			die("rmdir %s", path);
		move_tasks(path, "/sys/fs/cgroup");
		usleep(10000);
	}
}

static int cmd_groups(int argc, char **argv)
{
	int n = atoi(argv[0]), chains = argc - 3, i;
	const char *dir = argv[1], *file = argv[2];

	for (i = 0; i < n; i++) {
		char **name = &argv[3 + i % chains];
		char old[PATH_LEN], new[PATH_LEN], path[PATH_LEN + 64], weight[16];
		int error;

		snprintf(old, sizeof(old), "%s/%s", dir, *name);
		if (asprintf(name, "group%d", i) < 0)
			die("asprintf");
		snprintf(new, sizeof(new), "%s/%s", dir, *name);
		if (mkdir(new, 0755))
			die("mkdir %s", new);
		snprintf(path, sizeof(path), "%s/%s", new, file);
		snprintf(weight, sizeof(weight), "%d", 1 + i * 37 % 1000);
		error = put(path, weight, strlen(weight));
		if (error) {
			errno = error;
			die("%s", path);
		}
		move_tasks(old, new);
		remove_group(old);
	}
	printf("%d\n", n);
	return 0;
}

static long long device_blocks(int fd)
{
	unsigned long long bytes;

	if (ioctl(fd, BLKGETSIZE64, &bytes))
		die("BLKGETSIZE64");
	return bytes / BLOCK;
}

/* Children that each do @body, at most @at_once at a time; its answer 0 is success. */
struct storm {
	int (*body)(int fd, int i);
	int fd;
	int at_once;
	int n;			/* how many in all; 0: as many as fit before @end */
	double end;
	int clone_flags;	/* what they share with us */
};

static bool storm_goes_on(const struct storm *s, int made)
{
	return s->n ? made < s->n : now() < s->end;
}

static int run_storm(const struct storm *s)
{
	int running = 0, failed = 0, made = 0, status;

	for (;;) {
		if (running < s->at_once && storm_goes_on(s, made)) {
			pid_t pid = syscall(SYS_clone, s->clone_flags | SIGCHLD, 0, 0, 0, 0);

			if (pid < 0)
				die("clone");
			if (!pid)
				_exit(s->body(s->fd, made));
			made++;
			running++;
			continue;
		}
		if (!running)
			break;
		if (wait(&status) < 0)
			die("wait");
		failed += status != 0;
		running--;
	}
	printf("%d processes, %d failed\n", made, failed);
	return failed || !made;
}

static void *block(void)
{
	void *buf;

	if (posix_memalign(&buf, BLOCK, BLOCK))
		die("posix_memalign");
	return buf;
}

static int one_read(int fd, int i)
{
	off_t at = i * 7919LL % device_blocks(fd) * BLOCK;

	return pread(fd, block(), BLOCK, at) != BLOCK;
}

/* Sixteen separate pieces of read-ahead, and out. */
static int leave_reads(int fd, int i)
{
	long long blocks = device_blocks(fd);
	int k;

	for (k = 0; k < 16; k++)
		posix_fadvise(fd, (i * 16LL + k) * 104729 % blocks * BLOCK, BLOCK,
			      POSIX_FADV_WILLNEED);
	return 0;
}

int open_device(const char *path, int flags)
{
	int fd = open(path, O_CLOEXEC | flags);

	if (fd < 0)
		die("%s", path);
	return fd;
}

static int cmd_storm(int argc, char **argv, int flags, int (*body)(int fd, int i))
{
	struct storm s = { .body = body };

	if (argc != 3)
		return 2;
	s.n = atoi(argv[0]);
	s.at_once = atoi(argv[1]);
	s.fd = open_device(argv[2], flags);
	return run_storm(&s);
}

/*
 * A task that shares its maker's io_context: reads a few blocks, changes the
 * priority for all of them now and then, and leaves while the others go on.
 */
static int sharer(int fd, int me)
{
	unsigned int seed = me;
	long long blocks = device_blocks(fd);
	void *buf = block();
	int i, n = 1 + rand_r(&seed) % 20;

	if (!(seed % 5))	/* IOPRIO_WHO_PROCESS, self, BE or RT, some level */
		syscall(SYS_ioprio_set, 1, 0, (1 + seed / 5 % 2) << 13 | seed / 10 % 8);
	for (i = 0; i < n; i++)
		if (pread(fd, buf, BLOCK, rand_r(&seed) % blocks * BLOCK) != BLOCK)
			return 1;
	return 0;
}

static int cmd_cloneio(int argc, char **argv)
{
	struct storm s = { .body = sharer, .at_once = 8, .clone_flags = CLONE_IO };

	if (argc != 2)
		return 2;
	s.fd = open_device(argv[1], O_DIRECT);
	/* Without an io_context of our own CLONE_IO would have nothing to share. */
	if (pread(s.fd, block(), BLOCK, 0) != BLOCK)
		die("read");
	s.end = now() + atof(argv[0]);
	return run_storm(&s);
}

/* One of a pair whose first reads are to meet: waits for the other, who does the same. */
static int twin(int *ready, int fd)
{
	__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < 2)
		;
	return one_read(fd, 0);
}

/* In a process of its own: an io_context that has not seen the device, and a task to share it. */
static int pair(int *ready, int fd)
{
	int status, failed;
	pid_t pid;

	if (syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 4))	/* makes one */
		return 1;
	*ready = 0;
	pid = syscall(SYS_clone, CLONE_IO | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return 1;
	failed = twin(ready, fd);
	if (!pid)
		_exit(failed);
	return wait(&status) < 0 || status || failed;
}

static int cmd_twins(int argc, char **argv)
{
	int *ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int n = atoi(argv[0]), failed = 0, status, fd, i;

	if (argc != 2 || ready == MAP_FAILED)
		return 2;
	fd = open_device(argv[1], O_DIRECT);
	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid)
			_exit(pair(ready, fd));
		if (wait(&status) < 0)
			die("wait");
		failed += status != 0;
	}
	printf("%d pairs, %d failed\n", n, failed);
	return failed != 0;
}

/* Some reads by a new process whose allocations fail now and then. */
static int flaky_reader(int fd, unsigned int seed)
{
	long long blocks = device_blocks(fd);
	void *buf = block();
	int i, done = 0;

	make_it_fail();
	for (i = 0; i < 5; i++) {
		ssize_t n = pread(fd, buf, BLOCK, rand_r(&seed) % blocks * BLOCK);

		if (n == BLOCK)
			done++;
		else if (n >= 0 || (errno != ENOMEM && errno != EAGAIN))
			return 2;	/* neither done nor honestly refused */
	}
	return done ? 0 : 1;
}

static int cmd_flaky(int argc, char **argv)
{
	int count[3] = { 0 }, status, fd, made = 0;
	double end;

	if (argc != 2)
		return 2;
	fd = open_device(argv[1], O_DIRECT);
	for (end = now() + atof(argv[0]); now() < end; ) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid)
			_exit(flaky_reader(fd, made));
		made++;
		if (wait(&status) < 0)
			die("wait");
		count[WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : 2]++;
	}
	printf("%d processes: %d read, %d got ENOMEM only, %d got a wrong answer\n",
	       made, count[0], count[1], count[2]);
	return !count[0] || count[2];
}

static int cmd_mkdirs(int argc, char **argv)
{
	int n = atoi(argv[0]), failed = 0, i;

	if (argc != 2)
		return 2;
	make_it_fail();
	for (i = 0; i < n; i++) {
		if (!mkdir(argv[1], 0755)) {
			while (rmdir(argv[1]))
				if (errno != ENOMEM)
					die("rmdir %s", argv[1]);
			continue;
		}
		if (errno != ENOMEM)
			die("mkdir %s", argv[1]);
		failed++;
	}
	printf("%d made, %d got ENOMEM\n", n - failed, failed);
	return 0;
}

/* Of the real-time class, so that nobody else runs on its processor meanwhile. */
static int cmd_rob(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 1 };
	double begun = now(), next = begun, busy, every, left;

	if (argc != 3)
		return 2;
	busy = atof(argv[0]) / 1e6;
	every = atof(argv[1]) / 1e6;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	for (; next < begun + atof(argv[2]); next += every) {
		while ((left = next - now()) > 0)
			usleep(left * 1e6 + 1);
		while (now() < next + busy)
			;
	}
	return 0;
}

static int cmd_compute(int argc, char **argv)
{
	unsigned int seed = 1, reads, i;
	void *buf = block();
	long long blocks;
	double end, busy;
	int fd;

	if (argc != 4)
		return 2;
	reads = atoi(argv[0]);
	fd = open_device(argv[3], O_DIRECT);
	blocks = device_blocks(fd);
	for (end = now() + atof(argv[2]); now() < end; ) {
		for (i = 0; i < reads; i++)
			if (pread(fd, buf, BLOCK, rand_r(&seed) % blocks * BLOCK) != BLOCK)
				die("pread");
		for (busy = now() + atof(argv[1]) / 1e6; now() < busy; )
			;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 2 ? argv[1] : "";

	argc -= 2;
	argv += 2;
	if (!strcmp(cmd, "put"))
		return cmd_put(argc, argv);
	if (!strcmp(cmd, "try") && argc > 1)
		return cmd_try(argc, argv);
	if (!strcmp(cmd, "flaky"))
		return cmd_flaky(argc, argv);
	if (!strcmp(cmd, "switch") && argc > 2)
		return cmd_switch(argc, argv);
	if (!strcmp(cmd, "groups") && argc > 3)
		return cmd_groups(argc, argv);
	if (!strcmp(cmd, "spawn"))
		return cmd_storm(argc, argv, O_DIRECT, one_read);
	if (!strcmp(cmd, "abandon"))
		return cmd_storm(argc, argv, 0, leave_reads);
	if (!strcmp(cmd, "mkdirs"))
		return cmd_mkdirs(argc, argv);
	if (!strcmp(cmd, "rob"))
		return cmd_rob(argc, argv);
	if (!strcmp(cmd, "compute"))
		return cmd_compute(argc, argv);
	if (!strcmp(cmd, "twins"))
		return cmd_twins(argc, argv);
	if (!strcmp(cmd, "cloneio"))
		return cmd_cloneio(argc, argv);
	if (!strcmp(cmd, "issue") && argc > 1)
		return cmd_issue(argc, argv);
	if (!strcmp(cmd, "ops"))
		return cmd_ops(argc, argv);
	if (!strcmp(cmd, "batch"))
		return cmd_batch(argc, argv);
	if (!strcmp(cmd, "readers"))
		return cmd_readers(argc, argv);
	if (!strcmp(cmd, "prios"))
		return cmd_prios(argc, argv);
	fputs("usage: see the head of tests/selftests/helper.c\n", stderr);
	return 2;
}
