/* SPDX-License-Identifier: MIT */
/*
 * The stack of frames. A frame is a graph with the alternatives to it that the search has not
 * taken yet, the newest last. Taking an alternative cuts the graph back to the event that the
 * alternative is about.
 */
#ifndef NAP_CHECK_FRAMES_H
#define NAP_CHECK_FRAMES_H

#include "graph/graph.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

enum item_type { ALT_READ, ALT_WRITE, ALT_CHOICE, ALT_REVISIT, ALT_CONTEND, ALT_THREAD };

struct item {
	uint8_t type;
	uint16_t event, to;
	uint16_t also;		/* the read that was changed and now reads @event */
};

struct frame {
	struct item *items;
	unsigned nr, room;
	struct event *kept;	/* reads that can only contend, and so are outside of the graph */
	unsigned nr_kept, room_kept;
	struct graph graph;
};

extern struct frame **frames;
extern unsigned nr_frames;
extern unsigned nr_items;	/* of all frames */

static inline struct frame *top(void)
{
	return frames[nr_frames - 1];
}

/* Pushes a frame without alternatives. Its graph is not initialised. */
struct frame *push_frame(void);

void note_with(struct frame *frame, enum item_type type, unsigned event, unsigned to,
	       unsigned also);

static inline void note(struct frame *frame, enum item_type type, unsigned event, unsigned to)
{
	note_with(frame, type, event, to, 0);
}

/* ---- divide.c: the notes of all frames, as one sequence, the oldest first */

void frames_keep_oldest(unsigned nr);	/* @nr: less than all */
void frames_drop_oldest(unsigned nr);
void frames_drop_all(void);

/* Returns the index of the copy in @kept. */
unsigned keep_read(struct frame *frame, const struct event *e);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FRAMES_H */
