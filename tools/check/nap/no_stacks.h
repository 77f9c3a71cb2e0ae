/* SPDX-License-Identifier: MIT */
/*
 * The functions of os/os.h for the stacks of fibers, in programs that map no stack. It defines
 * functions, so exactly one source file of a program includes it: the file that stands in place of
 * src/os.
 */
#ifndef NAP_CHECK_NO_STACKS_H
#define NAP_CHECK_NO_STACKS_H

#include "os/os.h"

enum nap__guard nap__os_guard(void *low, size_t size)
{
	(void)low;
	(void)size;
	return GUARD_PAGES;
}

void nap__os_thread_state_look(void)
{
}

void nap__os_unguarded(uint32_t n)
{
	(void)n;
}

void nap__os_small_pages(void *low, size_t size)
{
	(void)low;
	(void)size;
}

void nap__os_forget(void *low, size_t size)
{
	(void)low;
	(void)size;
}

size_t nap__os_touched(void *low, size_t size)
{
	(void)low;
	(void)size;
	return 0;
}

#endif /* NAP_CHECK_NO_STACKS_H */
