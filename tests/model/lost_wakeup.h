/* SPDX-License-Identifier: MIT */
/*
 * The core of Zap's idle protocol (the blog text, "Thread Counters and Races", functions notify()
 * and wait()), reduced to what one worker and any number of producers need: NOTIFIED, and whether
 * the worker is idle. A form says what stands between a store and the load after the store; the
 * published form has nothing there.
 *
 *	producer                          worker
 *	--------                          ------
 *	publish the task                  clear NOTIFIED: CAS (acquire)
 *	[PRODUCER_FENCE]                  [WORKER_FENCE]
 *	see NOTIFIED set: done            check the queue: nothing
 *	or set it: CAS (release)          go idle: CAS; sleep
 *	wake the worker if it is idle
 */
#ifndef MODEL_LOST_WAKEUP_H
#define MODEL_LOST_WAKEUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <nap/check.h>

/* Bits of a form. A form is in no memory, so reading a form is no event. */
#define PRODUCER_FENCE	1u
#define WORKER_FENCE	2u
#define BOTH_FENCES	(PRODUCER_FENCE | WORKER_FENCE)
#define PRODUCER_RMW	4u	/* a read-modify-write instead of the producer's load */
#define SEQ_CST		8u	/* the two stores and the two loads are sequentially consistent */

#define NOTIFIED	1u
#define IDLE		2u

static _Atomic uint32_t idle_word;

static inline uint32_t idle_look(unsigned int form)
{
	if (form & PRODUCER_RMW)
		return atomic_fetch_or_explicit(&idle_word, 0, memory_order_release);
	if (form & SEQ_CST)
		return atomic_load_explicit(&idle_word, memory_order_seq_cst);
	return atomic_load_explicit(&idle_word, memory_order_relaxed);
}

/* Notifies, as a producer that has published. */
static inline void idle_notify(unsigned int form)
{
	uint32_t word;

	if (form & PRODUCER_FENCE)
		atomic_thread_fence(memory_order_seq_cst);
	word = idle_look(form);
	do {
		if (word & NOTIFIED)
			return;
	} while (!atomic_compare_exchange_strong_explicit(&idle_word, &word, NOTIFIED,
							  memory_order_release,
							  memory_order_relaxed));
	if (word & IDLE)
		check_futex_wake((uint32_t *)&idle_word, 1);
}

/* Takes the notification: clears NOTIFIED and IDLE. On failure *@word becomes the present word. */
static inline bool idle_consume(uint32_t *word, unsigned int form)
{
	if (form & SEQ_CST)
		return atomic_compare_exchange_strong_explicit(&idle_word, word, 0,
							       memory_order_seq_cst,
							       memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&idle_word, word, 0, memory_order_acquire,
						       memory_order_relaxed);
}

static inline bool idle_fall_asleep(uint32_t *word)
{
	return atomic_compare_exchange_strong_explicit(&idle_word, word, IDLE,
						       memory_order_relaxed,
						       memory_order_relaxed);
}

/* Sleeps, as a worker that has found nothing, until there is a notification, and takes it. */
static inline void idle_wait(unsigned int form)
{
	uint32_t word = atomic_load_explicit(&idle_word, memory_order_relaxed);
	bool idle = false;

	for (;;) {
		if (word & NOTIFIED) {
			if (idle_consume(&word, form))
				break;
		} else if (!idle) {
			idle = idle_fall_asleep(&word);
		} else {
			check_futex_wait((uint32_t *)&idle_word, IDLE, false);
			word = atomic_load_explicit(&idle_word, memory_order_relaxed);
		}
	}
	if (form & WORKER_FENCE)
		atomic_thread_fence(memory_order_seq_cst);
}

#endif /* MODEL_LOST_WAKEUP_H */
