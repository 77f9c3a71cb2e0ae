/* SPDX-License-Identifier: MIT */
#include "program/tasks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/files.h"
#include "kernel/futex.h"
#include "kernel/threads.h"
#include "machine/arena.h"
#include "machine/fields.h"
#include "program/run.h"
#include "program/sim.h"

/* A part of plain work after which another thread may have the CPU. */
#define PART_PS		(50000 * NS)

uint64_t tasks_begun, tasks_idle_beside;

static uint64_t queued, idle, last_change;
static uint64_t all_inside_at;
static unsigned inside;		/* workers that have begun a task */

/*
 * Adds up how long workers have been idle beside queued tasks. Called before @queued or @idle
 * changes.
 */
static void account(void)
{
	uint64_t now = current->clock;

	if (now <= last_change)
		return;
	tasks_idle_beside += (now - last_change) * (queued < idle ? queued : idle);
	last_change = now;
}

void tasks_forget(void)
{
	account();
	tasks_begun = tasks_idle_beside = 0;
	inside = 0;
	all_inside_at = 0;
}

void tasks_sum(void)
{
	account();
	sim_result.tasks = tasks_begun;
	sim_result.idle_beside = tasks_idle_beside;
	sim_result.awake_at = all_inside_at ? all_inside_at - sim_run.begin : 0;
}

/* Called when @thread begins a task: notes the time at which every worker has begun one. */
static void is_inside(struct thread *thread)
{
	if (!thread->is_worker || thread->tasks)
		return;
	if (++inside == sim_run.workers)
		all_inside_at = thread->clock;
}

void sim_queued(uint64_t n)
{
	account();
	queued += n;
}

void sim_begins(void)
{
	struct thread *me = current;

	account();
	if (!queued)
		sim_fail("a task begins that was not queued, or for the second time");
	queued--;
	tasks_begun++;
	is_inside(me);
	me->tasks++;
	me->in_task = true;
	me->found += me->clock - me->gap_begin;
}

void sim_ends(void)
{
	current->in_task = false;
	current->gap_begin = current->clock;
}

void sim_counts(uint64_t n)
{
	tasks_begun += n;
}

void tasks_sleep(void)
{
	struct thread *me = current;

	me->sleeps++;
	if (!me->is_worker || me->in_task)
		return;
	account();
	idle++;
	me->searched += me->clock - me->gap_begin;
}

void tasks_awake(void)
{
	struct thread *me = current;

	if (!me->is_worker || me->in_task)
		return;
	account();
	idle--;
	me->gap_begin = me->clock;
}

void sim_work(uint64_t ns)
{
	uint64_t left = ns * NS;

	if (current->cpu >= machine.slow_from && current->cpu < machine.slow_to)
		left = left * 100 / machine.slow_percent;
	while (left) {
		uint64_t part = left < PART_PS ? left : PART_PS;

		pay(CAUSE_WORK, part);
		left -= part;
		turn();
	}
}

uint64_t sim_now(void)
{
	return current ? current->clock / NS : 0;
}

void sim_sleep_until(uint64_t ns)
{
	uint32_t *word = &sim_run.nobody;

	while (sim_now() < ns)
		futex_wait(word, 0, ns * NS);
}

void *sim_alloc(size_t size, const char *type)
{
	void *mem = arena_alloc(size);

	if (!mem)
		sim_fail("there is no memory for %zu bytes of %s", size, type);
	fields_name(mem, size, type);
	return mem;
}

void sim_name(const void *base, size_t size, const char *type)
{
	fields_name(base, size, type);
}

uint32_t sim_thread_start(void (*start)(void *arg), void *arg, bool worker)
{
	struct thread *thread;

	pay(CAUSE_KERNEL, machine.clone);
	turn();
	thread = thread_create(start, arg, current->clock + machine.start);
	if (!thread)
		sim_fail("there are more than %u threads, or too little memory for their stacks",
			 MAX_THREADS);
	thread->is_worker = worker;
	thread->gap_begin = thread->clock;
	return thread->number;
}

void sim_thread_join(uint32_t number)
{
	thread_join(&threads[number]);
}

int sim_futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	int err;

	tasks_sleep();
	err = futex_wait(word, expected, deadline == UINT64_MAX ? NEVER : deadline * NS);
	tasks_awake();
	return err;
}

void sim_futex_wake(uint32_t *word, uint32_t n)
{
	futex_wake(word, n);
}

void sim_fd_wait(int fd)
{
	tasks_sleep();
	file_poll(fd);
	tasks_awake();
}

void sim_relax(void)
{
	if (!current)
		return;
	pay(CAUSE_PAUSE, machine.relax);
	turn();
}

_Noreturn void sim_fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "nap-sim: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}
