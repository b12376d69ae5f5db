/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the selftests' helper share.
 */
#ifndef HELPER_H
#define HELPER_H

#include <errno.h>
#include <stddef.h>

#define BLOCK		4096
#define PATH_LEN	512

/* Say what went wrong, with errno's word for it, and exit. */
void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...);

/* Seconds of CLOCK_MONOTONIC. */
double now(void);

/* One write(2) to a file; 0 or the error. */
int put(const char *path, const char *value, size_t len);

int open_device(const char *path, int flags);

/* helper issue DEV SCRIPT...: see issue.c */
int cmd_issue(int argc, char **argv);

/* helper ops, batch, readers, prios: see ops.c */
int cmd_ops(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_readers(int argc, char **argv);
int cmd_prios(int argc, char **argv);

#endif
