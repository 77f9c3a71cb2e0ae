/* SPDX-License-Identifier: MIT */
/*
 * The room sync/ (this header is its door).
 *
 * Words on which threads wait for each other. Each word has a protocol of its own, on atomics and
 * the futex; none depends on pools or workers.
 *
 * Typically no thread waits: an event has a reason already, a lock is free, a gate is open. Then a
 * call is one atomic operation, without a system call.
 *
 * Where the reasons of an event are listed: EVENT_ANY, which has all that end a sleep of an idle
 * worker; nap__park() in sched/park.c, wait_for_recall() in sched/standby.c, sleep_listed() and
 * wait_sleep() in wait/wait.c; as numbers, NAP_TRACE_UNPARK in nap/trace_file.h. A new bit moves
 * EVENT_FD.
 *
 * The idle protocol SYNC is src/idle/sync.c. The mutexes of nap/sync.h, for programs, are in
 * src/async/fiber/.
 *
 * From outside: the functions of the headers, and the reasons of an event (EVENT_...), which other
 * rooms set and wait for. Other rooms use few other values of these words: LATCH_... (fork/,
 * parallel/, sched/), GATE_ONE (kit/), WAITLIST_CLOSED (wait/, dump/), LOCK_STATE, EVENT_PARKED and
 * EVENT_FD (async/).
 *
 * Open: deadline.h debug.h gate.h latch.h lock.h lock_word.h pause.h
 *       process_lock.h waitlist.h
 */
/*
 * The word that one thread parks on: a worker has one in its record, and a thread from outside has
 * one on its stack while it waits.
 *
 * Each reason for a wake has a bit of its own, so that two wakes for different reasons never merge
 * into one:
 *
 *	EVENT_WORK	set by the thread that took this worker out of the idle set, or its index
 *			out of pool->dozer (src/idle/doze.h). A worker is in one of the two at a
 *			time. A worker that was taken out of one waits for the bit before it enters
 *			the other
 *	EVENT_LATCH	set by the thread that took this thread's node out of a group's waitlist or
 *			of pool->calls (src/fork/call_list.h), or that has run the job or the call
 *			that this thread waits for. A thread waits for one of these at a time
 *	EVENT_POOL	set by the thread that took this thread's node out of a pool's waitlist; the
 *			waiter has to check again the pool's phase, whether it is quiet, and who can
 *			run its tasks
 *	EVENT_EXIT	this worker's pool has ended
 *	EVENT_MESSAGE	this worker was sent a message, which it may have answered already
 *			(src/worker/message.h)
 *	EVENT_RECALL	set by the thread that has called this worker back from standby
 *			(src/sched/standby.h)
 *	EVENT_TIMER	this worker is or was the poller of the pool's timers, and has to check the
 *			earliest again (src/async/timer/timers.h)
 *	EVENT_PARKED	set by the waiter itself: a setter must call the kernel
 *	the rest	not 0 while the waiter sleeps in its pool's epoll (src/async/io/io.h): 1 +
 *			the eventfd to which the setter of the first reason writes
 *
 *	waiter                            setter
 *	------                            ------
 *	register somewhere
 *	check once more for the reason    make the reason true
 *	set PARKED unless a bit is set    take the waiter out of where it is registered
 *	futex_wait while unchanged        set the bit, wake if PARKED
 *	take the bits
 *
 * Setting the bit is the setter's last touch of the waiter's memory; the wake uses only the
 * address. So a waiter that was taken out must wait for the bit, by event_wait(), before it frees
 * this memory, or waits for something else. A second setter of the same bit would come too late. So
 * for each of EVENT_WORK, EVENT_LATCH and EVENT_POOL only one thread at a time may be about to set
 * the bit.
 */
#ifndef NAP_EVENT_H
#define NAP_EVENT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/os.h"

#define EVENT_PARKED	1u
#define EVENT_WORK	2u
#define EVENT_LATCH	4u
#define EVENT_POOL	8u
#define EVENT_EXIT	16u
#define EVENT_MESSAGE	32u
#define EVENT_RECALL	64u
#define EVENT_TIMER	128u
#define EVENT_FD	256u	/* the lowest of the upper bits, which have 1 + the eventfd */
#define EVENT_ANY	(EVENT_WORK | EVENT_LATCH | EVENT_POOL | EVENT_EXIT | EVENT_MESSAGE | \
			 EVENT_TIMER)

/*
 * Wakes the sleeper. Called by the thread that has set a bit; @word: the value of *@event before
 * the bit was set.
 */
static inline void event_wake(uint32_t *event, uint32_t word)
{
	if (word < EVENT_FD)
		nap__futex_wake(event, 1);
	else if (!(word & EVENT_ANY))
		nap__os_eventfd_write((int)(word / EVENT_FD) - 1);
}

/* Any thread: gives the waiter a reason to wake. */
static inline void event_set(uint32_t *event, uint32_t reason)
{
	/* Publishes what the setter did before: pairs with event_wait(). [E1] */
	uint32_t word = nap_fetch_or_release(event, reason);

	if (word & EVENT_PARKED)
		event_wake(event, word);
}

/*
 * Called by the waiter: sleeps until one of @reasons is set or @deadline (ns) has come. Takes and
 * returns the bits of @reasons that are set, 0 at the deadline; leaves the other bits.
 */
static inline uint32_t event_wait(uint32_t *event, uint32_t reasons, uint64_t deadline)
{
	uint32_t word = nap_load_relaxed(event);
	int err = 0;	/* Not noticed in tests when 1 for 0: only -ETIMEDOUT is compared with. */

	while (!(word & reasons) && err != -ETIMEDOUT) {
		if (!(word & EVENT_PARKED)) {
			if (!nap_try_cmpxchg_relaxed(event, &word, word | EVENT_PARKED))
				continue;
			word |= EVENT_PARKED;
		}
		err = nap__futex_wait(event, word, deadline);
		word = nap_load_relaxed(event);
	}
	/* Sees what the setter did: pairs with event_set(). [E1] */
	return nap_fetch_and_acquire(event, ~(reasons | EVENT_PARKED)) & reasons;
}

#endif /* NAP_EVENT_H */
