/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "explore/search.h"
#include "program/fault.h"
#include "program/ops.h"
#include "report/html.h"
#include "report/story.h"
#include "report/why.h"

void story_item(FILE *out, const char *text)
{
	fputs("<li>", out);
	html_linked(out, text);
	fputs("</li>\n", out);
}

/* ---- two accesses, or one */

/* Returns the last row of the thread at @pc, or NULL. */
static struct row *last_row_at(const struct rows *rows, unsigned thread, uintptr_t pc)
{
	for (unsigned i = rows->nr; i--; ) {
		const struct row *row = &rows->row[i];

		if (row->thread == thread && pc == (row->e ? row->e->pc : row->step->pc))
			return &rows->row[i];
	}
	return NULL;
}

static struct row *first_access(const struct rows *rows)
{
	struct row *row = NULL;

	if (!fault.other_pc || !fault.other_clock)
		return NULL;
	row = row_of_step(rows, fault.other_by, fault.other_clock - 1, fault.other_pc);
	return row ? row : last_row_at(rows, fault.other_by, fault.other_pc);
}

static void write_access(FILE *out, const struct rows *rows, const char *which, unsigned thread,
			 const struct row *row, const struct place *where)
{
	bool by = thread < MAX_THREADS;
	char text[600], what[256];
	int n = snprintf(text, sizeof(text), "%s%s%s%.96s", which, by ? thread_name(thread) : "",
			 by ? " at " : "", where->line);

	if (row) {
		row_text(rows, row, what, sizeof(what));
		n += snprintf(text + n, sizeof(text) - (size_t)n, ": %s (#%s%u)", what,
			      row->e ? "" : "p", row->number);
	}
	snprintf(text + n, sizeof(text) - (size_t)n, ".");
	story_item(out, text);
}

static void write_pair(FILE *out, const struct rows *rows, const struct place where[2])
{
	char text[1200];
	bool allocated = !strncmp(fault.text, "use of memory whose allocation", 30);

	write_access(out, rows, allocated ? "Allocated by " : "First: ", fault.other_by,
		     first_access(rows), &where[1]);
	write_access(out, rows, allocated ? "Used by " : "Second: ", fault.by,
		     last_row_at(rows, fault.by, fault.pc), &where[0]);
	why_unordered(rows, fault.other_by, fault.other_clock, fault.by, text, sizeof(text));
	story_item(out, text);
}

/* Returns the row of the free of the memory that the fault is about, or NULL. */
static struct row *free_row(const struct rows *rows)
{
	bool freed = strstr(fault.text, "freed") && fault.other_pc;

	for (unsigned i = rows->nr; freed && i--; ) {
		const struct row *row = &rows->row[i];

		if (row->step && row->step->kind == STEP_FREE &&
		    row->step->address == fault.other_key)
			return &rows->row[i];
	}
	return NULL;
}

/* Says whether the thread that uses the memory could have known that it is freed. */
static void write_free(FILE *out, const struct rows *rows, const struct row *row)
{
	const struct event *last = fault.by < MAX_THREADS ? last_of(graph, fault.by) : NULL;
	unsigned of = row->thread, index = row->step->after + 1u;
	char text[1200];

	if (fault.by >= MAX_THREADS || of == fault.by)
		return;
	if (last && vector_get(&last->clock, of) >= (int)index)
		snprintf(text, sizeof(text), "That happens before %s uses it.",
			 thread_name(fault.by));
	else
		why_unordered(rows, of, index, fault.by, text, sizeof(text));
	story_item(out, text);
}

/* Writes the place of a fault that is at one place; of memory, also its allocation and its free. */
static void write_one(FILE *out, const struct rows *rows, const struct place where[2])
{
	const struct row *freed = free_row(rows);

	if (fault.other_pc)
		write_access(out, rows, "Allocated at ", MAX_THREADS, NULL, &where[1]);
	if (freed)
		write_access(out, rows, "Freed by ", freed->thread, freed, &freed->where);
	if (fault.pc)
		write_access(out, rows, fault.other_pc ? "Used by " : "It is found in ", fault.by,
			     NULL, &where[0]);
	if (freed)
		write_free(out, rows, freed);
}

/* Names the reads of what is not the newest. Each is explained in its own row. */
static void write_reads(FILE *out, const struct rows *rows)
{
	char why[1200], text[200];
	unsigned nr = 0;
	size_t n = 0;

	for (unsigned i = 0; i < rows->nr && n < sizeof(text) - 16; i++)
		if (rows->row[i].e && why_read(rows, rows->row[i].e, why, sizeof(why)))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s#%u", nr++ ? ", " : "",
					      rows->row[i].number);
	fputs("<li>", out);
	if (nr)
		fputs(nr == 1 ? "One read returns what is not the newest, and says why it may: " :
		      "Reads that return what is not the newest, and say why they may: ", out);
	else
		fputs("Every read returns the newest value that there is when it happens", out);
	html_linked(out, nr ? text : "");
	fputs(".</li>\n", out);
}

void story_mark(struct rows *rows)
{
	struct row *freed = free_row(rows), *row = freed ? freed : first_access(rows);

	if (row)
		row->wrong = true;
	row = fault.found && fault.by < MAX_THREADS ? last_row_at(rows, fault.by, fault.pc) : NULL;
	if (row)
		row->wrong = true;
	for (unsigned t = 0; fault.found && fault.waits && t < MAX_THREADS; t++) {
		char text[sizeof(fault.text)];
		uintptr_t pc;
		const struct event *last = last_of(graph, t);

		row = last && thread_is_stuck(t, text, sizeof(text), &pc) && last->pc == pc ?
			last_row_at(rows, t, pc) : NULL;
		if (row)
			row->wrong = true;
	}
}

void story_write(FILE *out, const struct rows *rows)
{
	struct place where[2];

	report_where(where);
	if (fault.found && fault.waits)
		story_waits(out, rows);
	else if (fault.found && fault.other_pc && fault.other_clock && !free_row(rows))
		write_pair(out, rows, where);
	else if (fault.found)
		write_one(out, rows, where);
	write_reads(out, rows);
}
