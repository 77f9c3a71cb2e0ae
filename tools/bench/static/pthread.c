/* SPDX-License-Identifier: MIT */
/* One thread, joined: what a static program with threads takes anyway. */
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
