/* SPDX-License-Identifier: MIT */
/* What a libc and a runtime of C++ keep of a thread, and a fiber takes along. */
#include "os.h"

#include <errno.h>

/*
 * The exceptions that are being handled: a list, and how many are on their way ("Itanium C++ ABI:
 * Exception Handling", 2.2.2). There is none in a program without a runtime of C++.
 */
struct cxa_globals {
	void *caught;
	unsigned int uncaught;
};

struct cxa_globals *__cxa_get_globals(void) __attribute__((weak));

void nap__os_thread_state_swap(struct nap__os_thread_state *state)
{
	int err = errno;

	errno = state->err;
	state->err = err;
	if (__cxa_get_globals) {
		struct cxa_globals *globals = __cxa_get_globals(), was = *globals;

		*globals = (struct cxa_globals){ state->caught, state->uncaught };
		state->caught = was.caught;
		state->uncaught = was.uncaught;
	}
}
