/* SPDX-License-Identifier: MIT */
/* Works, and the pools that they run on. Both register themselves before main(). */
#ifndef NAP_SIM_WORK_H
#define NAP_SIM_WORK_H

#include <stdint.h>

#include <nap/task.h>

#include "program/run.h"
#include "program/sim.h"

/* A pool of sim_run.workers workers. Each function is called in a simulated thread. */
struct sim_pool {
	const char *name, *about;
	void (*start)(void);			/* returns when all workers run, and have nothing to do */
	void (*schedule)(struct nap_task *task);
	void (*schedule_batch)(struct nap_batch *batch);
	void (*wait)(void);			/* from outside: until every task has ended */
	uint64_t (*fib)(unsigned n);		/* runs a tree of forks; returns fib(@n) */
	void (*loop)(uint64_t n);		/* calls loop_body() for 0 to @n - 1 */
	void (*stop)(void);
	uint64_t (*steals)(void);
	struct sim_pool *next;
};

struct sim_work {
	const char *name, *about;
	void (*run)(void);
	/* unless the command line has others: tasks in all, or for each worker; and their length */
	uint64_t tasks, each, grain_ns;
	bool alone;				/* uses no pool */
	struct sim_work *next;
};

extern struct sim_pool *sim_pools;
extern struct sim_work *sim_works;

#define SIM_POOL(id, ...)								\
	static struct sim_pool sim_pool_##id = { __VA_ARGS__ };				\
	__attribute__((constructor, no_sanitize("thread"))) static void sim_pool_register_##id(void) \
	{										\
		sim_pool_##id.next = sim_pools;						\
		sim_pools = &sim_pool_##id;						\
	}										\
	struct sim_pool

#define SIM_WORK(id, ...)								\
	static struct sim_work sim_work_##id = { __VA_ARGS__ };				\
	__attribute__((constructor, no_sanitize("thread"))) static void sim_work_register_##id(void) \
	{										\
		sim_work_##id.next = sim_works;						\
		sim_works = &sim_work_##id;						\
	}										\
	struct sim_work

/* The leaf of a tree, and the body of a loop: one task each of sim_run.grain_ns. */
void work_leaf(void);
static inline void loop_body(uint64_t i)
{
	(void)i;
	work_leaf();
}

#endif /* NAP_SIM_WORK_H */
