/* SPDX-License-Identifier: MIT */
/*
 * A counterexample as a file, and running it again. The first line is "nap-check 1 SCENARIO MODEL".
 * The next lines are these, with one line for each event in the order of execution:
 *
 *	of SUM				the program's code; the second line
 *	may-stop MASK			threads that might have stopped; the third line, if any
 *	reuse				freed memory comes back; the next line, if so
 *	THREAD r WRITER INDEX		a read, and the event that it reads; 0 0: the initial value
 *	THREAD w WRITER INDEX		a write, and the write that it follows in co
 *	THREAD c VALUE			a choice
 *	THREAD e			any other event
 *	end THREAD			the thread that ran last
 *
 * report/trace.c writes such a file.
 */
#ifndef NAP_CHECK_REPLAY_H
#define NAP_CHECK_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct counterexample {
	char scenario[64];
	unsigned model;		/* CHECK_SC and so on */
	uint32_t may_stop;
	bool reuse;		/* freed memory comes back */
	unsigned long program;	/* memory_code_sum() */
};

/*
 * Loads @file for strategy_replay, and fills in @of. A file that cannot be read, or is no
 * counterexample, ends the program with status 2.
 */
void replay_load(const char *file, struct counterexample *of);

bool replay_chooses(unsigned thread);	/* whether the thread's next event is a choice */

#endif /* NAP_CHECK_REPLAY_H */
