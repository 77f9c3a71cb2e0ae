/* SPDX-License-Identifier: MIT */
/*
 * The atomic operations of arch/c11, with which atomic.c compares the assembly.
 *
 * Flags: those of any test, with -Iarch/c11 before the other -I. Without that flag the table has
 * the architecture's own operations, and atomic.c fails.
 */
#define NAP_TEST_REFERENCE
#define NAP_TEST_TABLE atomic_ref
#include "atomic_ops.h"
