/* SPDX-License-Identifier: MIT */
/*
 * How the search has come to where it is. An alternative is known by a list of numbers, one for
 * each graph on the way to it: which of the alternatives that the graph has noted was taken. By
 * this path another process of the same program comes to the same graph and the same alternatives,
 * and does not run the graphs that the search has left behind.
 */
#ifndef NAP_CHECK_PATH_H
#define NAP_CHECK_PATH_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

extern bool path_wanted;	/* false: the functions note nothing */

void path_begin(void);		/* the first graph of a search */
void path_noted(void);		/* all alternatives of the graph that was made last are noted */
void path_take(unsigned place);	/* the newest alternative is to be taken; after path_noted() */
void path_new_count(void);	/* @result counts from 0 again */

/* divide.c: the oldest @nr alternatives were dropped, or all except these. */
void path_drop_oldest(unsigned nr);
void path_keep_oldest(unsigned nr);

/*
 * Writes a line with the way to the alternatives that are left. @counted: the newest graph was run
 * and counted; else it is to be run again.
 */
void path_write(FILE *out, bool counted);

enum path_found { PATH_FOUND, PATH_TO_FIRST, PATH_LOST, PATH_ANEW };

/*
 * Takes the search to the place at which the line @text was written. PATH_TO_FIRST: no graph was
 * run yet. PATH_LOST: the program has other executions. PATH_ANEW: a run has learnt something, as
 * RAN_ANEW.
 */
enum path_found path_go(const char *text);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PATH_H */
