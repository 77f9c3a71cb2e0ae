/* SPDX-License-Identifier: MIT */
#ifndef NAP_SIM_FUTEX_H
#define NAP_SIM_FUTEX_H

#include "kernel/threads.h"

/*
 * Do for the running thread what nap__futex_wait() and nap__futex_wake() of src/os/futex.h do. The
 * wake returns how many threads it has woken.
 */
int futex_wait(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
unsigned futex_wake(const uint32_t *word, uint32_t n);

/* The deadline of @thread, which sleeps, has come. */
void futex_times_out(struct thread *thread);

/* The number of threads that calls have woken, and of calls that have woken none. */
extern uint64_t futex_woken, futex_wakes_in_vain;

/*
 * Takes memory for the lists of all words, and names it for the reports. False: there is no memory.
 */
bool futex_init(void);

#endif /* NAP_SIM_FUTEX_H */
