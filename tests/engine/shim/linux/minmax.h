/* SPDX-License-Identifier: GPL-2.0 */
/* As in the kernel, both sides must have the same type. */
#ifndef SHIM_MINMAX_H
#define SHIM_MINMAX_H

#define min(a, b) ({					\
	__typeof__(a) min_a = (a);			\
	__typeof__(b) min_b = (b);			\
	(void)(&min_a == &min_b);			\
	min_a < min_b ? min_a : min_b; })
#define max(a, b) ({					\
	__typeof__(a) max_a = (a);			\
	__typeof__(b) max_b = (b);			\
	(void)(&max_a == &max_b);			\
	max_a > max_b ? max_a : max_b; })
#define clamp(v, low, high)	min(max(v, low), high)

#endif
