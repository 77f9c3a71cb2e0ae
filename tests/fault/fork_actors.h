/* SPDX-License-Identifier: MIT */
/* Threads that are inside a pool when another thread forks: tests/fault/fork_table.c. */
#ifndef NAP_TESTS_FAULT_FORK_ACTORS_H
#define NAP_TESTS_FAULT_FORK_ACTORS_H

#include "sync/gate.h"
#include "fault/fork_table.h"

/* A place's company: the other threads inside the pool, which the child does not have. */
enum { GROUP = 1, NO_POOL = 2, QUIESCE = 4, GUEST = 8, HELPER = 16, WORKER = 32 };
#define CROWD (GROUP | NO_POOL | QUIESCE | GUEST)

static struct nap_group with_pool, without_pool;

/* ---- the other threads inside */

static struct actor {
	pthread_t thread;
	int (*run)(void);
	int err;
} actors[NAP_GUESTS + 8];
static uint32_t nr_actors;

static void *act(void *arg)
{
	struct actor *a = arg;

	note_stack();
	a->err = a->run();
	return NULL;
}

static void enter(int (*run)(void))
{
	struct actor *a = &actors[nr_actors++];

	a->run = run;
	CHECK(pthread_create(&a->thread, NULL, act, a) == 0);
}

static int wait_with_pool(void)
{
	return nap_group_wait(&with_pool);
}

static int wait_without_pool(void)
{
	return nap_group_wait(&without_pool);
}

static int wait_for_quiet(void)
{
	return nap_pool_quiesce(&pool);
}

static int be_guest(void)
{
	return nap_call(&pool, hold, NULL);
}

static int help_with_one(void)
{
	return nap_pool_help(&pool, 1) == 1 ? 0 : -1;
}

static int join_pool(void)
{
	return nap_pool_join(&pool, NULL);
}

static struct nap_task held[2];

static void hold_one(struct nap_task *task)
{
	nap_task_init(task, hold_task);
	CHECK(nap_schedule(&pool, task) == 0);
}

static void await_waiter(struct nap_group *group)
{
	while (!(nap_load_acquire(&group->state) >> 32))
		usleep(100);
}

static void await_visits(uint32_t n)
{
	while (nap_load_acquire(&pool.visits) / GATE_ONE < n)
		usleep(100);
}

/* Starts all threads of @who. Returns when they are inside, and probably asleep. */
static void bring(unsigned int who)
{
	uint32_t visits = 0, before = nap_load_acquire(&at_door);

	if (who & WORKER) {
		hold_one(&held[0]);
		await_at_door(++before);
	}
	if (who & HELPER) {
		hold_one(&held[1]);
		enter(help_with_one);
		await_at_door(++before);
		visits++;
	}
	if (who & GUEST) {
		enter(be_guest);
		await_at_door(++before);
	}
	if (who & GROUP) {
		enter(wait_with_pool);
		await_waiter(&with_pool);
		visits++;
	}
	if (who & NO_POOL) {
		enter(wait_without_pool);
		await_waiter(&without_pool);
	}
	if (who & QUIESCE) {
		enter(wait_for_quiet);
		visits++;
	}
	await_visits(visits);
	/*
	 * No call says whether a thread sleeps. A thread that does not sleep yet is inside the pool
	 * all the same.
	 */
	usleep(1000);
}

#endif /* NAP_TESTS_FAULT_FORK_ACTORS_H */
