/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "run/run.h"
#include "show/show.h"

static void print_state_line(FILE *out, const struct run_result *result, uint64_t count,
			     const char *judgement, bool asked, const uint64_t *value)
{
	fprintf(out, "    %12" PRIu64 "  %-9s %c ", count, judgement, asked ? '*' : ' ');
	print_state(out, result->test, value);
	fputc('\n', out);
}

static bool was_seen(const struct run_result *result, const struct state *state)
{
	for (unsigned i = 0; i < result->states.nr; i++)
		if (!memcmp(result->states.state[i].value, state->value,
			    result->test->nr_observed * sizeof(*state->value)))
			return true;
	return false;
}

static void print_place(FILE *out, const struct run_result *result)
{
	const struct seen *seen = result->seen;

	if (seen->nr_workers < result->nr_threads)
		fprintf(out, "    %u threads take turns on %u CPU%s\n", result->nr_threads,
			seen->nr_workers, seen->nr_workers > 1 ? "s" : "");
	else if (seen->nr_workers > seen->nr_cpus)
		fprintf(out, "    %u threads on %u CPU%s, as the kernel schedules them\n",
			result->nr_threads, seen->nr_cpus, seen->nr_cpus > 1 ? "s" : "");
	if (seen->nr_copies > 1)
		fprintf(out, "    %u copies at the same time, on %u CPUs (%s)\n", seen->nr_copies,
			seen->nr_cpus, seen->affinity);
	if (seen->emulated)
		fprintf(out,
			"    emulated %s: the order is that of the emulator on its machine, "
			"not %s's\n",
			seen->emulated, seen->machine);
}

void print_run_states(FILE *out, const struct run_result *result)
{
	const struct test *test = result->test;

	print_place(out, result);
	for (unsigned i = 0; i < result->states.nr; i++) {
		const struct counted *state = &result->states.state[i];

		print_state_line(out, result, state->count, result->allowed[i] ? "allowed" :
				 result->sure ? "FORBIDDEN" : "unknown", test->prop && state->asked,
				 state->value);
	}
	for (const struct state *state = result->outcome->first; state; state = state->next)
		if (!was_seen(result, state))
			print_state_line(out, result, 0, "allowed",
					 test->prop && prop_holds(test->prop, state->value),
					 state->value);
	if (result->states.filtered)
		fprintf(out, "    %12" PRIu64 "  filtered\n", result->states.filtered);
}

static const char *summary(const struct run_result *result)
{
	if (run_failed(result))
		return "FORBIDDEN";
	return result->forbidden ? "unknown: the model's states were cut short" : "ok";
}

void print_run(FILE *out, const struct run_result *result, const char *name, const char *model)
{
	const struct seen *seen = result->seen;
	double runs = (double)seen->runs, seconds = seen->seconds > 0 ? seen->seconds : 1e-9;

	fprintf(out, "%-32s %-7s %-9s  seen %" PRIu64 " of %" PRIu64 " (%.3g %%)  "
		"%.2f M outcomes/s  %s\n", name, model, verdict_name(result->outcome->verdict),
		result->states.asked, seen->runs,
		runs > 0 ? 100 * (double)result->states.asked / runs : 0, runs / seconds / 1e6,
		summary(result));
	if (run_failed(result))
		fprintf(out, "%s: %" PRIu64 " of what was seen is FORBIDDEN by %s\n", name,
			result->forbidden, model);
}
