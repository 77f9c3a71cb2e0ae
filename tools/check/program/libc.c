/* SPDX-License-Identifier: MIT */
/*
 * The other functions of the C library that the checker has to know: the end of the program,
 * assert(), waiting, time, futexes by syscall(2).
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/fault.h"
#include "program/libc.h"
#include "program/ops.h"
#include "program/outcome.h"
#include "program/outside.h"
#include "program/pthreads.h"
#include "program/siblings.h"
#include "program/shadow.h"
#include "program/turns.h"
#include "program/verifier.h"

bool program_ended;
unsigned program_ended_by;

_Noreturn void program_ends(int status, uintptr_t pc)
{
	if (status && !status_is_ignored)
		fault_at(pc, 0, "the program ends with status %d", status);
	if (OUTSIDE)
		fault_at(pc, 0, "exit() outside of threads");
	program_ended = true;
	outcome_status(status);
	program_ended_by = self;
	thread_leaves();
}

#pragma GCC visibility push(default)

/* ---- ends */

#define ENDS(name, end)			\
_Noreturn void name(int status);	\
_Noreturn void name(int status)		\
{					\
	end(status, PC);		\
}
ENDS(__wrap_exit, program_exits)
ENDS(__wrap__exit, program_ends)
ENDS(__wrap__Exit, program_ends)
ENDS(__wrap_quick_exit, program_ends)

_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	if (abort_drops)
		check_assume(false);
	fault_at(PC, 0, "abort()");
}

_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line,
				    const char *function);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line,
				    const char *function)
{
	fault_at(PC, 0, "assertion failed: %s:%u: %s: %s", file, line, function, what);
}

/* ---- waits for a time: other threads may run */

int __wrap_usleep(useconds_t time);
int __wrap_usleep(useconds_t time)
{
	(void)time;
	op_yield(OP_PC);
	return 0;
}

unsigned __wrap_sleep(unsigned time);
unsigned __wrap_sleep(unsigned time)
{
	(void)time;
	op_yield(OP_PC);
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	plain_range((uintptr_t)time, sizeof(*time), false, PC);
	(void)left;
	op_yield(OP_PC);
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *left)
{
	(void)clock;
	(void)flags;
	plain_range((uintptr_t)time, sizeof(*time), false, PC);
	(void)left;
	op_yield(OP_PC);
	return 0;
}

/* ---- time: clock.h */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	plain_range((uintptr_t)now, sizeof(*now), true, PC);
	*now = clocks[self];
	return 0;
}

int __wrap_timespec_get(struct timespec *now, int base);
int __wrap_timespec_get(struct timespec *now, int base)
{
	__wrap_clock_gettime(CLOCK_REALTIME, now);
	return base;
}

int __wrap_gettimeofday(struct timeval *now, void *zone);
int __wrap_gettimeofday(struct timeval *now, void *zone)
{
	(void)zone;
	plain_range((uintptr_t)now, sizeof(*now), true, PC);
	*now = (struct timeval){ clocks[self].tv_sec, clocks[self].tv_nsec / 1000 };
	return 0;
}

clock_t __wrap_clock(void);
clock_t __wrap_clock(void)
{
	return 0;	/* the clock of CPU time: a thread that waits uses none */
}

time_t __wrap_time(time_t *now);
time_t __wrap_time(time_t *now)
{
	if (now) {
		plain_range((uintptr_t)now, sizeof(*now), true, PC);
		*now = clocks[self].tv_sec;
	}
	return clocks[self].tv_sec;
}

/* ---- system calls by their numbers */

static long failed(int err)
{
	if (err >= 0)
		return err;
	errno = -err;
	return -1;
}

/* Takes as many arguments as the operation has. */
static long futex_call(va_list args, uintptr_t pc)
{
	uint32_t *word = va_arg(args, uint32_t *);
	int operation = va_arg(args, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
	uint32_t value = va_arg(args, uint32_t);
	const struct timespec *deadline = NULL;
	int err;

	if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
		deadline = va_arg(args, const struct timespec *);
		if (deadline)
			plain_range((uintptr_t)deadline, sizeof(*deadline), false, pc);
	} else if (operation == FUTEX_WAKE_BITSET) {
		(void)va_arg(args, void *);
	} else if (operation != FUTEX_WAKE) {
		give_up("a futex operation other than wait and wake");
	}
	if (operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET) {
		(void)va_arg(args, void *);
		if (va_arg(args, uint32_t) != FUTEX_BITSET_MATCH_ANY)
			give_up("a futex operation on some bits of the set only");
	}
	if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
		return (long)futex_wake(word, value, pc);
	err = futex_wait(word, value, deadline, pc);
	if (deadline && operation == FUTEX_WAIT)
		clock_waited_for(deadline, err);
	else if (deadline)
		clock_waited(deadline, err);
	return failed(err);
}

static pid_t own_number(void)
{
	if (!OUTSIDE)
		siblings_differ(1u << self);
	return (pid_t)self + 1;
}

long syscall(long number, ...)
{
	va_list args;
	long returned;

	if (number == SYS_gettid)
		return own_number();
	if (number == SYS_sched_yield)
		return op_yield(OP_PC), 0;
	if (number != SYS_futex)
		give_up("a system call other than futex");
	va_start(args, number);
	returned = futex_call(args, PC);
	va_end(args);
	return returned;
}

pid_t __wrap_gettid(void);
pid_t __wrap_gettid(void)
{
	return own_number();
}
