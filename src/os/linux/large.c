// SPDX-License-Identifier: MIT
/* Large pages: src/os/linux/large.h. */
#include "os/linux/large.h"

#include "arch/syscall.h"
#include "os/os.h"

#define MADV_HUGEPAGE	14		/* asm-generic/mman-common.h */
#define LARGE_PAGE	((size_t)2 << 20)	/* the least that any of our machines has */

void *nap__map_large(size_t size)
{
	void *mem = nap__os_map(size);

	/* A refusal is no harm. */
	if (mem && size >= LARGE_PAGE)
		nap__syscall3(NAP__NR_madvise, (long)mem, (long)size, MADV_HUGEPAGE);
	return mem;
}
