/* SPDX-License-Identifier: MIT */
/*
 * 200 loops, each of which waits for one of two flags. Each loop comes to one place with two stacks
 * in turn, and the addresses in these differ from run to run. So each loop is another case of how
 * the checker recognises a turn that changes nothing.
 */
#include <pthread.h>
#include <stdatomic.h>

#define LOOPS 200

static atomic_int first[LOOPS], second[LOOPS];

static int is_set(int i)
{
	for (int n = 0; n < 2; n++)
		if (atomic_load(n ? &second[i] : &first[i]))
			return 1;
	return 0;
}

static void *set_all(void *unused)
{
	for (int i = 0; i < LOOPS; i++)
		atomic_store(&second[i], 1);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set_all, NULL);
	for (int i = 0; i < LOOPS; i++)
		while (!is_set(i))
			;
	return pthread_join(thread, NULL);
}
