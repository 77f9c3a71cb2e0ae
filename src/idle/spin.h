/* SPDX-License-Identifier: MIT */
/*
 * Looking for a while before sleeping. A sleep and a wake cost system calls, and where a CPU has
 * nothing else to do they cost its halt and the interrupt that ends it. A thread that is about to
 * sleep under a protocol that allows it (idle_ops()->spins), registered for what is to wake it,
 * therefore polls its own event for a while. For everybody else it sleeps already: nothing of the
 * protocol changes, except that a thread that wakes it then finds no EVENT_PARKED, and does not
 * call the kernel. It yields between two looks: a thread that has work and no CPU has this one.
 *
 * It is bounded
 *
 *	in time		by what a sleep and a wake take here: twice the shortest sleep, measured
 *	in number	workers: by the CPUs that the busy ones leave; threads from outside: by all
 *			CPUs but one. With one CPU nobody spins
 *	in use		a thread that was not woken in time sleeps at once as many times as that
 *			would have paid for, and twice as often each time it happens in a row
 *
 * What is shared, the two counts and the measure, decides who spins and for how long; that nobody
 * is missed rests on the event alone [E1].
 */
#ifndef NAP_IDLE_SPIN_H
#define NAP_IDLE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "idle/idle.h"

/* Between two yields; 0: nobody spins, for the model checker. */
#ifndef NAP_SPIN_LOOKS
#define NAP_SPIN_LOOKS 10
#endif

/* As nap__spin(), for a pool whose threads may. */
bool nap__spin_for(struct nap_pool *pool, struct nap_worker *worker, uint32_t *event);

/* For how much work, in ns, it pays to wake somebody: about what a sleep and a wake take here. */
uint64_t nap__spin_pays_ns(void);

/*
 * @worker, or NULL: a thread from outside, that has done all it does before it sleeps on @event,
 * and is to sleep until the event has a reason. True: it has one.
 */
static inline bool nap__spin(struct nap_pool *pool, struct nap_worker *worker, uint32_t *event,
			     uint64_t deadline)
{
	return NAP_SPIN_LOOKS && deadline == UINT64_MAX && idle_ops(pool)->spins &&
	       pool->config.spin_us != NAP_NO_SPIN && nap__spin_for(pool, worker, event);
}

#endif /* NAP_IDLE_SPIN_H */
