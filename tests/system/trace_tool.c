/* SPDX-License-Identifier: MIT */
/*
 * Makes a trace of a text, for tests of nap-trace: standard input to standard output. Times are
 * nanoseconds. This program knows the format by nap/trace_file.h alone. A line is one of
 *
 *	name TEXT | exe TEXT | maps TEXT	sections of text; the last may be repeated
 *	worker INDEX | outside			the events that follow are this track's
 *	lost N					N events of this track were overwritten
 *	dropped N				N events of this track were not written
 *	ring N					the size of the rings
 *	TIME KIND [a=N] [b=N] [other=N] [flags=N] [thread=N]
 *	pause TIME [TIME]			the trace was ended, and begun again
 *	end TIME				the time of the snapshot
 *	joined | stopped			the join has written the trace; the pool was stopped
 *	cut					the trace has no last section
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nap/trace_file.h>

static const char *const kinds[NAP_TRACE_KINDS] = {
	"", "schedule", "begin", "end", "job_begin", "job_end", "start", "retire", "park", "unpark",
	"wake", "steal", "overflow", "fork_publish", "join_begin", "join_end", "range",
	"wait_begin", "wait_end", "push", "pop", "cancel", "class_take", "class_give",
	"block_begin", "block_end", "fiber_spawn", "fiber_resume", "fiber_suspend", "fiber_end",
	"send", "receive", "timer", "file",
};

static struct {
	struct nap_trace_section section;
	struct nap_trace_track head;
	struct nap_trace_outside event[8192];
} track[64];
static unsigned nr_tracks;
static struct nap_trace_pause pauses[NAP_TRACE_PAUSES_MOST];
static unsigned nr_pauses;
static char text[3][65536];	/* NAP_TRACE_NAME and what follows it */
static uint64_t end_ns = 1000000, ring;
static bool cut;
static uint32_t flags;

static void wrong(const char *line)
{
	fprintf(stderr, "trace_tool: %s", line);
	exit(1);
}

static uint64_t value(const char *line, const char *name, uint64_t otherwise)
{
	char wanted[16];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s=", name);
	at = strstr(line, wanted);
	return at ? strtoull(at + strlen(wanted), NULL, 0) : otherwise;
}

static void take_event(const char *line)
{
	struct nap_trace_outside event = { .thread = (uint32_t)value(line, "thread", 1) };
	char kind[32];

	if (!nr_tracks ||
	    sscanf(line, "%llu %31s", (unsigned long long *)&event.event.time, kind) != 2)
		wrong(line);
	while (event.event.kind < NAP_TRACE_KINDS && strcmp(kinds[event.event.kind], kind))
		event.event.kind++;
	if (event.event.kind == NAP_TRACE_KINDS)
		event.event.kind = (uint16_t)strtoul(kind, NULL, 0);
	event.event.flags = (uint16_t)value(line, "flags", 0);
	event.event.other = (uint32_t)value(line, "other", NAP_TRACE_NOBODY);
	event.event.a = value(line, "a", 0);
	event.event.b = value(line, "b", 0);
	track[nr_tracks - 1].event[track[nr_tracks - 1].head.kept++] = event;
}

static void take_track(uint32_t type, uint32_t id)
{
	track[nr_tracks].section.type = type;
	track[nr_tracks++].section.id = id;
}

static void take_pause(unsigned long long ended, unsigned long long begun)
{
	pauses[nr_pauses++] = (struct nap_trace_pause){ ended, begun };
}

static void take(char *line)
{
	unsigned long long n, m = 0;
	char *rest = strchr(line, ' ');
	int section = -1;

	if (*line == '#' || *line == '\n')
		return;
	if (!strncmp(line, "name ", 5))
		section = 0;
	else if (!strncmp(line, "exe ", 4))
		section = 1;
	else if (!strncmp(line, "maps ", 5))
		section = 2;
	if (isdigit((unsigned char)*line))
		take_event(line);
	else if (section >= 0)
		strcat(text[section], section == 2 ? rest + 1 : strtok(rest + 1, "\n"));
	else if (sscanf(line, "worker %llu", &n) == 1)
		take_track(NAP_TRACE_WORKER, (uint32_t)n);
	else if (!strcmp(line, "outside\n"))
		take_track(NAP_TRACE_OUTSIDE, 0);
	else if (sscanf(line, "lost %llu", &n) == 1)
		track[nr_tracks - 1].head.lost = n;
	else if (sscanf(line, "dropped %llu", &n) == 1)
		track[nr_tracks - 1].head.dropped = n;
	else if (sscanf(line, "ring %llu", &n) == 1)
		ring = n;
	else if (sscanf(line, "pause %llu %llu", &n, &m) >= 1)
		take_pause(n, m);
	else if (sscanf(line, "end %llu", &n) == 1)
		end_ns = n;
	else if (!strcmp(line, "joined\n"))
		flags |= NAP_TRACE_JOINED;
	else if (!strcmp(line, "stopped\n"))
		flags |= NAP_TRACE_STOPPED;
	else if (!strcmp(line, "cut\n"))
		cut = true;
	else
		wrong(line);
}

static void put(const void *bytes, size_t nr)
{
	if (fwrite(bytes, 1, nr, stdout) != nr)
		exit(1);
}

static void put_track(unsigned i)
{
	bool outside = track[i].section.type == NAP_TRACE_OUTSIDE;
	size_t each = outside ? sizeof(struct nap_trace_outside) : sizeof(struct nap_trace_event);

	track[i].head.written = track[i].head.kept + track[i].head.lost;
	track[i].section.length = sizeof(track[i].head) + track[i].head.kept * each;
	put(&track[i].section, sizeof(track[i].section));
	put(&track[i].head, sizeof(track[i].head));
	for (uint64_t e = 0; e < track[i].head.kept; e++)
		put(&track[i].event[e], each);
}

static void put_text(unsigned i)
{
	struct nap_trace_section section = { NAP_TRACE_NAME + i, 0, strlen(text[i]) };

	if (!section.length)
		return;
	put(&section, sizeof(section));
	put(text[i], section.length);
	put("\0\0\0\0\0\0\0", (8 - section.length % 8) % 8);
}

static void put_pauses(void)
{
	struct nap_trace_section section = { NAP_TRACE_PAUSES, 0, nr_pauses * sizeof(*pauses) };

	if (!nr_pauses)
		return;
	put(&section, sizeof(section));
	put(pauses, section.length);
}

int main(void)
{
	struct nap_trace_file head = {
		.version = NAP_TRACE_VERSION,
		.order = NAP_TRACE_ORDER,
		.header_size = sizeof(head),
		.event_size = sizeof(struct nap_trace_event),
		.outside_size = sizeof(struct nap_trace_outside),
		.section_size = sizeof(struct nap_trace_section),
		.clock = NAP_TRACE_MONOTONIC,
		.pid = 4711,
		.workers = 2,
	};
	static char line[70000];

	memcpy(head.magic, NAP_TRACE_MAGIC, sizeof(head.magic));
	while (fgets(line, sizeof(line), stdin))
		take(line);
	head.end_ticks = head.end_ns = end_ns;
	head.ring = ring;
	head.flags = flags;
	put(&head, sizeof(head));
	for (unsigned i = 0; i < 3; i++)
		put_text(i);
	for (unsigned i = 0; i < nr_tracks; i++)
		put_track(i);
	put_pauses();
	if (!cut)
		put(&(struct nap_trace_section){ NAP_TRACE_LAST, 0, 0 },
		    sizeof(struct nap_trace_section));
	return 0;
}
