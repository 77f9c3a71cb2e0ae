/* SPDX-License-Identifier: MIT */
/*
 * The part of a dump about queued tasks. A task that is taken while the dump reads it may be freed
 * or reused. In a ring the head shows which tasks were taken. In a list the counts show only that
 * some task was taken; then the dump says so for the whole list.
 */
#include "dump/dump.h"

#include <nap/pool.h>

#include "queue/deque.h"
#include "queue/kind.h"
#include "queue/ring.h"
#include "sync/debug.h"
#include "worker/worker.h"

static void say_task(struct nap__dump *dump, const struct nap_task *task,
		     const struct nap_task *copy)
{
	say(dump, "\t\ttask %p %f\n", (uintptr_t)task, debug_run(copy));
}

/* ---- rings */

static void dump_ring(struct nap__dump *dump, struct nap__ring *ring)
{
	uint32_t head = nap_load_relaxed(&ring->head), tail = nap_load_relaxed(&ring->tail);
	uint32_t taken = 0;

	/*
	 * since the head was read, the tail has gone round the whole ring
	 *
	 * Not noticed in tests when >= for >: if equal, the head stays as it is.
	 */
	if (tail - head > NAP_RING_SIZE)
		head = tail - NAP_RING_SIZE;
	if (tail != head)
		say(dump, "\tring: %u\n", tail - head);
	for (uint32_t at = head; at != tail; at++) {
		struct nap_task *task = nap_load_relaxed(ring_slot(ring, at)), copy;
		bool is_there = nap__os_peek(task, &copy, sizeof(copy));

		/* A task that is still in the ring was there during the copy, too. */
		if (!is_there || (int32_t)(nap_load_relaxed(&ring->head) - at) > 0)
			taken++;
		else
			say_task(dump, task, &copy);
	}
	if (taken)
		say(dump, "\t\t%u taken during the dump\n", taken);
}

/* ---- lists */

/*
 * Writes the list that begins at @task, without @stub, which is no task. Returns how many more
 * entries may be shown.
 */
static uint32_t say_list(struct nap__dump *dump, const struct nap_task *task,
			 const struct nap_task *stub, uint32_t most)
{
	struct nap_task copy;

	for (; task; task = copy.next) {
		if (!most) {
			say_only(dump, "\t\tand more\n");
			return 0;
		}
		if (!nap__os_peek(task, &copy, sizeof(copy))) {
			say_only(dump, "\t\tchanged during the dump\n");
			return 0;
		}
		if (task == stub)
			continue;
		say_task(dump, task, &copy);
		most--;
	}
	return most;
}

static __attribute__((unused)) void treiber_say(struct nap__dump *dump, struct nap__queue *queue)
{
	uintptr_t word = nap_load_relaxed(&queue->push), cache;
	uint32_t most = DUMP_MOST;

	if (word & TREIBER_CONSUMING)
		say_only(dump, "\t\tsome are being taken\n");
	else if ((word & TREIBER_CACHED) && nap__os_peek(&queue->pop, &cache, sizeof(cache)))
		most = say_list(dump, (struct nap_task *)cache, NULL, most);
	say_list(dump, treiber__task(word), NULL, most);
}

#define treiber_fifo_say treiber_say

static __attribute__((unused)) void vyukov_say(struct nap__dump *dump, struct nap__queue *queue)
{
	uintptr_t word = nap_load_relaxed(&queue->pop);

	if (word & VYUKOV_CONSUMING)
		say_only(dump, "\t\tsome are being taken\n");
	else
		say_list(dump, word ? (struct nap_task *)word : &queue->stub, &queue->stub,
			 DUMP_MOST);
}

#define overflow_say	NAP__CALL(NAP_OVERFLOW, _say)
#define inject_say	NAP__CALL(NAP_INJECT, _say)

void nap__dump_queue(struct nap__dump *dump, const char *name, struct nap__queue *queue,
		     bool overflow)
{
	uint64_t taken = nap_load_relaxed(&queue->taken);

	if (overflow ? overflow_empty(queue) : inject_empty(queue))
		return;
	say(dump, "\t%s:\n", (uintptr_t)name);
	(overflow ? overflow_say : inject_say)(dump, queue);
	if (nap_load_relaxed(&queue->taken) != taken)
		say(dump, "\t\t%u or more taken during the dump\n",
		    nap_load_relaxed(&queue->taken) - taken);
}

/* ---- forks */

static void dump_jobs(struct nap__dump *dump, struct nap__deque *d)
{
	struct nap_frame *frames = d->forks.frames;
	uint64_t bottom = (uint64_t)(nap_load_relaxed(&d->forks.bottom) - frames);
	uint32_t top = deque_top(nap_load_relaxed(&d->open));
	struct nap_frame copy;

	if (!frames || !bottom || bottom > NAP_DEQUE_SIZE + 1)
		return;
	say(dump, "\tforked and not joined: %u\n", bottom);
	for (uint64_t i = 0; i < bottom && i < DUMP_MOST; i++) {
		if (!nap__os_peek(&frames[i], &copy, offsetof(struct nap_frame, words)))
			return;
		say(dump, "\t\tjob %f", (uintptr_t)copy.run);
		if (i < top && copy.thief)
			say(dump, ", stolen by worker %u", copy.thief - 1);
		else if (i < top)
			say_only(dump, ", stolen");
		say_only(dump, "\n");
	}
}

void nap__dump_worker_queues(struct nap__dump *dump, struct nap_worker *worker)
{
	dump_jobs(dump, &worker->deque);
	dump_ring(dump, &worker->ring);
	nap__dump_queue(dump, "overflow", &worker->overflow, true);
}
