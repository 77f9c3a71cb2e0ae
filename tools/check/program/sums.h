/* SPDX-License-Identifier: MIT */
/* Sums that tell whether something was made by this checker, and of this program. */
#ifndef NAP_CHECK_SUMS_H
#define NAP_CHECK_SUMS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

uint64_t sum_of_checker(void);		/* its code */
uint64_t sum_of_program(void);		/* its code, constants, and data as they are at first */

#pragma GCC visibility pop

#endif /* NAP_CHECK_SUMS_H */
