/* SPDX-License-Identifier: MIT */
#include "common/threads.h"

#include <pthread.h>
#include <sched.h>

struct thread {
	pthread_t thread;
	unsigned nr;
	uint64_t n;
};

static cpu_set_t cpus;	/* the CPUs of the process at first; empty if the threads are not pinned */

static struct thread threads[THREADS_MAX];
static threads_fn *thread_fn;
static pthread_barrier_t barrier;

/* Pins the calling thread to number @nr of @cpus, modulo their number. */
static void pin(unsigned nr)
{
	unsigned count = (unsigned)CPU_COUNT(&cpus), cpu = 0;

	if (!count)
		return;
	for (unsigned before = nr % count; before || !CPU_ISSET(cpu, &cpus); cpu++)
		if (CPU_ISSET(cpu, &cpus))
			before--;
	row_pin(cpu);
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;

	pin(thread->nr);
	pthread_barrier_wait(&barrier);
	thread_fn(thread->nr, thread->n);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void all(const struct size *size, struct span *span)
{
	pin(0);
	if (pthread_barrier_init(&barrier, NULL, size->workers))
		row_die("no barrier");
	for (unsigned i = 0; i < size->workers; i++) {
		threads[i].nr = i;
		threads[i].n = size->n / size->workers;
		if (i && pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]))
			row_die("no thread");
	}
	pthread_barrier_wait(&barrier);
	row_begin(span);
	thread_fn(0, threads[0].n);
	pthread_barrier_wait(&barrier);
}

static void ended(const struct size *size)
{
	for (unsigned i = 1; i < size->workers; i++)
		pthread_join(threads[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
}

void threads_time_free(const struct size *size, threads_fn *fn)
{
	struct span span;

	if (size->workers > THREADS_MAX)
		row_die("too many threads");
	thread_fn = fn;
	fn(0, size->n / 10 + 1);
	for (unsigned i = 0; i < size->rounds; i++) {
		all(size, &span);
		row_end(size, &span, size->n / size->workers * size->workers);
		ended(size);
	}
}

void threads_time(const struct size *size, threads_fn *fn)
{
	if (size->workers > 1 && sched_getaffinity(0, sizeof(cpus), &cpus))
		row_die("no CPUs");
	threads_time_free(size, fn);
}
