/* SPDX-License-Identifier: MIT */
/* The names of the reductions, for --without. */
#include <stdlib.h>
#include <string.h>

#include "main/options.h"

static const struct { const char *name; unsigned reductions; } known[] = {
	{ "locks", WITHOUT_LOCKS },
	{ "symmetry", WITHOUT_SYMMETRY },
	{ "retries", WITHOUT_RETRIES },
	{ "all", WITHOUT_LOCKS | WITHOUT_SYMMETRY | WITHOUT_RETRIES },
};

static unsigned reduction_named(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].reductions;
	return 0;
}

unsigned reductions_named(const char *names)
{
	unsigned all = 0;

	for (const char *name = names; ; name += strcspn(name, ",") + 1) {
		unsigned one = reduction_named(name, strcspn(name, ","));

		if (!one)
			bad_usage("neither locks nor symmetry nor retries nor all", names);
		all |= one;
		if (!name[strcspn(name, ",")])
			return all;
	}
}
