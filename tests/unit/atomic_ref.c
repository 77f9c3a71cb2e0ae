/* SPDX-License-Identifier: MIT */
/*
 * The atomic operations of arch/c11, with which atomic.c compares.
 *
 * Flags: those of any test, with -Iarch/c11 before the other -I. Without that flag the table is
 * the architecture's own; atomic.c notices.
 */
#define NAP_TEST_REFERENCE
#define NAP_TEST_TABLE atomic_ref
#include "atomic_ops.h"
