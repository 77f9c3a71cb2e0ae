/* SPDX-License-Identifier: MIT */
/*
 * Threads that stop for ever, as the scenario's .may_stop names them: starved by priorities, held
 * by a debugger, on a virtual CPU that never runs again. Memory keeps what they have done so far;
 * the other threads have to come to their ends.
 *
 * Whether a thread stops is a choice, an event of its own before each of its operations and
 * before its end: 0, the thread goes on; 1, the thread has no later event. The search takes this
 * choice as any other (check_choose(), a spawn that fails). So for each k the search visits, once,
 * the graphs in which the thread has done only its first k operations: choice k, counted from 0,
 * is the first that is 1.
 *
 * A thread does not stop inside an operation. A read-modify-write is one operation, and so is
 * here what the kernel does within a system call. (A virtual CPU that is taken away inside the
 * kernel can hold up everybody; the program cannot mend this.) A thread does not stop between
 * plain accesses: without a race no other thread can tell where among them it has stopped. A
 * thread that stops while it sleeps on a futex stops as soon as it has been woken: it still takes
 * the wake.
 */
#include <stdio.h>
#include <string.h>

#include "program/stop.h"

/* The threads that have stopped in an execution of the search. */
static uint32_t seen;

void stop_or_go_on(uintptr_t pc)
{
	if (op_choose(2, F_STOP, pc))
		thread_stops(T_STOPPED);
}

void stops_clear(void)
{
	seen = 0;
}

void stops_note(void)
{
	for (unsigned t = 0; t < nr_threads; t++)
		seen |= (uint32_t)(threads[t].state == T_STOPPED) << t;
}

uint32_t stops_seen(uint32_t also)
{
	return seen |= also;
}

int never_stopped(void)
{
	return __builtin_ffs((int)(may_stop & ~seen)) - 1;
}

void describe_stopped(char *out, size_t size)
{
	*out = '\0';
	for (unsigned t = 0; t < nr_threads; t++) {
		size_t length = strlen(out);

		if (threads[t].state == T_STOPPED)
			snprintf(out + length, size - length, ", %s has stopped", thread_name(t));
	}
}

bool check_stopped(unsigned number)
{
	return number < MAX_THREADS && threads[number].state == T_STOPPED;
}
