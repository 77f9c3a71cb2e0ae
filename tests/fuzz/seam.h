/* SPDX-License-Identifier: MIT */
/* What every fuzzer has: checks that print the pools' state, and a system that fails on demand. */
#ifndef NAP_TESTS_FUZZ_SEAM_H
#define NAP_TESTS_FUZZ_SEAM_H

#include <stddef.h>
#include <stdint.h>

/* Prints the pools. */
void fuzz_print(void);
/* Prints what was expected and the state of the pools, and ends the program. */
_Noreturn void fuzz_failed(const char *file, int line, const char *what, long value);

#define CHECK(cond, value)							\
	do {									\
		if (!(cond))							\
			fuzz_failed(__FILE__, __LINE__, #cond, (long)(value));	\
	} while (0)

extern uint32_t fail_starts, fail_maps, fail_events;	/* atomic: how many next calls fail */
extern uint32_t failed;			/* atomic: how many calls have failed */
extern uint32_t spurious;		/* atomic: every n-th wait wakes for nothing; 0: none */
extern uint32_t threads_started, threads_joined, maps, unmaps;	/* atomic */
extern uint32_t events_opened, events_closed, events_failed;	/* atomic */

/* Clears all faults and counts. */
void seam_begin(void);
/*
 * Checks that every thread was joined, every mapping was given back, and every descriptor was
 * closed.
 */
void seam_end(void);

uint64_t timeout_of(uint32_t byte);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* NAP_TESTS_FUZZ_SEAM_H */
