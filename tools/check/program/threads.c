/* SPDX-License-Identifier: MIT */
/* Threads: their beginning, their end, and their names. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "program/memory.h"
#include "program/pthreads.h"
#include "program/stop.h"
#include "program/tls.h"
#include "program/turns.h"

struct thread threads[MAX_THREADS];
unsigned nr_threads, self = MAX_THREADS;

_Noreturn void thread_leaves(void)
{
	threads[self].frames = memory_stack(self);
	next_operation((uintptr_t)threads[self].run + 1);
	left_frames(memory_stack(self));
	thread_ended();
	thread_stops(T_ENDED);
}

void *thread_main(void *thread)
{
	struct thread *t = thread;

	t->run(t->arg);
	thread_ends();
}

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name)
{
	struct thread *t = &threads[number];

	memset(t, 0, sizeof(*t));
	t->run = run;
	t->arg = arg;
	t->name = name;
	t->state = T_READY;
	tls_new_thread(number);
	if (number >= nr_threads)
		nr_threads = number + 1;
	if (turns_by_state)
		memory_clear_stack(number);
	t->sp = nap__context_make((void *)memory_stack(number), thread_main, t, NULL);
}

const char *thread_name(unsigned number)
{
	static char names[MAX_THREADS][4];

	if (threads[number].name)
		return threads[number].name;
	snprintf(names[number], sizeof(names[number]), "T%u", number % MAX_THREADS);
	return names[number];
}
