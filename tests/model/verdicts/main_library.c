/* SPDX-License-Identifier: MIT */
/*
 * Data that the C library keeps for each thread, and output that it writes by itself; a lock that
 * is tried in a loop; and an end by _exit(), which does not end the checker.
 *
 * verdict main: found: data race: write by main and (read|write) by T2 of shared
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, counted;

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *work(void *arg)
{
	char *text = malloc(10);
	int *numbers = malloc(2 * sizeof(*numbers));

	errno = 0;
	sprintf(text, "%d", 7);
	assert(text[0] == '7' && errno == 0);
	numbers[0] = 2;
	numbers[1] = 1;
	qsort(numbers, 2, sizeof(*numbers), by_value);
	assert(numbers[0] == 1);
	while (pthread_mutex_trylock(&lock))
		;
	counted++;
	pthread_mutex_unlock(&lock);
	free(numbers);
	free(text);
	return arg;
}

static void *race(void *arg)
{
	shared++;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	errno = 5;
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_setname_np(threads[0], "worker");
	work(NULL);
	pthread_join(threads[0], NULL);
	assert(counted == 2);
	pthread_create(&threads[1], NULL, race, NULL);
	shared++;
	_exit(0);
}
