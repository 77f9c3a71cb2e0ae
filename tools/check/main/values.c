/* SPDX-License-Identifier: MIT */
/* The values that options have, and which options do not go together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "main/options.h"
#include "main/saved.h"
#include "main/values.h"
#include "program/verifier.h"

unsigned long number(const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 0);

	if (!*arg || *end || *arg == '-')
		bad_usage("not a number", arg);
	return n;
}

/* Takes N, from 1 on; 0: as many as there are CPUs. */
unsigned number_of_processes(const char *arg)
{
	unsigned long n = number(arg);

	if (n > 1024)
		bad_usage("more processes than 1024", arg);
	return n ? (unsigned)n : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Refuses options whose results cannot be added up over several processes. */
static void check_processes(void)
{
	if (options.processes > 1 && (options.sites || options.pairs || options.distinct))
		bad_usage("not with more than one process", options.sites ? "--sites" :
			  options.pairs ? "--pairs" : "--distinct");
}

/* Refuses options that a saved search cannot have. */
static void check_saving(void)
{
	const char *wrong = options.random ? "--random" : options.sites ? "--sites" :
			    options.pairs ? "--pairs" : options.distinct ? "--distinct" :
			    options.replay ? "--replay" :
			    options.minimise_given && options.minimise ? "--minimise" : NULL;

	if ((options.save || options.resume) && wrong)
		bad_usage("not with --save or --resume", wrong);
	if (options.save)
		saved_check_target(options.save);
}

/* Options that decide nothing about which executions there are. */
static bool is_harmless(const char *name)
{
	static const char *const harmless[] = { "max-executions", "max-seconds", "trace", "quiet",
						"jobs", "grain", "progress", "save", "save-every",
						"resume" };

	for (unsigned i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!strcmp(harmless[i], name))
			return true;
	return false;
}

void note_option(const char *name, const char *arg)
{
	char whole[32];

	if (is_harmless(name))
		return;
	snprintf(whole, sizeof(whole), "--%s", name);
	/*
	 * Of an option with a file only its presence is saved, which decides whether a finding has
	 * a picture or a result.
	 */
	saved_option(whole, strcmp(name, "svg") && strcmp(name, "sarif") && strcmp(name, "html") ?
		     arg : NULL);
}

const struct model *model_for(const char *arg)
{
	const struct model *model = model_named(arg);

	if (!model)
		bad_usage("not a model", arg);
	return model;
}

/* Sets what programs for the checker @arg rely on, as that checker's documents say. */
void parse_compat(const char *arg)
{
	bool aborts = !strcmp(arg, "genmc") || !strcmp(arg, "cds");

	if (!aborts && strcmp(arg, "dat3m") && strcmp(arg, "svcomp"))
		bad_usage("genmc, dat3m, cds or svcomp, not", arg);
	status_is_ignored = nothing_is_fine = true;
	abort_drops = !aborts;
}

/* Takes N, or A..B. */
void parse_nondet(const char *arg)
{
	const char *whole = arg;
	char *end;
	long first = strtol(arg, &end, 0);
	bool range = end != arg && !strncmp(end, "..", 2);

	if (range) {
		arg = end + 2;
		nondet_lowest = first;
		nondet_highest = strtol(arg, &end, 0);
	} else {
		nondet_lowest = 0;
		nondet_highest = first - 1;
	}
	if (end == arg || *end || nondet_highest < nondet_lowest ||
	    (unsigned long)nondet_highest - (unsigned long)nondet_lowest >= MAX_NONDET)
		bad_usage("neither a number from 1 to 256 nor a range A..B of as many", whole);
	nondet_given = true;
}

/* Refuses a file that could not be made at the end of the search. */
void check_folder_of(const char *file)
{
	char folder[1024];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", file);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	if (access(slash ? folder : ".", W_OK | X_OK))
		bad_usage(strerror(errno), file);
}

void check_options(void)
{
	if (options.minimise_given && options.minimise && options.all_faults)
		bad_usage("not with --all-faults", "--minimise");
	check_processes();
	check_saving();
}
