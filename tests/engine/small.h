/* SPDX-License-Identifier: GPL-2.0 */
/* The property tests of single calls; property.c says what each shows. */
#ifndef ENGINE_SMALL_H
#define ENGINE_SMALL_H

void test_rejoin(void);
void test_classes(void);
void test_burst(void);
void test_kept(void);
void test_prio(void);
void test_outranks(void);
void test_precedes(void);
void test_second(void);
void test_park(void);
void test_park_group(void);
void test_credit(void);
void test_raise(void);
void test_resize(void);
void test_removal(void);
void test_line(void);

#endif
