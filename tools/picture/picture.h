/* SPDX-License-Identifier: MIT */
/*
 * The picture of an execution, as SVG: a column for each thread, a box for each event, program
 * order down the columns, and the other relations as curves between them. The picture is one file
 * without a script, a font or a link. The picture is light or dark as the reader's screen is, and
 * light on paper. The same input gives the same bytes on every machine: all of the layout is in
 * whole numbers.
 *
 *	text.c		text: escaped, measured, cut into lines
 *	relation.c	the kinds of edges: name, meaning, colour
 *	route.c		which way each edge goes, and which end of a side it has
 *	place.c		coordinates of boxes
 *	curve.c		coordinates of edges
 *	label.c		places for labels, which touch no box and no other label
 *	style.c		colours
 *	legend.c	what the lines mean
 *	words.c		the picture in words: what a screen reader reads
 *	draw.c		boxes, edges, labels
 *	picture.c	the whole
 *
 * For programs: each box is a g.nap-event with data-event, its name; each edge a g.nap-edge with
 * data-edge, its kind, data-from and data-to. A box on the red way, and a red edge, have the class
 * nap-red, too. If the picture has an id, the parts have ids that begin with it.
 */
#ifndef NAP_PICTURE_H
#define NAP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

enum picture_shape { PICTURE_READ, PICTURE_WRITE, PICTURE_FENCE, PICTURE_OTHER };

struct picture_event {
	unsigned column;
	unsigned row;			/* no two events of a column are in one row */
	enum picture_shape shape;
	const char *name;		/* "a" */
	const char *what;		/* "W x = 1" */
	const char *code;		/* the instruction; NULL: none */
	const char *place;		/* "line 14"; NULL: none */
	bool red;			/* drawn red, even if no red edge begins or ends here */
};

enum picture_relation { PICTURE_PO, PICTURE_RF, PICTURE_CO, PICTURE_FR, PICTURE_ADDR, PICTURE_DATA,
			PICTURE_CTRL, PICTURE_RMW, PICTURE_FENCED, PICTURE_SECTION, PICTURE_START,
			PICTURE_ORDER, PICTURE_RELATIONS };

/* @from of an edge that comes from the initial value of a location. */
#define PICTURE_INITIAL (~0u)

struct picture_edge {
	enum picture_relation relation;
	unsigned from, to;		/* indexes of events */
	const char *label;		/* NULL: the relation's name; "": none */
	bool red;
};

struct picture {
	const char *id;			/* NULL: no part has an id */
	const char *name, *model, *verdict;
	bool forbidden;			/* the execution is forbidden */
	const char *question;		/* NULL: none */
	const char *outcome;		/* what is shown: "allowed: 0:r0=0;" */
	const char *red;		/* what the red edges are, for the legend */
	unsigned nr_columns, nr_events, nr_edges;
	const char *const *column;	/* names of threads */
	const struct picture_event *event;
	const struct picture_edge *edge;
};

/* Writes the picture. False: there is no memory. */
bool picture_write(FILE *out, const struct picture *picture);

/*
 * Writes text, escaped for XML and HTML, at most @most characters of it. What is no character of
 * XML becomes U+FFFD.
 */
void picture_text(FILE *out, const char *text, unsigned most);

#endif /* NAP_PICTURE_H */
