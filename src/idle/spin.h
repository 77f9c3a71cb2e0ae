/* SPDX-License-Identifier: MIT */
/*
 * Spinning before sleeping. A sleep and a wake cost system calls and, on an otherwise idle CPU, a
 * halt and the interrupt that ends the halt. So a thread that is about to sleep, registered for its
 * wake, first checks its own event for a while, if the protocol allows it (idle_ops()->spins). For
 * other threads this thread sleeps already: nothing changes in the protocol, except that the waker
 * finds no EVENT_PARKED and does not call the kernel. Between two checks the thread yields its CPU.
 *
 * The spin is bounded
 *
 *	in time		by what a sleep and a wake take here: twice the shortest sleep, measured
 *	in number	workers: by the CPUs that the busy ones leave; threads from outside: by all
 *			CPUs except one. With one CPU no thread spins
 *	in use		after a spin in vain a thread sleeps a few times without a spin, and twice
 *			as often after each further spin in vain
 *
 * The shared words, two counts and the measured time, only decide which threads spin and for how
 * long. That no wake is missed depends on the event alone [E1].
 */
#ifndef NAP_IDLE_SPIN_H
#define NAP_IDLE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "idle/idle.h"

/* Checks between two yields; 0: no thread spins, for the model checker. */
#ifndef NAP_SPIN_LOOKS
#define NAP_SPIN_LOOKS 10
#endif

/* As nap__spin(), for a pool whose threads may spin. */
bool nap__spin_for(struct nap_pool *pool, struct nap_worker *worker, uint32_t *event);

/*
 * Returns the least amount of work, in ns, that is worth a wake: about the time of a sleep and a
 * wake on this machine.
 */
uint64_t nap__spin_pays_ns(void);

/*
 * Checks @event, for a thread that is ready to sleep on it; true: the event has a reason. @worker:
 * NULL for a thread from outside.
 */
static inline bool nap__spin(struct nap_pool *pool, struct nap_worker *worker, uint32_t *event,
			     uint64_t deadline)
{
	return NAP_SPIN_LOOKS && deadline == UINT64_MAX && idle_ops(pool)->spins &&
	       pool->config.spin_us != NAP_NO_SPIN && nap__spin_for(pool, worker, event);
}

#endif /* NAP_IDLE_SPIN_H */
