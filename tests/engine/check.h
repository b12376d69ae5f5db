/* SPDX-License-Identifier: GPL-2.0 */
/* What the engine's tests share: failing loudly, and the structure checker. */
#ifndef ENGINE_CHECK_H
#define ENGINE_CHECK_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "bfq-wf2q.h"

/* Where the test is, for whoever reads a failure. */
extern char check_context[256];

/*
 * Say what went wrong, and leave the test: to where check_escape was set, or
 * else (in the fuzzer) by abort().
 */
extern jmp_buf *check_escape;
void check_fail(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#define FAIL(...)	check_fail(__FILE__, __LINE__, __VA_ARGS__)

#define EXPECT(what, seen, expected) do {				\
	long long see = (long long)(seen), exp = (long long)(expected);	\
	if (see != exp)							\
		FAIL("%s: expected %lld, seen %lld", what, exp, see);	\
} while (0)

/*
 * Check everything that must hold of a group and the groups in its trees at
 * any time: order, augmentation, balance, sums, counters, the choice of the
 * next child. Recounts from scratch; fails the test at the first fault.
 */
void check_group(struct wf2q_group *g);

/* Check wf2q_precedes() by the engine's own timestamps, exactly, from the root down. */
void check_precedes(struct wf2q_group *root, const struct wf2q_entity *leaf);

/* Check wf2q_leads(), wf2q_had_less() and wf2q_goes_before() by the engine's own timestamps. */
void check_leads(const struct wf2q_entity *a, const struct wf2q_entity *b);

/* Check wf2q_second() by looking at everybody. */
void check_second(struct wf2q_group *root);

#endif
