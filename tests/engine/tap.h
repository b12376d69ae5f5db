/* SPDX-License-Identifier: GPL-2.0 */
/* Test results as TAP, and the last line that others add up. */
#ifndef ENGINE_TAP_H
#define ENGINE_TAP_H

#include <stdio.h>

static int tap_passed, tap_failed;

#define tap_result(good, ...) do {					\
	bool tap_good = (good);						\
	if (tap_good)							\
		tap_passed++;						\
	else								\
		tap_failed++;						\
	printf("%s %d - ", tap_good ? "ok" : "not ok", tap_passed + tap_failed);\
	printf(__VA_ARGS__);						\
	putchar('\n');							\
	fflush(stdout);							\
} while (0)

static inline int tap_done(void)
{
	printf("1..%d\n%d passed, %d failed\n", tap_passed + tap_failed,
	       tap_passed, tap_failed);
	return tap_failed ? 1 : 0;
}

#endif
