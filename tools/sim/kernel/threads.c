/* SPDX-License-Identifier: MIT */
#include "kernel/threads.h"

#include <string.h>

#include "context.h"
#include "kernel/cpus.h"
#include "kernel/futex.h"
#include "kernel/next.h"
#include "machine/arena.h"
#include "machine/fields.h"

#define STACK_SIZE	((uint64_t)256 << 10)

const char *const cause_names[NR_CAUSES] = {
	"work", "code", "lines", "locked", "fences", "pauses", "kernel", "waking", "no CPU",
	"asleep",
};

struct thread threads[MAX_THREADS];
unsigned nr_threads;
struct thread *current;

static void *host_sp;
static bool all_wait;

static void switch_to(struct thread *thread)
{
	struct thread *me = current;

	current = thread;
	if (thread != me)
		nap__context_switch(&me->sp, thread->sp);
}

/* Leaves the simulation, for ever. */
static _Noreturn void leave(void)
{
	struct thread *me = current;

	current = NULL;
	for (;;)
		nap__context_switch(&me->sp, host_sp);
}

/*
 * Called by the running thread when it has lost its CPU: switches to the thread that is next.
 * Returns when the caller is next.
 */
static void go_on(void)
{
	enum entry entry;
	struct thread *thread;

	while ((thread = next_take(&entry)) && entry == ENTRY_ALARM)
		futex_times_out(thread);
	if (!thread) {
		all_wait = true;
		leave();
	}
	switch_to(thread);
}

static void settle_owed(void)
{
	uint64_t owed = current->owed;

	current->owed = 0;
	pay(CAUSE_KERNEL, owed);
}

static void slice_ends(void)
{
	if (!cpu_is_wanted()) {
		current->slice_end = NEVER;
		return;
	}
	cpu_requeue();
	go_on();
}

void threads_turn(void)
{
	struct thread *me = current;

	settle_owed();
	if (me->clock >= me->slice_end)
		slice_ends();
	while (me->clock >= next_time) {
		enum entry entry;
		struct thread *thread;

		next_put(me, ENTRY_THREAD, me->clock);
		thread = next_take(&entry);
		if (entry == ENTRY_ALARM) {
			next_remove(me, ENTRY_THREAD);
			futex_times_out(thread);
			continue;
		}
		if (thread == me)
			break;
		switch_to(thread);
		settle_owed();
	}
}

static void *thread_main(void *arg)
{
	struct thread *me = arg;

	me->gap_begin = me->clock;
	me->run(me->arg);
	turn();
	if (!me->number)
		leave();
	me->state = T_ENDED;
	if (me->joiner)
		thread_wakes(me->joiner, me->clock);
	cpu_leave();
	go_on();
	return NULL;
}

struct thread *thread_create(void (*run)(void *arg), void *arg, uint64_t at)
{
	struct thread *thread = &threads[nr_threads];
	char *stack;

	if (nr_threads == MAX_THREADS)
		return NULL;
	/* One page more, so that the ends of stacks are in different sets of a cache. */
	stack = arena_alloc(STACK_SIZE + 4096);
	if (!stack)
		return NULL;
	memset(thread, 0, sizeof(*thread));
	thread->number = nr_threads++;
	thread->run = run;
	thread->arg = arg;
	thread->cpu = current ? current->cpu : 0;
	thread->deadline = NEVER;
	thread->ready_at = at;
	thread->stack = (uintptr_t)stack;
	thread->stack_top = thread->stack + STACK_SIZE + thread->number % 64 * 64;
	thread->sp = nap__context_make((void *)thread->stack_top, thread_main, thread, NULL);
	fields_name(stack, STACK_SIZE + 4096, "a thread's stack");
	cpu_find(thread);
	return thread;
}

bool threads_run(void (*run)(void *arg), void *arg)
{
	enum entry entry;

	all_wait = false;
	if (!thread_create(run, arg, 0))
		return false;
	current = next_take(&entry);
	nap__context_switch(&host_sp, current->sp);
	return !all_wait;
}

void thread_sleeps(void)
{
	struct thread *me = current;

	me->state = T_SLEEPS;
	me->slept_at = me->clock;
	cpu_leave();
	go_on();
}

void thread_wakes(struct thread *thread, uint64_t at)
{
	if (at < thread->slept_at)
		at = thread->slept_at;
	thread->spent[CAUSE_IDLE] += at - thread->slept_at;
	thread->spent[CAUSE_WAKING] += machine.wakeup;
	thread->ready_at = at + machine.wakeup;
	cpu_find(thread);
}

void thread_yields(void)
{
	pay(CAUSE_KERNEL, machine.yield);
	turn();
	if (!cpu_is_wanted())
		return;
	cpu_requeue();
	go_on();
}

void thread_join(struct thread *thread)
{
	pay(CAUSE_KERNEL, machine.syscall);
	turn();
	if (thread->state == T_ENDED)
		return;
	thread->joiner = current;
	thread_sleeps();
}

unsigned threads_interrupt(uint64_t ps)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct thread *thread = cpu_running(cpu);

		if (!thread || thread == current)
			continue;
		thread->owed += ps;
		n++;
	}
	return n;
}
