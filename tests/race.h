/* SPDX-License-Identifier: MIT */
/*
 * Try what another thread might do before every access of a function in turn:
 *
 *	EACH_RACE(what_another_thread_does) {
 *		set up;
 *		race_begin();
 *		the function under test;
 *		race_end();
 *		raced: whether it was done by then; judge
 *	}
 *
 * The last turn is the one in which there were no more accesses to do it before.
 */
#ifndef NAP_TESTS_RACE_H
#define NAP_TESTS_RACE_H

#include <stdbool.h>

#include "arch/atomic.h"

__thread void (*race_step)(void);
__thread unsigned int race_at;

static unsigned int race_turn;
static bool raced;
static bool race_slept;	/* it was done only when the function was about to sleep */

static inline void race_begin(void)
{
	raced = race_slept = false;
	race_at = race_turn;
}

static inline void race_end(void)
{
	raced = !race_at && !race_slept;
	race_at = 0;
}

#define EACH_RACE(step)									\
	for (raced = true, race_turn = 1, race_step = (step); raced; race_turn++)

#endif /* NAP_TESTS_RACE_H */
