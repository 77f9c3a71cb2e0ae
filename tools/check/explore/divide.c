/* SPDX-License-Identifier: MIT */
#include "explore/frames.h"
#include "explore/path.h"

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
	unsigned kept = nr, i = frame_of(&nr);

	frames[i]->nr = nr;
	nr_frames = i + 1;
	nr_items = kept;
	if (path_wanted)
		path_keep_oldest(kept);
}

void frames_drop_oldest(unsigned nr)
{
	unsigned dropped = nr, i = frame_of(&nr);
	struct frame *frame = frames[i];

	nr_items -= dropped;
	while (i--)
		frames[i]->nr = 0;
	for (unsigned k = nr; k < frame->nr; k++)
		frame->items[k - nr] = frame->items[k];
	frame->nr -= nr;
	if (path_wanted)
		path_drop_oldest(dropped);
}

void frames_drop_all(void)
{
	nr_frames = nr_items = 0;
}
