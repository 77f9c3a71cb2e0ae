/* SPDX-License-Identifier: MIT */
/*
 * src/async/fiber/waiting.c for threads that know themselves by a call, and whose fibers have stacks of
 * their own: fiber.h has the model checker's in mind, whose fibers are threads.
 */
#include "worker/self.h"

#undef NAP_SELF_BY_CALL

#include "../../../src/async/fiber/waiting.c"
