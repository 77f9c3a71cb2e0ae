/* SPDX-License-Identifier: MIT */
/* The least that a static program with threads takes: one thread, which is joined. */
#include <pthread.h>
#include <stddef.h>

static void *runs(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, runs, NULL) || pthread_join(thread, NULL);
}
