/* SPDX-License-Identifier: MIT */
/* The CPUs that the kernel would let the calling thread run on, or that are there at all. */
#include "cpus.h"

#include "syscall.h"
#include "text.h"

/*
 * The kernel refuses a mask that is shorter than the machine might need. This one is on the stack,
 * where it cannot fail, and no pool counts more.
 */
#define MAX_CPUS 16384
#define LONG_BITS (8 * sizeof(unsigned long))

uint32_t nap__os_affinity_cpus(void)
{
	unsigned long mask[MAX_CPUS / LONG_BITS];
	long size = nap__syscall3(NAP__NR_sched_getaffinity, 0, sizeof(mask), (long)mask);
	uint32_t cpus = 0;

	/* The kernel says how many bytes it has written, a multiple of a word. */
	for (long i = 0; i < size / (long)sizeof(*mask); i++)
		for (; mask[i]; mask[i] &= mask[i] - 1)
			cpus++;
	return cpus;
}

/* How many numbers there are in "0-3,5"; 0 when @list is not of that kind. */
static uint32_t count_list(const char *list)
{
	uint64_t first, last, n = 0;

	do {
		if (!nap__parse_digits(&list, &first))
			return 0;
		last = first;
		if (*list == '-' && (list++, !nap__parse_digits(&list, &last)))
			return 0;
		if (last < first || last - first >= MAX_CPUS)
			return 0;
		n += last - first + 1;
	} while (*list == ',' && list++ && n <= MAX_CPUS);
	return *list ? 0 : (uint32_t)n;
}

uint32_t nap__os_online_cpus(const char *root)
{
	struct lines in;
	uint32_t cpus = 0;
	char *line;

	if (!nap__lines_open(&in, root, "/sys/devices/system/cpu/online"))
		return 0;
	line = nap__lines_next(&in);
	if (line)
		cpus = count_list(line);
	nap__lines_close(&in);
	return cpus;
}
