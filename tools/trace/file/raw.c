/* SPDX-License-Identifier: MIT */
#include "file/raw.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"

/* More than two years, but so little that sums and differences of times do not overflow. */
#define TIME_MOST	(INT64_C(1) << 56)

/* Where the next section begins, and where a message can be written. */
struct reader {
	struct raw *raw;
	size_t at;
	char *message;
	size_t size;
};

static __attribute__((format(printf, 2, 3))) bool wrong(struct reader *reader, const char *format,
							...)
{
	int n = snprintf(reader->message, reader->size, "%s: byte %zu: ", reader->raw->path,
			 reader->at);
	va_list args;

	va_start(args, format);
	if (n >= 0 && (size_t)n < reader->size)
		vsnprintf(reader->message + n, reader->size - (size_t)n, format, args);
	va_end(args);
	return false;
}

/* Reads the whole file, because a pipe has no size. */
static bool read_all(struct raw *raw)
{
	FILE *file = strcmp(raw->path, "-") ? fopen(raw->path, "rb") : stdin;
	size_t room = 0, got;
	bool failed;

	if (!file)
		return false;
	do {
		if (raw->size == room)
			raw->bytes = resize(raw->bytes, room = room ? 2 * room : 1 << 16, 1);
		got = fread(raw->bytes + raw->size, 1, room - raw->size, file);
		raw->size += got;
	} while (got);
	failed = ferror(file);
	if (file != stdin)
		fclose(file);
	return !failed;
}

static bool read_head(struct reader *reader)
{
	struct raw *raw = reader->raw;
	struct nap_trace_file *head = &raw->head;

	if (!raw->size)
		return wrong(reader,
			     "the file is empty: its pool was not joined, and its process did not "
			     "exit by itself");
	if (raw->size < sizeof(*head))
		return wrong(reader, "%zu bytes are no trace of nap's, whose header has %zu",
			     raw->size, sizeof(*head));
	memcpy(head, raw->bytes, sizeof(*head));
	if (memcmp(head->magic, NAP_TRACE_MAGIC, sizeof(head->magic)))
		return wrong(reader, "no trace of nap's: it does not begin with \"%s\"",
			     NAP_TRACE_MAGIC);
	reader->at = offsetof(struct nap_trace_file, order);
	if (head->order == __builtin_bswap32(NAP_TRACE_ORDER))
		return wrong(reader, "written by a machine of the other byte order");
	reader->at = offsetof(struct nap_trace_file, version);
	if (head->order != NAP_TRACE_ORDER || head->version != NAP_TRACE_VERSION)
		return wrong(reader, "version %u; this nap-trace reads version %u", head->version,
			     NAP_TRACE_VERSION);
	reader->at = offsetof(struct nap_trace_file, header_size);
	if (head->header_size < sizeof(*head) || head->header_size > raw->size ||
	    head->header_size % 8)
		return wrong(reader, "a header of %u bytes in a file of %zu", head->header_size,
			     raw->size);
	if (head->event_size < sizeof(struct nap_trace_event) ||
	    head->outside_size < sizeof(struct nap_trace_outside) ||
	    head->section_size < sizeof(struct nap_trace_section) || head->section_size % 8)
		return wrong(reader, "events of %u and %u bytes, sections of %u", head->event_size,
			     head->outside_size, head->section_size);
	reader->at = head->header_size;
	return true;
}

static bool read_track(struct reader *reader, const struct nap_trace_section *section,
		       const unsigned char *contents)
{
	struct raw *raw = reader->raw;
	struct track track = { .outside = section->type == NAP_TRACE_OUTSIDE,
			       .index = section->id };
	size_t each = track.outside ? raw->head.outside_size : raw->head.event_size;

	if (section->length < sizeof(track.head))
		return wrong(reader, "a track of %llu bytes", (unsigned long long)section->length);
	memcpy(&track.head, contents, sizeof(track.head));
	if ((section->length - sizeof(track.head)) / each < track.head.kept)
		return wrong(reader, "a track of %llu bytes has no %llu events",
			     (unsigned long long)section->length,
			     (unsigned long long)track.head.kept);
	track.events = contents + sizeof(track.head);
	raw->tracks = resize(raw->tracks, raw->nr_tracks + 1, sizeof(track));
	raw->tracks[raw->nr_tracks++] = track;
	return true;
}

static void read_stats(struct raw *raw, const struct nap_trace_section *section,
		       const unsigned char *contents)
{
	struct nap_pool_stats *stats = &raw->stats[section->id & 1];
	size_t size = section->length < sizeof(*stats) ? section->length : sizeof(*stats);

	memcpy(stats, contents, size);
	raw->has_stats[section->id & 1] = true;
}

static void read_classes(struct raw *raw, const struct nap_trace_section *section,
			 const unsigned char *contents)
{
	raw->nr_classes = (unsigned)(section->length / sizeof(*raw->classes));
	raw->classes = resize(raw->classes, raw->nr_classes, sizeof(*raw->classes));
	memcpy(raw->classes, contents, raw->nr_classes * sizeof(*raw->classes));
}

static void read_pauses(struct raw *raw, const struct nap_trace_section *section,
			const unsigned char *contents)
{
	raw->nr_pauses = (unsigned)(section->length / sizeof(*raw->pauses));
	raw->pauses = resize(raw->pauses, raw->nr_pauses, sizeof(*raw->pauses));
	memcpy(raw->pauses, contents, raw->nr_pauses * sizeof(*raw->pauses));
}

static bool read_contents(struct reader *reader, const struct nap_trace_section *section,
			  const unsigned char *contents)
{
	struct text text = { (const char *)contents, section->length };
	struct raw *raw = reader->raw;

	switch (section->type) {
	case NAP_TRACE_NAME:
		raw->name = text;
		break;
	case NAP_TRACE_EXE:
		raw->exe = text;
		break;
	case NAP_TRACE_MAPS:
		raw->maps = text;
		break;
	case NAP_TRACE_STATS:
		read_stats(raw, section, contents);
		break;
	case NAP_TRACE_CLASSES:
		read_classes(raw, section, contents);
		break;
	case NAP_TRACE_PAUSES:
		read_pauses(raw, section, contents);
		break;
	case NAP_TRACE_WORKER:
	case NAP_TRACE_OUTSIDE:
		return read_track(reader, section, contents);
	}
	return true;
}

/*
 * Reads the sections up to the first that does not fit into the file: a disk was full, for example.
 */
static bool read_sections(struct reader *reader)
{
	struct raw *raw = reader->raw;

	for (;;) {
		struct nap_trace_section section;
		size_t left = raw->size - reader->at;

		raw->cut = true;
		if (left < raw->head.section_size)
			return true;
		memcpy(&section, raw->bytes + reader->at, sizeof(section));
		left -= raw->head.section_size;
		if (section.length > left)
			return true;
		if (section.type == NAP_TRACE_LAST) {
			raw->cut = false;
			return true;
		}
		if (!read_contents(reader, &section,
				   raw->bytes + reader->at + raw->head.section_size))
			return false;
		left -= section.length;
		reader->at = raw->size - left;
		reader->at += (8 - section.length % 8) % 8;
		if (reader->at > raw->size)
			return true;
	}
}

bool raw_read(struct raw *raw, const char *path, char *message, size_t size)
{
	struct reader reader = { raw, 0, message, size };

	*raw = (struct raw){ .path = path, .name = { "", 0 }, .exe = { "", 0 }, .maps = { "", 0 } };
	if (!read_all(raw)) {
		snprintf(message, size, "%s: %s", path, strerror(errno));
		return false;
	}
	return read_head(&reader) && read_sections(&reader);
}

void raw_free(struct raw *raw)
{
	free(raw->bytes);
	free(raw->tracks);
	free(raw->classes);
	free(raw->pauses);
}

uint32_t raw_event(const struct raw *raw, const struct track *track, uint64_t i,
		   struct nap_trace_event *event)
{
	struct nap_trace_outside outside;

	if (!track->outside) {
		memcpy(event, track->events + i * raw->head.event_size, sizeof(*event));
		return 0;
	}
	memcpy(&outside, track->events + i * raw->head.outside_size, sizeof(outside));
	*event = outside.event;
	return outside.thread;
}

struct nap_trace_track raw_totals(const struct raw *raw)
{
	struct nap_trace_track totals = { 0 };

	for (unsigned i = 0; i < raw->nr_tracks; i++) {
		totals.written += raw->tracks[i].head.written;
		totals.kept += raw->tracks[i].head.kept;
		totals.dropped += raw->tracks[i].head.dropped;
	}
	totals.lost = totals.written - totals.kept;
	return totals;
}

bool raw_has_holes(const struct raw *raw, const struct track *track)
{
	uint64_t ring = raw->head.ring, written = track->head.written;

	return track->head.dropped ||
	       (track->outside && track->head.kept < (written < ring ? written : ring));
}

int64_t raw_ns(const struct raw *raw, uint64_t ticks)
{
	const struct nap_trace_file *head = &raw->head;
	int64_t since = (int64_t)(ticks - head->begin_ticks);
	uint64_t ns = head->end_ns - head->begin_ns, passed = head->end_ticks - head->begin_ticks;

	__int128 at = since;

	/* A snapshot right after the begin gives no rate of the clock. */
	if (passed)
		at = at * (__int128)ns / (__int128)passed;
	return at > TIME_MOST ? TIME_MOST : at < -TIME_MOST ? -TIME_MOST : (int64_t)at;
}
