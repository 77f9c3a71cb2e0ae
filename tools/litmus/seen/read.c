/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seen/seen.h"

static const char first_line[] = "nap-litmus results 1";

/* The line at hand. */
struct reader {
	struct text *file;
	const char *at, *end;
};

/* Goes on to the next line. False: the file is at its end. */
static bool next_line(struct reader *reader, const char *from)
{
	const char *end = memchr(from, '\n', (size_t)(reader->file->end - from));

	reader->at = from;
	if (from == reader->file->end)
		return false;
	if (!end)
		text_fail(reader->file, from, "the file breaks off within this line");
	reader->end = end;
	return true;
}

static void must_go_on(struct reader *reader)
{
	if (!next_line(reader, reader->end + 1))
		text_fail(reader->file, reader->at, "the file breaks off: expected \"end\" before");
}

static bool begins(const struct reader *reader, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(reader->end - reader->at) >= length && !memcmp(reader->at, word, length);
}

/* Reads the test: the text of the lines that begin with a bar. */
static void read_source(struct reader *reader, struct seen *seen)
{
	struct text *source = arena_alloc(reader->file->arena, sizeof(*source));
	char *to = arena_alloc(reader->file->arena,
			       (size_t)(reader->file->end - reader->at) + 1), name[200];

	source->arena = reader->file->arena;
	source->begin = to;
	for (must_go_on(reader); begins(reader, "|"); must_go_on(reader)) {
		size_t skip = begins(reader, "| ") ? 2 : 1;
		size_t length = (size_t)(reader->end - reader->at) - skip;

		memcpy(to, reader->at + skip, length);
		to += length;
		*to++ = '\n';
	}
	*to = 0;
	source->end = to;
	if (to == source->begin)
		text_fail(reader->file, reader->at, "expected the test, its lines behind \"| \"");
	snprintf(name, sizeof(name), "%.100s, the test after line %u", reader->file->name,
		 text_line(reader->file, seen->at));
	source->name = arena_text(reader->file->arena, name, strlen(name));
	seen->source = source;
}

/* Returns the value of the line "@key VALUE", and goes on. */
static const char *take(struct reader *reader, const char *key)
{
	size_t length = strlen(key);
	const char *value;

	if (!begins(reader, key) || reader->at[length] != ' ')
		text_fail(reader->file, reader->at, "expected \"%s\"", key);
	value = arena_text(reader->file->arena, reader->at + length + 1,
			   (size_t)(reader->end - reader->at) - length - 1);
	must_go_on(reader);
	return value;
}

static uint64_t take_whole(struct reader *reader, const char *key)
{
	const char *at = reader->at, *value = take(reader, key);
	char *end;
	uint64_t number = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || *end)
		text_fail(reader->file, at, "expected a number behind \"%s\"", key);
	return number;
}

static unsigned take_few(struct reader *reader, const char *key)
{
	const char *at = reader->at;
	uint64_t number = take_whole(reader, key);

	if (!number || number > 65536)
		text_fail(reader->file, at, "expected a number from 1 to 65536 behind \"%s\"", key);
	return (unsigned)number;
}

static double take_seconds(struct reader *reader, const char *key)
{
	const char *at = reader->at, *value = take(reader, key);
	char *end;
	double number = strtod(value, &end);

	if (*value < '0' || *value > '9' || *end || !(number < 1e9))
		text_fail(reader->file, at, "expected seconds behind \"%s\"", key);
	return number;
}

static void read_head(struct reader *reader, struct seen *seen)
{
	if (begins(reader, "compiled "))
		seen->compiled = take(reader, "compiled");
	seen->machine = take(reader, "machine");
	seen->processor = take(reader, "processor");
	seen->emulated = take(reader, "emulated");
	if (!strcmp(seen->emulated, "no"))
		seen->emulated = NULL;
	seen->nr_cpus = take_few(reader, "cpus");
	seen->nr_workers = take_few(reader, "workers");
	seen->nr_copies = take_few(reader, "copies");
	seen->affinity = take(reader, "affinity");
	seen->runs = take_whole(reader, "runs");
	seen->seconds = take_seconds(reader, "seconds");
	seen->cpu_seconds = take_seconds(reader, "cpu");
	seen->lost = take_whole(reader, "lost");
	seen->parts_at = reader->at;
	seen->parts = take(reader, "parts");
	for (const char *p = seen->parts; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
		seen->nr_parts++;
}

static uint64_t read_part(struct reader *reader, const char **from)
{
	const char *at = *from;
	char *end;
	uint64_t value;

	if (*at != ' ' || at[1] < '0' || at[1] > '9')
		text_fail(reader->file, at, "expected a number");
	value = strtoull(at + 1, &end, 10);
	*from = end;
	return value;
}

static void read_state(struct reader *reader, const struct seen *seen, struct seen_state *state)
{
	const char *p = reader->at + strlen("state");
	unsigned nr = seen->nr_parts ? seen->nr_parts : 1;	/* without parts there is one 0 */

	state->at = reader->at;
	state->value = arena_alloc(reader->file->arena, nr * sizeof(*state->value));
	state->count = read_part(reader, &p);
	if (!state->count)
		text_fail(reader->file, reader->at, "expected a state that was seen");
	for (unsigned i = 0; i < nr; i++)
		state->value[i] = read_part(reader, &p);
	if (p != reader->end)
		text_fail(reader->file, p, "expected %u parts, as \"parts\" has", seen->nr_parts);
}

/* Reads the states. All together they are the runs. */
static void read_states(struct reader *reader, struct seen *seen)
{
	uint64_t sum = seen->lost;
	unsigned room = 0;

	for (const char *p = reader->at; *p && memcmp(p, "end\n", 4);
	     p += strcspn(p, "\n") + 1, room++)
		if (!p[strcspn(p, "\n")])
			break;
	seen->state = arena_alloc(reader->file->arena, (room + 1) * sizeof(*seen->state));
	for (; begins(reader, "state "); must_go_on(reader)) {
		read_state(reader, seen, &seen->state[seen->nr_states]);
		sum += seen->state[seen->nr_states++].count;
	}
	if (!begins(reader, "end") || reader->end != reader->at + 3)
		text_fail(reader->file, reader->at, "expected \"state\" or \"end\"");
	if (sum != seen->runs)
		text_fail(reader->file, reader->at, "the states are %llu in all, and the runs %llu",
			  (unsigned long long)sum, (unsigned long long)seen->runs);
}

struct seen *seen_read(struct text *file, const char **from)
{
	struct reader reader = { .file = file };
	struct seen *seen = arena_alloc(file->arena, sizeof(*seen));

	if (!next_line(&reader, *from))
		return NULL;
	if (!begins(&reader, first_line) || reader.end != reader.at + strlen(first_line))
		text_fail(file, reader.at, "expected \"%s\"", first_line);
	seen->file = file;
	seen->at = reader.at;
	read_source(&reader, seen);
	read_head(&reader, seen);
	read_states(&reader, seen);
	*from = reader.end + 1;
	return seen;
}
