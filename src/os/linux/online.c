/* SPDX-License-Identifier: MIT */
/* Counts the CPUs that are online, as sysfs lists them. */
#include "os/linux/cpus.h"
#include "os/os.h"

#include <stdbool.h>

#include "os/linux/text.h"

/* The numbers that are counted: those of a mask, or all. */
struct wanted {
	const unsigned long *words;	/* the mask; NULL: all numbers */
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

/* Counts the wanted numbers in a list like "0-3,5"; false: @list is malformed. */
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
	char buf[TEXT_MOST];
	struct lines in;
	char *line;
	bool known;

	if (!nap__lines_open(&in, buf, sizeof(buf), root, "/sys/devices/system/cpu/online"))
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

	return count_online(root, &wanted, &cpus) ? cpus : nap__os_cpus_allowed(mask, size);
}
