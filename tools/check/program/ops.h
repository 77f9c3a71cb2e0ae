/* SPDX-License-Identifier: MIT */
/*
 * Operations of the program, and of the kernel on its behalf. Called in any thread, or outside of
 * them.
 */
#ifndef NAP_CHECK_OPS_H
#define NAP_CHECK_OPS_H

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* ---- ops.c: the program's own; outside of threads they are done without events */

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc);
void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc);
uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc);

/*
 * Stores @as in *@word if the lock is free (*@word is 0), and returns the old value. In a strategy
 * that reduces, waits until the lock is free. Then a result other than 0 says that the lock never
 * becomes free.
 */
uint64_t op_lock(uint32_t *word, uint32_t as, uintptr_t pc);

/* Whether a weak compare-exchange fails spuriously; if so, *@old is the value that it has read. */
bool op_weak_fails(const void *p, unsigned size, unsigned fail_order, uint64_t *old, uintptr_t pc);
void op_fence(unsigned order, unsigned flags, uintptr_t pc);

/* ---- hidden.c: operations of the checker and of the kernel */

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
void thread_ended(void);	/* wakes the thread that joins it */
int thread_create(unsigned number, void (*run)(void *arg), void *arg, const char *name,
		  uintptr_t pc);
void thread_join(unsigned number, uintptr_t pc);

/*
 * The queue of waiters of an address, the first waiter first: of a futex word, or of a condition
 * variable, which has no value to compare. A wait is queue_enter(), then queue_sleep(), which
 * returns 0 (woken), -ETIMEDOUT or -EINTR; futex_wait() does both, or returns -EAGAIN.
 * queue_wake() wakes @n at most, and returns how many. queue_signal() wakes one, any of them.
 */
int futex_wait(const uint32_t *word, uint32_t expected, bool timed, uintptr_t pc);
unsigned futex_wake(const uint32_t *word, uint32_t n, uintptr_t pc);
unsigned queue_enter(const void *queue, enum rmw how, uintptr_t pc);
int queue_sleep(const void *queue, unsigned entry, bool timed, uintptr_t pc);
unsigned queue_wake(const void *queue, uint64_t n, uintptr_t pc);
void queue_signal(const void *queue, uintptr_t pc);

/* ---- spin.c */

void op_yield(uintptr_t pc);

/*
 * Notes that the last @n events change nothing. Waits until one of the @reads reads among them
 * has something newer to read.
 */
void spin(unsigned n, unsigned reads);

/*
 * Waits for @what at @object until the thread's last read finds something newer. @timed: the
 * thread could have chosen not to wait, and has chosen to wait.
 */
void wait_for_newer(const char *what, const void *object, bool timed, uintptr_t pc);
extern bool execution_spun;	/* a thread has spun in this execution */
bool spun_on_old(unsigned thread);

/* ---- plain.c */

/* Gives the pending plain writes their values, which are in memory now. */
void settle_writes(void);
static inline void settle(void)
{
	if (__builtin_expect(threads[self].unsettled, 0))
		settle_writes();
}

/* The range is freed: this counts as a write to all of it, because no thread may use it now. */
void plain_free(uintptr_t begin, size_t size, uintptr_t pc);

/* Adds the event of a plain write to @location that the compiler has not shown. */
void plain_unseen(unsigned location, uintptr_t pc);

/* ---- judge.c: when no thread can move */

/* Whether no thread will ever get further. */
bool is_complete(void);
void judge(void);
extern bool stuck_wanted;	/* a wait that the program's end has ended is a fault */
extern char left_stuck[512];	/* the first such wait of the search; or "" */
extern uintptr_t left_stuck_at;

/* Whether the thread waits for ever in the last execution. Says for what, and at which @pc. */
bool thread_is_stuck(unsigned number, char *out, size_t size, uintptr_t *pc);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OPS_H */
