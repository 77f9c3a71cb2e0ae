/* SPDX-License-Identifier: MIT */
/*
 * Counts the CPUs that workers may use: the CPUs of an affinity mask, bounded by the cgroups' CPU
 * quotas.
 */
#include "os/os.h"
#include "os/linux/cpus.h"

uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size)
{
	const struct nap__cpu_files *files = &nap__cpu_files;
	uint32_t quota = files->quota ? files->quota("") : UINT32_MAX;
	uint32_t cpus;

	if (!mask)
		cpus = nap__os_affinity_cpus();
	else
		cpus = files->mask ? files->mask("", mask, size) : nap__os_cpus_allowed(mask, size);
	if (!cpus)
		cpus = nap__os_cpus_online();
	if (quota < cpus)
		cpus = quota;
	return cpus ? cpus : 1;
}

uint32_t nap__os_cpus_online(void)
{
	return nap__cpu_files.online ? nap__cpu_files.online("") : 0;
}
