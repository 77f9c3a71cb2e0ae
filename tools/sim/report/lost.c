/* SPDX-License-Identifier: MIT */
/*
 * Time that was not the work's, by its cause. A cause is what a thread did or waited for. "search"
 * and "idle beside tasks" say instead in which part of a worker's life the time was, so this time
 * is counted under a cause, too.
 */
#include "report/report.h"

#define LOST_FIELDS	6u

/*
 * The fields that were waited for longest come first. They are few, so an insertion sort will do.
 */
static unsigned longest(const struct result *r, const struct result_field **out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nr_fields; i++) {
		unsigned at = n < LOST_FIELDS ? n++ : LOST_FIELDS;

		for (; at && out[at - 1]->waited < r->field[i].waited; at--)
			if (at < LOST_FIELDS)
				out[at] = out[at - 1];
		if (at < LOST_FIELDS)
			out[at] = &r->field[i];
	}
	return n;
}

static void line(FILE *out, const struct row *row, const char *what, const char *name, uint64_t ps)
{
	const struct result *r = &row->r;
	double cpus = r->workers < r->cpus ? r->workers : r->cpus, all = (double)r->elapsed * cpus;

	fprintf(out, "%s%-*s %10.1f %9.1f %6.1f%%\n", what, (int)(41 - (*what ? 8 : 0)), name,
		(double)ps / 1e6, r->tasks ? (double)ps / 1e3 / (double)r->tasks : 0,
		all > 0 ? 100 * (double)ps / all : 0);
}

void report_lost(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;
	const struct result_field *field[LOST_FIELDS];
	unsigned n = longest(r, field);
	uint64_t others = r->spent[CAUSE_LINE];

	fprintf(out, "\n%-41s %10s %9s %7s\n", "lost to", "us", "ns/task", "of CPUs");
	for (unsigned i = 0; i < n && field[i]->waited; i++) {
		line(out, row, "line of ", field[i]->name, field[i]->waited);
		others -= field[i]->waited < others ? field[i]->waited : others;
	}
	line(out, row, "", "other lines", others);
	line(out, row, "", "fences", r->spent[CAUSE_FENCE]);
	line(out, row, "", "locked operations", r->spent[CAUSE_LOCKED]);
	line(out, row, "", "wake-ups: the kernel's part", r->spent[CAUSE_KERNEL]);
	line(out, row, "", "wake-ups: woken, and not yet there",
	     r->spent[CAUSE_WAKING] + r->spent[CAUSE_QUEUED]);
	line(out, row, "", "search: to find the next task", r->found);
	line(out, row, "", "search: to find none", r->searched);
	line(out, row, "", "idle or waking beside queued tasks", r->idle_beside);
	fprintf(out,
		"steals by distance: %llu in the cluster, %llu in the node, "
		"%llu from another node\n",
		(unsigned long long)r->stolen[FAR_CLUSTER], (unsigned long long)r->stolen[FAR_NODE],
		(unsigned long long)r->stolen[FAR_REMOTE]);
}
