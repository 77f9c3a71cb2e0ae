/* SPDX-License-Identifier: MIT */
/*
 * Empty works that end on the loop's thread, which begins each of them again at once. The row's HOW
 * says how many works are under way, by default one. A sample is the time in which a work goes to a
 * worker and its end comes back to the loop.
 */
#ifndef NAP_BENCH_TRIPS_H
#define NAP_BENCH_TRIPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/row.h"

#define TRIPS_MOST 1024

struct trips {
	uint64_t to_begin, under_way;
};

static inline unsigned trips_width(const struct size *size)
{
	int width = *size->how ? atoi(size->how) : 1;

	if (width < 1 || width > TRIPS_MOST)
		row_die("how many are under way is 1 to 1024");
	return (uint64_t)width < size->n ? (unsigned)width : (unsigned)size->n;
}

/* Returns how many works the caller has to begin. */
static inline unsigned trips_begin(struct trips *trips, const struct size *size)
{
	unsigned width = trips_width(size);

	*trips = (struct trips){ size->n - width, width };
	return width;
}

/* Notes that a work has ended. Returns whether the caller has to begin it again. */
static inline bool trips_again(struct trips *trips)
{
	if (trips->to_begin) {
		trips->to_begin--;
		return true;
	}
	trips->under_way--;
	return false;
}

#endif /* NAP_BENCH_TRIPS_H */
