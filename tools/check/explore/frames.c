/* SPDX-License-Identifier: MIT */
/* Memory for frames and their notes. Graphs are large, so the next frames use the memory again. */
#include <stdlib.h>
#include <string.h>

#include "explore/frames.h"

struct frame **frames;
unsigned nr_frames, nr_items;

static unsigned made_frames;

struct frame *push_frame(void)
{
	if (nr_frames == made_frames) {
		frames = realloc(frames, (made_frames + 1) * sizeof(*frames));
		frames[made_frames] = aligned_alloc(_Alignof(struct frame), sizeof(**frames));
		memset(frames[made_frames++], 0, sizeof(**frames));
	}
	frames[nr_frames]->nr = frames[nr_frames]->nr_kept = 0;
	return frames[nr_frames++];
}

void note_with(struct frame *frame, enum item_type type, unsigned event, unsigned to,
	       unsigned also)
{
	if (frame->nr == frame->room) {
		frame->room = frame->room ? 2 * frame->room : 64;
		frame->items = realloc(frame->items, frame->room * sizeof(*frame->items));
	}
	nr_items++;
	frame->items[frame->nr++] = (struct item){
		(uint8_t)type, (uint16_t)event, (uint16_t)to, (uint16_t)also
	};
}

unsigned keep_read(struct frame *frame, const struct event *e)
{
	if (frame->nr_kept == frame->room_kept) {
		frame->room_kept = frame->room_kept ? 2 * frame->room_kept : 16;
		frame->kept = realloc(frame->kept, frame->room_kept * sizeof(*frame->kept));
	}
	frame->kept[frame->nr_kept] = *e;
	return frame->nr_kept++;
}
