/* SPDX-License-Identifier: MIT */
/* A list of times, its percentiles, and its histogram by powers of two. */
#ifndef TRACE_TIMES_H
#define TRACE_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct times {
	int64_t *ns;
	size_t nr;
	int64_t total;
};

/* Adds @ns to *@sum, which is INT64_MAX after an overflow: a broken file may have any times. */
static inline void time_add(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

void times_add(struct times *times, int64_t ns);
/* Called after the last times_add(), and before times_at(). */
void times_sort(struct times *times);
/* Returns a percentile: @percent 0 is the least, 100 the largest; 0 if there are no times. */
int64_t times_at(const struct times *times, double percent);
/* Prints a line for each power of two that has any times, each after @indent. */
void times_histogram(FILE *to, const struct times *times, const char *indent);
void times_free(struct times *times);

/* Returns "1.23 ms": three digits and a unit. @text has TIME_TEXT bytes. */
#define TIME_TEXT 24
const char *time_text(int64_t ns, char *text);

#endif /* TRACE_TIMES_H */
