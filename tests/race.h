/* SPDX-License-Identifier: MIT */
/*
 * Tries a step of another thread before every access of a function, one access after another:
 *
 * 	EACH_RACE(step) {
 * 		set up;
 * 		race_begin();
 * 		the function under test;
 * 		race_end();
 * 		judge; raced: the step came before the function's end
 * 	}
 *
 * EACH_RACE() ends with a round in which the function ends before the step comes.
 */
#ifndef NAP_TESTS_RACE_H
#define NAP_TESTS_RACE_H

#include <stdbool.h>

#include "arch/atomic.h"

__thread void (*race_step)(void);
__thread unsigned int race_at;

static unsigned int race_turn;
static bool raced;
static bool race_slept;	/* the step has come only when the function was about to sleep */

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
