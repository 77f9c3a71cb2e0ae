/* SPDX-License-Identifier: MIT */
/*
 * Why an execution is allowed: why a read has not read what is newer, and why two accesses have no
 * order.
 */
#ifndef NAP_CHECK_WHY_H
#define NAP_CHECK_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "report/rows.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/*
 * Says why the read @e may read what it reads. Says nothing if @e reads the newest write, or is the
 * read of a read-modify-write that writes. Returns whether it has said something.
 */
bool why_read(const struct rows *rows, const struct event *e, char *out, size_t size);

/*
 * Says why the events of the thread @of, up to number @index, do not happen before the last event
 * of @thread.
 */
void why_unordered(const struct rows *rows, unsigned of, unsigned index, unsigned thread, char *out,
		   size_t size);

/* ---- paths.c */

#define MOST_PATH 64

/*
 * Finds a shortest path of po and rf (@by_all: of co and fr, too) between two events. Writes its
 * events to @path, with both ends. Returns how many; 0: no path, or one longer than MOST_PATH.
 */
unsigned path_between(unsigned from, unsigned to, bool by_all, unsigned path[MOST_PATH]);

#pragma GCC visibility pop

#endif /* NAP_CHECK_WHY_H */
