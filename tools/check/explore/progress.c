/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "explore/frames.h"
#include "explore/progress.h"
#include "explore/search.h"

bool progress_wanted;
unsigned long progress_every;

static double last_line;
static unsigned long last_number;

/* What is known of the alternatives at each place. */
static struct known { double graphs; unsigned long nr; } known[NR_PLACES];

void progress_begin(void)
{
	memset(known, 0, sizeof(known));
	last_line = search.begun;
	last_number = 0;
}

unsigned progress_place(const struct graph *g, const struct item *item)
{
	const vector *prefix = &g->event[item->event].prefix;
	unsigned place = item->to;

	if (item->type == ALT_CONTEND)
		return PLACE_CONTENDS + item->event;
	if (item->type == ALT_READ && (g->event[item->event].flags & F_EXCL))
		return PLACE_RMW + item->event;
	if (item->type != ALT_REVISIT)
		return item->event;
	for (unsigned i = item->to + 1u; i <= item->event; i++)
		place += vector_has(prefix, &g->event[i]);
	return place;
}

void progress_learn(unsigned place, unsigned long graphs)
{
	known[place].graphs += (double)graphs;
	known[place].nr++;
}

/* ---- logarithms, straight between powers of two: no more than a tenth off, and without libm */

#define ONE	(1ul << 52)
#define BIAS	1023.0

static double log_2(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (double)bits / (double)ONE - BIAS;
}

static double power_of_2(double y)
{
	uint64_t bits = (uint64_t)((y + BIAS) * (double)ONE);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* ---- the estimate */

static double mean[NR_PLACES];		/* as a logarithm */

static double known_mean(unsigned place)
{
	double graphs = known[place].graphs / (double)known[place].nr;

	return log_2(graphs > 0.1 ? graphs : 0.1);
}

/* Returns by how much the logarithm grows from an event to the one before, by least squares. */
static double growth(unsigned first)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, slope;

	for (unsigned i = 0, nr = 0; i < MAX_EVENTS && nr < 8; i++) {
		double weight, value;

		if (!known[first + i].nr)
			continue;
		nr++;
		weight = 1 + log_2((double)known[first + i].nr);
		value = known_mean(first + i);
		n += weight;
		x += weight * i;
		y += weight * value;
		xx += weight * i * i;
		xy += weight * i * value;
	}
	slope = n * xx - x * x > 1e-9 ? (x * y - n * xy) / (n * xx - x * x) : 0;
	return slope > 0 ? slope : 0;
}

/*
 * Finds the means of a kind of places. If nothing is known of the kind, takes those of the first
 * kind.
 */
static void find_means(unsigned first)
{
	double by = growth(first), last = 0;
	bool any = false;

	for (unsigned i = first; i < first + MAX_EVENTS; i++)
		any |= known[i].nr;
	if (!any) {
		memcpy(&mean[first], &mean[0], MAX_EVENTS * sizeof(mean[0]));
		return;
	}
	any = false;
	for (unsigned i = first + MAX_EVENTS; i-- > first;) {
		if (known[i].nr)
			last = any && known_mean(i) < last ? last : known_mean(i);
		else if (any && last < 100)
			last += by;
		any |= known[i].nr;
		mean[i] = last;
	}
}

double progress_left(void)
{
	double sum = 0;

	for (unsigned first = 0; first < NR_PLACES; first += MAX_EVENTS)
		find_means(first);
	for (unsigned i = 0; i < nr_frames; i++)
		for (unsigned k = 0; k < frames[i]->nr; k++)
			sum += power_of_2(mean[progress_place(&frames[i]->graph,
							      &frames[i]->items[k])]);
	return sum;
}

/* ---- the line */

bool progress_is_due(unsigned long number_run)
{
	if (!progress_wanted)
		return false;
	if (progress_every)
		return number_run >= last_number + progress_every;
	return seconds_now() - last_line >= PROGRESS_INTERVAL;
}

void progress_print(unsigned long executions, unsigned long blocked, double left)
{
	double seconds = seconds_now() - search.begun + search.seconds_before;
	double done = (double)(executions + blocked);

	last_line = seconds_now();
	last_number = executions + blocked;
	if (left < 0)
		return;
	fprintf(stderr, "# %lu executions, %lu blocked, %.0f s; about %.1f %%, %.0f s more\n",
		executions, blocked, seconds, 100 * done / (done + left),
		seconds * left / (done ? done : 1));
}
