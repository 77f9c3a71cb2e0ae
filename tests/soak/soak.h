/* SPDX-License-Identifier: MIT */
/*
 * The soak runs very many tasks in every shape of scheduling, and accounts for each of them.
 *
 * 	soak.c		rounds of all shapes, until enough tasks were scheduled or the time is over
 * 	options.c	the command line
 * 	tally.c		counters, one set per thread
 * 	report.c	the comparison at the end, and the tables
 * 	monitor.c	prints the progress; without progress, the state of the pools
 * 	outside.c, inside.c, waits.c, forks.c, fibers.c, life.c, walk.c	the shapes
 *
 * A task is offered to a pool (nap_schedule() or nap_schedule_batch() is called with it); it is
 * then refused, run, or returned by join. All memory is allocated before the run: it must not
 * grow.
 */
#ifndef NAP_TESTS_SOAK_H
#define NAP_TESTS_SOAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"

#define SOAK_PRODUCERS	3	/* threads that schedule from outside at the same time */

struct soak_options {
	unsigned long tasks;	/* the least number of tasks */
	unsigned int minutes;	/* unless 0: run for this time, and ignore @tasks */
	unsigned int workers;	/* of each of the two pools that live for the whole run */
	bool ktap;		/* print test results instead of the table */
	unsigned int idle;	/* the idle protocol of every pool (enum nap_idle) */
};

/* The idle protocol of the pools that are created while the soak runs. */
extern unsigned int soak_idle;

/*
 * Parses the arguments. False: an argument is wrong, or is --help; *@status is the exit status
 * then.
 */
bool soak_parse(int argc, char **argv, struct soak_options *options, int *status);

/*
 * Returns the number of workers if no option says it: more than there are CPUs, so that workers are
 * preempted anywhere.
 */
unsigned int soak_default_workers(void);

/* Runs the soak; returns the exit status. */
int soak_run(const struct soak_options *options);

/* ---- the shapes ---- */

enum {
	OUTSIDE_ONE, OUTSIDE_BATCH, INSIDE_ONE, INSIDE_BATCH, AGAIN, TREE, FLOOD, PING_PONG,
	GROUP_OUTSIDE, GROUP_INSIDE, FORKS, FIBERS, HELP, QUIESCE, BURST, LIFE_DRAIN, LIFE_STOP,
	WALK, NR_SHAPES
};

struct soak_shape {
	const char *name;
	unsigned int share;	/* of 1,000 tasks */
	bool ends;		/* the shape ends pools: they may refuse and return tasks */
	void (*run)(unsigned int shape, unsigned long tasks);	/* runs about @tasks tasks */
};

extern const struct soak_shape soak_shapes[NR_SHAPES];

void soak_outside_one(unsigned int shape, unsigned long tasks);
void soak_outside_batch(unsigned int shape, unsigned long tasks);
void soak_help(unsigned int shape, unsigned long tasks);
void soak_burst(unsigned int shape, unsigned long tasks);
void soak_inside(unsigned int shape, unsigned long tasks);
void soak_again(unsigned int shape, unsigned long tasks);
void soak_tree(unsigned int shape, unsigned long tasks);
void soak_ping_pong(unsigned int shape, unsigned long tasks);
void soak_group_outside(unsigned int shape, unsigned long tasks);
void soak_group_inside(unsigned int shape, unsigned long tasks);
void soak_forks(unsigned int shape, unsigned long tasks);
void soak_fibers(unsigned int shape, unsigned long tasks);
void soak_quiesce(unsigned int shape, unsigned long tasks);
void soak_life(unsigned int shape, unsigned long tasks);
void soak_walk(unsigned int shape, unsigned long tasks);

/* Prints the cells that are running now, to show which one hangs. */
void walk_print(void);

/* The two pools that live for the whole run. */
extern struct nap_pool soak_a, soak_b;

/* Whether the run has to end. Then every shape ends with its next round, and leaves no task. */
bool soak_interrupted(void);

/* Prints that nap (or the soak) has made a mistake. The run has then failed. */
void soak_fault(const char *what, long value);

/* Runs @produce on SOAK_PRODUCERS threads at once. */
void soak_produce(void (*produce)(unsigned int producer, unsigned int shape, unsigned long tasks),
		  unsigned int shape, unsigned long tasks);

/* ---- counting ---- */

struct tally {
	uint64_t offered[NR_SHAPES] nap__line, run[NR_SHAPES];
	uint64_t refused[NR_SHAPES], returned[NR_SHAPES];
	/* tasks that ran without being scheduled, or that had not run at the shape's end */
	uint64_t wrong[NR_SHAPES];
};

extern __thread struct tally *soak_tally;

/*
 * tally_take() takes counters for the calling thread, and tally_give_back() gives them back. On
 * workers the callbacks below call both.
 */
void tally_take(void);
void tally_give_back(void);
void tally_worker_start(struct nap_worker *worker, void *arg);
void tally_worker_stop(struct nap_worker *worker, void *arg);

/* Allocates counters for @n threads at a time. */
void tally_init(unsigned int n);

/* Adds up the counters of all threads. The sums are exact if no thread is counting. */
void tally_sum(struct tally *sum);

static inline void tally_add(uint64_t *counter, uint64_t n)
{
	nap_store_relaxed(counter, *counter + n);
}

/* ---- tasks ---- */

/*
 * A task, and what accounts for it. Its owner writes it: the thread that offers the task, or the
 * thread that runs it. The runner stores @run last; a thread that wants to offer the task again
 * waits for this store.
 */
struct item {
	struct nap_task task;
	uint32_t offered;
	uint32_t run;		/* atomic */
	uint32_t shape;
	uint32_t left;		/* for the shape: how often to repeat */
	struct nap_group *group;
	struct nap_pool *pool;
	void *family;
};

static inline void item_init(struct item *item, unsigned int shape, nap_task_fn run,
			     struct nap_pool *pool)
{
	*item = (struct item){ .task = NAP_TASK_INIT(run), .shape = shape, .pool = pool };
}

static inline bool item_settled(struct item *item)
{
	return nap_load_acquire(&item->run) == item->offered;
}

/* Counts an offer. To be called before the pool gets the task. */
static inline void item_offer(struct item *item)
{
	item->offered++;
	tally_add(&soak_tally->offered[item->shape], 1);
}

/*
 * Counts a run, and is the last access of the task. Its release lets another thread offer the item
 * again.
 */
static inline void item_ran(struct item *item)
{
	uint32_t run = item->run + 1;

	tally_add(&soak_tally->run[item->shape], 1);
	if (run != item->offered)
		tally_add(&soak_tally->wrong[item->shape], 1);
	nap_store_release(&item->run, run);
}

/* The function of a task that does nothing; the run is counted. */
void item_only(struct nap_task *task);

/* Offers a task and schedules it, where no call may be refused. */
void item_schedule(struct item *item);
void item_schedule_batch(struct nap_batch *batch, struct nap_pool *pool);

static inline void item_add(struct nap_batch *batch, struct item *item)
{
	item_offer(item);
	nap_batch_push(batch, &item->task);
}

/* Checks each task of a shape. To be called when all tasks have ended. */
void items_check(struct item *items, size_t n);

/* Waits until @item has run. If the wait is long, this is a fault. */
void item_await(struct item *item);

/* ---- the report ---- */

struct process {
	long rss, mapped;	/* KiB */
	int threads;
};

void process_read(struct process *process);
/*
 * Waits until /proc lists at most @threads threads, because a thread that was joined may be listed
 * for some time.
 */
void process_settle(struct process *process, int threads);

struct report {
	struct process before, warm, after;
	double seconds;
	unsigned long rounds, pools;
	uint32_t faults;		/* atomic: calls that returned a wrong result */
};

extern struct report soak_report;

extern const char *const soak_idle_names[NAP__IDLE_PROTOCOLS];
/* Prints the tables. Returns true if there is no fault. */
bool report_print(const struct soak_options *options);

/* ---- the monitor ---- */

void monitor_start(void);
void monitor_stop(void);
void monitor_watch(struct nap_pool *pool);
void monitor_forget(struct nap_pool *pool);

#endif /* NAP_TESTS_SOAK_H */
