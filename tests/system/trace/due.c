/* SPDX-License-Identifier: MIT */
/*
 * A program for trace_programs.sh. Its tasks and fibers become runnable at a time, when a file is
 * ready, or when a stack is free. It has a timer with ten ticks, a timer with one, a fiber that
 * answers on a pipe, and more fibers than stacks.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/nap.h>

#define MS 1000000u

enum { TICKS = 10, MESSAGES = 10, SLEEPERS = 8 };

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .name = "due");
static struct nap_group group = NAP_GROUP_INIT(&pool);
static struct nap_timer ticker, single;
static struct nap_fiber_start starts[SLEEPERS];
static int in[2], out[2];
static int ticks;

static void tick(struct nap_task *task)
{
	(void)task;
	if (++ticks == TICKS) {
		nap_timer_cancel(&ticker);
		nap_group_done(&group);
	}
}

static void once(struct nap_task *task)
{
	(void)task;
	nap_group_done(&group);
}

static intptr_t answers(void *arg)
{
	char byte;

	for (int i = 0; i < MESSAGES; i++) {
		while (read(in[0], &byte, 1) != 1)
			nap_io_wait(in[0], NAP_IO_READ, NAP_FOREVER);
		if (write(out[1], &byte, 1) != 1)
			abort();
	}
	nap_group_done(&group);
	return (intptr_t)arg;
}

static intptr_t sleeps(void *arg)
{
	nap_sleep(MS);
	nap_group_done(&group);
	return (intptr_t)arg;
}

int main(void)
{
	struct nap_fibers_config few = { .most = 3 };
	char byte = 'x';

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || fcntl(in[0], F_SETFL, O_NONBLOCK) ||
	    nap_fibers_init(&pool, &few))
		return 1;
	nap_group_add(&group, 3 + SLEEPERS);
	nap_timer_init(&ticker, tick);
	nap_timer_init(&single, once);
	if (nap_schedule_every(&pool, &ticker, MS, MS) || nap_schedule_after(&pool, &single, MS) ||
	    nap_spawn(&pool, NULL, answers, NULL))
		return 1;
	for (int i = 0; i < SLEEPERS; i++)
		if (nap_fiber_start_init(&starts[i], &pool, sleeps, NULL) ||
		    nap_schedule(&pool, &starts[i].task))
			return 1;
	for (int i = 0; i < MESSAGES; i++)
		if (write(in[1], &byte, 1) != 1 || read(out[0], &byte, 1) != 1)
			return 1;
	nap_group_wait(&group);
	return nap_pool_join(&pool, NULL);
}
