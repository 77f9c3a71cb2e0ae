/* SPDX-License-Identifier: MIT */
#include "os/os.h"

/* Without a libc there is neither errno nor an exception. */
void nap__os_thread_state_swap(struct nap__os_thread_state *state)
{
	(void)state;
}

void nap__os_thread_state_look(void)
{
}
