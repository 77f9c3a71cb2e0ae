/* SPDX-License-Identifier: MIT */
/*
 * The child of a fork in the table of tests/fault/fork_table.c: what it finds, and how it ends.
 *
 * A pattern fills the stacks of the threads that the child does not have, where nap's frames were.
 * If the child follows a pointer into such a stack, it crashes; if it writes there, the pattern is
 * broken.
 */
#ifndef NAP_TESTS_FAULT_FORK_TABLE_H
#define NAP_TESTS_FAULT_FORK_TABLE_H

#include <sys/wait.h>

#include "call_fixture.h"
#include "child_threads.h"

enum action { RETURNS, CALLS, NEW, ACTIONS };
enum way { TOLD, UNTOLD, WAYS };

struct place {
	const char *name;
	/*
	 * brings a thread to the place, where it forks. cell.used says whether the pool is in use
	 */
	void (*go)(void);
	unsigned int company;	/* which other threads are inside the pool */
	unsigned int workers;	/* at most; 0: none can be started */
	unsigned int flags;
	const char *not_unused;	/* why no thread can be at the place in an unused pool */
};

/* flags of a place */
#define ON_WORKER	1u	/* the forking thread is a worker, and ends in the child */
#define OUTSIDE		2u	/* the forking thread is outside, the company is inside */
#define NO_USE		4u	/* the company does not use the pool */
#define NO_CALLS	8u	/* the forking thread may not call into the pool */

static inline bool place_is(const struct place *place, unsigned int flag)
{
	return place->flags & flag;
}

static struct cell {
	const struct place *place;
	enum way way;
	bool used;
	enum action action;
	enum nap_idle idle;
} cell;

static int child_status = -1;
static uint32_t forked;		/* set in the parent when the child has ended */

/* The exit status of a child that has done everything; a crash has another status. */
#define CAME_BACK 7

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			dprintf(2, "# %s, %s: line %d: %s\n", cell.place->name, \
				in_child ? "child" : "parent", __LINE__, #cond); \
			_exit(1); \
		} \
	} while (0)

/* ---- stacks of threads that the child does not have */

#define POISON 0x5a5a5a5a5a5a5a5aul
#define NR_POISONED 2048	/* words below a thread's own frame */

static unsigned long *stacks[64];
static uint32_t nr_stacks;
static __thread uint32_t my_stack;	/* the thread's number, from 1 on */

/* Notes the thread's stack before the thread calls nap, whose frames are below this one. */
static __attribute__((noinline)) void note_stack(void)
{
	my_stack = nap_fetch_add_relaxed(&nr_stacks, 1) + 1;
	CHECK(my_stack <= ARRAY_SIZE(stacks));
	stacks[my_stack - 1] = (unsigned long *)__builtin_frame_address(0);
}

/* Forgets the stack of a worker that ends, because its joiner may unmap the stack. */
static void forget_stack(void)
{
	nap_store_release(&stacks[my_stack - 1], NULL);
}

static bool is_poisoned(uint32_t i)
{
	return stacks[i] && i + 1 != my_stack;
}

/*
 * Fills the stacks. ThreadSanitizer must not watch this function: it would report a race with
 * threads of the parent.
 */
static __attribute__((no_sanitize_thread)) void poison_stacks(void)
{
	for (uint32_t i = 0; i < nr_stacks; i++)
		for (int k = 1; is_poisoned(i) && k <= NR_POISONED; k++)
			*(volatile unsigned long *)(stacks[i] - k) = POISON;
}

static __attribute__((no_sanitize_thread)) bool stacks_are_untouched(void)
{
	for (uint32_t i = 0; i < nr_stacks; i++)
		for (int k = 1; is_poisoned(i) && k <= NR_POISONED; k++)
			if (*(volatile unsigned long *)(stacks[i] - k) != POISON)
				return false;
	return true;
}

/* ---- checks in the child */

static struct nap_task child_task, child_other;

/* Checks that every function of the library returns the right error at once on a dead pool. */
static void answers(void)
{
	struct nap_batch batch = { &child_task, &child_task, 1 }, left = batch;
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_worker_stats worker_stats;
	struct nap_pool_stats stats;
	long result = 0;

	nap_task_init(&child_task, count_run);
	CHECK(nap_worker_self() == NULL);
	CHECK(nap_schedule(&pool, &child_task) == -ESHUTDOWN && child_task.run == count_run);
	CHECK(nap_schedule_batch(&pool, &batch) == -ESHUTDOWN && batch.count == 1);
	CHECK(nap_call(&pool, call_fib, &result) == -ESHUTDOWN && result == 0);
	CHECK(nap_pool_prewarm(&pool, 2) == -ESHUTDOWN);
	CHECK(nap_pool_help(&pool, 0) == -ESHUTDOWN);
	CHECK(nap_pool_quiesce(&pool) == -ESHUTDOWN);
	CHECK(nap_pool_quiesce_for(&pool, 1000) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_DRAIN) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_STOP) == -ESHUTDOWN);
	CHECK(nap_pool_join(&pool, &left) == -ESHUTDOWN && left.count == 0);
	CHECK(nap_pool_get_stats(&pool, &stats) == 0);
	CHECK(nap_worker_get_stats(&pool, 0, &worker_stats) == -ESHUTDOWN);
	CHECK(nap_group_wait(&group) == 0 && nap_group_add(&group, 1) == 0);
	CHECK(nap_group_wait(&group) == -ESHUTDOWN);
	CHECK(nap_group_wait_for(&group, 1000) == -ESHUTDOWN);
	CHECK(nap_group_done(&group) == 0 && nap_group_wait(&group) == 0);
}

/* Uses a new pool by each way of bringing work and by each wait, and ends the pool. */
static void use_all(struct nap_pool *p)
{
	struct nap_group group = NAP_GROUP_INIT(p);
	struct member member = { NAP_TASK_INIT(member_done), &group, p, 0 };
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_pool_stats stats;
	long result = 0;

	nap_store_relaxed(&nr_run, 0);
	nap_task_init(&child_task, count_run);
	nap_task_init(&child_other, count_run);
	CHECK(nap_pool_get_stats(p, &stats) == 0 && stats.workers.run == 0 && !stats.spawned);
	CHECK(nap_schedule(p, &child_task) == 0);
	CHECK(nap_pool_quiesce(p) == 0 && nap_load_relaxed(&nr_run) == 1);
	nap_batch_push(&batch, &child_other);
	CHECK(nap_group_add(&group, 1) == 0);
	CHECK(nap_schedule_batch(p, &batch) == 0 && nap_schedule(p, &member.task) == 0);
	CHECK(nap_group_wait(&group) == 0);
	CHECK(nap_call(p, call_fib, &result) == 0 && result == FIB_15);
	CHECK(nap_pool_help(p, 0) >= 0);
	CHECK(nap_pool_quiesce(p) == 0 && nap_load_relaxed(&nr_run) == 3);
	CHECK(nap_pool_shutdown(p, NAP_DRAIN) == 0);
	CHECK(nap_pool_join(p, NULL) == 0);
}

static bool pool_is_dead(void)
{
	return cell.used || !place_is(cell.place, NO_USE);
}

/*
 * In the child, whose thread has left the pool by now: makes the last checks, and ends the child.
 */
static void child_is_back(void)
{
	if (!in_child)
		return;
	/* The call that the thread was in has started no thread for the parent's pool. */
	CHECK(nap_load_relaxed(&starts_in_child) == 0);
	if (pool_is_dead())
		answers();
	CHECK(stacks_are_untouched());
	/* The stacks are no longer checked: the child's new threads may get their memory. */
	if (cell.action == NEW)
		CHECK(nap_pool_init_child(&pool) == 0);
	if (cell.action == NEW || !pool_is_dead())
		use_all(&pool);
	_exit(CAME_BACK);
}

/* ---- the fork */

#ifdef NAP_TEST_BARE
#define fork_untold bare_fork_untold
#define UNTOLD_NAME "clone "
#else
#define fork_untold _Fork
#define UNTOLD_NAME "_Fork()"
#endif

/* Returns the exit status of @child. A child that takes too long is killed. */
static int await_process(pid_t child)
{
	int status = -1;

	for (unsigned long i = 0; i < 100000 * nap_test_scale(); i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		usleep(200);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return status;
}

/* Forks at the place where the calling thread is. The child does what the cell says. */
static void fork_here(void)
{
	pid_t child;

	if (in_child)
		return;
	child = cell.way == UNTOLD ? fork_untold() : fork();
	if (child) {
		child_status = child > 0 ? await_process(child) : -1;
		flag_set(&forked);
		open_door();
		return;
	}
	in_child = true;
	/*
	 * glibc may end the child's thread as the last one of a process, and not count threads that
	 * start at that time. So no start succeeds.
	 */
	starts_fail = place_is(cell.place, ON_WORKER);
	poison_stacks();
	if (cell.action == CALLS || place_is(cell.place, OUTSIDE))
		child_is_back();
	if (cell.action == NEW && !place_is(cell.place, NO_CALLS))
		CHECK(nap_pool_init_child(&pool) == -EDEADLK);
}

#endif /* NAP_TESTS_FAULT_FORK_TABLE_H */
