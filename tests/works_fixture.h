/* SPDX-License-Identifier: MIT */
/* Works that do nothing, and whose ends are counted. */
#ifndef NAP_TESTS_WORKS_FIXTURE_H
#define NAP_TESTS_WORKS_FIXTURE_H

#include <nap/work.h>

static int nr_done;

static inline int work_nothing(struct nap_work *work)
{
	(void)work;
	return 0;
}

static inline void count_done(struct nap_work *work, int result)
{
	(void)work;
	(void)result;
	nr_done++;
}

#endif /* NAP_TESTS_WORKS_FIXTURE_H */
