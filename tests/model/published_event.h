/* SPDX-License-Identifier: MIT */
/*
 * Zap's Event (src/thread_pool.zig, "An event which stores 1 semaphore token"): one word on which
 * any number of threads may wait. A notify leaves one token; a shutdown lets all threads through
 * from then on. Both call the kernel only if the word said WAITING, which is the fault.
 */
#ifndef MODEL_PUBLISHED_EVENT_H
#define MODEL_PUBLISHED_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

#include <nap/check.h>

enum { EVENT_EMPTY, EVENT_WAITING, EVENT_NOTIFIED, EVENT_SHUTDOWN };

struct published_event {
	_Atomic uint32_t word;
};

/* Waits for the token and takes it, or waits for the shutdown. */
static inline void published_event_wait(struct published_event *event)
{
	/* A thread that has slept leaves WAITING set, because others may still sleep. */
	uint32_t left = EVENT_EMPTY;
	uint32_t word = atomic_load_explicit(&event->word, memory_order_relaxed);

	for (;;) {
		if (word == EVENT_SHUTDOWN) {
			atomic_thread_fence(memory_order_acquire);
			return;
		} else if (word == EVENT_NOTIFIED) {
			if (atomic_compare_exchange_strong_explicit(&event->word, &word, left,
								    memory_order_acquire,
								    memory_order_relaxed))
				return;
		} else if (word == EVENT_WAITING ||
			   atomic_compare_exchange_strong_explicit(&event->word, &word,
								   EVENT_WAITING,
								   memory_order_relaxed,
								   memory_order_relaxed)) {
			check_futex_wait((uint32_t *)&event->word, EVENT_WAITING, false);
			word = atomic_load_explicit(&event->word, memory_order_relaxed);
			left = EVENT_WAITING;
		}
	}
}

static inline void published_event_wake(struct published_event *event, uint32_t to, uint32_t n)
{
	if (atomic_exchange_explicit(&event->word, to, memory_order_release) == EVENT_WAITING)
		check_futex_wake((uint32_t *)&event->word, n);
}

static inline void published_event_notify(struct published_event *event)
{
	published_event_wake(event, EVENT_NOTIFIED, 1);
}

static inline void published_event_shutdown(struct published_event *event)
{
	published_event_wake(event, EVENT_SHUTDOWN, UINT32_MAX);
}

#endif /* MODEL_PUBLISHED_EVENT_H */
