/* SPDX-License-Identifier: GPL-2.0 */
/* A warning ends the test that provoked it, unless it said that it would. */
#ifndef SHIM_BUG_H
#define SHIM_BUG_H

#include <linux/types.h>

extern bool shim_warnings_expected;
extern unsigned long shim_warnings;

void shim_warn(const char *what, const char *file, int line);

#define WARN_ON_ONCE(x) ({				\
	bool warn_x = (x);				\
	if (unlikely(warn_x))				\
		shim_warn(#x, __FILE__, __LINE__);	\
	unlikely(warn_x); })

#endif
