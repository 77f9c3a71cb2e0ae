/* SPDX-License-Identifier: MIT */
/*
 * The program waits for an answer for a second, and uses a CPU all the time. Why?
 * Documentation/inside.rst finds out.
 *
 *	cc -O2 -o burns burns.c -lnap && ./burns
 */
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.name = "burns", .max_workers = 2);
static bool is_there;

/* Goes on when the answer is there. */
static void go_on(struct nap_task *task)
{
	if (!__atomic_load_n(&is_there, __ATOMIC_ACQUIRE))
		nap_schedule(&pool, task);
}

int main(void)
{
	static struct nap_task task;
	struct timespec used;

	nap_task_init(&task, go_on);
#ifndef CURED
	nap_schedule(&pool, &task);
#endif
	usleep(1000000);
	__atomic_store_n(&is_there, true, __ATOMIC_RELEASE);
#ifdef CURED	/* the task that brings the answer schedules the tasks that wait for it */
	nap_schedule(&pool, &task);
#endif
	nap_pool_join(&pool, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("waited for 1 s, and used %.2f s of CPU\n",
	       (double)used.tv_sec + (double)used.tv_nsec / 1e9);
}
