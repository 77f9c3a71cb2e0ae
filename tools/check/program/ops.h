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
void thread_ended(void);	/* tells who joins it */

/* ---- spin.c */

void op_yield(void);
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

/* A write to all of it, as it were: nobody may be there any more. */
void plain_free(uintptr_t begin, size_t size, uintptr_t pc);

/* ---- judge.c: when no thread can move any more */

/* Whether every thread has come as far as it ever will. */
bool is_complete(void);
void judge(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_OPS_H */
