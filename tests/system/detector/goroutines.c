/* SPDX-License-Identifier: MIT */
/*
 * A program with Go's race detector: its runtime has two functions of ThreadSanitizer's names, which
 * have another first argument, and may be called by goroutines alone.
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
