/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables belong to one thread, and begin with the same values in every execution.
 *
 * verdict main: no fault
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static _Thread_local int mine = 5;
static _Thread_local char text[32];
static atomic_int sum;

static void *count(void *arg)
{
	mine++;
	strcpy(text, "hello");
	atomic_fetch_add(&sum, mine);
	assert(mine == 6 && strlen(text) == 5);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	mine = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sum == 12 && mine == 1 && !text[0]);
	return 0;
}
