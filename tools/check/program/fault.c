/* SPDX-License-Identifier: MIT */
/*
 * Faults. The first fault ends an execution, and makes it a counterexample. The checker finds
 * faults, the scenario asks for them, or the program has its own (SIGSEGV and the like).
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "graph/fatal.h"
#include "program/bounds.h"
#include "program/fault.h"
#include "program/faults.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/ops.h"
#include "program/outside.h"
#include "program/turns.h"

struct fault fault;

static void set_fault(uintptr_t pc, uintptr_t other_pc, const char *format, va_list args)
{
	if (fault.found)
		return;
	fault.found = true;
	fault.by = self;
	fault.pc = pc;
	fault.other_pc = other_pc;
	if (!other_pc)
		fault.other_clock = 0;
	fault.waits = false;
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	callers_now(&fault.callers);	/* a stack that is used up may end the unwinding */
}

static _Noreturn void end_with_fault(void)
{
	faults_end_thread();
	abandon();
}

_Noreturn void fault_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_fault(pc, other_pc, format, args);
	va_end(args);
	end_with_fault();
}

/*
 * The second run (callers.h) takes plain accesses in another order, and so may come to a race
 * earlier. The run has to execute all recorded events, and no others.
 */
static void stop_behind_race(void)
{
	if (threads[self].done == graph->count[self])
		thread_stops(T_PRUNED);
}

void race_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
{
	va_list args;

	if (callers_wanted) {
		stop_behind_race();
		return;
	}
	va_start(args, format);
	set_fault(pc, other_pc, format, args);
	va_end(args);
	if (!faults_pass())
		abandon();
}

void check_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_fault((uintptr_t)__builtin_return_address(0), 0, format, args);
	va_end(args);
	end_with_fault();
}

void check_assume(bool condition)
{
	if (condition)
		return;
	if (self == MAX_THREADS)
		fault_at((uintptr_t)__builtin_return_address(0), 0,
			 "check_assume() outside of threads");
	settle();
	thread_stops(T_PRUNED);
}

/* Returns where the stack was used up: perhaps in the checker or a library. */
static uintptr_t overflowed_at(uintptr_t pc, uintptr_t sp)
{
	uintptr_t top = memory_stack(self);

	if (sp < top - STACK_SIZE)
		sp = top - STACK_SIZE;
	for (; !memory_is_code(pc) && sp < top; sp += sizeof(uintptr_t))
		pc = *(const uintptr_t *)sp;
	return pc;
}

_Noreturn void stack_used_up(size_t size, uintptr_t pc)
{
	fault_at(pc, 0, "stack overflow: %s has used up its stack, %zu KiB", thread_name(self),
		 size >> 10);
}

#define LARGEST_FRAME ((uintptr_t)64 << 20)

/* Whether @sp is at most LARGEST_FRAME below the running thread's stack, in no allocated object. */
static bool is_below_stack(uintptr_t sp)
{
	return self != MAX_THREADS && own_stack - sp - 1 < LARGEST_FRAME && !heap_object(sp);
}

void look_below_stack(uintptr_t sp, uintptr_t pc)
{
	if (is_below_stack(sp))
		stack_used_up(STACK_SIZE, pc);
}

void look_at_depth(uintptr_t sp, uintptr_t pc)
{
	if (sp - own_stack < STACK_SIZE && memory_stack(self) - sp > stack_limit)
		stack_used_up(stack_limit, pc);
}

/*
 * Handles a fault of the program. The handler need not return, because the kernel looks only at sp
 * to see whether the signals' stack is in use. The handler returns only if a thread goes deep on
 * its stack for the first time.
 */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1;
	uintptr_t sp = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];

	if (signal == SIGSEGV && memory_open_stack((uintptr_t)info->si_addr))
		return;
	if (self == MAX_THREADS && !is_outside())
		fatal(strsignal(signal));
	if (self != MAX_THREADS && signal == SIGSEGV &&
	    (memory_below_stack((uintptr_t)info->si_addr, self) || is_below_stack(sp)))
		stack_used_up(STACK_SIZE, overflowed_at(pc, sp));
	if (signal == SIGSEGV || signal == SIGBUS)
		fault_at(pc, 0, "%s: at %#lx", nowhere_name((uintptr_t)info->si_addr),
			 (uintptr_t)info->si_addr);
	fault_at(pc, 0, "signal: %s", strsignal(signal));
}

/*
 * The time limit also ends a loop that makes no access. But a tick in the checker or in a library
 * ends nothing. Then the next plain access or the next tick ends the execution. If a thread has
 * been in a library for some ticks, the execution ends there, too.
 */
#define TICKS_IN_LIBRARY 40	/* two seconds */

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	static unsigned nr_late;

	(void)signal;
	(void)info;
	search_ticked = true;
	if ((self == MAX_THREADS && !is_outside()) || !search_is_late()) {
		nr_late = 0;
		return;
	}
	plain_left = 1;
	if (memory_is_code((uintptr_t)c->uc_mcontext.gregs[REG_RIP]) ||
	    ++nr_late == TICKS_IN_LIBRARY) {
		nr_late = 0;
		give_up(TIME_IS_UP);
	}
}

void tick(void)
{
	struct sigaction action = {
		.sa_sigaction = on_tick,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART,
	};
	struct itimerval often = { { 0, 50000 }, { 0, 50000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

void catch_signals(void)
{
	static char stack[65536];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	sigaltstack(&alternative, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
}
