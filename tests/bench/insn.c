// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's emulation that counts the instructions a guest executes, exactly,
 * and where: one counter for each piece of code that QEMU translates in one go (a
 * translation block: straight-line code up to a branch), incremented inline when it runs.
 * No sampling, so interrupts that are off hide nothing, and idling counts as nothing:
 * the lab's guests idle by nops of one byte (tests/vm/nap), which hardly anybody else
 * executes; they are left out.
 *
 * The guest tells when something begins or ends by executing a mark, a nop that nobody
 * else has: nopl MARK(%rax). At each the plugin writes to FILE
 *
 *	mark N kernel K user U		instructions so far, in the two halves of addresses
 *	code ADDRESS COUNT		with dump=1: each block executed since the last mark
 *
 * A block that is left in the middle by a page fault counts as whole: a few in a million.
 * tests/bench/profile puts names to addresses.
 *
 * -plugin FILE.so,out=FILE[,dump=1]
 *
 * Built by tests/bench/tools.py.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin.h"

/* The interface version that QEMU checks. */
int qemu_plugin_version = 1;

/* nopl 0x42465121(%rax), as in load.c */
static const uint8_t mark_code[] = { 0x0f, 0x1f, 0x80, 0x21, 0x51, 0x46, 0x42 };

#define BUCKETS (1u << 16)	/* a booted guest with a few programs has 50,000 blocks */

struct block {
	struct block *next;
	uint64_t address;
	uint64_t count;
	uint64_t said;		/* count at the last mark */
};

static struct block *buckets[BUCKETS];
static FILE *out;
static int dump;
static unsigned int marks;

/* Code may be translated again and again; its counter stays. */
static struct block *find_block(uint64_t address)
{
	struct block **head = &buckets[(address ^ (address >> 16)) % BUCKETS];
	struct block *b;

	for (b = *head; b; b = b->next)
		if (b->address == address)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b) {
		fprintf(stderr, "insn: out of memory\n");
		exit(1);
	}
	b->address = address;
	b->next = *head;
	*head = b;
	return b;
}

static void on_mark(unsigned int vcpu, void *data)
{
	uint64_t half[2] = { 0, 0 };
	struct block *b;
	unsigned int i;

	(void)vcpu;
	(void)data;
	for (i = 0; i < BUCKETS; i++)
		for (b = buckets[i]; b; b = b->next)
			half[b->address >> 63] += b->count;
	fprintf(out, "mark %u kernel %" PRIu64 " user %" PRIu64 "\n", marks++, half[1], half[0]);
	for (i = 0; dump && i < BUCKETS; i++)
		for (b = buckets[i]; b; b = b->next) {
			if (b->count != b->said)
				fprintf(out, "code %" PRIx64 " %" PRIu64 "\n", b->address,
					b->count - b->said);
			b->said = b->count;
		}
	fflush(out);
}

static int is_nap(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == 1 &&
	       *(const uint8_t *)qemu_plugin_insn_data(insn) == 0x90;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb), counted = 0;
	struct block *b = find_block(qemu_plugin_tb_vaddr(tb));

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		counted += !is_nap(insn);
		if (qemu_plugin_insn_size(insn) == sizeof(mark_code) &&
		    !memcmp(qemu_plugin_insn_data(insn), mark_code, sizeof(mark_code)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &b->count,
						 counted);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "dump=", 5))
			dump = atoi(argv[i] + 5);
	}
	if (!out) {
		fprintf(stderr, "insn: say out=FILE, a file that can be written\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
