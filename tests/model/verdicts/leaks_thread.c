/* SPDX-License-Identifier: MIT */
/*
 * Memory that only a thread's own variables reached is lost when the thread has ended.
 *
 * options --leaks
 * verdict main: found: leak: 4 bytes, heap.*, allocated by T1
 */
#include <pthread.h>
#include <stdlib.h>

static _Thread_local int *own;

static void *allocate(void *arg)
{
	own = malloc(sizeof(*own));
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, allocate, NULL);
	pthread_join(thread, NULL);
	return 0;
}
