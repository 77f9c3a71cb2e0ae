/* SPDX-License-Identifier: MIT */
/*
 * Judges what is left of a queue when one of its users has stopped for ever in the middle of an
 * operation (.may_stop). A set of jobs has a bit for each job. A thread that never ends is a
 * fault that the checker itself finds.
 */
#ifndef MODEL_QUEUE_STOPPED_H
#define MODEL_QUEUE_STOPPED_H

#include "queue_fixture.h"

#define JOB_BIT(number)	(1u << (number))

/*
 * .finally, when all that can be taken was taken: returns the jobs that no thread has taken, and
 * checks that none was taken twice.
 */
CHECK_OUTSIDE static inline uint32_t jobs_missing(uint32_t nr)
{
	uint32_t had = 0;

	for (uint32_t t = 0; t <= CHECK_THREADS; t++)
		for (uint32_t i = 0; i < taken[t].nr; i++) {
			uint32_t bit = JOB_BIT(taken[t].job[i]);

			if (had & bit)
				check_fail("task %u runs twice", taken[t].job[i]);
			had |= bit;
		}
	return (JOB_BIT(nr) - 1) & ~had;
}

/* .finally: checks that exactly the jobs of @expected could not be taken. */
CHECK_OUTSIDE static inline void judge_missing(uint32_t nr, uint32_t expected)
{
	uint32_t missing = jobs_missing(nr);

	if (missing & ~expected)
		check_fail("tasks %#x cannot be had, and nobody has them in hand",
			   missing & ~expected);
	if (expected & ~missing)
		check_fail("tasks %#x were had from one who still has them in hand",
			   expected & ~missing);
}

#endif /* MODEL_QUEUE_STOPPED_H */
