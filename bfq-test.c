// SPDX-License-Identifier: GPL-2.0
/*
 * Delays for tests, at places where two tasks race.
 *
 * A race that needs a task to be held up between two instructions is hit once in a million times.
 * A build with BFQ_TEST=1 can be told to hold it up at such a place, with the module's parameters:
 *
 *	test_point	name of the place, as bfq_test_point() is called with
 *	test_delay_ms	for how long
 *
 * The task sleeps there, so that a test can see where it is.
 *
 * Such a build is never installed, and an ordinary one has nothing of this.
 */
#include "bfq-iosched.h"

#ifdef BFQ_TEST

/* The longest name of a place, with the newline that echo adds. */
#define BFQ_TEST_NAME	16

static char bfq_test_at[BFQ_TEST_NAME];
module_param_string(test_point, bfq_test_at, sizeof(bfq_test_at), 0644);
MODULE_PARM_DESC(test_point, "where a task is to be held up");

static unsigned int bfq_test_delay_ms;
module_param_named(test_delay_ms, bfq_test_delay_ms, uint, 0644);
MODULE_PARM_DESC(test_delay_ms, "for how many milliseconds");

/**
 * bfq_test_point - sleep here, if a test has asked for it
 * @name: of the place
 *
 * Context: process context, no spin lock held.
 */
void bfq_test_point(const char *name)
{
	unsigned int ms = READ_ONCE(bfq_test_delay_ms);

	if (ms && sysfs_streq(bfq_test_at, name))
		msleep(ms);
}

#endif /* BFQ_TEST */
