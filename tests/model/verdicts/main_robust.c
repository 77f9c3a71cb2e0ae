/* SPDX-License-Identifier: MIT */
/*
 * A mutex whose owner may die is not modelled.
 *
 * verdict main: undecided: a robust mutex
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex;

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED);
	pthread_mutex_init(&mutex, &attr);
	pthread_mutex_lock(&mutex);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	return 0;
}
