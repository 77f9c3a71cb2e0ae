/* SPDX-License-Identifier: MIT */
/*
 * Thread-specific data.
 *
 * verdict main: no fault
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t first, second, forbidden;
static atomic_int stop;
static int destroyed;

static void destroy(void *value)
{
	destroyed++;
	free(value);
}

/* The destructor sets another value, which another round destroys, too. */
static void hand_on(void *value)
{
	pthread_setspecific(second, value);
}

/* The end of the program must not call this destructor. */
static void must_not(void *value)
{
	abort();
}

static void *set(void *arg)
{
	/* An iteration that sets another value does change something. */
	while ((long)pthread_getspecific(forbidden) < 5 && !atomic_load(&stop))
		pthread_setspecific(forbidden, (void *)((long)pthread_getspecific(forbidden) + 1));
	pthread_setspecific(forbidden, NULL);
	pthread_setspecific(first, malloc(8));
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&second, destroy);
	pthread_key_create(&first, hand_on);
	pthread_key_create(&forbidden, must_not);
	pthread_create(&thread, NULL, set, NULL);
	pthread_join(thread, NULL);
	assert(destroyed == 1);
	for (int i = 0; i < 40; i++) {
		pthread_key_t key;

		assert(!pthread_key_create(&key, NULL));
		assert(!pthread_getspecific(key));
		pthread_setspecific(key, &destroyed);
		pthread_key_delete(key);
	}
	pthread_setspecific(forbidden, &destroyed);
	return 0;
}
