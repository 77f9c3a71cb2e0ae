/* SPDX-License-Identifier: MIT */
/*
 * The program's thread-local variables. All its threads are one of the system's, so each has a copy of
 * them, which is put in place while it runs.
 */
#ifndef NAP_CHECK_TLS_H
#define NAP_CHECK_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* Where they are, in whichever thread runs; no size: the program has none. */
extern uintptr_t tls_begin;
extern size_t tls_size;

static inline bool is_tls(uintptr_t address)
{
	return address - tls_begin < tls_size;
}

/* When the program's memory is found: @block, as it is before anything has run. */
void tls_found(void *block, size_t size);

void tls_new_thread(unsigned number);		/* its variables are as they began */
void tls_put_away(unsigned number);		/* it is about to stop running, or */
void tls_put_in_place(unsigned number);		/* to begin */

#pragma GCC visibility pop

#endif /* NAP_CHECK_TLS_H */
