/* SPDX-License-Identifier: MIT */
/* <threads.h>, with the locks that pthreads.c uses. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/fault.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/pthreads.h"
#include "program/shadow.h"
#include "program/stop.h"
#include "program/turns.h"

static int to_thrd(int err)
{
	return !err ? thrd_success : err == EBUSY ? thrd_busy : err == ETIMEDOUT ? thrd_timedout :
	       thrd_error;
}

/* Returns the lock of an mtx_t, its first word. The second word is its type. */
static uint32_t *lock_in(mtx_t *m)
{
	return (uint32_t *)m;
}

static enum lock_kind kind_of(mtx_t *m)
{
	return lock_in(m)[1] & mtx_recursive ? LOCK_RECURSIVE : LOCK_NORMAL;
}

#pragma GCC visibility push(default)

int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	/* @run returns an int, in the lower half of the register that would hold a pointer. */
	return to_thrd(create_thread(thread, false, (void *(*)(void *))(void *)run, arg, PC));
}

int thrd_join(thrd_t thread, int *status)
{
	void *value;
	int err = join_thread(thread, status ? &value : NULL, PC);

	if (!err && status) {
		plain_access(status, sizeof(*status), true, PC);
		*status = (int)(intptr_t)value;
	}
	return to_thrd(err);
}

int thrd_detach(thrd_t thread)
{
	detach_thread(thread, PC);
	return thrd_success;
}

thrd_t thrd_current(void)
{
	return pthread_self();
}

_Noreturn void thrd_exit(int status)
{
	pthread_exit((void *)(intptr_t)status);
}

void thrd_yield(void)
{
	op_yield(OP_PC);
}

int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	op_yield(OP_PC);
	return 0;
}

int mtx_init(mtx_t *m, int type)
{
	object_make(m, sizeof(*m), 0, (uint32_t)type, PC);
	return thrd_success;
}

void mtx_destroy(mtx_t *m)
{
	lock_unmake(m, sizeof(*m), "a mutex", PC);
}

int mtx_lock(mtx_t *m)
{
	return to_thrd(lock_take(lock_in(m), kind_of(m), false, "the mutex", PC));
}

int mtx_trylock(mtx_t *m)
{
	return to_thrd(lock_try(lock_in(m), kind_of(m), OP_PC));
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict deadline)
{
	return to_thrd(clock_waited(deadline, lock_take(lock_in(m), kind_of(m), true, "the mutex",
							PC)));
}

int mtx_unlock(mtx_t *m)
{
	return to_thrd(lock_release(lock_in(m), kind_of(m), "the mutex", PC));
}

int cnd_init(cnd_t *c)
{
	object_make(c, sizeof(*c), 0, 0, PC);
	return thrd_success;
}

void cnd_destroy(cnd_t *c)
{
	object_unmake(c, sizeof(*c), PC);
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
	return to_thrd(condition_wait(c, lock_in(m), kind_of(m), false, PC));
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict deadline)
{
	return to_thrd(clock_waited(deadline, condition_wait(c, lock_in(m), kind_of(m), true, PC)));
}

int cnd_signal(cnd_t *c)
{
	condition_wake(c, false, PC);
	return thrd_success;
}

int cnd_broadcast(cnd_t *c)
{
	condition_wake(c, true, PC);
	return thrd_success;
}

void call_once(once_flag *flag, void (*run)(void))
{
	do_once((uint32_t *)flag, run, PC);
}

int tss_create(tss_t *key, tss_dtor_t destroy)
{
	return to_thrd(make_key(key, destroy, PC));
}

void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
	return to_thrd(pthread_setspecific(key, value));
}
