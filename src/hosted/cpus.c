/* SPDX-License-Identifier: MIT */
/* How many CPUs the calling thread may use: its affinity mask, cut by its cgroups' CPU quotas. */
#include "os.h"
#include "cpus.h"

#include <sched.h>
#include <unistd.h>

/*
 * cpu_set_t ends at 1024 CPUs, and the kernel refuses a mask that is shorter than the machine might
 * need, so it grows; on the stack, where that cannot fail. No pool counts more than this allows.
 */
#define MAX_CPUS 16384
#define LONG_BITS (8 * sizeof(unsigned long))

static uint32_t affinity_cpus(void)
{
	unsigned long mask[MAX_CPUS / LONG_BITS];
	long online;

	for (size_t bits = CPU_SETSIZE; bits <= MAX_CPUS; bits *= 2) {
		uint32_t cpus = 0;

		if (sched_getaffinity(0, bits / 8, (cpu_set_t *)mask))
			continue;
		for (size_t i = 0; i < bits / LONG_BITS; i++)
			cpus += (uint32_t)__builtin_popcountl(mask[i]);
		return cpus;
	}
	/* a sandbox that forbids the question */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}

uint32_t nap__os_cpu_count(void)
{
	uint32_t cpus = affinity_cpus();
	uint32_t quota = nap__os_quota_cpus("");

	if (quota < cpus)
		cpus = quota;
	return cpus ? cpus : 1;
}
