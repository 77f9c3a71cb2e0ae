/* SPDX-License-Identifier: MIT */
/*
 * Reads of local variables that nothing has written. The compiler fills each local variable at its
 * declaration (-ftrivial-auto-var-init=pattern). nap-check takes care that no report of it arrives.
 */
#ifndef NAP_CHECK_LOCALS_H
#define NAP_CHECK_LOCALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define LOCAL_FILL	0xfe	/* each byte of a variable that was filled */
#define LOCAL_FILL_4	0xfefefefe

void locals_forget(void);	/* when another scenario begins */
void locals_begin(void);	/* when an execution begins */

/* Reports a fault if the stack at @address holds a variable that was filled, and not written. */
void locals_check(uintptr_t address, size_t size, uintptr_t pc);

/* Whether accesses to the 8 bytes at @address have to come here. */
bool locals_are_watched(uintptr_t address);

/* Notes that the running thread is about to write there. */
extern unsigned nr_watched;
void locals_note(uintptr_t address, size_t size);
static inline void locals_wrote(uintptr_t address, size_t size)
{
	if (__builtin_expect(nr_watched, 0))
		locals_note(address, size);
}

/*
 * Looks at the value that a noted write has left. Called by the next plain access but one, for
 * which locals_note() has made @plain_left small: the next one may be of the same statement, which
 * copies a structure. False: there was none.
 */
bool locals_settle(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_LOCALS_H */
