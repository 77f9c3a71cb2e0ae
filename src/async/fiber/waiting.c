/* SPDX-License-Identifier: MIT */
/* Whether the caller is a fiber that may leave its stack: src/async/fiber/fiber.h. */
#include "async/fiber/fiber.h"

__attribute__((noinline)) struct nap_fiber *nap__fiber_waiting(void)
{
	return fiber_waiting();
}
