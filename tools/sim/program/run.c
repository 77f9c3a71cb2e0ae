/* SPDX-License-Identifier: MIT */
#include "program/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/futex.h"
#include "machine/arena.h"
#include "program/sim.h"
#include "program/tasks.h"
#include "program/work.h"

struct run sim_run;
struct result sim_result;

static void forget_threads(void)
{
	for (unsigned i = 0; i < nr_threads; i++) {
		struct thread *thread = &threads[i];

		memset(thread->spent, 0, sizeof(thread->spent));
		thread->found = thread->searched = thread->tasks = thread->sleeps = 0;
		if (thread->gap_begin < current->clock)
			thread->gap_begin = current->clock;
		if (thread->state == T_SLEEPS && thread->slept_at < current->clock)
			thread->slept_at = current->clock;
	}
}

void sim_measure_begins(void)
{
	turn();
	fields_forget();
	forget_threads();
	tasks_forget();
	futex_woken = futex_wakes_in_vain = 0;
	memset(sim_result.stolen, 0, sizeof(sim_result.stolen));
	sim_run.begin = current->clock;
	sim_run.measures = true;
}

static void add_threads(void)
{
	for (unsigned i = 0; i < nr_threads; i++) {
		const struct thread *thread = &threads[i];

		for (unsigned c = 0; c < NR_CAUSES; c++)
			sim_result.spent[c] += thread->spent[c];
		if (thread->state == T_SLEEPS && current->clock > thread->slept_at)
			sim_result.spent[CAUSE_IDLE] += current->clock - thread->slept_at;
		if (thread->is_worker) {
			sim_result.found += thread->found;
			sim_result.searched += thread->searched;
		}
		sim_result.sleeps += thread->sleeps;
	}
	sim_result.threads = nr_threads;
}

static void name_of(char *out, size_t size, const struct field *field)
{
	const char *type = strncmp(field->type, "struct ", 7) ? field->type : field->type + 7;

	snprintf(out, size, "%s%s%s", type, field->name ? "." : "", field->name ? field->name : "");
}

/* For qsort(): the field for which most lines have moved comes first. */
static int by_moves(const void *a, const void *b)
{
	const struct field *x = *(const struct field *const *)a;
	const struct field *y = *(const struct field *const *)b;
	uint64_t n = field_transfers(x), m = field_transfers(y);

	if (n != m)
		return n < m ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void add_fields(void)
{
	static const struct field *sorted[8192];
	unsigned nr = 0;

	for (unsigned i = 0; i < nr_fields; i++) {
		for (unsigned far = 0; far < NR_FAR; far++)
			sim_result.moved[far] += fields[i].moved[far];
		if (field_transfers(&fields[i]))
			sorted[nr++] = &fields[i];
	}
	qsort(sorted, nr, sizeof(sorted[0]), by_moves);
	for (unsigned i = 0; i < nr && i < RESULT_FIELDS; i++) {
		struct result_field *out = &sim_result.field[sim_result.nr_fields++];

		name_of(out->name, sizeof(out->name), sorted[i]);
		memcpy(out->moved, sorted[i]->moved, sizeof(out->moved));
		memcpy(out->by_access, sorted[i]->by_access, sizeof(out->by_access));
		out->waited = sorted[i]->waited;
		out->queued = sorted[i]->queued;
		out->cpus = cpus_in(sorted[i]->cpus);
	}
}

static int by_site(const void *a, const void *b)
{
	const struct result_site *x = a, *y = b;

	if (x->moved != y->moved)
		return x->moved < y->moved ? 1 : -1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/*
 * Adds to the result the most frequent sites of the fields whose names contain the text that was
 * asked for.
 */
static void add_sites(void)
{
	static struct result_site found[MAX_SITES];
	unsigned nr = 0;

	for (unsigned i = 0; sim_run.why && i < MAX_SITES; i++) {
		struct result_site *out = &found[nr];

		if (!sites[i].pc)
			continue;
		name_of(out->field, sizeof(out->field), &fields[sites[i].field]);
		if (!strstr(out->field, sim_run.why))
			continue;
		out->pc = sites[i].pc;
		out->access = sites[i].access;
		out->moved = sites[i].moved;
		out->waited = sites[i].waited;
		out->cpus = cpus_in(sites[i].cpus);
		nr++;
	}
	qsort(found, nr, sizeof(found[0]), by_site);
	sim_result.nr_sites = nr < RESULT_SITES ? nr : RESULT_SITES;
	memcpy(sim_result.site, found, sim_result.nr_sites * sizeof(found[0]));
}

void sim_measure_ends(void)
{
	turn();
	tasks_sum();
	sim_result.elapsed = current->clock - sim_run.begin;
	sim_result.woken = futex_woken;
	sim_result.wakes_in_vain = futex_wakes_in_vain;
	add_threads();
	add_fields();
	add_sites();
	sim_run.measures = false;
}

static void first_thread(void *arg)
{
	(void)arg;
	sim_run.work->run();
}

void run_once(void)
{
	random_seed(sim_run.seed);
	sim_result.cpus = nr_cpus = sim_run.cpus;
	sim_result.workers = sim_run.workers;
	if (!arena_init() || !futex_init()) {
		snprintf(sim_result.why, sizeof(sim_result.why),
			 "there is no memory for the machine's");
		return;
	}
	fields_name(&sim_run, sizeof(sim_run), "the simulator's own");
	sim_result.ended = threads_run(first_thread, NULL);
	if (!sim_result.ended)
		snprintf(sim_result.why, sizeof(sim_result.why),
			 "every thread waits, and nobody will ever wake one");
}
