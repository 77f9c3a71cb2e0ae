/* SPDX-License-Identifier: MIT */
/*
 * Whether everything in a trace that began to run was made runnable before: each BEGIN and each
 * RESUME has a SCHEDULE of its own, of the same address. A task may carry something else, and both
 * share the task's SCHEDULE: a fiber that begins or goes on in the task, or, if the task is nap's
 * own, the program's function.
 */
#ifndef NAP_TESTS_TRACE_CAUSES_H
#define NAP_TESTS_TRACE_CAUSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <nap/trace_file.h>

enum { CAUSES_DEEP = 64, CAUSES_THREADS = 64 };

/* An event at an address: 1 for a SCHEDULE, -1 for something that began there. */
struct trace_cause {
	uint64_t address;
	int64_t n;
};

/* The tasks, jobs, joins and waits that a thread is inside of. */
struct trace_inside {
	uint32_t thread, n;
	struct {
		uint64_t address;
		bool may_carry;		/* a task in which nothing has begun yet */
	} open[CAUSES_DEEP];
};

struct trace_causes {
	struct trace_cause *of;
	size_t n, room;
	struct trace_inside threads[CAUSES_THREADS];
	uint32_t nr_threads;
};

static inline void causes_add(struct trace_causes *causes, uint64_t address, int n)
{
	if (causes->n == causes->room) {
		causes->room = causes->room ? 2 * causes->room : 1024;
		causes->of = realloc(causes->of, causes->room * sizeof(*causes->of));
		if (!causes->of)
			abort();
	}
	causes->of[causes->n++] = (struct trace_cause){ address, n };
}

/* Returns the record of a thread from outside. Each worker's track has its own. */
static inline struct trace_inside *causes_thread(struct trace_causes *causes, uint32_t thread)
{
	for (uint32_t i = 0; i < causes->nr_threads; i++)
		if (causes->threads[i].thread == thread)
			return &causes->threads[i];
	if (causes->nr_threads == CAUSES_THREADS)
		abort();
	causes->threads[causes->nr_threads] = (struct trace_inside){ .thread = thread };
	return &causes->threads[causes->nr_threads++];
}

/*
 * Whether the innermost task carries what begins here: the task has carried nothing yet, and has
 * @address, or @any is set.
 */
static inline bool causes_carried(struct trace_inside *in, uint64_t address, bool any)
{
	bool is_carried = in->n && in->open[in->n - 1].may_carry &&
			  (any || in->open[in->n - 1].address == address);

	if (in->n)
		in->open[in->n - 1].may_carry = false;
	return is_carried;
}

static inline void causes_event(struct trace_causes *causes, struct trace_inside *in,
				const struct nap_trace_event *event)
{
	switch (event->kind) {
	case NAP_TRACE_SCHEDULE:
		causes_add(causes, event->a, 1);
		break;
	case NAP_TRACE_FIBER_RESUME:
		/* The first RESUME of a fiber (flag 1) may be in a task of another address. */
		if (!causes_carried(in, event->a, event->flags & 1))
			causes_add(causes, event->a, -1);
		break;
	case NAP_TRACE_BEGIN:
		if (!causes_carried(in, event->a, false))
			causes_add(causes, event->a, -1);
		/* fall through */
	case NAP_TRACE_JOB_BEGIN:
	case NAP_TRACE_JOIN_BEGIN:
	case NAP_TRACE_WAIT_BEGIN:
		if (in->n == CAUSES_DEEP)
			abort();
		in->open[in->n].address = event->a;
		in->open[in->n++].may_carry = event->kind == NAP_TRACE_BEGIN;
		break;
	case NAP_TRACE_END:
	case NAP_TRACE_JOB_END:
	case NAP_TRACE_JOIN_END:
	case NAP_TRACE_WAIT_END:
		in->n -= in->n > 0;
		break;
	}
}

static inline int cause_by_address(const void *a, const void *b)
{
	const struct trace_cause *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Returns how many begins there were without a SCHEDULE; *@waiting: how many were scheduled and
 * have not begun. Frees the memory.
 */
static inline uint64_t causes_missing(struct trace_causes *causes, uint64_t *waiting)
{
	uint64_t missing = 0;

	*waiting = 0;
	if (causes->n)
		qsort(causes->of, causes->n, sizeof(*causes->of), cause_by_address);
	for (size_t i = 0; i < causes->n;) {
		uint64_t address = causes->of[i].address;
		int64_t sum = 0;

		for (; i < causes->n && causes->of[i].address == address; i++)
			sum += causes->of[i].n;
		*(sum < 0 ? &missing : waiting) += (uint64_t)(sum < 0 ? -sum : sum);
	}
	free(causes->of);
	*causes = (struct trace_causes){ .n = 0 };
	return missing;
}

#endif /* NAP_TESTS_TRACE_CAUSES_H */
