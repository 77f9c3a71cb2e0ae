/* SPDX-License-Identifier: MIT */
/*
 * Memory that main() still reaches when it returns is no leak, nor is memory that a thread reaches
 * which has not ended.
 *
 * options --leaks
 * verdict main: no fault
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static _Thread_local int *own;
static pthread_key_t key;
static sem_t never;

static void *wait_for_ever(void *arg)
{
	int *mine = malloc(sizeof(*mine));

	sem_wait(&never);
	free(mine);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&never, 0, 0);
	pthread_key_create(&key, NULL);
	own = malloc(sizeof(*own));
	pthread_setspecific(key, malloc(8));
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	return 0;
}
