/* SPDX-License-Identifier: MIT */
/* As much of pthreads as the tests use when they run on the bare library. */
#include "bare_libc.h"

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/futex.h"
#include "os/os.h"

#define PR_GET_NAME	16

static int nr_pthreads;

struct bare_pthread {
	struct nap_bare_thread *thread;
	uint32_t tid;		/* atomic: 0 until the thread runs */
	void *(*run)(void *);
	void *arg, *result;
};

static __thread struct bare_pthread *self;

static void run_pthread(void *arg)
{
	self = arg;
	nap_store_relaxed(&self->tid, (uint32_t)nap__syscall0(NAP__NR_gettid));
	self->result = self->run(self->arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	struct bare_pthread *new = malloc(sizeof(*new));

	*new = (struct bare_pthread){ .run = run, .arg = arg };
	/* The handle is stored before the new thread can read it. */
	*thread = new;
	nap_fetch_add_relaxed((uint32_t *)&nr_pthreads, 1);
	if (nap_bare_thread_start(&new->thread, attr ? attr->stack_size : 0, run_pthread, new))
		abort();
	return 0;
}

int pthread_join(pthread_t thread, void **result)
{
	nap_bare_thread_join(thread->thread);
	nap_fetch_sub_relaxed((uint32_t *)&nr_pthreads, 1);
	if (result)
		*result = thread->result;
	free(thread);
	return 0;
}

int pthread_kill(pthread_t thread, int signal)
{
	uint32_t tid;

	while (!(tid = nap_load_relaxed(&thread->tid)))
		sched_yield();
	return (int)nap__syscall3(NAP__NR_tgkill, getpid(), tid, signal);
}

pthread_t pthread_self(void)
{
	return self;
}

int pthread_attr_init(pthread_attr_t *attr)
{
	attr->stack_size = 0;
	return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	attr->stack_size = size;
	return 0;
}

/*
 * Reports a stack size: twice the distance from this frame to the middle of the stack. This is
 * nearly right, because few frames are in use.
 */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	(void)thread;
	attr->stack_size = 2 * ((uintptr_t)__builtin_frame_address(0) - nap__os_stack_half());
	return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size)
{
	*stack = NULL;
	*size = attr->stack_size;
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
	(void)attr;
	return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	(void)thread;
	(void)size;	/* the kernel writes 16 bytes, whatever the size is */
	return (int)nap__syscall2(NAP__NR_prctl, PR_GET_NAME, (long)name);
}

int bare_count_pthreads(void)
{
	return (int)nap_load_relaxed((uint32_t *)&nr_pthreads);
}

/* ---- mutexes, whose waiters yield ---- */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	/*
	 * Pairs with the store in pthread_mutex_unlock(): the new owner sees what was done under
	 * the mutex.
	 */
	while (nap_xchg_acquire(&mutex->taken, 1))
		sched_yield();
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	nap_store_release(&mutex->taken, 0);
	return 0;
}

/* ---- barriers: arrivals are counted and never reset; each @n arrivals end a round ---- */

int pthread_barrier_init(pthread_barrier_t *barrier, const void *attr, unsigned int n)
{
	(void)attr;
	*barrier = (pthread_barrier_t){ .n = n };
	return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	uint32_t arrived = nap_fetch_add_acq_rel(&barrier->arrived, 1) + 1;
	uint32_t round = (arrived - 1) / barrier->n;

	if (arrived % barrier->n == 0) {
		nap_store_release(&barrier->rounds, round + 1);
		nap__futex_wake(&barrier->rounds, UINT32_MAX >> 1);
	}
	while (nap_load_acquire(&barrier->rounds) == round)
		nap__futex_wait(&barrier->rounds, round, UINT64_MAX);
	return 0;
}
