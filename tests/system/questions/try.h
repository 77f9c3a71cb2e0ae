/* SPDX-License-Identifier: MIT */
/*
 * Included first by the programs here, each of which runs one piece of Documentation/questions.rst,
 * and tests what the page says of it.
 */
#ifndef TRY_H
#define TRY_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/nap.h>

/* Ends the program with a line if @condition does not hold. */
#define TRY(condition)								\
	do {									\
		if (!(condition)) {						\
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);	\
			exit(1);						\
		}								\
	} while (0)

/* Waits, as a program does that has nothing else to do, until another thread has set @flag. */
#define UNTIL(flag)								\
	do {									\
		usleep(100);							\
	} while (!__atomic_load_n(&(flag), __ATOMIC_ACQUIRE))

#define SET(flag) __atomic_store_n(&(flag), 1, __ATOMIC_RELEASE)

#endif /* TRY_H */
