/* SPDX-License-Identifier: MIT */
/* How many CPUs the calling thread may use: its affinity mask, cut by its cgroups' CPU quotas. */
#include "os.h"
#include "cpus.h"

uint32_t nap__os_cpu_count(void)
{
	uint32_t cpus = nap__os_affinity_cpus();
	uint32_t quota = nap__os_quota_cpus("");

	if (!cpus)
		cpus = nap__os_online_cpus("");
	if (quota < cpus)
		cpus = quota;
	return cpus ? cpus : 1;
}
