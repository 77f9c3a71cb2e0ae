/* SPDX-License-Identifier: MIT */
/*
 * The line that a test of the fault campaign prints at its end, for the table of `make faults`: how
 * often the fault was injected, and how many tasks were accepted and have ended. If the fault was
 * never injected, the test has shown nothing. So where the test counts faults, a count of 0 fails.
 * Where the test makes a fixed number of faults, the count cannot fail.
 */
#ifndef NAP_TESTS_FAULT_REPORT_H
#define NAP_TESTS_FAULT_REPORT_H

#include <stdio.h>

/*
 * @scheduled: accepted tasks; @ended: those of them that were run or handed back. To be called in
 * the test function, after its other assertions.
 */
#define fault_report(fault, injected, scheduled, ended)						\
	do {											\
		unsigned long nr_injected = (injected), nr_scheduled = (scheduled);		\
		unsigned long nr_ended = (ended);						\
												\
		EXPECT_GT(nr_injected, 0);							\
		EXPECT_EQ(nr_scheduled, nr_ended);						\
		printf("# FAULT %lu %lu %ld %s\n", nr_injected, nr_scheduled,			\
		       (long)(nr_scheduled - nr_ended), fault);					\
		fflush(stdout);									\
	} while (0)

#endif /* NAP_TESTS_FAULT_REPORT_H */
