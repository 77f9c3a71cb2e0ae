/* SPDX-License-Identifier: MIT */
/*
 * The plain accesses of the execution that callers_find() runs again, with their values. These are
 * no events. Each is between two events of its thread.
 */
#ifndef NAP_CHECK_STEPS_H
#define NAP_CHECK_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

enum step_kind { STEP_READ, STEP_WRITE, STEP_FREE };

struct step {
	uintptr_t pc, address;
	uint64_t value;		/* not of STEP_FREE */
	uint16_t after;		/* how many events its thread had executed before it */
	uint8_t thread, size, kind;
	bool shared;		/* several threads access the 8 bytes, in some execution */
};

/*
 * The latest ones, if there are more than fit: steps[first_step], ..., steps[nr_steps - 1], modulo
 * MAX_STEPS.
 */
#define MAX_STEPS 4096
extern struct step steps[MAX_STEPS];
extern unsigned first_step, nr_steps;

void steps_clear(void);

/* Notes what the running thread is about to do. */
void steps_note(struct step step);

/* Notes what was written. Called once the writes have been done, before any further write. */
void steps_settle(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_STEPS_H */
