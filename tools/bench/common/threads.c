/* SPDX-License-Identifier: MIT */
#include "common/threads.h"

#include <pthread.h>

struct thread {
	pthread_t thread;
	unsigned nr;
	uint64_t n;
};

static struct thread threads[THREADS_MAX];
static threads_fn *thread_fn;
static pthread_barrier_t barrier;

static void *thread_main(void *arg)
{
	struct thread *thread = arg;

	pthread_barrier_wait(&barrier);
	thread_fn(thread->nr, thread->n);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void all(const struct size *size, struct span *span)
{
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

void threads_time(const struct size *size, threads_fn *fn)
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
