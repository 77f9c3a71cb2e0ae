/* SPDX-License-Identifier: MIT */
#include "report/times.h"

#include <stdlib.h>
#include <string.h>

#include "file/memory.h"

void times_add(struct times *times, int64_t ns)
{
	times->ns = grow(times->ns, times->nr, sizeof(*times->ns));
	times->ns[times->nr++] = ns;
	time_add(&times->total, ns);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void times_sort(struct times *times)
{
	if (times->nr)
		qsort(times->ns, times->nr, sizeof(*times->ns), compare);
}

int64_t times_at(const struct times *times, double percent)
{
	return times->nr ? times->ns[(size_t)(percent / 100 * (double)(times->nr - 1) + 0.5)] : 0;
}

const char *time_text(int64_t ns, char *text)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	unsigned unit = 0;

	while ((value >= 999.5 || value <= -999.5) && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(text, TIME_TEXT, "%.*f %s",
		 unit && value < 9.995	 ? 2
		 : unit && value < 99.95 ? 1
					 : 0,
		 value, units[unit]);
	return text;
}

static unsigned bucket(int64_t ns)
{
	return ns > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)ns) : 0;
}

void times_histogram(FILE *to, const struct times *times, const char *indent)
{
	size_t count[65] = { 0 }, most = 1;
	char low[TIME_TEXT], high[TIME_TEXT];

	for (size_t i = 0; i < times->nr; i++)
		count[bucket(times->ns[i])]++;
	for (unsigned i = 0; i < 64; i++)
		if (most < count[i])
			most = count[i];
	for (unsigned i = 0; i < 63; i++) {
		char bar[41];
		size_t length = (count[i] * (sizeof(bar) - 1) + most - 1) / most;

		if (!count[i])
			continue;
		memset(bar, '#', length);
		bar[length] = 0;
		fprintf(to, "%s%8s to %8s %10zu %s\n", indent,
			time_text(i ? INT64_C(1) << (i - 1) : 0, low),
			time_text(INT64_C(1) << i, high), count[i], bar);
	}
}

void times_free(struct times *times)
{
	free(times->ns);
}
