/* SPDX-License-Identifier: MIT */
/*
 * verdict main: no fault
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int sum;
static int plain_sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *n)
{
	atomic_fetch_add(&sum, (int)(intptr_t)n);
	pthread_mutex_lock(&lock);
	plain_sum += (int)(intptr_t)n;
	pthread_mutex_unlock(&lock);
	return n;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *result;

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, (void *)(i + 1));
	for (intptr_t i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		assert((intptr_t)result == i + 1);
	}
	printf("%s: %d %d\n", argv[argc - 1], sum, plain_sum);
	assert(sum == 3 && plain_sum == 3);
	return 0;
}
