/* SPDX-License-Identifier: MIT */
/*
 * Futexes. As in Linux all words share a table of lists. A thread that adds to a list, or takes
 * from it, holds a lock in the list's line. So threads that wait on different words disturb each
 * other if by chance the words have the same list.
 */
#include "kernel/futex.h"

#include <errno.h>
#include <stddef.h>

#include "kernel/next.h"
#include "machine/arena.h"
#include "machine/fields.h"

#define BUCKETS	1024u

static struct bucket {
	struct thread *first, *last;
} buckets[BUCKETS];
static char *bucket_lines;		/* simulated memory: a line for each bucket */

uint64_t futex_woken, futex_wakes_in_vain;

bool futex_init(void)
{
	bucket_lines = arena_alloc(BUCKETS * LINE_SIZE);
	if (!bucket_lines)
		return false;
	fields_name(bucket_lines, BUCKETS * LINE_SIZE, "kernel: futex bucket");
	return true;
}

static unsigned bucket_of(const uint32_t *word)
{
	return (unsigned)(((uintptr_t)word >> 2) * 0x9e3779b97f4a7c15u >> 54);
}

/* Pays for locking the bucket, and for the access to its line. */
static void lock_bucket(unsigned bucket)
{
	uintptr_t address = (uintptr_t)bucket_lines + bucket * LINE_SIZE;
	struct moved moved;
	uint64_t ps;

	turn();
	ps = line_access(line_at(address), current->cpu, ACCESS_RMW, current->clock, &moved);
	if (moved.moved)
		fields_count(address, (uintptr_t)lock_bucket, current->cpu, ACCESS_RMW, ps, &moved);
	pay(CAUSE_KERNEL, ps);
}

static void take_out(struct bucket *bucket, struct thread *thread, struct thread *before)
{
	if (before)
		before->next_waiter = thread->next_waiter;
	else
		bucket->first = thread->next_waiter;
	if (bucket->last == thread)
		bucket->last = before;
	thread->waits_on = NULL;
	if (thread->deadline != NEVER)
		next_remove(thread, ENTRY_ALARM);
}

int futex_wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
	struct bucket *bucket = &buckets[bucket_of(word)];
	struct thread *me = current;

	pay(CAUSE_KERNEL, machine.syscall);
	lock_bucket(bucket_of(word));
	turn();
	if (*(volatile const uint32_t *)word != expected)
		return -EAGAIN;
	if (deadline <= me->clock)
		deadline = me->clock + 1;
	pay(CAUSE_KERNEL, machine.context_switch);
	me->waits_on = word;
	me->deadline = deadline;
	me->timed_out = false;
	me->next_waiter = NULL;
	if (bucket->last)
		bucket->last->next_waiter = me;
	else
		bucket->first = me;
	bucket->last = me;
	if (deadline != NEVER)
		next_put(me, ENTRY_ALARM, deadline > me->clock ? deadline : me->clock);
	thread_sleeps();
	return me->timed_out ? -ETIMEDOUT : 0;
}

unsigned futex_wake(const uint32_t *word, uint32_t n)
{
	struct bucket *bucket = &buckets[bucket_of(word)];
	struct thread *next, *before = NULL;
	unsigned woken = 0;

	pay(CAUSE_KERNEL, machine.syscall);
	lock_bucket(bucket_of(word));
	turn();
	for (struct thread *thread = bucket->first; thread && woken < n; thread = next) {
		next = thread->next_waiter;
		if (thread->waits_on != word) {
			before = thread;
			continue;
		}
		take_out(bucket, thread, before);
		pay(CAUSE_KERNEL, machine.wake);
		thread_wakes(thread, current->clock);
		woken++;
	}
	futex_woken += woken;
	futex_wakes_in_vain += !woken;
	return woken;
}

void futex_times_out(struct thread *thread)
{
	struct bucket *bucket = &buckets[bucket_of(thread->waits_on)];
	struct thread *before = NULL;

	for (struct thread *t = bucket->first; t != thread; t = t->next_waiter)
		before = t;
	take_out(bucket, thread, before);
	thread->timed_out = true;
	thread_wakes(thread, thread->deadline + machine.alarm);
}
