/* SPDX-License-Identifier: MIT */
/* The program and this tool read how to run a test in the same way. */
#include "run/program/how.h"
#include "run/run.h"

const char *run_add_how(struct run_options *options, const char *word)
{
	struct how how = HOW_DEFAULT;
	const char *wrong = how_take(&how, word);
	size_t length = strlen(options->how);

	if (wrong)
		return wrong;
	if (length + strlen(word) + 2 > sizeof(options->how))
		return "fewer words";
	snprintf(options->how + length, sizeof(options->how) - length, " %s", word);
	return NULL;
}
