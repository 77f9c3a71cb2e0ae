/* SPDX-License-Identifier: MIT */
/*
 * arguments 2 'a word'
 * verdict main: no fault$
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static atomic_int started;

static void *start(void *arg)
{
	assert(!strcmp(arg, "a word"));
	started++;
	return NULL;
}

/* Time stands still. */
static double now(void)
{
	struct timeval t;

	assert(!gettimeofday(&t, NULL) && clock() == 0);
	return (double)t.tv_sec;
}

int main(int argc, char **argv)
{
	double begun = now();
	int n = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t threads[2];

	assert(n == 2 && argv[0] && !argv[3]);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, start, argv[2]);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return started != n || now() != begun;
}
