/* SPDX-License-Identifier: MIT */
/*
 * A binary heap. A thread has at most two entries, one of each kind (enum entry), and notes the
 * place of each; 0 is no place.
 */
#include "kernel/next.h"

#include <stddef.h>

static struct item {
	uint64_t time;
	struct thread *thread;
	enum entry entry;
} heap[2 * MAX_THREADS + 1];
static uint32_t nr;

uint64_t next_time = NEVER;

static bool before(const struct item *a, const struct item *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->entry != b->entry)
		return a->entry > b->entry;	/* alarms first */
	return a->thread->number < b->thread->number;
}

static void put_at(uint32_t place, struct item item)
{
	heap[place] = item;
	*(item.entry == ENTRY_THREAD ? &item.thread->place : &item.thread->alarm_place) = place;
}

static void up(uint32_t at, struct item item)
{
	for (; at > 1 && before(&item, &heap[at / 2]); at /= 2)
		put_at(at, heap[at / 2]);
	put_at(at, item);
}

static void down(uint32_t at, struct item item)
{
	for (uint32_t child; (child = 2 * at) <= nr; at = child) {
		if (child < nr && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &item))
			break;
		put_at(at, heap[child]);
	}
	put_at(at, item);
}

static void changed(void)
{
	next_time = nr ? heap[1].time : NEVER;
}

void next_put(struct thread *thread, enum entry entry, uint64_t time)
{
	up(++nr, (struct item){ time, thread, entry });
	changed();
}

static void take_out(uint32_t at)
{
	struct item last = heap[nr--];

	if (at <= nr) {
		if (at > 1 && before(&last, &heap[at / 2]))
			up(at, last);
		else
			down(at, last);
	}
	changed();
}

void next_remove(struct thread *thread, enum entry entry)
{
	uint32_t *place = entry == ENTRY_THREAD ? &thread->place : &thread->alarm_place;

	if (*place)
		take_out(*place);
	*place = 0;
}

struct thread *next_take(enum entry *entry)
{
	struct thread *thread;

	if (!nr)
		return NULL;
	thread = heap[1].thread;
	*entry = heap[1].entry;
	next_remove(thread, *entry);
	return thread;
}
