/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/types.h>

/* nobody writes meanwhile */
#define READ_ONCE(x)	(x)
