/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_PTHREADS_H
#define NAP_CHECK_PTHREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Forgets, when another scenario begins, the threads that threads have started. */
void creations_clear(void);

/*
 * creations_write() writes which threads were started. creations_read() takes over what another
 * process has written. *@others: the threads, a bit each, that may have other numbers there. False:
 * @in has something else.
 */
void creations_write(FILE *out);
bool creations_read(FILE *in, uint32_t *others);

/* Forgets the joins, when an execution begins. */
void joins_begin(void);

/* What the thread returns, once it is known. */
const void *thread_value(unsigned number);

/*
 * The common parts of C's and POSIX's calls. join_thread() returns 0 or EDEADLK, create_thread()
 * 0 or EAGAIN.
 */
int create_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *arg, uintptr_t pc);
int join_thread(pthread_t thread, void **value, uintptr_t pc);
void detach_thread(pthread_t thread, uintptr_t pc);
int make_key(pthread_key_t *key, void (*destroy)(void *), uintptr_t pc);	/* 0 or EAGAIN */

/*
 * Thread-specific data. keys_begin() is for the start of an execution; keys_end() destroys the
 * values of a thread that ends by itself, not with the program.
 */
void keys_begin(void);
void keys_end(void);
void keys_of(unsigned thread, void (*visit)(uintptr_t begin, uintptr_t end));	/* the values */

/* threads.c: the first function on a thread's stack; and the end of the running thread. */
void *thread_main(void *thread);
_Noreturn void thread_leaves(void);

/*
 * ends.c: the running thread ends by itself, and runs its handlers. unwind.c: the thread leaves
 * its functions first.
 */
_Noreturn void thread_ends(void);
_Noreturn void thread_unwinds(void);
void ends_begin(void);		/* when an execution begins */

#pragma GCC visibility pop

#endif /* NAP_CHECK_PTHREADS_H */
