/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_OUTSIDE_H
#define NAP_CHECK_OUTSIDE_H

#include <stdbool.h>

/*
 * Calls @run outside of the threads: a setup, a finally. False: @run was left before its end, by
 * a fault or because the search is undecided.
 */
bool run_outside(void (*run)(void));

/* Leaves @run. Called only between the beginning of @run and its end. */
_Noreturn void leave_outside(void);
bool is_outside(void);

#endif /* NAP_CHECK_OUTSIDE_H */
