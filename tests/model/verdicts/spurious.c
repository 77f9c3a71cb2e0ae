/* SPDX-License-Identifier: MIT */
/*
 * Waits that return without a reason, where one such return is allowed.
 *
 * options --spurious=1
 * verdict asks_once: found: .*: ready
 * verdict asks_again: no fault
 * verdict asks_once_c11: found: .*: ready
 * verdict asks_again_c11: no fault
 * verdict in_time: found: .*: ready
 * verdict futex: found: .*: .*EAGAIN
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <nap/check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t mtx;
static cnd_t cnd;
static bool ready;
static atomic_int word;

static void make(void *arg)
{
	pthread_mutex_lock(&mutex);
	ready = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
}

static void once(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (!ready)
		pthread_cond_wait(&condition, &mutex);
	CHECK(ready);
	pthread_mutex_unlock(&mutex);
}

static void again(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

/* Takes the condition to be ready whenever the wait has not timed out, which is the fault. */
static void timed(void *arg)
{
	struct timespec until = { 5, 0 };

	pthread_mutex_lock(&mutex);
	if (!ready && !pthread_cond_timedwait(&condition, &mutex, &until))
		CHECK(ready);
	pthread_mutex_unlock(&mutex);
}

static void begin_c11(void)
{
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
}

static void make_c11(void *arg)
{
	mtx_lock(&mtx);
	ready = true;
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
}

static void once_c11(void *arg)
{
	mtx_lock(&mtx);
	if (!ready)
		cnd_wait(&cnd, &mtx);
	CHECK(ready);
	mtx_unlock(&mtx);
}

static void again_c11(void *arg)
{
	mtx_lock(&mtx);
	while (!ready)
		cnd_wait(&cnd, &mtx);
	mtx_unlock(&mtx);
}

static void sleep_once(void *arg)
{
	long err = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);

	CHECK(!err || errno == EAGAIN);
}

static void wake(void *arg)
{
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

CHECK_SCENARIO(asks_once, .threads = { { once }, { make } });
CHECK_SCENARIO(asks_again, .threads = { { again }, { make } });
CHECK_SCENARIO(asks_once_c11, .setup = begin_c11, .threads = { { once_c11 }, { make_c11 } });
CHECK_SCENARIO(asks_again_c11, .setup = begin_c11, .threads = { { again_c11 }, { make_c11 } });
CHECK_SCENARIO(in_time, .threads = { { timed }, { make } });
CHECK_SCENARIO(futex, .threads = { { sleep_once }, { wake } });
