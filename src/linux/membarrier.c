/* SPDX-License-Identifier: MIT */
/* membarrier(2), the private expedited kind (Linux 4.14). */
#include <stddef.h>

#include "os.h"
#include "syscall.h"

#define MEMBARRIER_CMD_PRIVATE_EXPEDITED		(1 << 3)
#define MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED	(1 << 4)

bool nap__os_membarrier_init(void)
{
	return !nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) &&
	       !nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

bool nap__os_membarrier(void)
{
	return !nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}
