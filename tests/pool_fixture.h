/* SPDX-License-Identifier: MIT */
/* The parts that tests of whole pools share: counted tasks on the heap, and a gate for tasks. */
#ifndef NAP_TESTS_POOL_FIXTURE_H
#define NAP_TESTS_POOL_FIXTURE_H

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "harness.h"
#include "late.h"

/*
 * Counts runs, by a release. A thread that reads the count by an acquire may use the memory of the
 * counted tasks again.
 */
static unsigned long nr_run;

static inline void count_run(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&nr_run, 1);
}

static inline void count_and_free(struct nap_task *task)
{
	free(task);
	nap_fetch_add_release(&nr_run, 1);
}

static inline struct nap_task *new_task(nap_task_fn run)
{
	struct nap_task *task = malloc(sizeof(*task));

	if (!task)
		abort();
	nap_task_init(task, run);
	return task;
}

static inline struct nap_batch new_batch(size_t n, nap_task_fn run)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	while (n--)
		nap_batch_push(&batch, new_task(run));
	return batch;
}

/* Frees the tasks of @batch; returns how many there were. */
static inline size_t free_batch(struct nap_batch *batch)
{
	struct nap_task *task;
	size_t n = 0;

	for (; (task = nap_batch_pop(batch)); n++)
		free(task);
	return n;
}

/* One thread sets a flag, and another thread waits for it. Only the watchdog limits this wait. */
static inline void flag_set(uint32_t *flag)
{
	nap_store_release(flag, 1);
}

static inline void flag_wait(uint32_t *flag)
{
	while (!nap_load_acquire(flag))
		sched_yield();
}

/*
 * Returns how many workers of unnamed pools this process has. Threads are counted by name, because
 * emulators and sanitizers have threads of their own. A worker has its name when the call that has
 * started it returns.
 *
 * For some time the kernel still lists a thread that was joined, with a flag that says that the
 * thread exits.
 */
#ifdef NAP_TEST_BARE
static inline int listed_workers(void)
{
	return bare_count_workers();
}
#else
#define PF_EXITING 4u	/* linux/sched.h */

static inline bool is_worker(const char *tid)
{
	char path[300], name[17] = "";
	unsigned int flags = PF_EXITING;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%16[^)]) %*c %*d %*d %*d %*d %*d %u", name, &flags) != 2)
		flags = PF_EXITING;
	fclose(file);
	return strncmp(name, "nap/", 4) == 0 && !(flags & PF_EXITING);
}

static inline int listed_workers(void)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	/*
	 * Skips "..", which is the process. A process has the name of its main thread; in a child
	 * that a task has forked, this thread still has the name of a worker.
	 */
	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.' && is_worker(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}
#endif

/*
 * Returns listed_workers(), in a test that expects 0 workers. Under an emulator waits until there
 * are none: the emulator's own thread may still count as running when the thread that it emulates
 * has been joined.
 */
static inline int count_workers(void)
{
	int n = listed_workers();

#ifdef NAP_TEST_EMULATED
	for (int i = 0; i < 5000 && n > 0; i++) {
		usleep(1000);
		n = listed_workers();
	}
#endif
	return n;
}

/* Waits until @n workers are listed. A thread that was just started has no name yet. */
static inline int await_workers(int n)
{
	int found;

	do {
		found = listed_workers();
	} while (found < n);
	return found;
}

/* A task that sets @running and stays until the test sets @let_go. */
struct blocker {
	struct nap_task task;
	uint32_t running, let_go;
};

static inline void block(struct nap_task *task)
{
	struct blocker *b = nap_container_of(task, struct blocker, task);

	flag_set(&b->running);
	flag_wait(&b->let_go);
	nap_fetch_add_release(&nr_run, 1);
}

#define BLOCKER_INIT { .task = NAP_TASK_INIT(block) }

/* A task that a group counts. */
struct member {
	struct nap_task task;
	struct nap_group *group;
	struct nap_pool *pool;
	int depth;
};

static inline void member_done(struct nap_task *task)
{
	struct nap_group *group = nap_container_of(task, struct member, task)->group;

	nap_fetch_add_release(&nr_run, 1);
	nap_group_done(group);
}

/*
 * A tree of depth m->depth. Every node waits for its two children, on the worker that runs this
 * node.
 */
static inline void member_fork(struct nap_task *task)
{
	struct member *m = nap_container_of(task, struct member, task);

	if (m->depth) {
		struct nap_group group = NAP_GROUP_INIT(m->pool);
		struct member children[2];

		nap_group_add(&group, 2);
		for (int i = 0; i < 2; i++) {
			children[i] = (struct member){ NAP_TASK_INIT(member_fork), &group, m->pool,
						       m->depth - 1 };
			if (nap_schedule(m->pool, &children[i].task))
				abort();
		}
		if (nap_group_wait(&group))
			abort();
		/* From now on no thread may touch the children and the group. */
		memset(children, 0xee, sizeof(children));
		memset(&group, 0xee, sizeof(group));
	}
	member_done(task);
}

#endif /* NAP_TESTS_POOL_FIXTURE_H */
