/* SPDX-License-Identifier: MIT */
/*
 * A pool in the child of a threaded process. With ThreadSanitizer or qemu-user such a child cannot
 * start a thread. There this file makes every start fail, and the thread that waits runs the tasks.
 */
#ifndef NAP_TESTS_CHILD_THREADS_H
#define NAP_TESTS_CHILD_THREADS_H

#include <errno.h>

#include "arch/atomic.h"
#include "os/os.h"

#include "harness.h"
#include "wrap.h"

#if !defined(NAP_TEST_TSAN) && !defined(NAP_TEST_EMULATED)
#define CHILD_HAS_THREADS 1
#else
#define CHILD_HAS_THREADS 0
#endif

static bool in_child, starts_fail;
static uint32_t starts_in_child;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	if (in_child)
		nap_fetch_add_relaxed(&starts_in_child, 1);
	if (starts_fail || (in_child && !CHILD_HAS_THREADS))
		return -EAGAIN;
	return __real_nap__os_thread_start(worker, stack_size);
}

#endif /* NAP_TESTS_CHILD_THREADS_H */
