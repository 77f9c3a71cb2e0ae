/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the bare library share. */
#ifndef NAP_BARE_BARE_H
#define NAP_BARE_BARE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/bare.h>

#include "arch/syscall.h"
#include "os/os.h"

/*
 * Flags of clone(2), as in linux/sched.h. A thread is started with all of these flags, as pthreads
 * does, because emulators support no other set.
 */
#define CLONE_VM		0x00000100ul
#define CLONE_FS		0x00000200ul
#define CLONE_FILES		0x00000400ul
#define CLONE_SIGHAND		0x00000800ul
#define CLONE_THREAD		0x00010000ul
#define CLONE_SYSVSEM		0x00040000ul
#define CLONE_SETTLS		0x00080000ul
#define CLONE_PARENT_SETTID	0x00100000ul
#define CLONE_CHILD_CLEARTID	0x00200000ul

/* A multiple of every page size of Linux on the supported machines. */
#define ANY_PAGE	65536u

static inline size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

#define SIG_SETMASK		2

static inline void nap__set_signal_mask(const uint64_t *mask, uint64_t *old)
{
	nap__syscall4(NAP__NR_rt_sigprocmask, SIG_SETMASK, (long)mask, (long)old, sizeof(*mask));
}

/* The program's own ELF header, where the linker has put it. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* src/os/bare/tls.c: the block of thread-local variables, of which every thread has a copy. */
void nap__tls_find(const void *ehdr, uintptr_t base);
size_t nap__tls_size(void);
/* makes a copy in nap__tls_size() zeroed bytes; returns the thread pointer */
void *nap__tls_make(void *mem);

/*
 * src/os/bare/relocate.c: relocates the program, using only relative addresses; returns its base
 * address.
 */
uintptr_t nap__relocate(const void *ehdr);

/* src/os/bare/thread.c: notes the middle of the first thread's stack, which the kernel made. */
void nap__thread_init(void *frame);

/* src/os/bare/thread.c: nap_bare_thread_start() with a guard as in nap_config.guard_size. */
int nap__thread_start(struct nap_bare_thread **handle, size_t stack_size, size_t guard_size,
		      void (*run)(void *arg), void *arg);

/*
 * src/os/bare/thread.c: the two halves of nap_bare_thread_join(). nap__thread_wait() returns 0 or
 * -ETIMEDOUT.
 */
int nap__thread_wait(struct nap_bare_thread *thread, uint64_t deadline);
void nap__thread_unmap(struct nap_bare_thread *thread);

/* src/os/bare/thread.c: a thread's record, at the top of its mapping. */
struct nap_bare_thread {
	uint32_t tid;		/* atomic; 0 when the thread has ended */
	char *mapping;
	size_t size;		/* bytes of the mapping */
	size_t guard_size;	/* bytes of the guard, at the beginning of the mapping */
	size_t stack_size;
	void (*run)(void *arg);
	void *arg;
};

/*
 * src/os/bare/format.c. Both functions write at most @size bytes, the final 0 included, and know
 * %s, %u and %p.
 */
void nap__format_args(char *to, size_t size, const char *fmt, va_list args);
void nap__format(char *to, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit code of a process that cannot be set up. */
#define EXIT_UNFIT 127

/* arch/<isa>/clone.S */
long nap__clone(unsigned long flags, void *stack, uint32_t *parent_tid, uint32_t *child_tid,
		void *thread_pointer, void (*run)(void *), void *arg)
	__attribute__((visibility("hidden")));

#endif /* NAP_BARE_BARE_H */
