/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "explore/frames.h"
#include "explore/progress.h"
#include "explore/search.h"

bool progress_wanted;
double progress_share;

static double taken;
static double last_line;

void progress_begin(void)
{
	progress_share = 0;
	taken = 1;
	last_line = search.begun;
}

void progress_take(double of)
{
	taken = of;
}

void progress_divide(bool ran)
{
	struct item *last = NULL;

	for (unsigned i = 0; i < nr_frames; i++)
		for (unsigned k = frames[i]->nr_shared; k < frames[i]->nr; k++) {
			last = &frames[i]->items[k];
			taken /= 2;
			last->share = (float)taken;
		}
	for (unsigned i = 0; i < nr_frames; i++)
		frames[i]->nr_shared = frames[i]->nr;
	if (last && !ran)
		last->share += (float)taken;
	else
		progress_share += taken;
	taken = 0;
}

bool progress_is_due(void)
{
	return progress_wanted && seconds_now() - last_line >= PROGRESS_INTERVAL;
}

void progress_print(unsigned long executions, unsigned long blocked, double share)
{
	double seconds = seconds_now() - search.begun;

	last_line = seconds_now();
	if (share < 0)
		return;
	fprintf(stderr, "# %lu executions, %lu blocked, %.0f s; about %.1f %%, %.0f s more\n", executions, blocked,
		seconds, 100 * share, share > 0 ? seconds / share - seconds : 0.0);
}
