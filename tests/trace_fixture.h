/* SPDX-License-Identifier: MIT */
/* Reads the file of a trace (nap/trace_file.h), and counts its events. */
#ifndef NAP_TESTS_TRACE_FIXTURE_H
#define NAP_TESTS_TRACE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nap/nap.h>
#include <nap/trace_file.h>

#include "trace_causes.h"

enum { TRACE_TRACKS = 64, TRACE_DEEP = 64 };

/* What a file has: of all tracks together, except where a comment says something else. */
struct trace_read {
	struct nap_trace_file file;
	struct nap_pool_stats before, now;
	bool is_whole;			/* the last section is there, and ends the file */
	bool is_nested;			/* each worker's END fits the last open BEGIN */
	bool is_in_time;		/* each worker's events are in the order of time */
	uint32_t nr_workers;		/* tracks */
	struct nap_trace_track of[TRACE_TRACKS], outside;
	uint64_t kinds[NAP_TRACE_KINDS], kinds_outside[NAP_TRACE_KINDS];
	uint64_t begun, begun_outside;	/* BEGIN events without the flag INNER */
	uint64_t stolen, stolen_overflow, overflowed, jobs_stolen, parked, spun, dozed, woken;
	uint64_t suspended[NAP_TRACE_ON_TIMER + 1];
	uint64_t scheduled_in_order, at_once, inner;
	uint64_t indices;		/* of all ranges of loops */
	/* of each class: tasks scheduled, permits taken and given back */
	uint64_t scheduled_in[NAP_CLASSES], permits[NAP_CLASSES], given[NAP_CLASSES];
	uint64_t late_works;		/* CANCEL events because of a deadline */
	uint64_t latest;		/* how late the latest timer was, ns */
	uint64_t nr_odd;		/* impossible events */
	struct trace_causes causes;
	uint64_t unscheduled;		/* what began, and nothing made it runnable */
	uint64_t unbegun;		/* what was scheduled, and has not begun */
	bool has_maps, has_exe;
	char name[32];
	uint32_t nr_classes, nr_pauses;
	struct nap_trace_pause pauses[NAP_TRACE_PAUSES_MOST];
};

struct trace_nest {
	uint64_t open[TRACE_DEEP];
	uint32_t n;
	bool is_right;
};

static inline bool trace_begins(uint16_t kind)
{
	return kind == NAP_TRACE_BEGIN || kind == NAP_TRACE_JOB_BEGIN ||
	       kind == NAP_TRACE_JOIN_BEGIN || kind == NAP_TRACE_WAIT_BEGIN;
}

static inline bool trace_ends(uint16_t kind)
{
	return kind == NAP_TRACE_END || kind == NAP_TRACE_JOB_END || kind == NAP_TRACE_JOIN_END ||
	       kind == NAP_TRACE_WAIT_END;
}

/* Combines an event's object and the kind of its begin into one number. */
static inline uint64_t trace_span(const struct nap_trace_event *event, uint16_t begin)
{
	return event->a * 64 + begin;
}

static inline void trace_nest(struct trace_nest *nest, const struct nap_trace_event *event)
{
	if (trace_begins(event->kind) && nest->n < TRACE_DEEP)
		nest->open[nest->n++] = trace_span(event, event->kind);
	else if (trace_ends(event->kind))
		nest->is_right &= nest->n &&
				  nest->open[--nest->n] == trace_span(event, event->kind - 1);
}

/* How many values an event of this kind has: none, only @a, or perhaps both. */
static inline unsigned trace_values(uint16_t kind)
{
	switch (kind) {
	case NAP_TRACE_RETIRE:
	case NAP_TRACE_WAKE:
	case NAP_TRACE_FORK_PUBLISH:
	case NAP_TRACE_BLOCK_BEGIN:
	case NAP_TRACE_BLOCK_END:
		return 0;
	case NAP_TRACE_START:
	case NAP_TRACE_PARK:
	case NAP_TRACE_OVERFLOW:
	case NAP_TRACE_WAIT_BEGIN:
		return 1;
	default:
		return 2;
	}
}

/*
 * Whether the event has a kind and a time, and no value that its kind does not have; and a
 * schedule, a begin, an end or a canceled work has an object, and no flags except those that are
 * allowed; and what is said of a class has its number alone.
 */
static inline bool is_possible(const struct nap_trace_event *event)
{
	if (!event->kind || event->kind >= NAP_TRACE_KINDS || !event->time)
		return false;
	if ((trace_values(event->kind) < 1 && event->a) ||
	    (trace_values(event->kind) < 2 && event->b))
		return false;
	if (event->kind == NAP_TRACE_SCHEDULE || trace_begins(event->kind) ||
	    trace_ends(event->kind))
		return event->a && event->flags < 32;
	if (event->kind == NAP_TRACE_CANCEL)
		return event->a && !event->b && event->flags < 2;
	if (event->kind == NAP_TRACE_CLASS_TAKE || event->kind == NAP_TRACE_CLASS_GIVE)
		return event->other < NAP_CLASSES && !event->a && !event->b && !event->flags;
	return true;
}

static inline void trace_count(struct trace_read *read, const struct nap_trace_event *event,
			       bool outside)
{
	if (!is_possible(event)) {
		read->nr_odd++;
		return;
	}
	(outside ? read->kinds_outside : read->kinds)[event->kind]++;
	switch (event->kind) {
	case NAP_TRACE_SCHEDULE:
		read->scheduled_in_order += (event->flags & NAP_TRACE_IN_ORDER) != 0;
		read->at_once += (event->flags & NAP_TRACE_AT_ONCE) != 0;
		if (event->flags & NAP_TRACE_CLASSED && event->other < NAP_CLASSES)
			read->scheduled_in[event->other]++;
		break;
	case NAP_TRACE_CANCEL:
		read->late_works += event->flags == 1;
		break;
	case NAP_TRACE_CLASS_TAKE:
		read->permits[event->other]++;
		break;
	case NAP_TRACE_CLASS_GIVE:
		read->given[event->other]++;
		break;
	case NAP_TRACE_BEGIN:
		if (event->flags & NAP_TRACE_INNER)
			read->inner++;
		else
			*(outside ? &read->begun_outside : &read->begun) += 1;
		break;
	case NAP_TRACE_STEAL:
		read->stolen += event->a;
		read->stolen_overflow += event->flags == 1 ? event->a : 0;
		break;
	case NAP_TRACE_OVERFLOW:
		read->overflowed += event->a;
		break;
	case NAP_TRACE_JOB_BEGIN:
		read->jobs_stolen += event->other != NAP_TRACE_NOBODY;
		break;
	case NAP_TRACE_PARK:
		*(event->flags & NAP_TRACE_DOZES ? &read->dozed :
		  event->flags & NAP_TRACE_SPUN ? &read->spun : &read->parked) += 1;
		break;
	case NAP_TRACE_UNPARK:
		read->woken += (event->a & 2) != 0;
		break;
	case NAP_TRACE_RANGE:
		read->indices += event->b;
		break;
	case NAP_TRACE_TIMER:
		if (read->latest < event->b)
			read->latest = event->b;
		break;
	case NAP_TRACE_FIBER_SUSPEND:
		if (event->flags <= NAP_TRACE_ON_TIMER)
			read->suspended[event->flags]++;
		break;
	default:
		break;
	}
}

static inline void trace_track(struct trace_read *read, uint32_t id, const char *at, bool outside)
{
	struct nap_trace_track *track = outside || id >= TRACE_TRACKS ? &read->outside :
									&read->of[id];
	size_t size = outside ? read->file.outside_size : read->file.event_size;
	struct trace_nest nest = { .is_right = true };
	struct trace_inside inside = { .n = 0 };
	uint64_t last = 0;

	memcpy(track, at, sizeof(*track));
	at += sizeof(*track);
	for (uint64_t i = 0; i < track->kept; i++) {
		struct nap_trace_event event;

		memcpy(&event, at + i * size, sizeof(event));
		trace_count(read, &event, outside);
		if (outside) {
			uint32_t thread;

			memcpy(&thread, at + i * size + sizeof(event), sizeof(thread));
			causes_event(&read->causes, causes_thread(&read->causes, thread), &event);
			continue;
		}
		causes_event(&read->causes, &inside, &event);
		trace_nest(&nest, &event);
		read->is_in_time &= event.time >= last;
		last = event.time;
	}
	read->is_nested &= nest.is_right;
	read->nr_workers += !outside;
}

static inline void trace_section(struct trace_read *read, const struct nap_trace_section *section,
				 const char *at)
{
	size_t length = section->length < sizeof(read->name) ? section->length :
							       sizeof(read->name) - 1;

	switch (section->type) {
	case NAP_TRACE_STATS:
		memcpy(section->id ? &read->now : &read->before, at, sizeof(read->now));
		break;
	case NAP_TRACE_WORKER:
	case NAP_TRACE_OUTSIDE:
		trace_track(read, section->id, at, section->type == NAP_TRACE_OUTSIDE);
		break;
	case NAP_TRACE_CLASSES:
		read->nr_classes = section->length / sizeof(struct nap_trace_class);
		break;
	case NAP_TRACE_PAUSES:
		read->nr_pauses = section->length / sizeof(*read->pauses);
		memcpy(read->pauses, at, read->nr_pauses * sizeof(*read->pauses));
		break;
	case NAP_TRACE_NAME:
		memcpy(read->name, at, length);
		break;
	case NAP_TRACE_EXE:
		read->has_exe = at[0] == '/';
		break;
	case NAP_TRACE_MAPS:
		read->has_maps = memchr(at, '\n', section->length) &&
				 at[section->length - 1] == '\n';
		break;
	default:
		break;
	}
}

/* Reads the file @fd. False: it is not a trace, or it is cut. */
static inline bool trace_read(struct trace_read *read, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *all = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	struct nap_trace_section section = { .type = UINT32_MAX };
	off_t at;

	memset(read, 0, sizeof(*read));
	read->is_nested = read->is_in_time = true;
	if (all == MAP_FAILED || (size_t)size < sizeof(read->file))
		return false;
	memcpy(&read->file, all, sizeof(read->file));
	for (at = read->file.header_size; at + (off_t)sizeof(section) <= size;) {
		memcpy(&section, all + at, sizeof(section));
		at += sizeof(section);
		if (section.type == NAP_TRACE_LAST || section.length > (uint64_t)(size - at))
			break;
		trace_section(read, &section, all + at);
		at += (section.length + 7) / 8 * 8;
	}
	read->is_whole = at == size && section.type == NAP_TRACE_LAST;
	read->unscheduled = causes_missing(&read->causes, &read->unbegun);
	munmap(all, size);
	return read->is_whole;
}

#endif /* NAP_TESTS_TRACE_FIXTURE_H */
