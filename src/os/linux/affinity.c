/* SPDX-License-Identifier: MIT */
/* The CPUs on which the kernel lets threads run: sched_getaffinity(2). */
#include "os/linux/cpus.h"
#include "os/os.h"

#include "arch/syscall.h"

long nap__os_affinity(long tid, struct cpu_mask *mask)
{
	return nap__syscall3(NAP__NR_sched_getaffinity, tid, sizeof(*mask), (long)mask);
}

static uint32_t count(const unsigned long *words, size_t n)
{
	uint32_t cpus = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned long word = words[i]; word; word &= word - 1)
			cpus++;
	return cpus;
}

size_t nap__os_nth_cpu(const unsigned long *mask, uint32_t n)
{
	size_t cpu = 0;

	while (!(mask[cpu / LONG_BITS] >> cpu % LONG_BITS & 1) || n--)
		cpu++;
	return cpu;
}

uint32_t nap__os_affinity_cpus(void)
{
	struct cpu_mask mask;
	long size = nap__os_affinity(nap__syscall0(NAP__NR_getpid), &mask);

	/* The kernel returns the number of bytes that it has written, a multiple of a word. */
	return size > 0 ? count(mask.words, (size_t)size / sizeof(*mask.words)) : 0;
}

uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size)
{
	return mask ? count(mask, size / sizeof(*mask)) : nap__os_affinity_cpus();
}
