/* SPDX-License-Identifier: MIT */
/* How many CPUs workers may use: an affinity mask, cut by the cgroups' CPU quotas. */
#include "os.h"
#include "cpus.h"

uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size)
{
	uint32_t cpus = mask ? nap__os_mask_cpus("", mask, size) : nap__os_affinity_cpus();
	uint32_t quota = nap__os_quota_cpus("");

	if (!cpus)
		cpus = nap__os_online_cpus("");
	if (quota < cpus)
		cpus = quota;
	return cpus ? cpus : 1;
}

uint32_t nap__os_cpus_online(void)
{
	return nap__os_online_cpus("");
}
