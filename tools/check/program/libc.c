/* SPDX-License-Identifier: MIT */
/*
 * What else a program calls of the C library that means something here: the end of the program,
 * assert(), waiting, futexes by syscall(2), and output, of which nothing comes: it would be that of
 * every execution.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "program/fault.h"
#include "program/libc.h"
#include "program/ops.h"
#include "program/outside.h"
#include "program/pthreads.h"
#include "program/shadow.h"
#include "program/turns.h"

#define PC ((uintptr_t)__builtin_return_address(0))
#define OP_PC (caller_sp = (uintptr_t)__builtin_frame_address(0) + 16, PC)

bool program_ended;

_Noreturn void program_ends(int status, uintptr_t pc)
{
	if (status)
		fault_at(pc, 0, "the program ends with status %d", status);
	if (self == MAX_THREADS)
		fault_at(pc, 0, "exit() outside of threads");
	program_ended = true;
	thread_leaves();
}

/* The strings that a format asks for are read. Of %n and widths in wide forms nothing is known. */
static void format_read(const char *format, va_list args, uintptr_t pc)
{
	string_read(format, SIZE_MAX, pc);
	for (const char *f = format; (f = strchr(f, '%')); ) {
		int wide = 0;

		for (f++; *f && strchr("-+ #0123456789.*hlLqjzt", *f); f++) {
			if (*f == '*')
				(void)va_arg(args, int);
			wide += *f == 'l' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'L';
		}
		switch (*f) {
		case 0:
			return;
		case '%':
			f++;
			break;
		case 's': {
			const char *s = va_arg(args, const char *);

			if (s && !wide)
				string_read(s, SIZE_MAX, pc);
			break;
		}
		case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
			if (f[-1] == 'L')
				(void)va_arg(args, long double);
			else
				(void)va_arg(args, double);
			break;
		case 'p': case 'n':
			(void)va_arg(args, void *);
			break;
		default:
			if (wide)
				(void)va_arg(args, long);
			else
				(void)va_arg(args, int);
		}
	}
}

#pragma GCC visibility push(default)

/* ---- ends */

_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status)
{
	program_ends(status, PC);
}

_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	fault_at(PC, 0, "abort()");
}

_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	fault_at(PC, 0, "assertion failed: %s:%u: %s: %s", file, line, function, what);
}

/* ---- waiting for time to pass: somebody else may go on */

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
	(void)time;
	(void)left;
	op_yield(OP_PC);
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
	(void)clock;
	(void)flags;
	(void)time;
	(void)left;
	op_yield(OP_PC);
	return 0;
}

/* ---- system calls by their numbers */

static long failed(int err)
{
	if (err >= 0)
		return err;
	errno = -err;
	return -1;
}

long syscall(long number, ...)
{
	uint32_t *word, value;
	const void *deadline;
	va_list args;
	int operation;

	if (number == SYS_gettid)
		return self + 1;
	if (number == SYS_sched_yield)
		return op_yield(OP_PC), 0;
	if (number != SYS_futex)
		goto unknown;
	va_start(args, number);
	word = va_arg(args, uint32_t *);
	operation = va_arg(args, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
	value = va_arg(args, uint32_t);
	deadline = va_arg(args, const void *);
	va_end(args);
	if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
		return failed(futex_wait(word, value, deadline, PC));
	if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
		futex_wake(word, value, PC);
		return 0;
	}
unknown:
	give_up(number == SYS_futex ? "a futex operation other than wait and wake" :
		"a system call other than futex");
}

/* ---- output */

#define PRINTED(format)						\
	va_list args, again;					\
	int length;						\
								\
	va_start(args, format);					\
	va_copy(again, args);					\
	format_read(format, again, PC);				\
	va_end(again);						\
	length = vsnprintf(NULL, 0, format, args);		\
	va_end(args);						\
	return length

int __wrap_printf(const char *format, ...);
int __wrap_printf(const char *format, ...)
{
	PRINTED(format);
}

int __wrap_fprintf(FILE *out, const char *format, ...);
int __wrap_fprintf(FILE *out, const char *format, ...)
{
	(void)out;
	PRINTED(format);
}

int __wrap_snprintf(char *to, size_t size, const char *format, ...);
int __wrap_snprintf(char *to, size_t size, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	format_read(format, again, PC);
	va_end(again);
	length = vsnprintf(to, size, format, args);
	va_end(args);
	if (size)
		plain_range((uintptr_t)to, (size_t)length < size ? (size_t)length + 1 : size, true, PC);
	return length;
}

int __wrap_puts(const char *s);
int __wrap_puts(const char *s)
{
	return (int)string_read(s, SIZE_MAX, PC);
}

int __wrap_fputs(const char *s, FILE *out);
int __wrap_fputs(const char *s, FILE *out)
{
	(void)out;
	return (int)string_read(s, SIZE_MAX, PC);
}

int __wrap_putchar(int c);
int __wrap_putchar(int c)
{
	return c;
}

int __wrap_fflush(FILE *out);
int __wrap_fflush(FILE *out)
{
	(void)out;
	return 0;
}

void __wrap_perror(const char *s);
void __wrap_perror(const char *s)
{
	string_read(s, SIZE_MAX, PC);
}
