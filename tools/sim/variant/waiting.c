/* SPDX-License-Identifier: MIT */
/*
 * src/async/fiber/waiting.c, compiled without NAP_SELF_BY_CALL. Where this macro is defined fiber.h
 * assumes that fibers are threads, as in the model checker. Here fibers have stacks of their own.
 */
#include "worker/self.h"

#undef NAP_SELF_BY_CALL

#include "../../../src/async/fiber/waiting.c"
