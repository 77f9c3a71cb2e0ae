/* SPDX-License-Identifier: MIT */
/* Implements src/os/os.h without a libc, by system calls. */
#include "os/os.h"

#include <string.h>

#include "os/bare/bare.h"
#include "os/futex.h"

#define PROT_READ_WRITE		3
#define MAP_FLAGS		0x4022	/* private, anonymous, no swap reserved */
#define CLOCK_MONOTONIC		1
#define SIGABRT			6
#define ERRNO_MAX		4095ul

/* Without a libc there are no handlers: the program calls nap_bare_forked(). */
void nap__os_watch_forks(void (*before)(void), void (*child)(void))
{
	(void)before;
	(void)child;
}

void *nap__os_map(size_t size)
{
	unsigned long mem = (unsigned long)nap__syscall6(NAP__NR_mmap, 0, (long)size,
							 PROT_READ_WRITE, MAP_FLAGS, -1, 0);

	return mem > -ERRNO_MAX - 1 ? NULL : (void *)mem;
}

void nap__os_unmap(void *mem, size_t size)
{
	nap__syscall2(NAP__NR_munmap, (long)mem, (long)size);
}

uint64_t nap__os_now(void)
{
	struct {
		int64_t sec, nsec;
	} now = { 0, 0 };

	nap__syscall2(NAP__NR_clock_gettime, CLOCK_MONOTONIC, (long)&now);
	return (uint64_t)now.sec * NS_PER_S + (uint64_t)now.nsec;
}

void nap__os_block_signals(uint64_t blocked)
{
	nap__set_signal_mask(&blocked, NULL);
}

/* Nothing to do: a thread ends by return only, or with the whole process. */
void nap__os_thread_inside(void)
{
}

/* Not counted in tests, which write their counts before they call this. */
void nap_bare_exit(int code)
{
	for (;;)
		nap__syscall1(NAP__NR_exit_group, code);
}

_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
{
	char what[256], line[320];
	va_list args;

	va_start(args, fmt);
	nap__format_args(what, sizeof(what), fmt, args);
	va_end(args);
	if (caller)
		nap__format(line, sizeof(line), "nap: %s, called from %p\n", what, caller);
	else
		nap__format(line, sizeof(line), "nap: %s\n", what);
	nap__syscall3(NAP__NR_write, 2, (long)line, (long)strlen(line));
	nap__syscall3(NAP__NR_tgkill, nap__syscall0(NAP__NR_getpid), nap__syscall0(NAP__NR_gettid),
		      SIGABRT);
	/* Not counted in tests: nobody writes the counts after this. */
	nap_bare_exit(128 + SIGABRT);
}

/* Without a libc there is neither errno nor an exception. */
void nap__os_thread_find(struct nap__os_thread *thread)
{
	thread->none = 0;
	thread->err = &thread->none;
	thread->caught = NULL;
}

void nap__os_thread_state_look(void)
{
}
