/* SPDX-License-Identifier: MIT */
/* The CPUs that the kernel would let threads run on, or that are there at all. */
#include "cpus.h"
#include "os.h"

#include <stdbool.h>

#include "syscall.h"
#include "text.h"

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

	/* The kernel says how many bytes it has written, a multiple of a word. */
	return size > 0 ? count(mask.words, (size_t)size / sizeof(*mask.words)) : 0;
}

uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size)
{
	return mask ? count(mask, size / sizeof(*mask)) : nap__os_affinity_cpus();
}

/* Which numbers are to be counted: those of a mask, or all. */
struct wanted {
	const unsigned long *words;	/* NULL: all */
	size_t bits;
};

static uint32_t count_range(uint64_t first, uint64_t last, const struct wanted *wanted)
{
	uint32_t n = 0;

	if (!wanted->words)
		return (uint32_t)(last - first + 1);
	for (uint64_t cpu = first; cpu <= last && cpu < wanted->bits; cpu++)
		n += wanted->words[cpu / LONG_BITS] >> cpu % LONG_BITS & 1;
	return n;
}

/* How many numbers there are in "0-3,5" that are wanted; false when @list is not of that kind. */
static bool count_list(const char *list, const struct wanted *wanted, uint32_t *n)
{
	uint64_t first, last;

	*n = 0;
	do {
		if (!nap__parse_digits(&list, &first))
			return false;
		last = first;
		if (*list == '-' && (list++, !nap__parse_digits(&list, &last)))
			return false;
		if (last < first || last - first >= MAX_CPUS)
			return false;
		*n += count_range(first, last, wanted);
	} while (*list == ',' && list++ && *n <= MAX_CPUS);
	return !*list;
}

static bool count_online(const char *root, const struct wanted *wanted, uint32_t *n)
{
	struct lines in;
	char *line;
	bool known;

	if (!nap__lines_open(&in, root, "/sys/devices/system/cpu/online"))
		return false;
	line = nap__lines_next(&in);
	known = line && count_list(line, wanted, n);
	nap__lines_close(&in);
	return known;
}

uint32_t nap__os_online_cpus(const char *root)
{
	uint32_t cpus;

	return count_online(root, &(struct wanted){ NULL, 0 }, &cpus) ? cpus : 0;
}

uint32_t nap__os_mask_cpus(const char *root, const unsigned long *mask, size_t size)
{
	struct wanted wanted = { mask, size / sizeof(*mask) * LONG_BITS };
	uint32_t cpus;

	return count_online(root, &wanted, &cpus) ? cpus : count(mask, size / sizeof(*mask));
}
