/* SPDX-License-Identifier: MIT */
/*
 * A serial queue in a pool that drains (src/kit/serial.c, serial_schedule.c, src/life/pool_end.c):
 * producers schedule from outside, a joiner drains the pool, and one worker runs. Invariant: when
 * the pool has been joined, what was accepted has been run, in its order, and nothing else was
 * run. A quantum is one task here, so after each task except the last the queue goes to the end
 * of the injection queue.
 */
#include <nap/nap.h>

#undef NAP_SERIAL_QUANTUM
#define NAP_SERIAL_QUANTUM 1u

/* This file uses the quantum above, in place of the library's. */
#include "../../src/kit/serial.c"

#include "eventfd.h"
#include "pool_setup.h"

#define TASKS 3

static struct nap_serial *serial;
static struct job jobs[TASKS] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };
static int accepted[TASKS];	/* each entry is its producer's; not atomic */
static int order[TASKS], nr_run;	/* one task writes at a time; not atomic */

static void run_in_order(struct nap_task *task)
{
	struct job *job = job_begin(task);

	order[job - jobs] = ++nr_run;
}

/* Setup: the only worker is about to sleep, and the queue is idle. */
static void idle(void)
{
	pool_new(1, 2);
	pool_set_idle(pool_add_worker(2));
	serial = check_alloc(sizeof(*serial) + NAP__CACHE_LINE);
	CHECK((uintptr_t)serial % NAP__CACHE_LINE == 0);
	CHECK(nap_serial_init(serial, pool) == 0);
	check_name(&serial->pushed, sizeof(serial->pushed), "pushed");
	for (int i = 0; i < TASKS; i++)
		nap_task_init(&jobs[i].task, run_in_order);
	nr_run = 0;
}

static void schedule(unsigned i)
{
	jobs[i].in = JOB_IN;
	accepted[i] = nap_serial_schedule(serial, &jobs[i].task) == 0;
}

static void schedule_one(void *i)
{
	schedule((unsigned)(uintptr_t)i);
}

static void schedule_two(void *unused)
{
	(void)unused;
	schedule(0);
	schedule(1);
}

static void drain(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
}

static void accepted_is_run(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	for (int i = 0; i < TASKS; i++)
		CHECK(jobs[i].runs == accepted[i] && !order[i] == !accepted[i]);
	CHECK(!accepted[1] || order[0] < order[1]);
	CHECK(nap_serial_depth(serial) == 0);
	CHECK(nap_serial_close(serial, &left) == 0 && !left.head);
}

CHECK_SCENARIO(serial_drain_pushed,
	.about = "a task is pushed from outside onto an idle queue as the pool drains",
	.random = 3000,
	.setup = idle, .finally = accepted_is_run,
	.threads = { { schedule_one, (void *)0, "producer" }, { drain, NULL, "joiner" },
		     PARKED(0) });

CHECK_SCENARIO(serial_drain_turn, .about = "two are, and behind the first one's turn is another's",
	.random = 3000,
	.setup = idle, .finally = accepted_is_run,
	.threads = { { schedule_two, NULL, "producer" }, { drain, NULL, "joiner" }, PARKED(0) });

/* The worker owns the queue, or has just left it. */
CHECK_SCENARIO(serial_drain_two, .about = "the same by two, one of whom may find it busy",
	.random = 3000,
	.setup = idle, .finally = accepted_is_run,
	.threads = { { schedule_two, NULL, "producer" }, { drain, NULL, "joiner" }, PARKED(0),
		     { schedule_one, (void *)2, "another" } });
