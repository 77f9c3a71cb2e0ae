/* SPDX-License-Identifier: MIT */
/* Names places in the code by binutils' addr2line; without it a place is an address. */
#include <string.h>
#include <unistd.h>

#include "report/report.h"

static const char *const access_names[] = { "load", "store", "locked" };

/* The last two parts of a path: several folders have an atomic.h. */
static const char *end_of(const char *path)
{
	const char *end = path + strlen(path);
	unsigned slashes = 0;

	while (end > path && (slashes += end[-1] == '/') < 2)
		end--;
	return end;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/*
 * Fills in "function folder/file:line". If calls were inlined there, the function is the innermost
 * one that is no atomic operation.
 */
static void place(uintptr_t pc, char *out, size_t size)
{
	char command[128], function[128], file[512];
	bool found = false;
	FILE *pipe;

	snprintf(out, size, "0x%llx", (unsigned long long)pc);
	/* The address is that of the instruction after the call. */
	snprintf(command, sizeof(command), "addr2line -f -i -e /proc/%d/exe 0x%llx 2>/dev/null",
		 (int)getpid(), (unsigned long long)pc - 1);
	pipe = popen(command, "r");
	if (!pipe)
		return;
	while (fgets(function, sizeof(function), pipe) && fgets(file, sizeof(file), pipe)) {
		unsigned long name = strcspn(file, ":");

		if (found || *file == '?')
			continue;
		function[strcspn(function, "\n")] = 0;
		file[strcspn(file, " \n")] = 0;
		snprintf(out, size, "%.100s %.140s", function, end_of(file));
		file[name] = 0;
		found = !ends_with(file, "/atomic.h");
	}
	pclose(pipe);
}

void report_why(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;

	fprintf(out, "\n%-34s %-6s %8s %8s %5s  %s\n", "field", "access", "moved", "waited", "CPUs",
		"where");
	for (unsigned i = 0; i < r->nr_sites; i++) {
		const struct result_site *s = &r->site[i];
		char where[256];

		place(s->pc, where, sizeof(where));
		fprintf(out, "%-34s %-6s %8llu %6.1fus %5u  %s\n", s->field,
			access_names[s->access], (unsigned long long)s->moved,
			(double)s->waited / 1e6, s->cpus, where);
	}
	if (!r->nr_sites)
		fprintf(out, "no line of a field whose name has \"%s\" in it has moved\n",
			row->run.why);
}
