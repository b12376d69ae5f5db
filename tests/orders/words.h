/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's words that the protocol's code uses, as the model understands them: each
 * access to what threads share is a place where another thread may go on.
 */
#ifndef ORDERS_WORDS_H
#define ORDERS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned int blk_insert_t;
typedef unsigned int blk_opf_t;

#define ____cacheline_aligned_in_smp
#define __releases(...)
#define noinline __attribute__((noinline))
#define likely(x) (x)
#define unlikely(x) (x)
#define BIT(n) (1U << (n))
#define BLK_MQ_INSERT_AT_HEAD 1U
#define BLK_MQ_REQ_NOWAIT 1U
#define REQ_NOWAIT 2U
#define BFQ_SENDS_SHIFT 32
#define BFQ_ONE_SEND BIT_ULL(BFQ_SENDS_SHIFT)
#define UINT_MAX 0xffffffffU
#define INT_MAX 0x7fffffff
#define BFQ_SHARE_SHIFT 31
#define BIT_ULL(n) (1ULL << (n))
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define DIV_ROUND_UP_ULL(a, b) (((a) + (b) - 1) / (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

/* --- what the model watches (model.c) --- */
void model_store(void *at, size_t size, u64 value);
void model_set(unsigned long *at, unsigned long bits);
u64 model_load(const void *at, size_t size);
void model_fence(void);
bool model_trylock(bool *held);
void model_lock(bool *held);
void model_unlock(bool *held);
bool model_holds(const bool *held);
void model_may_race(int change);
u64 model_exchange(unsigned long *at, unsigned long set, unsigned long clear);
int model_add(int *at, int change);
u64 model_add64(u64 *at, u64 change);
int model_dec_if_positive(int *at);
void model_run_device(void);
unsigned int model_cpu(void);

#define READ_ONCE(x) ((__typeof__((x) + 0))model_load(&(x), sizeof(x)))
/* who says so knows that it may race */
#define data_race(x) ({ \
	model_may_race(1); \
	__typeof__((x) + 0) seen_ = (x); \
	model_may_race(-1); \
	seen_; })
#define WRITE_ONCE(x, v) model_store(&(x), sizeof(x), (u64)(v))
#define smp_mb() model_fence()			/* a barrier is where pending stores go out */
#define smp_mb__after_atomic() model_fence()	/* the same */
#define smp_mb__before_atomic() model_fence()	/* the same */

typedef struct { bool held; } spinlock_t;
#define spin_lock(l) model_lock(&(l)->held)
#define spin_unlock(l) model_unlock(&(l)->held)
#define spin_lock_irqsave(l, flags) do { (flags) = 0; model_lock(&(l)->held); } while (0)
#define spin_unlock_irqrestore(l, flags) do { (void)(flags); model_unlock(&(l)->held); } while (0)
#define spin_trylock_irqsave(l, flags) ((flags) = 0, model_trylock(&(l)->held))
#define local_irq_save(flags) ((flags) = 0)	/* keeps nobody out */
#define local_irq_restore(flags) ((void)(flags))
#define lockdep_assert_held(l) do { if (!model_holds(&(l)->held)) abort(); } while (0)

/* A bit is set as weakly as the kernel's memory model allows; what returns a value is a fence. */
#define set_bit(n, at) model_set(at, 1UL << (n))
#define test_bit(n, at) ((model_load(at, sizeof(*(at))) >> (n)) & 1)
#define test_and_clear_bit(n, at) ((model_exchange(at, 0, 1UL << (n)) >> (n)) & 1)

#define CPUS 2
typedef unsigned long cpumask_t[1];
#define cpumask_test_cpu(cpu, mask) test_bit(cpu, mask)
#define cpumask_set_cpu(cpu, mask) set_bit(cpu, mask)
#define cpumask_clear_cpu(cpu, mask) model_exchange(mask, 0, 1UL << (cpu))
#define nr_cpu_ids CPUS
static inline unsigned int cpumask_next(int cpu, const unsigned long *mask)
{
	while (++cpu < CPUS && !test_bit(cpu, mask))
		;
	return cpu;
}

#define raw_smp_processor_id() ((int)model_cpu())

typedef struct { int counter; } atomic_t;
#define atomic_read(a) READ_ONCE((a)->counter)
#define atomic_inc_return(a) model_add(&(a)->counter, 1)
#define atomic_inc(a) ((void)model_add(&(a)->counter, 1))
#define atomic_dec(a) ((void)model_add(&(a)->counter, -1))
#define atomic_dec_return(a) model_add(&(a)->counter, -1)
#define atomic_dec_and_test(a) (model_add(&(a)->counter, -1) == 0)
#define atomic_dec_if_positive(a) model_dec_if_positive(&(a)->counter)
#define atomic_set(a, v) WRITE_ONCE((a)->counter, v)

typedef struct { u64 counter; } atomic64_t;
#define atomic64_read(a) READ_ONCE((a)->counter)
#define atomic64_add_return(v, a) model_add64(&(a)->counter, v)
#define atomic64_sub_return(v, a) model_add64(&(a)->counter, -(u64)(v))

#define BFQ_MAY_PASS true
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define percpu_ref_get(r) ((void)(r))
#define percpu_ref_put(r) ((void)(r))
struct request_queue;
struct work_struct;
static inline void blk_mq_run_hw_queues(struct request_queue *rqq, bool async)
{
	model_run_device();
}

static inline void kblockd_schedule_work(struct work_struct *work)
{
	model_run_device();
}

#define trace_block_rq_insert(rq) ((void)(rq))
#define trace_block_rq_insert_enabled() false

/* Of pointers. */
void *model_swap(void *at, void *value, bool only_if_null);
#define xchg(at, value) ((__typeof__(*(at)))model_swap(at, value, false))
#define cmpxchg(at, old, value) ((void)(old), (__typeof__(*(at)))model_swap(at, value, true))

/* --- a task that sleeps --- */
typedef struct { int sleeper[8], nr; } wait_queue_head_t;
/* That of a word is one of its own, whoever shares it in a kernel. */
#define __var_waitqueue(q) (&(q)->line)
struct wait_bit_queue_entry { int wq_entry; };
#define init_wait_var_entry(wait, q, flags) ((void)(wait), (void)(q), (void)(flags))
#define TASK_UNINTERRUPTIBLE 2
void model_prepare_to_wait(wait_queue_head_t *head);
void model_finish_wait(wait_queue_head_t *head);
void model_wake_up(wait_queue_head_t *head);
bool model_has_sleeper(wait_queue_head_t *head);
long model_sleep(void);
#define prepare_to_wait_exclusive(head, wait, state) \
	((void)(wait), (void)(state), model_prepare_to_wait(head))
#define finish_wait(head, wait) ((void)(wait), model_finish_wait(head))
#define wake_up_var(q) model_wake_up(__var_waitqueue(q))
/* without a barrier: who uses it says why that is enough */
#define waitqueue_active(head) model_has_sleeper(head)
#define io_schedule_timeout(ticks) ((void)(ticks), model_sleep())
#define msecs_to_jiffies(ms) (ms)
#define MAX_JIFFY_OFFSET ((~0UL >> 1) - 1)
#define jiffies 0UL			/* time stands still: nobody sleeps for longer than it may */
#define ktime_get_ns() 0

/* --- lists, which are only touched under a lock --- */
struct list_head { struct list_head *next, *prev; };
#define INIT_LIST_HEAD(l) ((l)->next = (l)->prev = (l))
#define LIST_HEAD(name) struct list_head name = { &name, &name }
static inline bool list_empty(const struct list_head *l) { return l->next == l; }
static inline bool list_is_singular(const struct list_head *l) { return l->next != l && l->next == l->prev; }
static inline void list_add_tail(struct list_head *e, struct list_head *l)
{
	e->prev = l->prev;
	e->next = l;
	l->prev->next = e;
	l->prev = e;
}
static inline void list_add(struct list_head *e, struct list_head *l)
{
	list_add_tail(e, l->next);
}

static inline void list_del(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
}
static inline void list_del_init(struct list_head *e)
{
	list_del(e);
	INIT_LIST_HEAD(e);
}
static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from)) {
		struct list_head *e = from->next;

		list_del_init(e);
		list_add_tail(e, to);
	}
}
/* up to @last, which is in it */
static inline void list_cut_position(struct list_head *to, struct list_head *from, struct list_head *last)
{
	struct list_head *e;

	INIT_LIST_HEAD(to);
	do {
		e = from->next;
		list_del_init(e);
		list_add_tail(e, to);
	} while (e != last);
}
#define list_first_entry(l, type, member) container_of((l)->next, type, member)
#define list_first_entry_or_null(l, type, member) \
	(list_empty(l) ? NULL : container_of((l)->next, type, member))
#define list_for_each_entry(pos, l, member) \
	for (pos = container_of((l)->next, __typeof__(*pos), member); &pos->member != (l); \
	     pos = container_of(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, l, member) \
	for (pos = container_of((l)->next, __typeof__(*pos), member), \
	     n = container_of(pos->member.next, __typeof__(*pos), member); &pos->member != (l); \
	     pos = n, n = container_of(n->member.next, __typeof__(*n), member))

#endif
