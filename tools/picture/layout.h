/* SPDX-License-Identifier: MIT */
/* Within the picture: where everything is. Coordinates are pixels, y downwards. */
#ifndef NAP_PICTURE_LAYOUT_H
#define NAP_PICTURE_LAYOUT_H

#include "picture/picture.h"

struct point { int x, y; };
struct rect { int x, y, w, h; };

/* The widths of a character, in tenths of a pixel, in the widest monospaced fonts. */
#define ADVANCE_TITLE	115
#define ADVANCE_WHAT	87
#define ADVANCE_SUB	81
#define ADVANCE_CODE	75
#define ADVANCE_LABEL	75
#define LINE		15	/* height of a line of a label */

#define LABEL_LINES	4
#define LABEL_WIDTH	22	/* characters */
#define LABEL_BYTES	(4 * LABEL_WIDTH + 8)
#define CODE_WIDTH	50

/*
 * The way of an edge:
 *	DOWN	to the next event of its column
 *	ARC	to another row of its column, beside it
 *	NEAR	to the next column
 *	FAR	to another column: between two rows, past the columns between
 *	STUB	from the initial value
 */
enum way { WAY_DOWN, WAY_ARC, WAY_NEAR, WAY_FAR, WAY_STUB };

struct route {
	enum way way;
	int side[2];			/* of each end: -1 left of its box, 1 right */
	int port[2];			/* of each end: how far down its box's side, of 256 */
	unsigned lane;			/* ARC: from the column outwards; FAR: within its gap */
	unsigned gap;			/* FAR: it passes above this row */
	unsigned nr;			/* cubic curves, of 3 points each after the first */
	struct point point[10];
	unsigned nr_lines;
	char line[LABEL_LINES][LABEL_BYTES];
	struct rect label;		/* w 0: none */
};

struct layout {
	const struct picture *picture;
	unsigned nr_rows;
	int *column_x, *column_w;	/* of each column */
	int *gutter;			/* widths: before each column, and after the last */
	int *row_y;			/* of each row, and the end */
	int *gap;			/* height of what is above each row, and below the last */
	unsigned *lanes;		/* FAR routes in each gap */
	struct rect *box;		/* of each event */
	bool *red;			/* of each event: a red edge begins or ends there */
	struct route *route;		/* of each edge */
	struct rect view;
};

#define BOX_HEIGHT 48
#define HEAD_HEIGHT 30		/* of the names of the columns */

/* text.c */
unsigned text_characters(const char *text);
/* Returns the width of @characters in pixels. A character is @advance tenths of a pixel wide. */
int text_width(unsigned characters, int advance);
/* Writes a line of text of a class of CSS. @anchor: which part is at @at: start, middle or end. */
void text_element(FILE *out, const char *class, const char *anchor, struct point at,
		  const char *text, unsigned most);
/* Cuts @text into lines of at most @width characters; returns how many. The last ends with ... */
unsigned text_lines(const char *text, char (*line)[LABEL_BYTES], unsigned width);

/* relation.c */
const char *relation_name(enum picture_relation relation);
/* Returns the classes of CSS, of an edge and of its sample in the legend. */
const char *relation_class(enum picture_relation relation);
const char *relation_meaning(enum picture_relation relation);
const char *edge_label_of(const struct picture_edge *edge);

/* route.c: chooses the ways, and the order of the ends at a side. */
void layout_routes(struct layout *layout);

/* place.c: puts boxes where the widths of columns, gutters and gaps say. */
void layout_begin(struct layout *layout);
void layout_boxes(struct layout *layout);

/* curve.c: the points of the edges. */
void layout_curves(struct layout *layout);
/* Returns a point of a route: @step counts on over its curves, each of which has STEPS steps. */
#define STEPS 32
struct point route_at(const struct route *route, unsigned step);

/*
 * label.c: finds a place for each label. If a label has none, widens a gutter, or in every second
 * @turn a gap, too, and returns false. @placed: room for a bool of each edge.
 */
bool layout_labels(struct layout *layout, bool *placed, unsigned turn);
/* Sets the rectangle that holds all. */
void layout_view(struct layout *layout);

/* style.c, words.c */
void style_write(FILE *out);
void words_write(FILE *out, const struct picture *picture);
void words_edge(FILE *out, const struct picture *picture, const struct picture_edge *edge);
void words_event(FILE *out, const struct picture_event *event);

/* draw.c: writes the boxes, the edges and the labels, as @layout has them. */
void draw_diagram(FILE *out, const struct layout *layout);

/* legend.c: returns the legend's height, and draws the legend if @out is not NULL. */
int legend_write(FILE *out, const struct picture *picture, int x, int y, int width);

#endif /* NAP_PICTURE_LAYOUT_H */
