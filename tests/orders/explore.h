/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that give way, and the search through the orders in which they may: explore.c. It is
 * built apart, as it must not watch itself.
 */
#ifndef ORDERS_EXPLORE_H
#define ORDERS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#define MOST_THREADS		4

typedef void (*act)(void);

extern int running;		/* the thread that is */

/* What threads share lies here; what else they touch is the model's own business. */
void explore_share(void *at, size_t size);

/* Look for unmarked accesses that meet, instead of requests that are left behind. */
void explore_races(void);

/* Threads with these bodies run until none can go on; who goes on when is the next choice. */
void explore_run(const act *bodies);

/* Is there an order that has not been tried? */
bool explore_more(void);

/* How the threads went on in the last one. */
const char *explore_order(void);

/* For a thread: until somebody wants the device run, or, false, nobody ever will. */
bool wait_for_work(void);

/* For a thread: until this holds. */
void wait_until(bool (*holds)(void));

#endif
