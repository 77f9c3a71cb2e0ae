/* SPDX-License-Identifier: MIT */
/*
 * The C library's locks in scenarios: what they order, and which uses are wrong.
 *
 * verdict mutex: no fault
 * verdict mutex_forgotten: found: data race
 * verdict opposite_orders: found: dead-lock: T[01] waits for ever for the mutex
 * verdict locked_twice: found: dead-lock: T0 waits for ever for the mutex one
 * verdict locked_again: no fault
 * verdict locked_with_checks: no fault
 * verdict unlocked_by_other: found: T0 unlocks the mutex one, which it does not hold
 * verdict tried: no fault
 * verdict timed: no fault
 * verdict signalled: no fault
 * verdict signalled_before: found: dead-lock: T0 waits for ever to be woken
 * verdict all_woken: no fault
 * verdict one_woken: found: dead-lock: T[01] waits for ever to be woken
 * verdict readers: no fault
 * verdict reader_writes: found: data race: write by T[01] and write by T[01] of shared
 * verdict spinlock: no fault
 * verdict barrier: no fault
 * verdict once: no fault
 * verdict counted: no fault
 * verdict counted_too_few: found: dead-lock: T0 waits for ever for the semaphore
 * verdict initialised_late: found: data race
 */
#include <errno.h>
#include <nap/check.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again, checked;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t together;
static pthread_once_t once_control = PTHREAD_ONCE_INIT;
static sem_t items;
static int shared, ready, runs;

static void count_locked(void *arg)
{
	pthread_mutex_lock(&one);
	shared++;
	pthread_mutex_unlock(&one);
}

static void count(void *arg)
{
	shared++;
}

CHECK_SCENARIO(mutex, .threads = { { count_locked }, { count_locked }, { count_locked } });
CHECK_SCENARIO(mutex_forgotten, .threads = { { count_locked }, { count } });

static void one_then_two(void *arg)
{
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&two);
	shared++;
	pthread_mutex_unlock(&two);
	pthread_mutex_unlock(&one);
}

static void two_then_one(void *arg)
{
	pthread_mutex_lock(&two);
	pthread_mutex_lock(&one);
	shared++;
	pthread_mutex_unlock(&one);
	pthread_mutex_unlock(&two);
}

static void lock_twice(void *arg)
{
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&one);
}

static void make_kinds(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attr);
}

static void lock_again(void *arg)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	pthread_mutex_unlock(&again);
	shared++;
	pthread_mutex_unlock(&again);
}

static void lock_checked(void *arg)
{
	CHECK(pthread_mutex_unlock(&checked) == EPERM);
	CHECK(pthread_mutex_lock(&checked) == 0);
	CHECK(pthread_mutex_lock(&checked) == EDEADLK);
	shared++;
	CHECK(pthread_mutex_unlock(&checked) == 0);
}

static void unlock(void *arg)
{
	pthread_mutex_unlock(&one);
}

static void try(void *arg)
{
	int err = pthread_mutex_trylock(&one);

	CHECK(err == 0 || err == EBUSY);
	if (!err) {
		shared++;
		pthread_mutex_unlock(&one);
	}
}

static void lock_timed(void *arg)
{
	int err = pthread_mutex_timedlock(&one, &(struct timespec){ .tv_sec = 1 });

	CHECK(err == 0 || err == ETIMEDOUT);
	if (!err) {
		shared++;
		pthread_mutex_unlock(&one);
	}
}

CHECK_SCENARIO(opposite_orders, .threads = { { one_then_two }, { two_then_one } });
CHECK_SCENARIO(locked_twice, .threads = { { lock_twice } });
CHECK_SCENARIO(locked_again, .setup = make_kinds, .threads = { { lock_again }, { lock_again } });
CHECK_SCENARIO(locked_with_checks, .setup = make_kinds, .threads = { { lock_checked }, { lock_checked } });
CHECK_SCENARIO(unlocked_by_other, .threads = { { unlock } });
CHECK_SCENARIO(tried, .threads = { { try }, { count_locked } });
CHECK_SCENARIO(timed, .threads = { { lock_timed }, { count_locked } });

static void wait_until_ready(void *arg)
{
	pthread_mutex_lock(&one);
	while (!ready)
		pthread_cond_wait(&changed, &one);
	shared = ready;
	pthread_mutex_unlock(&one);
}

/* The waiter does not check whether it has to wait. */
static void wait_once(void *arg)
{
	pthread_mutex_lock(&one);
	pthread_cond_wait(&changed, &one);
	pthread_mutex_unlock(&one);
}

static void get_ready(void *arg)
{
	pthread_mutex_lock(&one);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&one);
}

static void get_all_ready(void *arg)
{
	pthread_mutex_lock(&one);
	ready = 1;
	pthread_mutex_unlock(&one);
	pthread_cond_broadcast(&changed);
}

CHECK_SCENARIO(signalled, .threads = { { wait_until_ready }, { get_ready } });
CHECK_SCENARIO(signalled_before, .threads = { { wait_once }, { get_ready } });
CHECK_SCENARIO(all_woken, .threads = { { wait_until_ready }, { wait_until_ready }, { get_all_ready } });
CHECK_SCENARIO(one_woken, .threads = { { wait_until_ready }, { wait_until_ready }, { get_ready } });

static void read_shared(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	CHECK(shared % 2 == 0);
	pthread_rwlock_unlock(&rwlock);
}

static void write_shared(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	shared++;
	shared++;
	pthread_rwlock_unlock(&rwlock);
}

static void write_as_reader(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	shared = 2;
	pthread_rwlock_unlock(&rwlock);
}

CHECK_SCENARIO(readers, .threads = { { read_shared }, { read_shared }, { write_shared } });
CHECK_SCENARIO(reader_writes, .threads = { { write_as_reader }, { write_as_reader } });

static void make_others(void)
{
	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&together, NULL, 2);
	sem_init(&items, 0, 0);
}

static void count_spinning(void *arg)
{
	pthread_spin_lock(&spinlock);
	shared++;
	pthread_spin_unlock(&spinlock);
}

static void write_and_meet(void *arg)
{
	shared = 1;
	pthread_barrier_wait(&together);
	CHECK(ready == 1);
	pthread_barrier_wait(&together);
	ready = 2;
}

static void meet_and_read(void *arg)
{
	ready = 1;
	pthread_barrier_wait(&together);
	CHECK(shared == 1);
	pthread_barrier_wait(&together);
	shared = 2;
}

static void run_it(void)
{
	runs++;
}

static void run_once(void *arg)
{
	pthread_once(&once_control, run_it);
	CHECK(runs == 1);
}

static void give(void *arg)
{
	shared++;
	sem_post(&items);
}

static void take(void *arg)
{
	sem_wait(&items);
	CHECK(shared == 1);
}

static void take_two(void *arg)
{
	sem_wait(&items);
	sem_wait(&items);
}

static void make_late(void *arg)
{
	pthread_mutex_init(&two, NULL);
}

static void lock_early(void *arg)
{
	pthread_mutex_lock(&two);
	pthread_mutex_unlock(&two);
}

CHECK_SCENARIO(spinlock, .setup = make_others, .threads = { { count_spinning }, { count_spinning } });
CHECK_SCENARIO(barrier, .setup = make_others, .threads = { { write_and_meet }, { meet_and_read } });
CHECK_SCENARIO(once, .threads = { { run_once }, { run_once } });
CHECK_SCENARIO(counted, .setup = make_others, .threads = { { take }, { give } });
CHECK_SCENARIO(counted_too_few, .setup = make_others, .threads = { { take_two }, { give } });
CHECK_SCENARIO(initialised_late, .threads = { { make_late }, { lock_early } });
