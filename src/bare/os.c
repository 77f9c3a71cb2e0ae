/* SPDX-License-Identifier: MIT */
/* The system, without a libc: what src/os.h asks for, by system calls. */
#include "os.h"

#include <string.h>

#include "atomic.h"
#include "bare.h"
#include "worker.h"

#define PROT_READ_WRITE		3
#define MAP_FLAGS		0x4022	/* private, anonymous, no swap reserved */
#define CLOCK_MONOTONIC		1
#define SIG_SETMASK		2
#define SIGABRT			6
#define ERRNO_MAX		4095ul

/* Without a libc nobody can: the program calls nap_bare_forked(). */
void nap__os_watch_forks(void)
{
}

void nap_bare_forked(void)
{
	nap__os_forked(nap_load_relaxed(&nap__fork_gen));
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
	return (uint64_t)now.sec * 1000000000u + (uint64_t)now.nsec;
}

static void set_signal_mask(const uint64_t *mask, uint64_t *old)
{
	nap__syscall4(NAP__NR_rt_sigprocmask, SIG_SETMASK, (long)mask, (long)old, sizeof(*mask));
}

void nap__os_block_signals(uint64_t blocked)
{
	set_signal_mask(&blocked, NULL);
}

/* A thread ends by return only, or with the whole process: nobody has to be told. */
void nap__os_thread_inside(void)
{
}

static void run_worker(void *worker)
{
	nap__os_inherit(worker);
	nap__worker_main(worker);
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	const uint64_t all = ~(uint64_t)0;
	struct nap_bare_thread *thread;
	uint64_t old;
	int err;

	if (stack_size && stack_size < STACK_MIN)
		stack_size = STACK_MIN;
	/* The mask is inherited: all are blocked until the worker has set its own. */
	set_signal_mask(&all, &old);
	err = nap_bare_thread_start(&thread, stack_size, run_worker, worker);
	set_signal_mask(&old, NULL);
	if (!err)
		worker->thread = (uintptr_t)thread;
	return err;
}

int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	struct nap_bare_thread *thread = (struct nap_bare_thread *)worker->thread;
	int err = nap__thread_wait(thread, deadline);

	if (err)
		return err;
	/* First: in the child of a fork another mapping may lie there by now. */
	nap_store_relaxed(&worker->thread, 0);
	nap__thread_unmap(thread);
	return 0;
}

void nap__os_thread_lost(struct nap_worker *worker)
{
	struct nap_bare_thread *thread = (struct nap_bare_thread *)nap_load_relaxed(&worker->thread);

	if (thread)
		nap__thread_unmap(thread);
}

/* Not counted in tests: they write their counts before they call it. */
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
	/* Not counted in tests: nobody writes the counts any more. */
	nap_bare_exit(128 + SIGABRT);
}
