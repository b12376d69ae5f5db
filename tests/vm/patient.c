// SPDX-License-Identifier: GPL-2.0
/*
 * The first thread of fio looks a hundred times a second whether its jobs have ended. In virtual
 * time, where an idle second costs nothing and waking another process some 150 us of the host's,
 * ten fios that do so are a third of what a guest costs. Preloaded, this lets it look ten times a
 * second; what the jobs themselves do is as before.
 */
#define _DEFAULT_SOURCE
#include <time.h>
#include <unistd.h>

#define FIO_LOOKS_US 10000
#define INSTEAD_US 100000

int usleep(useconds_t us)
{
	struct timespec ts;

	if (us == FIO_LOOKS_US)
		us = INSTEAD_US;
	ts.tv_sec = us / 1000000;
	ts.tv_nsec = us % 1000000 * 1000L;
	return nanosleep(&ts, NULL);
}
