/* SPDX-License-Identifier: MIT */
/* A search that was saved: making parts of it, and coming to where they were. */
#include <stdlib.h>
#include <string.h>

#include "explore/frames.h"
#include "explore/parts_shared.h"
#include "explore/path.h"
#include "explore/saving.h"

static _Noreturn void is_broken(void)
{
	search.saving->is_wrong("what it says of a search cannot be read");
}

/* Keeps the next @size bytes of @in for the part. */
static void keep(FILE *in, struct part *p, size_t size)
{
	char *text = malloc(size + 1);

	if (!text || (size && fread(text, size, 1, in) != 1))
		is_broken();
	p->kept_at = parts->kept_end;
	p->kept_size = size;
	parts_put(parts->kept, text, size, &parts->kept_end);
	free(text);
}

static void read_done(FILE *in, const char *line, struct part *p)
{
	struct result *r = &p->result;
	size_t size;

	if (sscanf(line, "done %lu %lu %lu %zu", &r->executions, &r->blocked, &r->faulty,
		   &size) != 4)
		is_broken();
	keep(in, p, size);
	p->is_resumed = p->ended = true;
	parts->nr_not_ended--;
}

/* Takes a path, and the line of states that may follow. */
static void read_path(FILE *in, struct part *p, const char *line, size_t size)
{
	long at = ftell(in);
	char *next = NULL;
	size_t room = 0;
	ssize_t n = getline(&next, &room, in);

	p->kept_at = parts->kept_end;
	parts_put(parts->kept, line, size, &parts->kept_end);
	p->kept_size = size;
	if (n > 0 && !strncmp(next, "states ", 7)) {
		parts_put(parts->kept, next, (size_t)n, &parts->kept_end);
		p->kept_size += (size_t)n;
	} else {
		fseek(in, at, SEEK_SET);
	}
	free(next);
	p->waits = true;
	parts->nr_waiting++;
}

/* Reads what the parts have learnt. False: this makes what they have run void. */
static bool read_known(FILE *in)
{
	char *line = NULL, *known;
	size_t room = 0, size;
	FILE *from;

	if (getline(&line, &room, in) < 0 ||
	    sscanf(line, "seconds %lg", &search.seconds_before) != 1 ||
	    getline(&line, &room, in) < 0 || sscanf(line, "known %zu", &size) != 1)
		is_broken();
	known = malloc(size + 1);
	if (!known || (size && fread(known, size, 1, in) != 1))
		is_broken();
	from = fmemopen(known, size, "r");
	if (!from || !search.saving->knowledge_read(from))
		is_broken();
	fclose(from);
	free(known);
	free(line);
	return search.parts_hold();
}

bool parts_resume(void)
{
	struct part *last = &parts->part[0];
	char *line = NULL;
	size_t room = 0;
	FILE *in;
	ssize_t n;

	if (!search.saving || !search.saving->resumed)
		return false;
	in = fmemopen((void *)(uintptr_t)search.saving->resumed, search.saving->resumed_size, "r");
	if (!in)
		is_broken();
	if (!read_known(in)) {
		fclose(in);
		return false;
	}
	while ((n = getline(&line, &room, in)) > 0) {
		if (parts->nr == MOST_PARTS)
			is_broken();
		last = new_part(last);
		if (!strncmp(line, "path ", 5))
			read_path(in, last, line, (size_t)n);
		else
			read_done(in, line, last);
	}
	fclose(in);
	free(line);
	frames_drop_all();
	return true;
}

enum ran saving_go(const char *path, bool *first)
{
	const char *states = strstr(path, "states ");
	enum path_found found = path_go(path);

	*first = found == PATH_TO_FIRST;
	if (found == PATH_ANEW)
		return RAN_ANEW;
	if (found == PATH_LOST)
		search.saving->is_wrong("the program has other executions "
					"than when this was saved");
	if (states && strtoul(states + 7, NULL, 16) != search.saving->states())
		search.saving->is_wrong("the program's memory is at other addresses "
					"than when this was saved");
	return RAN_WHOLE;
}
