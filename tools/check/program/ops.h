/* SPDX-License-Identifier: MIT */
/* What the program asks for, and the kernel on its behalf, as operations. Any thread, or outside of them. */
#ifndef NAP_CHECK_OPS_H
#define NAP_CHECK_OPS_H

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* ---- ops.c: the program's own; outside of threads they are just done */

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc);
void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc);
uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc);

/* Whether a weak compare-exchange fails here for nothing, having read @old. */
bool op_weak_fails(const void *p, unsigned size, unsigned fail_order, uint64_t *old, uintptr_t pc);
void op_fence(unsigned order, unsigned flags, uintptr_t pc);

/* ---- hidden.c: of the checker's own, and of the kernel */

uint64_t hidden_rmw(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    uintptr_t pc);
void hidden_store(unsigned location, unsigned order, unsigned flags, uintptr_t pc);
void hidden_await(unsigned location, unsigned order, unsigned flags, bool timed, uintptr_t pc);
uint64_t kernel_load(const void *p, uintptr_t pc);
void create_event(unsigned number, uintptr_t pc);
unsigned op_choose(unsigned n, unsigned flags, uintptr_t pc);

/* ---- system.c */

extern bool heavy_fences;	/* the program uses membarrier */
void light_fence(uintptr_t pc);
void thread_ended(void);	/* tells the thread that joins it */
int thread_create(unsigned number, void (*run)(void *arg), void *arg, const char *name, uintptr_t pc);
void thread_join(unsigned number, uintptr_t pc);

/*
 * The waiters of a queue that is known by an address, the first to come first: a futex word's, or a
 * condition variable's, which has no value to compare. queue_wait() returns 0 (woken), -ETIMEDOUT or
 * -EINTR; the two halves of it are for the thread that has something to do between them. To wake
 * returns how many were woken, of at most @n.
 */
int futex_wait(const uint32_t *word, uint32_t expected, bool timed, uintptr_t pc);
unsigned futex_wake(const uint32_t *word, uint32_t n, uintptr_t pc);
unsigned queue_enter(const void *queue, enum rmw how, uintptr_t pc);
int queue_sleep(const void *queue, unsigned entry, bool timed, uintptr_t pc);
unsigned queue_wake(const void *queue, uint64_t n, uintptr_t pc);

/* ---- spin.c */

void op_yield(uintptr_t pc);

/* The last @n events, of which @reads read, change nothing until one of those is newer. */
void spin(unsigned n, unsigned reads);

/*
 * The thread's last read is to find something newer: it waits for @what, @object. @timed: it has had
 * the choice since then not to, and took it.
 */
void wait_for_newer(const char *what, const void *object, bool timed, uintptr_t pc);
extern bool execution_spun;	/* some thread has, in this execution */
bool spun_on_old(unsigned thread);

/* ---- plain.c */

/* The value of a plain write is in memory by now. */
void settle_writes(void);
static inline void settle(void)
{
	if (__builtin_expect(threads[self].unsettled, 0))
		settle_writes();
}

/* A write to all of it, as it were: no thread may be there by now. */
void plain_free(uintptr_t begin, size_t size, uintptr_t pc);

/*
 * Of a library's object, by the library: of its first word, whatever it does there. It races with plain
 * accesses only.
 */
void library_access(const void *object, uintptr_t pc);

/* ---- judge.c: when no thread can move */

/* Whether every thread has come as far as it ever will. */
bool is_complete(void);
void judge(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OPS_H */
