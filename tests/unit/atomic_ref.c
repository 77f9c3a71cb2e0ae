/* SPDX-License-Identifier: MIT */
/*
 * The atomic operations of arch/c11, for atomic.c to compare with.
 *
 * Flags: those of any test, but -Iarch/c11 in front of the other -I. Otherwise the table is that of
 * the architecture itself; atomic.c notices.
 */
#define NAP_TEST_REFERENCE
#define NAP_TEST_TABLE atomic_ref
#include "atomic_ops.h"
