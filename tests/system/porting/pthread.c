/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#define THREADS 3

#ifdef BEFORE
struct job {
	struct job *next;
	int n;
	bool done;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_t threads[THREADS];
static struct job *first;
static bool ending;
#else
#include <nap/nap.h>

struct job {
	struct nap_task task;
	int n;
	bool done;
};
#endif

static void work(struct job *job)
{
	job->n *= 3;
	job->done = true;
}

#include PIECE

int main(void)
{
	static struct job jobs[500];
	long sum = 0;

#ifdef BEFORE
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
#endif
	for (int i = 0; i < 500; i++) {
		jobs[i].n = i;
		submit(&jobs[i]);
	}
	finish();
	for (int i = 0; i < 500; i++)
		sum += jobs[i].done ? jobs[i].n : -1000000;
	printf("%ld\n", sum);
	return 0;
}
