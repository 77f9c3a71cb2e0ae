/* SPDX-License-Identifier: MIT */
/*
 * The file that nap_trace_write() wrote (nap/trace_file.h), as it lies on the disk.
 *
 * Nothing in the file is trusted: every length is checked before what it counts is read. A file
 * without its last section is cut, and its whole sections are used.
 */
#ifndef TRACE_RAW_H
#define TRACE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/stats.h>
#include <nap/trace_file.h>

/* A text in the file; empty if the file lacks it. */
struct text {
	const char *bytes;
	size_t length;
};

/* The events of a worker, or those of all threads from outside. */
struct track {
	bool outside;
	uint32_t index;			/* the worker's */
	struct nap_trace_track head;
	const unsigned char *events;	/* head.kept events, each of the size that struct raw has */
};

struct raw {
	const char *path;
	unsigned char *bytes;
	size_t size;
	struct nap_trace_file head;
	struct text name, exe, maps;
	bool has_stats[2];
	struct nap_pool_stats stats[2];	/* at the trace's begin, and at the snapshot */
	struct track *tracks;
	unsigned nr_tracks;
	struct nap_trace_class *classes;
	unsigned nr_classes;
	struct nap_trace_pause *pauses;
	unsigned nr_pauses;
	bool cut;			/* the last section is not there */
};

/* Reads @path. False if something is wrong; @message says what, and where. */
bool raw_read(struct raw *raw, const char *path, char *message, size_t size);
void raw_free(struct raw *raw);

/* Copies event @i of @track. Returns the number of the event's thread, 0 for a worker. */
uint32_t raw_event(const struct raw *raw, const struct track *track, uint64_t i,
		   struct nap_trace_event *event);

/* Returns the counts of all tracks together. */
struct nap_trace_track raw_totals(const struct raw *raw);

/*
 * Whether events may be missing between any two of @track: those that were dropped, and those of
 * threads from outside that were just being written at the snapshot.
 */
bool raw_has_holes(const struct raw *raw, const struct track *track);

/* Returns nanoseconds since the trace began; negative for the few events that are older. */
int64_t raw_ns(const struct raw *raw, uint64_t ticks);

#endif /* TRACE_RAW_H */
