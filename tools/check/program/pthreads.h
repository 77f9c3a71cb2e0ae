/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_PTHREADS_H
#define NAP_CHECK_PTHREADS_H

/* When another scenario begins: no thread has started another one. */
void creations_clear(void);

/* Thread-specific data: when an execution begins; and when a thread ends, which has it destroyed. */
void keys_begin(void);
void keys_end(void);

/* run.c: the running thread has come to its end, wherever it is. */
_Noreturn void thread_leaves(void);

#endif /* NAP_CHECK_PTHREADS_H */
