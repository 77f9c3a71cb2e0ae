/* SPDX-License-Identifier: MIT */
/* The start of a process up to main(), and nap_bare_forked() for the child of a fork. */
#include "arch/atomic.h"
#include "os/bare/bare.h"
#include "os/os.h"
#include "thread.h"

void nap_bare_init(void)
{
	void *mem;

	nap__tls_find(__ehdr_start, nap__relocate(__ehdr_start));
	mem = nap__os_map(nap__tls_size());
	if (!mem)
		nap_bare_exit(EXIT_UNFIT);
	nap__set_thread_pointer(nap__tls_make(mem));
	nap__thread_init(__builtin_frame_address(0));
	nap__os_membarrier_register();
}

void nap_bare_forked(void)
{
	nap__os_forked(nap_load_relaxed(&nap__fork_gen));
}
