/* SPDX-License-Identifier: MIT */
/*
 * Threads by clone(2). Each has one mapping:
 *
 * 	guard, no access | stack ->  <- top | thread-local variables | struct nap_bare_thread
 *
 * The kernel writes the tid before the thread runs, and zero when the thread has left its memory
 * for ever; then the kernel wakes the thread that waits for the tid to change. Only the kernel can
 * report the end: a thread that reports its own end still uses its stack.
 */
#include <errno.h>

#include <nap/config.h>

#include "arch/atomic.h"
#include "os/bare/bare.h"
#include "os/futex.h"
#include "os/os.h"
#include "thread.h"

#define STACK_DEFAULT	((size_t)1 << 20)
#define STACK_MAX	((size_t)1 << 40)

/*
 * FUTEX_WAIT_BITSET takes an absolute time. The futex is not private, because the kernel's wake at
 * the end of a thread is not private.
 */
#define FUTEX_WAIT_BITSET	9
#define FUTEX_ANY	0xffffffffL

static __thread uintptr_t stack_half, stack_end;

uintptr_t nap__os_stack_half(void)
{
	return stack_half;
}

bool nap__os_on_stack(uintptr_t address)
{
	/* The stack extends as far below its middle as above. */
	return address >= 2 * stack_half - stack_end && address < stack_end;
}

/* The first thread's stack, which grows, reaches from a little above @frame down to its limit. */
void nap__thread_init(void *frame)
{
	size_t limit = nap__os_stack_limit();

	/* if the limit is unknown: the kernel's default */
	stack_half = (uintptr_t)frame - (limit ? limit : 8u << 20) / 2;
	stack_end = (uintptr_t)frame;
}

static void thread_main(void *arg)
{
	struct nap_bare_thread *thread = arg;

	stack_half = (uintptr_t)thread->mapping + thread->guard_size + thread->stack_size / 2;
	stack_end = stack_half + thread->stack_size / 2;
	thread->run(thread->arg);
}

/* Maps the memory of a thread. NULL: there is no memory. */
static struct nap_bare_thread *map_thread(size_t stack_size, size_t guard_size)
{
	size_t top = round_up(stack_size + nap__tls_size(), 64);
	size_t size = guard_size + round_up(top + sizeof(struct nap_bare_thread), ANY_PAGE);
	struct nap_bare_thread *thread;
	char *mapping = nap__os_map(size);

	if (!mapping)
		return NULL;
	/* Fails only if there is no memory to divide the mapping. */
	if (guard_size && nap__syscall3(NAP__NR_mprotect, (long)mapping, (long)guard_size, 0)) {
		nap__os_unmap(mapping, size);
		return NULL;
	}
	/* The bytes that rounding adds are stack. */
	thread = (void *)(mapping + size - round_up(sizeof(*thread), 64));
	thread->mapping = mapping;
	thread->size = size;
	thread->guard_size = guard_size;
	thread->stack_size = size - guard_size - round_up(sizeof(*thread), 64) - nap__tls_size();
	return thread;
}

/* Returns the guard's size, in whole pages. */
static size_t guard_of(size_t wanted)
{
	if (wanted == NAP_NO_GUARD)
		return 0;
	return wanted ? round_up(wanted, ANY_PAGE) : ANY_PAGE;
}

int nap__thread_start(struct nap_bare_thread **handle, size_t stack_size, size_t guard_size,
		      void (*run)(void *arg), void *arg)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
				    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	struct nap_bare_thread *thread;
	char *stack_top;
	void *tp;
	long err;

	if (!handle || !run || stack_size > STACK_MAX || (stack_size && stack_size < STACK_MIN) ||
	    (guard_size > STACK_MAX && guard_size != NAP_NO_GUARD))
		return -EINVAL;
	thread = map_thread(stack_size ? stack_size : STACK_DEFAULT, guard_of(guard_size));
	*handle = thread;
	if (!thread)
		return -ENOMEM;
	thread->run = run;
	thread->arg = arg;
	stack_top = thread->mapping + thread->guard_size + thread->stack_size;
	tp = nap__clone_thread_pointer(nap__tls_make(stack_top));
	err = nap__clone(flags, stack_top, &thread->tid, &thread->tid, tp, thread_main, thread);
	if (err > 0)
		return 0;
	*handle = NULL;
	nap__thread_unmap(thread);
	return (int)err;
}

int nap_bare_thread_start(struct nap_bare_thread **handle, size_t stack_size,
			  void (*run)(void *arg), void *arg)
{
	return nap__thread_start(handle, stack_size, 0, run, arg);
}

int nap__thread_wait(struct nap_bare_thread *thread, uint64_t deadline)
{
	const int64_t until[] = { (int64_t)(deadline / NS_PER_S),
				  (int64_t)(deadline % NS_PER_S) };
	long time = deadline == UINT64_MAX ? 0 : (long)until, err = 0;
	uint32_t tid;

	/* Sees what the thread has done: pairs with the kernel, which clears the tid. [kernel] */
	while ((tid = nap_load_acquire(&thread->tid))) {
		if (err == -ETIMEDOUT)
			return -ETIMEDOUT;
		err = nap__syscall6(NAP__NR_futex, (long)&thread->tid, FUTEX_WAIT_BITSET, (long)tid,
				    time, 0, FUTEX_ANY);
	}
	return 0;
}

void nap__thread_unmap(struct nap_bare_thread *thread)
{
	nap__os_unmap(thread->mapping, thread->size);
}

void nap_bare_thread_join(struct nap_bare_thread *thread)
{
	nap__thread_wait(thread, UINT64_MAX);
	nap__thread_unmap(thread);
}
