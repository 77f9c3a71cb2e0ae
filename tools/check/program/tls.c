/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "program/threads.h"
#include "program/tls.h"

struct tls_block tls_blocks[MAX_BLOCKS];
unsigned nr_tls_blocks;

/* The first contents of each block, and each thread's; NULL: all threads share the block. */
static char *first[MAX_BLOCKS], *copies[MAX_BLOCKS][MAX_THREADS + 1];
uintptr_t tls_low = UINTPTR_MAX, tls_high;
bool tls_is_copied;
int *the_errno, errors[MAX_THREADS + 1];

static bool is_shared(const char *name)
{
	return strstr(name, "/libc.") || strstr(name, "/ld-") || strstr(name, "/libnapcheck.") ||
	       strstr(name, "/libm.");
}

static void copy_block(unsigned i)
{
	size_t size = tls_blocks[i].size;

	first[i] = memcpy(malloc(size), (void *)tls_blocks[i].begin, size);
	for (unsigned t = 0; t <= MAX_THREADS; t++)
		copies[i][t] = memcpy(malloc(size), first[i], size);
}

static int find_block(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_TLS || !p->p_memsz || !info->dlpi_tls_data ||
		    nr_tls_blocks == MAX_BLOCKS)
			continue;
		tls_blocks[nr_tls_blocks] = (struct tls_block){
			(uintptr_t)info->dlpi_tls_data, p->p_memsz,
		};
		if (tls_low > (uintptr_t)info->dlpi_tls_data)
			tls_low = (uintptr_t)info->dlpi_tls_data;
		if (tls_high < (uintptr_t)info->dlpi_tls_data + p->p_memsz)
			tls_high = (uintptr_t)info->dlpi_tls_data + p->p_memsz;
		if (!is_shared(info->dlpi_name)) {
			tls_is_copied = true;
			copy_block(nr_tls_blocks);
		}
		nr_tls_blocks++;
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
	for (unsigned i = 0; tls_is_copied && i < nr_tls_blocks; i++)
		if (first[i])
			memcpy(copies[i][number], first[i], tls_blocks[i].size);
}

void tls_copy(unsigned from, unsigned to)
{
	for (unsigned i = 0; i < nr_tls_blocks; i++) {
		if (!first[i])
			continue;
		memcpy(copies[i][from], (void *)tls_blocks[i].begin, tls_blocks[i].size);
		memcpy((void *)tls_blocks[i].begin, copies[i][to], tls_blocks[i].size);
	}
}

void tls_of(unsigned number, void (*visit)(uintptr_t begin, uintptr_t end))
{
	for (unsigned i = 0; i < nr_tls_blocks; i++) {
		uintptr_t begin = (uintptr_t)copies[i][number];

		if (begin)
			visit(begin, begin + tls_blocks[i].size);
	}
}
