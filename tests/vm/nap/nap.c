// SPDX-License-Identifier: GPL-2.0
/*
 * nap - an idle guest passes its virtual time by itself
 *
 * In virtual time (QEMU's -icount with sleep=off) one instruction is one
 * nanosecond. When the only CPU halts, it is QEMU's main thread that moves the
 * clock on to the next timer:
 *
 *	bias += deadline - clock
 *
 * It may do so as soon as it sees the CPU marked as halted, and the instructions
 * since the last reading of the clock are added to the clock only after that, by
 * the CPU's own thread. Where the main thread comes in between, the clock arrives
 * a few instructions late; which of the two is first depends on how busy the host
 * is. Experiments whose CPU is often idle for a moment differed so by some
 * nanoseconds first, and soon by percents.
 *
 * So an idle CPU does not halt but executes instructions that do nothing. These
 * are translated in blocks, of which an emulated CPU executes a microsecond's
 * worth in some ten nanoseconds: this is also faster than waking two threads.
 */

#include <linux/cpuidle.h>
#include <linux/module.h>
#include <linux/sched.h>

/*
 * Between two looks at whether there is something to do: so many nanoseconds may
 * an interrupt's work wait, and a hundredth of what one interrupt costs it is.
 */
#define NAP_INSTRUCTIONS	"128"

static int nap_enter(struct cpuidle_device *dev, struct cpuidle_driver *drv, int index)
{
	raw_local_irq_enable();
	while (!need_resched())
		asm volatile(".rept " NAP_INSTRUCTIONS "\n\tnop\n\t.endr" : : : "memory");
	raw_local_irq_disable();
	return index;
}

static struct cpuidle_driver nap_driver = {
	.name = "nap",
	.owner = THIS_MODULE,
	.states = { {
		.name = "NAP",
		.desc = "executes nothing, quickly",
		.enter = nap_enter,
	} },
	.state_count = 1,
};

static int __init nap_init(void)
{
	return cpuidle_register(&nap_driver, NULL);
}

static void __exit nap_exit(void)
{
	cpuidle_unregister(&nap_driver);
}

module_init(nap_init);
module_exit(nap_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Idle without halting, for guests in virtual time");
