/* SPDX-License-Identifier: MIT */
#include "explore/frames.h"

unsigned frames_count_items(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nr_frames; i++)
		n += frames[i]->nr;
	return n;
}

/* Finds the frame of the item @nr, and its place there. */
static unsigned frame_of(unsigned *nr)
{
	unsigned i = 0;

	for (; frames[i]->nr <= *nr; i++)
		*nr -= frames[i]->nr;
	return i;
}

void frames_keep_oldest(unsigned nr)
{
	unsigned i = frame_of(&nr);

	frames[i]->nr = frames[i]->nr_shared = nr;
	nr_frames = i + 1;
}

void frames_drop_oldest(unsigned nr)
{
	unsigned i = frame_of(&nr);
	struct frame *frame = frames[i];

	while (i--)
		frames[i]->nr = frames[i]->nr_shared = 0;
	for (unsigned k = nr; k < frame->nr; k++)
		frame->items[k - nr] = frame->items[k];
	frame->nr -= nr;
	frame->nr_shared = frame->nr;
}
