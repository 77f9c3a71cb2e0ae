/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan.h"

static bool same(const struct test *test, const uint64_t *a, const uint64_t *b)
{
	return !memcmp(a, b, test->nr_observed * sizeof(*a));
}

static bool is_allowed(const struct run_result *result, const uint64_t *value)
{
	for (const struct state *state = result->outcome->first; state; state = state->next)
		if (same(result->test, state->value, value))
			return true;
	return false;
}

/* Returns the state's entry. States that differ only in what a filter reads are one. */
static struct run_state *state_for(struct run_result *result, const uint64_t *value)
{
	const struct test *test = result->test;
	struct run_state *state;

	for (unsigned i = 0; i < result->nr_states; i++)
		if (same(test, result->state[i].value, value))
			return &result->state[i];
	state = &result->state[result->nr_states++];
	state->value = arena_alloc(test->arena, (test->nr_observed + 1) * sizeof(*value));
	memcpy(state->value, value, test->nr_observed * sizeof(*value));
	return state;
}

static void add_state(struct run_result *result, uint64_t count, uint64_t *value)
{
	const struct test *test = result->test;
	struct run_state *state;
	bool asked = !test->prop || prop_holds(test->prop, value);

	if (test->filter && !prop_holds(test->filter, value)) {
		result->filtered += count;
		return;
	}
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].hidden)
			value[i] = 0;
	state = state_for(result, value);
	state->count += count;
	state->asked = asked;
	state->allowed = is_allowed(result, value);
	result->asked += asked ? count : 0;
	result->forbidden += state->allowed ? 0 : count;
}

static void read_state(struct run_result *result, const char *at)
{
	uint64_t value[TEST_OBSERVED] = { 0 }, count;
	char *end;

	count = strtoull(at, &end, 10);
	for (unsigned i = 0; i < result->test->nr_observed; i++)
		value[i] = strtoull(end, &end, 10);
	add_state(result, count, value);
}

static bool has_key(const char *line, const char *key, const char **value)
{
	size_t length = strlen(key);

	*value = line + length + 1;
	return !strncmp(line, key, length) && line[length] == ' ';
}

static void read_printed_line(struct run_result *result, const char *line, uint64_t *lost)
{
	const char *value;

	if (has_key(line, "cpus", &value))
		result->nr_cpus = (unsigned)atoi(value);
	else if (has_key(line, "workers", &value))
		result->nr_workers = (unsigned)atoi(value);
	else if (has_key(line, "runs", &value))
		result->runs = strtoull(value, NULL, 10);
	else if (has_key(line, "seconds", &value))
		result->seconds = strtod(value, NULL);
	else if (has_key(line, "cpu", &value))
		result->cpu_seconds = strtod(value, NULL);
	else if (has_key(line, "lost", &value))
		*lost = strtoull(value, NULL, 10);
	else if (has_key(line, "state", &value))
		read_state(result, value);
}

static int by_count(const void *a, const void *b)
{
	const struct run_state *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

struct run_result *read_result(const struct plan *plan, const struct outcome *outcome,
			       struct text *printed)
{
	struct arena *arena = plan->test->arena;
	struct run_result *result = arena_alloc(arena, sizeof(*result));
	uint64_t lost = 0;
	unsigned lines = 1;

	for (const char *p = printed->begin; *p; p++)
		lines += *p == '\n';
	result->test = plan->judged;
	result->outcome = outcome;
	result->machine = plan->machine->name;
	result->runner = plan->options->runner ? plan->options->runner :
		machine_is_host(plan->machine) ? NULL : plan->machine->runner;
	result->nr_threads = plan->test->nr_threads;
	result->sure = !outcome->bounded && !outcome->timeout;
	result->state = arena_alloc(arena, lines * sizeof(*result->state));
	for (const char *p = printed->begin; *p; p += strcspn(p, "\n") + 1)
		read_printed_line(result, p, &lost);
	if (lost)
		text_fail(plan->test->text, plan->test->text->begin,
			  "it ends in too many states to be counted");
	qsort(result->state, result->nr_states, sizeof(*result->state), by_count);
	return result;
}

bool run_failed(const struct run_result *result)
{
	return result->sure && result->forbidden;
}

struct run_result *run_test(struct test *test, const struct test *judged,
			    const struct outcome *outcome, const struct target *target,
			    const struct run_options *options)
{
	struct plan *plan = arena_alloc(test->arena, sizeof(*plan));

	plan->test = test;
	plan->judged = judged;
	plan->target = target;
	plan->options = options;
	plan->machine = machine_for(test, target);
	if (target)
		plan->nr_functions = functions_find(test, plan->function);
	lay_out(plan);
	return read_result(plan, outcome, build_and_run(plan));
}
