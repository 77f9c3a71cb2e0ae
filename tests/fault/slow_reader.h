/* SPDX-License-Identifier: MIT */
/* A pipe with a slow reader, and signals that interrupt its writer. */
#ifndef NAP_TESTS_FAULT_SLOW_READER_H
#define NAP_TESTS_FAULT_SLOW_READER_H

#include <stdlib.h>
#include <unistd.h>

static int pipe_ends[2], out;

/*
 * A thread that copies from the pipe to @out, at most @most bytes at a time, until the pipe's end.
 */
static inline void *read_slowly(void *most)
{
	static char buf[4096];
	ssize_t n;

	while ((n = read(pipe_ends[0], buf, *(size_t *)most)) != 0) {
		if (n > 0 && write(out, buf, n) != n)
			abort();
		usleep(100);
	}
	return NULL;
}

static unsigned long nr_alarms;

static inline void alarmed(int number)
{
	(void)number;
	nr_alarms++;
}

#endif /* NAP_TESTS_FAULT_SLOW_READER_H */
