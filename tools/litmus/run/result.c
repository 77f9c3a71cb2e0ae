/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "run/plan.h"

static bool is_allowed(const struct run_result *result, const uint64_t *value)
{
	size_t size = result->test->nr_observed * sizeof(*value);

	for (const struct state *state = result->outcome->first; state; state = state->next)
		if (!memcmp(state->value, value, size))
			return true;
	return false;
}

static void judge_states(struct run_result *result)
{
	result->allowed = arena_alloc(result->test->arena, result->states.nr + 1);
	for (unsigned i = 0; i < result->states.nr; i++) {
		const struct counted *state = &result->states.state[i];

		result->allowed[i] = is_allowed(result, state->value);
		result->forbidden += result->allowed[i] ? 0 : state->count;
	}
}

struct run_result *run_result_of(const struct seen *seen, struct test *test,
				 const struct test *judged, const struct outcome *outcome)
{
	struct run_result *result = arena_alloc(test->arena, sizeof(*result));

	if (judged->isa && strcmp(seen->machine, machine_for(test, judged->isa)->name))
		text_fail(seen->file, seen->at, "%s is a test of %s, and this machine is %s",
			  test->name, machine_for(test, judged->isa)->name, seen->machine);
	result->test = judged;
	result->outcome = outcome;
	result->seen = seen;
	result->nr_threads = test->nr_threads;
	result->sure = !outcome->bounded && !outcome->timeout;
	seen_states(&result->states, seen, judged);
	judge_states(result);
	return result;
}

bool run_failed(const struct run_result *result)
{
	return result->sure && result->forbidden;
}

void plan_begin(struct plan *plan, struct test *test, const struct test *judged,
		const struct target *target, const struct run_options *options)
{
	*plan = (struct plan) { .test = test, .judged = judged, .target = target,
				.options = options };
	plan->machine = machine_for(test, target ? target->isa : test->isa);
	if (target)
		plan->nr_functions = functions_find(test, plan->function);
}

struct run_result *run_test(struct test *test, const struct test *judged,
			    const struct outcome *outcome, const struct target *target,
			    const struct run_options *options)
{
	struct plan *plan = arena_alloc(test->arena, sizeof(*plan));
	struct text *printed;
	const char *from;

	plan_begin(plan, test, judged, target, options);
	printed = build_and_run(plan);
	from = printed->begin;
	return run_result_of(seen_read(printed, &from), test, judged, outcome);
}
