/* SPDX-License-Identifier: MIT */
/* Whether workers have a stack for signals: src/async/fiber/hosted/overflow.c sets this. */
#ifndef NAP_HOSTED_OVERFLOW_H
#define NAP_HOSTED_OVERFLOW_H

#include <stdint.h>

#pragma GCC visibility push(hidden)
extern uint32_t nap__overflow_is_reported;	/* atomic */
#pragma GCC visibility pop

#endif /* NAP_HOSTED_OVERFLOW_H */
