/* SPDX-License-Identifier: MIT */
/* The first thread to come runs a function, once. The others wait, as for a lock (locks.c). */
#include "program/caller.h"
#include "program/locks.h"
#include "program/ops.h"

enum { NOT_YET, RUNS, HAS_RUN };

/* A function that ends with an exception, as in C++, has not run: a waiting thread is next. */
struct once {
	uint32_t *word, then;
	uintptr_t pc;
};

static void ended(struct once *once)
{
	op_store(once->word, 4, once->then, O_RELEASE, once->pc);
}

static void run_once(uint32_t *word, void (*run)(void), uintptr_t pc)
{
	struct once once __attribute__((cleanup(ended))) = { word, NOT_YET, pc };

	run();
	once.then = HAS_RUN;
}

void do_once(uint32_t *word, void (*run)(void), uintptr_t pc)
{
	if (OUTSIDE || callers_walk) {
		run();
		return;
	}
	for (;;) {
		uint32_t old = (uint32_t)op_rmw(word, 4, RMW_CAS, RUNS, NOT_YET, O_ACQUIRE,
						O_ACQUIRE, pc);

		if (old == HAS_RUN)
			return;
		if (old == NOT_YET)
			break;
		wait_for_newer("what is done once", word, false, pc);
	}
	run_once(word, run, pc);
}
