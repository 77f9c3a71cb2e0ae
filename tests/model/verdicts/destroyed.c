/* SPDX-License-Identifier: MIT */
/*
 * Locks and conditions that do not exist: destroyed, freed, or never made.
 *
 * verdict destroyed_while_locked: found: a mutex is destroyed that is locked
 * verdict destroyed_while_read: found: an rwlock is destroyed that is locked
 * verdict destroyed_twice: found: destroyed twice: lock
 * verdict locked_destroyed: found: use of what was destroyed: lock
 * verdict waited_for_destroyed: found: use of what was destroyed: changed
 * verdict counted_destroyed: found: use of what was destroyed: items
 * verdict made_again: no fault
 * verdict signal_behind_unlock: found: use of freed memory: atomic write by T1 and free by T0
 * verdict signal_before_unlock: no fault
 * verdict signal_late: found: data race: atomic write by T[01] and read by T[01] of changed
 * verdict signal_none: found: access through NULL
 * verdict signal_unmade: found: reads what was never written
 * verdict wait_for_none: found: access through NULL
 */
#include <nap/check.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t items;
static atomic_int flag;

static void lock_and_end(void *arg)
{
	pthread_mutex_lock(&lock);
	atomic_store(&flag, 1);
}

static void destroy_then(void *arg)
{
	while (!atomic_load(&flag))
		;
	pthread_mutex_destroy(&lock);
}

static void destroy_while_read(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_destroy(&rwlock);
}

static void destroy_twice(void *arg)
{
	pthread_mutex_destroy(&lock);
	pthread_mutex_destroy(&lock);
}

static void lock_destroyed(void *arg)
{
	pthread_mutex_destroy(&lock);
	pthread_mutex_lock(&lock);
}

static void wait_for_destroyed(void *arg)
{
	pthread_cond_destroy(&changed);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&changed, &lock);
}

static void count_destroyed(void *arg)
{
	sem_init(&items, 0, 1);
	sem_destroy(&items);
	sem_post(&items);
}

static void make_again(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_init(&lock, NULL);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_mutex_destroy(&lock);
	}
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

CHECK_SCENARIO(destroyed_while_locked, .threads = { { lock_and_end }, { destroy_then } });
CHECK_SCENARIO(destroyed_while_read, .threads = { { destroy_while_read } });
CHECK_SCENARIO(destroyed_twice, .threads = { { destroy_twice } });
CHECK_SCENARIO(locked_destroyed, .threads = { { lock_destroyed } });
CHECK_SCENARIO(waited_for_destroyed, .threads = { { wait_for_destroyed } });
CHECK_SCENARIO(counted_destroyed, .threads = { { count_destroyed } });
CHECK_SCENARIO(made_again, .threads = { { make_again } });

/* The waiting thread frees the job that it has waited for. */
static struct job {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int done;
} *job;

static void make_job(void)
{
	job = malloc(sizeof(*job));
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->changed, NULL);
	job->done = 0;
}

static void await_and_free(void *arg)
{
	pthread_mutex_lock(&job->lock);
	while (!job->done)
		pthread_cond_wait(&job->changed, &job->lock);
	pthread_mutex_unlock(&job->lock);
	pthread_cond_destroy(&job->changed);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

static void await_and_only_free(void *arg)
{
	pthread_mutex_lock(&job->lock);
	while (!job->done)
		pthread_cond_wait(&job->changed, &job->lock);
	pthread_mutex_unlock(&job->lock);
	free(job);
}

static void finish_then_signal(void *arg)
{
	pthread_mutex_lock(&job->lock);
	job->done = 1;
	pthread_mutex_unlock(&job->lock);
	pthread_cond_signal(&job->changed);
}

static void finish_and_signal(void *arg)
{
	pthread_mutex_lock(&job->lock);
	job->done = 1;
	pthread_cond_signal(&job->changed);
	pthread_mutex_unlock(&job->lock);
}

CHECK_SCENARIO(signal_behind_unlock, .setup = make_job,
	       .threads = { { await_and_only_free }, { finish_then_signal } });
CHECK_SCENARIO(signal_before_unlock, .setup = make_job,
	       .threads = { { await_and_free }, { finish_and_signal } });

static void signal_it(void *condition)
{
	pthread_cond_signal(condition);
	atomic_store(&flag, 1);
}

static void destroy_it(void *condition)
{
	pthread_cond_destroy(condition);
}

static void signal_unmade(void *arg)
{
	signal_it(malloc(sizeof(pthread_cond_t)));
}

static void wait_for_none(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(arg, &lock);
}

CHECK_SCENARIO(signal_late, .threads = { { signal_it, &changed }, { destroy_it, &changed } });
CHECK_SCENARIO(signal_none, .threads = { { signal_it } });
CHECK_SCENARIO(signal_unmade, .threads = { { signal_unmade } });
CHECK_SCENARIO(wait_for_none, .threads = { { wait_for_none } });
