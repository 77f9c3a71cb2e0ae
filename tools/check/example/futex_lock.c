/* SPDX-License-Identifier: MIT */
/*
 * A lock on a futex (Drepper: Futexes are tricky, 2011, section 5, mutex2): 0 free, 1 held, 2 held
 * and somebody may sleep.
 *
 *	nap-check futex_lock.c
 *	nap-check -DSEEDED_FAULT futex_lock.c	# a thread sleeps without saying so: no wake comes
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SEEDED_FAULT
#define CONTENDED 1
#else
#define CONTENDED 2
#endif

static atomic_uint word;
static int shared;

static void lock(void)
{
	unsigned seen = 0;

	if (atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire,
						    memory_order_relaxed))
		return;
	if (seen != 2)
		seen = atomic_exchange_explicit(&word, CONTENDED, memory_order_acquire);
	while (seen) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, CONTENDED, NULL, NULL, 0);
		seen = atomic_exchange_explicit(&word, CONTENDED, memory_order_acquire);
	}
}

static void unlock(void)
{
	if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *count(void *arg)
{
	lock();
	shared++;
	unlock();
	return arg;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, count, NULL);
	count(NULL);
	pthread_join(other, NULL);
	assert(shared == 2);
	return 0;
}
