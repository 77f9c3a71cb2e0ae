/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "graph/vector.h"
#include "program/tls.h"

struct tls_block tls_blocks[MAX_BLOCKS];
unsigned nr_tls_blocks;

/* Of each block what it was, and each thread's; NULL: all share it. */
static char *first[MAX_BLOCKS], *copies[MAX_BLOCKS][MAX_THREADS + 1];
static int errors[MAX_THREADS + 1];

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
		if (!is_shared(info->dlpi_name))
			copy_block(nr_tls_blocks);
		nr_tls_blocks++;
	}
	return 0;
}

void tls_find(void)
{
	dl_iterate_phdr(find_block, NULL);
}

void tls_new_thread(unsigned number)
{
	errors[number] = 0;
	for (unsigned i = 0; i < nr_tls_blocks; i++)
		if (first[i])
			memcpy(copies[i][number], first[i], tls_blocks[i].size);
}

void tls_put_away(unsigned number)
{
	errors[number] = errno;
	for (unsigned i = 0; i < nr_tls_blocks; i++)
		if (first[i])
			memcpy(copies[i][number], (void *)tls_blocks[i].begin, tls_blocks[i].size);
}

void tls_put_in_place(unsigned number)
{
	errno = errors[number];
	for (unsigned i = 0; i < nr_tls_blocks; i++)
		if (first[i])
			memcpy((void *)tls_blocks[i].begin, copies[i][number], tls_blocks[i].size);
}
