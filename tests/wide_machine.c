/* SPDX-License-Identifier: MIT */
/*
 * Linked into a program whose pools then take the machine for one of 64 CPUs. So these pools have
 * waves (src/idle/wave.h), and their thieves search on.
 */
#include "os/os.h"
#include "wrap.h"

WRAP(uint32_t, nap__os_cpus_allowed, (const unsigned long *mask, size_t size))
{
	(void)mask;
	(void)size;
	return 64;
}
