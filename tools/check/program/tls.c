/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fatal.h"
#include "program/threads.h"
#include "program/tls.h"

struct tls_block *tls_blocks;
unsigned nr_tls_blocks;
uintptr_t tls_low = UINTPTR_MAX, tls_high;
bool tls_is_copied;
int *the_errno, errors[MAX_THREADS + 1];

static bool is_shared(const char *name)
{
	return strstr(name, "/libc.") || strstr(name, "/ld-") || strstr(name, "/libnapcheck.") ||
	       strstr(name, "/libm.");
}

static void copy_block(struct tls_block *block)
{
	block->first = memcpy(malloc(block->size), (void *)block->begin, block->size);
	for (unsigned t = 0; t <= MAX_THREADS; t++)
		block->copies[t] = memcpy(malloc(block->size), block->first, block->size);
}

static struct tls_block *add_block(uintptr_t begin, size_t size)
{
	struct tls_block *block;

	tls_blocks = realloc(tls_blocks, (nr_tls_blocks + 1) * sizeof(*tls_blocks));
	if (!tls_blocks)
		fatal("no memory for the thread-local variables of the libraries");
	block = &tls_blocks[nr_tls_blocks++];
	*block = (struct tls_block){ .begin = begin, .size = size };
	if (tls_low > begin)
		tls_low = begin;
	if (tls_high < begin + size)
		tls_high = begin + size;
	return block;
}

static int find_block(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct tls_block *block;

		if (p->p_type != PT_TLS || !p->p_memsz || !info->dlpi_tls_data)
			continue;
		block = add_block((uintptr_t)info->dlpi_tls_data, p->p_memsz);
		if (!is_shared(info->dlpi_name)) {
			tls_is_copied = true;
			copy_block(block);
		}
	}
	return 0;
}

_Noreturn void tls_is_shared(void)
{
	give_up("a thread-local variable whose address another thread may have");
}

void tls_find(void)
{
	the_errno = &errno;
	dl_iterate_phdr(find_block, NULL);
}

void tls_new_thread(unsigned number)
{
	errors[number] = 0;
	for (struct tls_block *b = tls_blocks; b < tls_blocks + nr_tls_blocks; b++)
		if (b->first)
			memcpy(b->copies[number], b->first, b->size);
}

void tls_copy(unsigned from, unsigned to)
{
	for (struct tls_block *b = tls_blocks; b < tls_blocks + nr_tls_blocks; b++) {
		if (!b->first)
			continue;
		memcpy(b->copies[from], (void *)b->begin, b->size);
		memcpy((void *)b->begin, b->copies[to], b->size);
	}
}

void tls_of(unsigned number, void (*visit)(uintptr_t begin, uintptr_t end))
{
	for (struct tls_block *b = tls_blocks; b < tls_blocks + nr_tls_blocks; b++) {
		uintptr_t begin = (uintptr_t)b->copies[number];

		if (begin)
			visit(begin, begin + b->size);
	}
}
