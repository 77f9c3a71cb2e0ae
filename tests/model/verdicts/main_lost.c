/* SPDX-License-Identifier: MIT */
/*
 * verdict main: found: the program ends with status 1
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *arg)
{
	sum = sum + 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum != 2;
}
