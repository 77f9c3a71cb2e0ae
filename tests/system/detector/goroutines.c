/* SPDX-License-Identifier: MIT */
/*
 * Stands for a program with Go's race detector. The runtime of that detector has two functions with
 * names of ThreadSanitizer's functions, but with another first argument, and only goroutines may
 * call them. So nap must not call them.
 */
#include <nap/nap.h>

#include <stdlib.h>

void __tsan_acquire(void *goroutine, void *at);
void __tsan_release(void *goroutine, void *at);

void __tsan_acquire(void *goroutine, void *at)
{
	(void)goroutine, (void)at;
	abort();
}

void __tsan_release(void *goroutine, void *at)
{
	(void)goroutine, (void)at;
	abort();
}

static void nothing(struct nap_task *task)
{
	(void)task;
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	static struct nap_task task = NAP_TASK_INIT(nothing);

	return nap_schedule(&pool, &task) || nap_pool_join(&pool, NULL);
}
