/* SPDX-License-Identifier: MIT */
/* A trace for other programs, and as a page. Errors are the stream's: ferror(). */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include <stdio.h>

#include "lanes/lanes.h"

/* Perfetto's protobuf: ui.perfetto.dev, trace_processor. */
void write_perfetto(FILE *to, const struct trace *trace);

/* Chrome's Trace Event Format: chrome://tracing, speedscope, ui.perfetto.dev. */
void write_json(FILE *to, const struct trace *trace);

/* One page with everything in it, which asks nothing of a network. */
void write_page(FILE *to, const struct trace *trace);

/* walk.c: calls @edge at each begin and each end of a span of @lane, in the order of time. */
void walk(const struct lane *lane, void (*edge)(void *arg, const struct span *span, bool begins),
	  void *arg);

/*
 * walk.c: a copy of @lane without nap's own tasks that only carry the function inside; its spans are the caller's to
 * free, and it has no others.
 */
struct lane without_carriers(const struct lane *lane);

/* walk.c: @text within a text of JSON, with its quotation marks. */
void write_quoted(FILE *to, const char *text, size_t length);

#endif /* TRACE_WRITE_H */
