/* SPDX-License-Identifier: MIT */
/*
 * Within show/: how an execution becomes a picture. svg.c draws the boxes and the text, edges.c the
 * relations, red.c the cycle, fences.c what the fences order.
 */
#ifndef NAP_LITMUS_DRAWING_H
#define NAP_LITMUS_DRAWING_H

#include "picture/picture.h"
#include "show/show.h"

struct drawing {
	struct test *test;
	const struct rules *rules;
	const struct execution *x;
	const struct cycle *cycle;	/* NULL: the execution is allowed */
	int box[MATRIX_EVENTS];		/* of each event; -1: an initial write without a box */
	struct picture picture;
	struct picture_edge *edge;	/* @room of them */
	unsigned room;
};

/* edges.c: returns a new edge between two events of the execution. */
struct picture_edge *drawing_edge(struct drawing *drawing, enum picture_relation relation,
				  unsigned from, unsigned to);
/* Adds program order, and of each other relation the edges that the others do not imply. */
void drawing_relations(struct drawing *drawing);

/* fences.c: adds an edge for each pair of accesses that only a fence between puts in order. */
void drawing_fences(struct drawing *drawing);

/* red.c: makes the edges of the cycle red, and adds those that are not there. */
void drawing_cycle(struct drawing *drawing);

#endif /* NAP_LITMUS_DRAWING_H */
