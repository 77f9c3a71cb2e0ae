/* SPDX-License-Identifier: MIT */
/*
 * All numbers are integers: times in picoseconds, the rest counted. So two runs can be compared as
 * text.
 */
#include "report/report.h"

static const char *const far_names[NR_FAR] = { "cluster", "node", "remote", "memory" };

static void number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, ", \"%s\": %llu", name, (unsigned long long)value);
}

static void moved_of(FILE *out, const uint64_t *moved)
{
	fprintf(out, ", \"moved\": {");
	for (unsigned far = 0; far < NR_FAR; far++)
		fprintf(out, "%s\"%s\": %llu", far ? ", " : "", far_names[far],
			(unsigned long long)moved[far]);
	fprintf(out, "}");
}

/*
 * Writes names as they are: names of C, and the simulator's, have no letters that JSON wants
 * escaped.
 */
static void row_of(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;

	fprintf(out, "{\"work\": \"%s\", \"pool\": \"%s\", \"machine\": \"%s\"",
		row->run.work->name, row->run.work->alone ? "" : row->run.pool->name, machine.name);
	number(out, "cpus", r->cpus);
	number(out, "workers", r->workers);
	number(out, "threads", r->threads);
	number(out, "producers", row->run.producers);
	number(out, "seed", row->run.seed);
	number(out, "grain_ns", row->run.grain_ns);
	number(out, "tasks", r->tasks);
	number(out, "elapsed_ps", r->elapsed);
	fprintf(out, ", \"spent_ps\": {");
	for (unsigned c = 0; c < NR_CAUSES; c++)
		fprintf(out, "%s\"%s\": %llu", c ? ", " : "", cause_names[c],
			(unsigned long long)r->spent[c]);
	fprintf(out, "}");
	number(out, "found_ps", r->found);
	number(out, "searched_ps", r->searched);
	number(out, "idle_beside_ps", r->idle_beside);
	number(out, "sleeps", r->sleeps);
	number(out, "woken", r->woken);
	number(out, "wakes_in_vain", r->wakes_in_vain);
	number(out, "steals", r->steals);
	fprintf(out, ", \"stolen\": {\"cluster\": %llu, \"node\": %llu, \"remote\": %llu}",
		(unsigned long long)r->stolen[FAR_CLUSTER], (unsigned long long)r->stolen[FAR_NODE],
		(unsigned long long)r->stolen[FAR_REMOTE]);
	number(out, "waited_sum_ps", r->waited_sum);
	number(out, "waited_most_ps", r->waited_most);
	number(out, "awake_ps", r->awake_at);
	moved_of(out, r->moved);
	fprintf(out, ",\n  \"fields\": [");
	for (unsigned i = 0; i < r->nr_fields; i++) {
		const struct result_field *f = &r->field[i];

		fprintf(out, "%s\n    {\"name\": \"%s\"", i ? "," : "", f->name);
		moved_of(out, f->moved);
		number(out, "loads", f->by_access[ACCESS_READ]);
		number(out, "stores", f->by_access[ACCESS_WRITE]);
		number(out, "locked", f->by_access[ACCESS_RMW]);
		number(out, "waited_ps", f->waited);
		number(out, "queued_ps", f->queued);
		number(out, "cpus", f->cpus);
		fprintf(out, "}");
	}
	fprintf(out, "]}");
}

void report_json(FILE *out, const struct row *rows, unsigned n)
{
	fprintf(out, "[");
	for (unsigned i = 0; i < n; i++) {
		fprintf(out, i ? ",\n" : "\n");
		row_of(out, &rows[i]);
	}
	fprintf(out, "\n]\n");
}
