/* SPDX-License-Identifier: MIT */
/* EXPECT_SEGV() checks the status of a child. To be included after harness.h and sys/wait.h. */
#ifndef NAP_TESTS_SEGV_H
#define NAP_TESTS_SEGV_H

#define EXPECT_SEGV(status) do {						\
	int ended = (status);							\
	EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGSEGV);		\
} while (0)

#endif /* NAP_TESTS_SEGV_H */
