// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that submit bios as fast as the block layer takes them.
 *
 * In user-mode Linux a system call costs more than a request does, so load
 * from user space would measure the system calls.  Here a process makes one
 * and stays in the kernel until the measurement is over.  It is a process all
 * the same, with an io_context and in a cgroup of its own, which is what
 * schedulers tell requests apart by; kernel threads have neither.
 *
 *	worker, N times:  echo join >/dev/submit     (returns when all is over)
 *	once:             echo "run DEVICE N DEPTH PLUG random|sequential \
 *	                        WARM_MS WINDOW_MS" >/dev/submit
 *	then:             cat /dev/submit  ->  IOS NS CPU_NS ALL_IOS
 *
 * IOS were submitted in the NS of the window, for which the host gave CPU_NS
 * of its processors; ALL_IOS from start to end, which is what counters that
 * ran all the time are to be divided by.  What is in
 * flight at either end of the window is not told apart: at most N * DEPTH
 * among some hundred thousand.
 *
 * A worker owns DEPTH bios of 4 KiB.  It waits until PLUG of them are free,
 * submits those under one plug, and so on.  Bios come back through a list
 * without a lock, since any CPU may complete them.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/llist.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#define SUBMIT_MAX_WORKERS	64
#define SUBMIT_MAX_DEPTH	1024
#define SUBMIT_IO_BYTES		4096

/* Knuth's MMIX: any generator will do that costs a nanosecond. */
#define SUBMIT_RANDOM_FACTOR	6364136223846793005ULL
#define SUBMIT_RANDOM_STEP	1442695040888963407ULL

/* The host's ABI, x86-64. */
#define HOST_CLOCK_GETTIME	228L
#define HOST_PROCESS_CPUTIME	2L

enum submit_phase {
	SUBMIT_IDLE,		/* workers may join, and wait */
	SUBMIT_GO,
	SUBMIT_STOP,
};

/**
 * struct submit_slot - one bio and what it needs
 * @free: link in the worker's list while the bio is free
 * @worker: whose it is
 * @vec: the bio's only segment
 * @bio: used again and again
 */
struct submit_slot {
	struct llist_node free;
	struct submit_worker *worker;
	struct bio_vec vec;
	struct bio bio;
};

/**
 * struct submit_worker - a process that submits
 * @submitted: bios so far; written by the worker, read by anybody
 * @random: state of its generator
 * @next: block that it reads next, sequentially
 * @page: what is read, by all of its bios: nobody looks at it
 * @slots: all bios
 * @spare: free bios that only the worker knows, @nr_spare of them
 * @nr_spare: how many
 * @returned: bios that have completed
 * @wait: the worker, for @returned
 */
struct submit_worker {
	u64 submitted;
	u64 random;
	u64 next;
	struct page *page;
	struct submit_slot *slots;
	struct llist_node *spare;
	unsigned int nr_spare;

	struct llist_head returned ____cacheline_aligned_in_smp;
	wait_queue_head_t wait;
};

/**
 * struct submit_run - a measurement
 * @phase: what the workers are to do
 * @joined: workers there are
 * @wait: workers, for @phase; the one who runs it, for @joined
 * @bdev: the device
 * @blocks: its size in I/Os
 * @workers: how many are wanted
 * @depth: bios that each has
 * @plug: how many it submits at once
 * @warm_ms: time before the window
 * @window_ms: time of the window
 * @random: or else sequential
 * @ios: result: bios in the window
 * @ns: result: what it really lasted
 * @cpu_ns: result: processor time in the window
 * @all_ios: result: bios from start to end
 * @worker: who has joined
 */
struct submit_run {
	enum submit_phase phase;
	atomic_t joined;
	wait_queue_head_t wait;
	struct block_device *bdev;
	u64 blocks;
	unsigned int workers;
	unsigned int depth;
	unsigned int plug;
	unsigned int warm_ms;
	unsigned int window_ms;
	bool random;
	u64 ios;
	u64 ns;
	u64 cpu_ns;
	u64 all_ios;
	struct submit_worker *worker[SUBMIT_MAX_WORKERS];
};

static struct submit_run run;
static DEFINE_MUTEX(run_lock);	/* one measurement at a time */

/*
 * Processor time of all our CPUs, as the host counts it.  A machine that does
 * other things as well takes time from us but not this.  User-mode Linux is a
 * process, so a system call made here is one to the host.
 */
static u64 submit_cpu_ns(void)
{
#ifdef CONFIG_UML_X86
	struct { s64 sec, nsec; } now = {};
	long ret = HOST_CLOCK_GETTIME;

	asm volatile("syscall" : "+a" (ret) : "D" (HOST_PROCESS_CPUTIME), "S" (&now)
		     : "rcx", "r11", "memory");
	return ret ? 0 : now.sec * NSEC_PER_SEC + now.nsec;
#else
	return 0;
#endif
}

static void submit_end_io(struct bio *bio)
{
	struct submit_slot *slot = bio->bi_private;
	struct submit_worker *w = slot->worker;

	/* llist_add() is a full barrier; so is what wait_event() does first */
	if (llist_add(&slot->free, &w->returned) && waitqueue_active(&w->wait))
		wake_up(&w->wait);
}

static u64 submit_next_block(struct submit_worker *w)
{
	if (run.random) {
		w->random = w->random * SUBMIT_RANDOM_FACTOR + SUBMIT_RANDOM_STEP;
		return ((w->random >> 32) * run.blocks) >> 32;
	}
	if (++w->next >= run.blocks)
		w->next = 0;
	return w->next;
}

/* Have at least @wanted spare bios. */
static void submit_collect(struct submit_worker *w, unsigned int wanted)
{
	while (w->nr_spare < wanted) {
		struct llist_node *node, *next;

		wait_event(w->wait, !llist_empty(&w->returned));
		llist_for_each_safe(node, next, llist_del_all(&w->returned)) {
			node->next = w->spare;
			w->spare = node;
			w->nr_spare++;
		}
	}
}

static void submit_one(struct submit_worker *w)
{
	struct submit_slot *slot = llist_entry(w->spare, struct submit_slot, free);
	struct bio *bio = &slot->bio;

	w->spare = slot->free.next;
	w->nr_spare--;
	bio_reset(bio, run.bdev, REQ_OP_READ);
	__bio_add_page(bio, w->page, SUBMIT_IO_BYTES, 0);
	bio->bi_iter.bi_sector = submit_next_block(w) * (SUBMIT_IO_BYTES >> SECTOR_SHIFT);
	bio->bi_end_io = submit_end_io;
	bio->bi_private = slot;
	submit_bio(bio);
}

static void submit_loop(struct submit_worker *w)
{
	struct blk_plug plug;
	unsigned int i;

	while (READ_ONCE(run.phase) == SUBMIT_GO) {
		submit_collect(w, run.plug);
		blk_start_plug(&plug);
		for (i = 0; i < run.plug; i++)
			submit_one(w);
		blk_finish_plug(&plug);
		WRITE_ONCE(w->submitted, w->submitted + run.plug);
		cond_resched();
	}
	submit_collect(w, run.depth);
}

static int submit_worker_init(struct submit_worker *w, unsigned int nr)
{
	unsigned int i;

	w->page = alloc_page(GFP_KERNEL);
	w->slots = kvcalloc(run.depth, sizeof(*w->slots), GFP_KERNEL);
	if (!w->page || !w->slots)
		return -ENOMEM;
	w->random = nr + 1;
	/* streams that stay apart */
	w->next = div_u64(run.blocks * nr, run.workers);
	for (i = 0; i < run.depth; i++) {
		struct submit_slot *slot = &w->slots[i];

		slot->worker = w;
		bio_init(&slot->bio, run.bdev, &slot->vec, 1, REQ_OP_READ);
		slot->free.next = w->spare;
		w->spare = &slot->free;
		w->nr_spare++;
	}
	return 0;
}

static void submit_worker_exit(struct submit_worker *w)
{
	unsigned int i;

	for (i = 0; w->slots && i < run.depth; i++)
		bio_uninit(&w->slots[i].bio);
	kvfree(w->slots);
	if (w->page)
		__free_page(w->page);
}

/* Take a place among the workers; the last one in and out wakes who runs it. */
static int submit_join(void)
{
	struct submit_worker *w;
	int nr, ret;

	nr = atomic_inc_return(&run.joined) - 1;
	wake_up(&run.wait);
	ret = wait_event_killable(run.wait, READ_ONCE(run.phase) != SUBMIT_IDLE);
	if (ret || nr >= run.workers)
		goto out;

	/* workers stay where they are put, or the host's load would move them */
	set_cpus_allowed_ptr(current, cpumask_of(nr % num_online_cpus()));
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	ret = -ENOMEM;
	if (!w)
		goto out;
	init_llist_head(&w->returned);
	init_waitqueue_head(&w->wait);
	ret = submit_worker_init(w, nr);
	if (!ret) {
		WRITE_ONCE(run.worker[nr], w);
		submit_loop(w);
	}
	submit_worker_exit(w);
out:
	/* the run frees it when it has read the count */
	atomic_dec(&run.joined);
	wake_up(&run.wait);
	return ret;
}

static u64 submit_total(void)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < run.workers; i++) {
		struct submit_worker *w = READ_ONCE(run.worker[i]);

		if (w)
			sum += READ_ONCE(w->submitted);
	}
	return sum;
}

static void submit_set_phase(enum submit_phase phase)
{
	WRITE_ONCE(run.phase, phase);
	wake_up_all(&run.wait);
}

static int submit_measure(void)
{
	u64 ios, start, cpu_start;
	unsigned int i;
	int ret;

	ret = wait_event_killable(run.wait, atomic_read(&run.joined) >= run.workers);
	if (ret)
		return ret;
	submit_set_phase(SUBMIT_GO);
	schedule_timeout_killable(msecs_to_jiffies(run.warm_ms));
	ios = submit_total();
	cpu_start = submit_cpu_ns();
	start = ktime_get_ns();
	schedule_timeout_killable(msecs_to_jiffies(run.window_ms));
	run.ios = submit_total() - ios;
	run.ns = ktime_get_ns() - start;
	run.cpu_ns = submit_cpu_ns() - cpu_start;
	submit_set_phase(SUBMIT_STOP);
	wait_event(run.wait, !atomic_read(&run.joined));

	run.all_ios = submit_total();
	for (i = 0; i < run.workers; i++) {
		ret = ret ?: run.worker[i] ? 0 : -ENOMEM;
		kfree(run.worker[i]);
		run.worker[i] = NULL;
	}
	submit_set_phase(SUBMIT_IDLE);
	return ret ?: fatal_signal_pending(current) ? -EINTR : 0;
}

static int submit_run(const char *args)
{
	struct file *file;
	char path[32], order[16];
	int ret;

	if (sscanf(args, "%31s %u %u %u %15s %u %u", path, &run.workers, &run.depth, &run.plug,
		   order, &run.warm_ms, &run.window_ms) != 7)
		return -EINVAL;
	if (!run.workers || run.workers > SUBMIT_MAX_WORKERS || !run.plug ||
	    run.plug > run.depth || run.depth > SUBMIT_MAX_DEPTH || !run.window_ms)
		return -EINVAL;
	run.random = !strcmp(order, "random");
	if (!run.random && strcmp(order, "sequential"))
		return -EINVAL;

	file = bdev_file_open_by_path(path, BLK_OPEN_READ, NULL, NULL);
	if (IS_ERR(file))
		return PTR_ERR(file);
	run.bdev = file_bdev(file);
	run.blocks = bdev_nr_bytes(run.bdev) / SUBMIT_IO_BYTES;
	ret = run.blocks ? submit_measure() : -ENOSPC;
	bdev_fput(file);
	return ret;
}

static ssize_t submit_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char *words;
	int ret;

	if (count >= PAGE_SIZE)
		return -EINVAL;
	words = memdup_user_nul(buf, count);
	if (IS_ERR(words))
		return PTR_ERR(words);
	strim(words);
	if (!strcmp(words, "join")) {
		ret = submit_join();
	} else if (!strncmp(words, "run ", 4)) {
		mutex_lock(&run_lock);
		ret = submit_run(words + 4);
		mutex_unlock(&run_lock);
	} else {
		ret = -EINVAL;
	}
	kfree(words);
	return ret ?: count;
}

static ssize_t submit_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	char text[80];
	int length;

	length = scnprintf(text, sizeof(text), "%llu %llu %llu %llu\n",
			   run.ios, run.ns, run.cpu_ns, run.all_ios);
	return simple_read_from_buffer(buf, count, pos, text, length);
}

static const struct file_operations submit_fops = {
	.owner		= THIS_MODULE,
	.read		= submit_read,
	.write		= submit_write,
};

static struct miscdevice submit_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "submit",
	.fops	= &submit_fops,
};

static int __init submit_init(void)
{
	init_waitqueue_head(&run.wait);
	return misc_register(&submit_misc);
}

static void __exit submit_exit(void)
{
	misc_deregister(&submit_misc);
}

module_init(submit_init);
module_exit(submit_exit);
MODULE_DESCRIPTION("Processes that submit bios without system calls");
MODULE_LICENSE("GPL");
