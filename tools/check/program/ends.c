/* SPDX-License-Identifier: MIT */
/*
 * The end of a thread, and of the program: destructors of C++'s thread-local and static objects,
 * atexit(), thread-specific data, functions with the attribute destructor.
 */
#include <link.h>
#include <stdlib.h>

#include "program/caller.h"
#include "program/events.h"
#include "program/libc.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/pthreads.h"
#include "program/stop.h"
#include "program/verifier.h"

#define MAX_AT_END 64

struct handler {
	void (*run)(void *arg);
	void *arg;
};

/* ---- of threads */

static struct handler of_thread[MAX_THREADS][MAX_AT_END];
static unsigned nr_of_thread[MAX_THREADS];

void ends_begin(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		nr_of_thread[t] = 0;
}

static void destroy_thread_local(void)
{
	while (nr_of_thread[self]) {
		struct handler last = of_thread[self][--nr_of_thread[self]];

		last.run(last.arg);
	}
}

_Noreturn void thread_ends(void)
{
	destroy_thread_local();
	keys_end();
	locks_left();
	thread_leaves();
}

/* ---- of the program */

/* Handlers of static objects, registered before main(): every execution begins with these. */
static struct handler before_main[MAX_AT_END];
static unsigned nr_before_main;

/*
 * Handlers that were registered in this execution. Their number is a location of the checker's,
 * so the order of the threads decides which handler comes first.
 */
static struct handler handlers[MAX_AT_END];
static bool handlers_used;	/* in some execution */

/* The program's functions with the attribute destructor. They run last, in reverse order. */
static void (**destructors)(void);
static size_t nr_destructors;

static int find_destructors(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (const ElfW(Dyn) *d = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		     d->d_tag != DT_NULL; d++) {
			if (d->d_tag == DT_FINI_ARRAY)
				destructors = (void *)(info->dlpi_addr + d->d_un.d_ptr);
			else if (d->d_tag == DT_FINI_ARRAYSZ)
				nr_destructors = d->d_un.d_val / sizeof(*destructors);
		}
	}
	return 1;	/* the program is the first object, and is enough */
}

static uint64_t count_handlers(enum rmw how, uint64_t n, uintptr_t pc)
{
	next_operation(pc);
	return rmw_events(location_hidden(HIDDEN_EXIT, 0), how, n, 0, O_ACQ_REL, O_ACQUIRE, 0, pc,
			  executed);
}

static void run_handlers(uintptr_t pc)
{
	uint64_t n;

	while (handlers_used && (n = count_handlers(RMW_ADD, 0, pc))) {
		struct handler last = handlers[n - 1];

		count_handlers(RMW_SUB, 1, pc);
		last.run(last.arg);
	}
	for (unsigned i = nr_before_main; i--;)
		before_main[i].run(before_main[i].arg);
	if (!destructors)
		dl_iterate_phdr(find_destructors, NULL);
	for (size_t i = nr_destructors; i--;)
		destructors[i]();
}

_Noreturn void program_exits(int status, uintptr_t pc)
{
	if (!OUTSIDE && (!status || status_is_ignored)) {
		destroy_thread_local();
		run_handlers(pc ? pc : (uintptr_t)threads[self].run + 1);
	}
	program_ends(status, pc);
}

static void handle(struct handler *all, uint64_t nth, void (*run)(void *arg), void *arg)
{
	if (nth >= MAX_AT_END)
		give_up("the bound on what is done at the end");
	all[nth] = (struct handler){ run, arg };
}

#pragma GCC visibility push(default)

int __cxa_thread_atexit(void (*run)(void *arg), void *arg, void *object);
int __cxa_thread_atexit(void (*run)(void *arg), void *arg, void *object)
{
	(void)object;
	if (!OUTSIDE)
		handle(of_thread[self], nr_of_thread[self]++, run, arg);
	return 0;
}

/* Called by the C++ library itself. */
int __cxa_thread_atexit_impl(void (*run)(void *arg), void *arg, void *object);
int __cxa_thread_atexit_impl(void (*run)(void *arg), void *arg, void *object)
{
	return __cxa_thread_atexit(run, arg, object);
}

/* Called by atexit(), too. Handlers of a scenario's setup never run: a setup has no end. */
int __wrap___cxa_atexit(void (*run)(void *arg), void *arg, void *object);
int __wrap___cxa_atexit(void (*run)(void *arg), void *arg, void *object)
{
	uintptr_t pc = PC;

	(void)object;
	if (OUTSIDE) {
		if (!execution)
			handle(before_main, nr_before_main++, run, arg);
		return 0;
	}
	if (!handlers_used) {
		handlers_used = true;
		must_restart();
	}
	handle(handlers, count_handlers(RMW_ADD, 1, pc), run, arg);
	return 0;
}
