/* SPDX-License-Identifier: MIT */
/* The command line of a benchmark's program. */
#include "common/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fprintf(stderr, "usage: %s ROW WORKERS N ROUNDS [HOW]\n       %s --list\n", row_peer,
		row_peer);
	return 2;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return *text >= '1' && *text <= '9' && !*end;
}

static int list(void)
{
	for (const struct row *const *table = row_tables; *table; table++)
		for (const struct row *row = *table; row->name; row++)
			puts(row->name);
	return 0;
}

static const struct row *find(const char *name)
{
	for (const struct row *const *table = row_tables; *table; table++)
		for (const struct row *row = *table; row->name; row++)
			if (!strcmp(row->name, name))
				return row;
	return NULL;
}

void row_die(const char *why)
{
	fprintf(stderr, "%s: %s\n", row_peer, why);
	exit(1);
}

static void run(const struct row *row, const struct size *size)
{
	if (row->begin)
		row->begin(size);
	if (row->run)
		row->run(size);
	else if (row->alone)
		threads_time(size, row->alone);
	else
		row->time(size, row->once);
	if (row->end)
		row->end();
}

int main(int argc, char **argv)
{
	uint64_t workers, n, rounds;
	const struct row *row;
	struct size size;

	if (argc == 2 && !strcmp(argv[1], "--list"))
		return list();
	if (argc < 5 || argc > 6 || !number(argv[2], &workers) || !number(argv[3], &n) ||
	    !number(argv[4], &rounds) || workers > 4096 || rounds > 1000000000)
		return usage();
	row = find(argv[1]);
	if (!row) {
		fprintf(stderr, "%s: has no row %s\n", row_peer, argv[1]);
		return 2;
	}
	size = (struct size){ row->name, (unsigned)workers, n, (unsigned)rounds,
			      argc == 6 ? argv[5] : "", argc == 6 && !strcmp(argv[5], "apart") };
	/*
	 * Row "first" measures how soon the program begins its work, so nothing may come before
	 * the row.
	 */
	if (strcmp(row->name, "first"))
		row_calibrate();
	run(row, &size);
	return fflush(stdout) ? 1 : 0;
}
