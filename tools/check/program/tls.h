/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables. All threads of the program run in one thread of the system. So each
 * thread has a copy of the thread-local variables of the program and of the C++ library. The copy
 * is put in place while the thread runs. The C library's thread-local variables are shared,
 * except errno, because the checker uses them, too. The checker looks for no races on any of
 * these variables.
 */
#ifndef NAP_CHECK_TLS_H
#define NAP_CHECK_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/vector.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The thread-local variables of the program, or of one library. */
struct tls_block {
	uintptr_t begin;
	size_t size;
	char *first;			/* their first values; NULL: all threads share the block */
	char *copies[MAX_THREADS + 1];	/* of each thread that does not run */
};
extern struct tls_block *tls_blocks;
extern unsigned nr_tls_blocks;
extern uintptr_t tls_low, tls_high;	/* bounds of all blocks */

static inline bool is_tls(uintptr_t address)
{
	if (address - tls_low >= tls_high - tls_low)
		return false;
	for (unsigned i = 0; i < nr_tls_blocks; i++)
		if (address - tls_blocks[i].begin < tls_blocks[i].size)
			return true;
	return false;
}

/*
 * Gives up if the running thread has read the address of a thread-local variable from memory that
 * is not its own: at this address the thread would find its own variable, and not the other
 * thread's.
 */
_Noreturn void tls_is_shared(void);
static inline void not_tls(uint64_t value, unsigned size)
{
	if (__builtin_expect(size == 8 && is_tls(value), 0))
		tls_is_shared();
}

/*
 * Finds the variables, and keeps their first values. Called when the program's memory is found,
 * before anything has run.
 */
void tls_find(void);

void tls_new_thread(unsigned number);		/* gives the thread the first values */

/* Visits the variables of a thread that sleeps. */
void tls_of(unsigned number, void (*visit)(uintptr_t begin, uintptr_t end));

/* Puts away the variables of @from, which has run, and puts those of @to in place. */
void tls_copy(unsigned from, unsigned to);
extern bool tls_is_copied;			/* there are thread-local variables */
extern int *the_errno, errors[MAX_THREADS + 1];
static inline void tls_switch(unsigned from, unsigned to)
{
	errors[from] = *the_errno;
	*the_errno = errors[to];
	if (tls_is_copied)
		tls_copy(from, to);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_TLS_H */
