/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

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
	for (unsigned i = 0; i < result->nr_states; i++) {
		unsigned same = 0;

		while (same < result->test->nr_observed &&
		       result->state[i].value[same] == state->value[same])
			same++;
		if (same == result->test->nr_observed)
			return true;
	}
	return false;
}

static void print_place(FILE *out, const struct run_result *result)
{
	if (result->nr_workers < result->nr_threads)
		fprintf(out, "    %u threads take turns on %u CPU%s\n", result->nr_threads,
			result->nr_workers, result->nr_workers > 1 ? "s" : "");
	else if (result->nr_workers > result->nr_cpus)
		fprintf(out, "    %u threads on %u CPU%s, as the kernel schedules them\n",
			result->nr_threads, result->nr_cpus, result->nr_cpus > 1 ? "s" : "");
	if (result->runner)
		fprintf(out, "    emulated: the order is that of %s on this machine (%s), not "
			"%s's\n", result->runner, run_host(), result->machine);
}

void print_run_states(FILE *out, const struct run_result *result)
{
	const struct test *test = result->test;

	print_place(out, result);
	for (unsigned i = 0; i < result->nr_states; i++) {
		const struct run_state *state = &result->state[i];

		print_state_line(out, result, state->count, state->allowed ? "allowed" :
				 result->sure ? "FORBIDDEN" : "unknown", test->prop && state->asked,
				 state->value);
	}
	for (const struct state *state = result->outcome->first; state; state = state->next)
		if (!was_seen(result, state))
			print_state_line(out, result, 0, "allowed",
					 test->prop && prop_holds(test->prop, state->value),
					 state->value);
	if (result->filtered)
		fprintf(out, "    %12" PRIu64 "  filtered\n", result->filtered);
}

static const char *summary(const struct run_result *result)
{
	if (run_failed(result))
		return "FORBIDDEN";
	return result->forbidden ? "unknown: the model's states were cut short" : "ok";
}

void print_run(FILE *out, const struct run_result *result, const char *name, const char *model)
{
	double runs = (double)result->runs, seconds = result->seconds > 0 ? result->seconds : 1e-9;

	fprintf(out, "%-32s %-7s %-9s  seen %" PRIu64 " of %" PRIu64 " (%.3g %%)  "
		"%.2f M outcomes/s  %s\n", name, model, verdict_name(result->outcome->verdict),
		result->asked, result->runs,
		runs > 0 ? 100 * (double)result->asked / runs : 0, runs / seconds / 1e6,
		summary(result));
	if (run_failed(result))
		fprintf(out, "%s: %" PRIu64 " of what was seen is FORBIDDEN by %s\n", name,
			result->forbidden, model);
}
