/* SPDX-License-Identifier: MIT */
/* Works, and the pools that they run on. Both register themselves before main(). */
#ifndef NAP_SIM_WORK_H
#define NAP_SIM_WORK_H

#include <stdint.h>

#include <nap/task.h>

#include "program/run.h"
#include "program/sim.h"

#define EACH_MOST	16u

typedef void (*work_fn)(void *ctx, void *arg);

/* A pool of sim_run.workers workers. Each function is called in a simulated thread. */
struct sim_pool {
	const char *name, *about;
	void (*start)(void);		/* returns when all workers run, and have nothing to do */
	void (*schedule)(struct nap_task *task);
	void (*schedule_batch)(struct nap_batch *batch);
	void (*wait)(void);			/* from outside: until every task has ended */
	uint64_t (*fib)(unsigned n);		/* runs a tree of forks; returns fib(@n) */
	void (*loop)(uint64_t n);		/* calls loop_body() for 0 to @n - 1 */
	uint64_t (*reduce)(uint64_t n);		/* adds up loop_value() of 0 to @n - 1 */
	void (*sort)(uint32_t *numbers, uint64_t n);	/* by work_compare() */
	/* Calls @body on a worker, and waits; @ctx is for each(). */
	void (*call)(work_fn body, void *arg);
	/*
	 * In a body: calls @body for each of @n things of @size bytes (at most EACH_MOST), and
	 * waits for all.
	 */
	void (*each)(void *ctx, work_fn body, void *things, size_t size, unsigned n);
	void (*stop)(void);
	uint64_t (*steals)(void);
	bool is_nap;
	struct sim_pool *next;
};

struct sim_work {
	const char *name, *about;
	void (*run)(void);
	/* unless the command line has others: tasks in all, or for each worker; and their length */
	uint64_t tasks, each, grain_ns;
	bool alone;				/* uses no pool */
	bool nap_only;				/* uses what other pools do not have */
	struct sim_work *next;
};

extern struct sim_pool *sim_pools;
extern struct sim_work *sim_works;

#define SIM_POOL(id, ...)								\
	static struct sim_pool sim_pool_##id = { __VA_ARGS__ };				\
	__attribute__((constructor, no_sanitize("thread")))				\
	static void sim_pool_register_##id(void)					\
	{										\
		sim_pool_##id.next = sim_pools;						\
		sim_pools = &sim_pool_##id;						\
	}										\
	struct sim_pool

#define SIM_WORK(id, ...)								\
	static struct sim_work sim_work_##id = { __VA_ARGS__ };				\
	__attribute__((constructor, no_sanitize("thread")))				\
	static void sim_work_register_##id(void)					\
	{										\
		sim_work_##id.next = sim_works;						\
		sim_works = &sim_work_##id;						\
	}										\
	struct sim_work

/* The leaf of a tree: one task of sim_run.grain_ns. */
void work_leaf(void);

/*
 * An iteration of a loop, which counts as one task (work/common.h); and an iteration that returns a
 * value.
 */
void loop_body(uint64_t i);
uint64_t loop_value(uint64_t i);

/* Compares two uint32_t, as nap_compare_fn. */
int work_compare(const void *left, const void *right, void *arg);

#endif /* NAP_SIM_WORK_H */
