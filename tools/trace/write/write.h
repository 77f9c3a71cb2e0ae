/* SPDX-License-Identifier: MIT */
/* Writes a trace for other programs, and as a page. The stream keeps errors: ferror(). */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include <stdio.h>

#include "lanes/lanes.h"

/* Writes Perfetto's protobuf: ui.perfetto.dev, trace_processor. */
void write_perfetto(FILE *to, const struct trace *trace);

/* Writes Chrome's Trace Event Format: chrome://tracing, speedscope, ui.perfetto.dev. */
void write_json(FILE *to, const struct trace *trace);

/* Writes one page with everything in it, which loads nothing from a network. */
void write_page(FILE *to, const struct trace *trace);

/* walk.c: calls @edge at each begin and each end of a span of @lane, in the order of time. */
void walk(const struct lane *lane, void (*edge)(void *arg, const struct span *span, bool begins),
	  void *arg);

/*
 * walk.c: returns a copy of @lane without nap's own tasks that only carry another function. The
 * caller frees the copy's spans, and nothing else.
 */
struct lane without_carriers(const struct lane *lane);

/* walk.c: writes @text as a string of JSON, with its quotation marks. */
void write_quoted(FILE *to, const char *text, size_t length);

#endif /* TRACE_WRITE_H */
