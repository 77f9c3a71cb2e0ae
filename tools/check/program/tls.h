/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables. All threads of the program are one of the system's, so each has a copy of the
 * program's, and of the C++ library's, which is put in place while it runs. The C library's are shared
 * but for errno: the checker works with them, too. None is looked at for races.
 */
#ifndef NAP_CHECK_TLS_H
#define NAP_CHECK_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

#define MAX_BLOCKS 16

struct tls_block {
	uintptr_t begin;
	size_t size;
};
extern struct tls_block tls_blocks[MAX_BLOCKS];
extern unsigned nr_tls_blocks;

static inline bool is_tls(uintptr_t address)
{
	for (unsigned i = 0; i < nr_tls_blocks; i++)
		if (address - tls_blocks[i].begin < tls_blocks[i].size)
			return true;
	return false;
}

/* When the program's memory is found: as it is before anything has run. */
void tls_find(void);

void tls_new_thread(unsigned number);		/* its variables are as they began */
void tls_put_away(unsigned number);		/* it is about to stop running, or */
void tls_put_in_place(unsigned number);		/* to begin */

#pragma GCC visibility pop

#endif /* NAP_CHECK_TLS_H */
