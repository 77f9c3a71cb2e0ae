/* SPDX-License-Identifier: MIT */
/*
 * A queue of one item with a mutex and condition variables, two producers and two consumers.
 *
 *	nap-check blocking_queue.c
 *	nap-check -DSEEDED_FAULT blocking_queue.c	# one condition for both: a signal strays
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#ifdef SEEDED_FAULT
#define not_empty not_full
#else
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#endif
static int item;	/* 0: none */

static void put(int value)
{
	pthread_mutex_lock(&lock);
	while (item)
		pthread_cond_wait(&not_full, &lock);
	item = value;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static int take(void)
{
	int value;

	pthread_mutex_lock(&lock);
	while (!item)
		pthread_cond_wait(&not_empty, &lock);
	value = item;
	item = 0;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return value;
}

static void *produce(void *value)
{
	put(*(int *)value);
	return NULL;
}

static void *consume(void *value)
{
	*(int *)value = take();
	return NULL;
}

int main(void)
{
	static int values[2] = { 1, 2 }, taken[2];
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, produce, &values[0]);
	pthread_create(&threads[1], NULL, produce, &values[1]);
	pthread_create(&threads[2], NULL, consume, &taken[0]);
	consume(&taken[1]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(taken[0] + taken[1] == 3);
	return 0;
}
