/* SPDX-License-Identifier: MIT */
/*
 * Where in the program an event or a fault was: the functions that had called each other. Unwinding
 * a stack takes long, so only the execution that is shown is run once more for this.
 */
#ifndef NAP_CHECK_CALLERS_H
#define NAP_CHECK_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Return addresses in the program, the innermost first. */
#define MAX_CALLERS 8
struct callers {
	uintptr_t pc[MAX_CALLERS];
};

/*
 * Unwinds the running stack. callers_walk is set until the end of the unwinding: calls that the
 * unwinder makes are not calls of the program.
 */
void callers_now(struct callers *out);
extern bool callers_walk;

/* Runs the execution again. Afterwards callers_of() and fault.other_callers are known. */
void callers_find(void);
const struct callers *callers_of(unsigned event);

/*
 * Called during callers_find() for an access or event that may be the other place of a fault.
 * Several may have the same @pc: @key tells them apart, and the fault has the key, too.
 */
extern bool callers_wanted;
void callers_watch(uintptr_t pc, uintptr_t key);
void callers_note(unsigned event, uintptr_t pc, uintptr_t key);

static inline uintptr_t access_key(unsigned thread, unsigned clock, uintptr_t address)
{
	return address / 8 << 20 ^ (uintptr_t)thread << 16 ^ clock;
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_CALLERS_H */
