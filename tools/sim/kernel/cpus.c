/* SPDX-License-Identifier: MIT */
#include "kernel/cpus.h"

#include <stddef.h>

#include "kernel/next.h"

unsigned nr_cpus;

static struct cpu {
	struct thread *running;
	struct thread *first, *last;	/* the waiting threads, linked by next_waiter */
	unsigned nr;
	uint64_t free_at;		/* when the last thread that ran here has left */
} cpus[MAX_CPUS];
static unsigned nr_queued;		/* threads in all queues */

struct thread *cpu_running(unsigned cpu)
{
	return cpus[cpu].running;
}

static void take(unsigned cpu, struct thread *thread, uint64_t at)
{
	struct cpu *c = &cpus[cpu];

	c->running = thread;
	thread->clock = at > thread->ready_at ? at : thread->ready_at;
	thread->spent[CAUSE_QUEUED] += thread->clock - thread->ready_at;
	thread->cpu = cpu;
	thread->state = T_RUNS;
	thread->slice_begin = thread->clock;
	thread->slice_end = c->nr ? thread->clock + machine.quantum : NEVER;
	next_put(thread, ENTRY_THREAD, thread->clock);
}

static void queue(unsigned cpu, struct thread *thread)
{
	struct cpu *c = &cpus[cpu];

	thread->state = T_QUEUED;
	thread->next_waiter = NULL;
	if (c->last)
		c->last->next_waiter = thread;
	else
		c->first = thread;
	c->last = thread;
	c->nr++;
	nr_queued++;
	if (c->running && c->running->slice_end == NEVER)
		c->running->slice_end = c->running->slice_begin + machine.quantum;
}

static struct thread *unqueue(unsigned cpu)
{
	struct cpu *c = &cpus[cpu];
	struct thread *thread = c->first;

	c->first = thread->next_waiter;
	if (!c->first)
		c->last = NULL;
	c->nr--;
	nr_queued--;
	return thread;
}

/* Returns the first idle CPU of [from, to), or MAX_CPUS. */
static unsigned idle_in(unsigned from, unsigned to)
{
	for (unsigned cpu = from; cpu < to && cpu < nr_cpus; cpu++)
		if (!cpus[cpu].running)
			return cpu;
	return MAX_CPUS;
}

static unsigned idle_near(unsigned cpu)
{
	unsigned cluster = (unsigned)machine.cluster, node = (unsigned)machine.node;
	unsigned found = MAX_CPUS;

	if (!cpus[cpu].running)
		return cpu;
	found = idle_in(cpu / cluster * cluster, cpu / cluster * cluster + cluster);
	if (found == MAX_CPUS)
		found = idle_in(cpu / node * node, cpu / node * node + node);
	return found == MAX_CPUS ? idle_in(0, nr_cpus) : found;
}

static unsigned shortest(unsigned first)
{
	unsigned best = first;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		if (cpus[cpu].nr < cpus[best].nr)
			best = cpu;
	return best;
}

void cpu_find(struct thread *thread)
{
	unsigned cpu = idle_near(thread->cpu);

	if (cpu == MAX_CPUS)
		queue(shortest(thread->cpu), thread);
	else
		take(cpu, thread, cpus[cpu].free_at + (cpu == thread->cpu ? 0 : machine.migrate));
}

bool cpu_is_wanted(void)
{
	return cpus[current->cpu].nr;
}

/* Returns the CPU from whose queue the idle @cpu takes a thread; MAX_CPUS: none. */
static unsigned pull_from(unsigned cpu)
{
	unsigned best = MAX_CPUS;
	uint64_t nearest = NEVER;

	if (cpus[cpu].nr)
		return cpu;
	for (unsigned other = 0; nr_queued && other < nr_cpus; other++) {
		enum far far;
		uint64_t ps = cpus[other].nr ? topology_distance(&machine, other, cpu, &far) :
					       NEVER;

		if (ps < nearest) {
			nearest = ps;
			best = other;
		}
	}
	return best;
}

static void give(unsigned cpu, uint64_t at)
{
	unsigned from = pull_from(cpu);

	cpus[cpu].running = NULL;
	cpus[cpu].free_at = at;
	if (from != MAX_CPUS)
		take(cpu, unqueue(from),
		     at + machine.context_switch + (from == cpu ? 0 : machine.migrate));
}

void cpu_leave(void)
{
	give(current->cpu, current->clock);
}

void cpu_requeue(void)
{
	unsigned cpu = current->cpu;

	current->ready_at = current->clock;
	queue(cpu, current);
	give(cpu, current->clock);
}
