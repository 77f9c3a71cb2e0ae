/* SPDX-License-Identifier: MIT */
/* membarrier(2), the private expedited kind (Linux 4.14). */
#include <stddef.h>

#include <membarrier.h>

#include "arch/syscall.h"
#include "os/linux/release.h"
#include "os/os.h"

#define MEMBARRIER_CMD_PRIVATE_EXPEDITED		(1 << 3)
#define MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED	(1 << 4)

/*
 * The kernels in which membarrier(2) is a full fence: a list as in release.h. A packager may know
 * the kernel better, and set the list by make MEMBARRIER=.
 */
#ifndef NAP_MEMBARRIER_SINCE
#define NAP_MEMBARRIER_SINCE NAP__MEMBARRIER_SINCE
#endif

/*
 * Whether membarrier(2) is a full fence in this kernel. Only the kernel's version shows this,
 * because the call succeeds in any case. If the list names every kernel uname(2) is not called,
 * because a filter may kill the caller of an unexpected system call.
 */
static bool is_full_fence(void)
{
	char release[RELEASE_SIZE] = "";

	if (nap__release_is_of(release, NAP_MEMBARRIER_SINCE))
		return true;
	return nap__os_release(release) && nap__release_is_of(release, NAP_MEMBARRIER_SINCE);
}

/* A release that every list of kernels contains, except "never". */
#define LAST_RELEASE "1048575.1048575.1048575"

void nap__os_membarrier_register(void)
{
	if (nap__release_is_of(LAST_RELEASE, NAP_MEMBARRIER_SINCE))
		nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
}

bool nap__os_membarrier(void)
{
	return !nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

bool nap__os_membarrier_works(void)
{
	return is_full_fence() &&
	       !nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}
