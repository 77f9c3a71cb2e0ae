/* SPDX-License-Identifier: MIT */
/*
 * Operations on pages of a mapping: making guards, giving memory back, finding the pages that are
 * in memory.
 */
#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/os.h"
#include "thread.h"

#define MADV_DONTNEED_		4
#define MADV_NOHUGEPAGE_	15
/* since Linux 6.13; such a guard is no mapping of its own */
#define MADV_GUARD_INSTALL_	102

/*
 * The most guards that are mappings of their own. Each takes two mappings, so half of Linux's
 * default number of mappings is left to the program.
 */
#define GUARDS_MOST	16384u

static uint32_t guards;		/* atomic: guards that are mappings of their own */

void nap__os_forget(void *mem, size_t size)
{
	nap__syscall3(NAP__NR_madvise, (long)mem, (long)size, MADV_DONTNEED_);
}

enum nap__guard nap__os_guard(void *mem, size_t size)
{
	if (!nap__syscall3(NAP__NR_madvise, (long)mem, (long)size, MADV_GUARD_INSTALL_))
		return GUARD_PAGES;
	if (nap_fetch_add_relaxed(&guards, 1) < GUARDS_MOST &&
	    !nap__syscall3(NAP__NR_mprotect, (long)mem, (long)size, 0))
		return GUARD_MAPPING;
	nap_fetch_sub_relaxed(&guards, 1);
	return GUARD_NONE;
}

void nap__os_unguarded(uint32_t n)
{
	nap_fetch_sub_relaxed(&guards, n);
}

void nap__os_small_pages(void *mem, size_t size)
{
	/* A kernel without huge pages refuses, which does no harm. */
	nap__syscall3(NAP__NR_madvise, (long)mem, (long)size, MADV_NOHUGEPAGE_);
}

/* Returns the kernel's page size: mincore(2) refuses what is no multiple of it. @mem is one. */
static size_t page_size(const char *mem)
{
	/* of any kernel. Not noticed in tests when 4095 for 4096: no page is smaller than 4096. */
	const size_t least = 4096;
	size_t page = NAP__PAGE_MAX;
	unsigned char none = 0;

	while (page > least &&
	       !nap__syscall3(NAP__NR_mincore, (long)(mem + page / 2), 0, (long)&none))
		page /= 2;
	return page;
}

size_t nap__os_touched(void *mem, size_t size)
{
	unsigned char there[64];	/* the kernel writes a byte for each of its pages */
	size_t page = page_size(mem), at = 0;

	while (at < size) {
		size_t n = size - at < sizeof(there) * page ? size - at : sizeof(there) * page;

		if (nap__syscall3(NAP__NR_mincore, (long)((char *)mem + at), (long)n, (long)there))
			/* Not noticed in tests when 1 for 0: no kernel refuses mapped memory. */
			return 0;
		for (size_t i = 0; i < n / page; i++)
			if (there[i] & 1)
				return size - at - i * page;
		at += n;
	}
	return 0;
}

#define MADV_HUGEPAGE	14		/* asm-generic/mman-common.h */
/* the smallest large page on any of these machines */
#define LARGE_PAGE	((size_t)2 << 20)

void *nap__map_large(size_t size)
{
	void *mem = nap__os_map(size);

	/* A refusal does no harm. */
	if (mem && size >= LARGE_PAGE)
		nap__syscall3(NAP__NR_madvise, (long)mem, (long)size, MADV_HUGEPAGE);
	return mem;
}
