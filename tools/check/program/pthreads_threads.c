/* SPDX-License-Identifier: MIT */
/* POSIX threads, continued from pthreads.c: threads themselves. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "program/caller.h"
#include "program/fault.h"
#include "program/ops.h"
#include "program/pthreads.h"
#include "program/scenario.h"
#include "program/shadow.h"
#include "program/siblings.h"
#include "program/stop.h"
#include "program/tls.h"

static struct start {
	void *(*run)(void *arg);
	void *arg, *value;
	bool joined, detached;	/* joined: a thread waits for this one, or has waited */
} starts[MAX_THREADS];

/*
 * Numbers of threads that threads start, in the order in which the search first met them: the
 * same in every execution.
 */
static struct { unsigned by, nth; } creations[MAX_THREADS];
static unsigned nr_creations;

void joins_begin(void)
{
	memset(starts, 0, sizeof(starts));
}

const void *thread_value(unsigned number)
{
	return starts[number].value;
}

void creations_clear(void)
{
	nr_creations = 0;
}

/* Returns how many threads the scenario has. Higher numbers are of threads that threads start. */
static unsigned number_of_first(void)
{
	unsigned used = 0;

	while (used < MAX_THREADS && scenario->threads[used].run)
		used++;
	return used;
}

void creations_write(FILE *out)
{
	fprintf(out, "creations %u\n", nr_creations);
	for (unsigned i = 0; i < nr_creations; i++)
		fprintf(out, "%u %u\n", creations[i].by, creations[i].nth);
}

bool creations_read(FILE *in, uint32_t *others)
{
	unsigned nr, by, nth, same = 0;

	if (fscanf(in, "creations %u\n", &nr) != 1 || nr > MAX_THREADS)
		return false;
	for (unsigned i = 0; i < nr; i++) {
		if (fscanf(in, "%u %u\n", &by, &nth) != 2)
			return false;
		if (same == i && i == nr_creations) {
			creations[i].by = by;
			creations[nr_creations++].nth = nth;
		}
		same += same == i && creations[i].by == by && creations[i].nth == nth;
	}
	*others = same < nr ? ~0u << (number_of_first() + same) : 0;
	return true;
}

static unsigned number_for(unsigned nth)
{
	unsigned number, used = number_of_first();

	for (unsigned i = 0; i < nr_creations; i++)
		if (creations[i].by == self && creations[i].nth == nth)
			return used + i;
	number = used + nr_creations;
	if (number >= MAX_THREADS)
		give_up("the bound on threads");
	creations[nr_creations].by = self;
	creations[nr_creations++].nth = nth;
	return number;
}

static void run_started(void *arg)
{
	struct start *start = arg;

	start->value = start->run(start->arg);
}

static unsigned number_of_thread(pthread_t thread, uintptr_t pc)
{
	unsigned number = (unsigned)thread - 1;

	if (number >= MAX_THREADS || threads[number].state == T_ABSENT)
		fault_at(pc, 0, "%#lx is no thread", (unsigned long)thread);
	return number;
}

/* Returns the thread's number. Reports a fault if the thread is detached, or joined already. */
static unsigned give_away(pthread_t thread, const char *how, uintptr_t pc)
{
	unsigned number = number_of_thread(thread, pc);
	const struct start *start = &starts[number];

	if (start->detached || start->joined)
		fault_at(pc, 0, "%s is %s, and %s", thread_name(number), how,
			 start->detached ? "was detached before" : "joined by another call, too");
	return number;
}

int join_thread(pthread_t thread, void **value, uintptr_t pc)
{
	unsigned number;

	if (OUTSIDE)
		fault_at(pc, 0, "pthread_join() outside of threads");
	if (thread == self + 1)
		return EDEADLK;
	number = give_away(thread, "joined", pc);
	starts[number].joined = true;
	sibling_joined(number);
	thread_join(number, pc);
	if (value) {
		siblings_differ(1u << number);
		*value = starts[number].value;
	}
	return 0;
}

int create_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *arg, uintptr_t pc)
{
	unsigned number;
	int err;

	if (OUTSIDE)
		fault_at(pc, 0, "pthread_create() outside of threads");
	not_tls((uintptr_t)arg, sizeof(arg));
	number = number_for(threads[self].created++);
	starts[number] = (struct start){ .run = run, .arg = arg, .detached = detached };
	err = thread_create(number, run_started, &starts[number], NULL, pc);
	if (err)
		return -err;
	sibling_starts(number, (const void *)run, arg, detached);
	plain_access(thread, sizeof(*thread), true, pc);
	*thread = number + 1;
	siblings_watch(number, thread);
	return 0;
}

void detach_thread(pthread_t thread, uintptr_t pc)
{
	unsigned number = give_away(thread, "detached", pc);

	siblings_differ(1u << number);
	starts[number].detached = true;
}

#pragma GCC visibility push(default)

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	int detached = PTHREAD_CREATE_JOINABLE;

	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	return create_thread(thread, detached == PTHREAD_CREATE_DETACHED, run, arg, PC);
}

int pthread_join(pthread_t thread, void **value)
{
	void *got;
	int err = join_thread(thread, value ? &got : NULL, PC);

	if (!err && value) {
		plain_access(value, sizeof(*value), true, PC);
		*value = got;
	}
	return err;
}

int pthread_detach(pthread_t thread)
{
	detach_thread(thread, PC);
	return 0;
}

pthread_t pthread_self(void)
{
	if (!OUTSIDE)
		siblings_differ(1u << self);
	return self + 1;
}

_Noreturn void pthread_exit(void *value)
{
	if (OUTSIDE)
		fault_at(RETURN_PC, 0, "pthread_exit() outside of threads");
	starts[self].value = value;
	thread_unwinds();
}
