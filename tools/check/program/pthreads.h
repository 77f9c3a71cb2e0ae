/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_PTHREADS_H
#define NAP_CHECK_PTHREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* When another scenario begins: no thread has started another one. */
void creations_clear(void);

/* When an execution begins: nobody is joined. */
void joins_begin(void);

/*
 * The common parts of C's and POSIX's calls. join_thread() returns 0 or EDEADLK, create_thread() 0
 * or EAGAIN.
 */
int create_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *arg, uintptr_t pc);
int join_thread(pthread_t thread, void **value, uintptr_t pc);
void detach_thread(pthread_t thread, uintptr_t pc);
int make_key(pthread_key_t *key, void (*destroy)(void *), uintptr_t pc);	/* 0 or EAGAIN */

/*
 * Thread-specific data: at the start of an execution; and when a thread ends by itself, not with
 * the program, and its values are destroyed.
 */
void keys_begin(void);
void keys_end(void);
void keys_of(unsigned thread, void (*visit)(uintptr_t begin, uintptr_t end));	/* the values */

/*
 * threads.c: what comes first on a thread's stack; and that the running thread has come to its end.
 */
void thread_main(void *thread);
_Noreturn void thread_leaves(void);

/*
 * ends.c: the running thread ends by itself, and does what is to be done then. unwind.c: the same,
 * after its functions were left.
 */
_Noreturn void thread_ends(void);
_Noreturn void thread_unwinds(void);
void ends_begin(void);		/* when an execution begins */

#pragma GCC visibility pop

#endif /* NAP_CHECK_PTHREADS_H */
