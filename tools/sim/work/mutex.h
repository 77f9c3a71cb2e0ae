/* SPDX-License-Identifier: MIT */
/*
 * A mutex of three states and an event to sleep on, as a pool without nap would have them. (The
 * mutex is the third of U. Drepper, "Futexes Are Tricky", 2011.)
 */
#ifndef NAP_SIM_MUTEX_H
#define NAP_SIM_MUTEX_H

#include "program/sim.h"

struct mutex {
	uint32_t word;		/* 0: free, 1: locked, 2: locked, and others may sleep */
};

static inline void mutex_lock(struct mutex *mutex)
{
	uint32_t free = 0;

	if (__atomic_compare_exchange_n(&mutex->word, &free, 1, 0, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&mutex->word, 2, __ATOMIC_ACQUIRE))
		sim_futex_wait(&mutex->word, 2, UINT64_MAX);
}

static inline void mutex_unlock(struct mutex *mutex)
{
	if (__atomic_exchange_n(&mutex->word, 0, __ATOMIC_RELEASE) == 2)
		sim_futex_wake(&mutex->word, 1);
}

#endif /* NAP_SIM_MUTEX_H */
