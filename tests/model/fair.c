/* SPDX-License-Identifier: MIT */
/*
 * No task starves. Worker 1 has a task that reschedules itself. Worker 0 queues something inside
 * a task that then never ends, or a thread from outside injects a task. Invariant: worker 1
 * begins what was queued within as many dequeues as nap/pool.h says, counted from when worker 1
 * knows of it. Every dequeue is a fairness tick here, and no tasks are moved in bulk. The ring
 * has two slots, and its indices wrap on the way.
 */
#define NAP_FAIR_PERIOD 3

/* The two files below use the period that is defined above, in place of the library's. */
#include "../../src/sched/fair.c"
#include "../../src/sched/search.c"

#include "pool_setup.h"

/* the number of dequeues after which ticks of fairness have served every queue of two workers */
#define HOPS (NAP_FAIR_PERIOD * NAP__LOOKS * 2)

static uint32_t queued;
static unsigned hops, early, bound;
static int has_run;

/* Leaves out executions in which more hops than this come before worker 0 queues the task. */
#define EARLY_HOPS 2

static void hop(struct nap_task *task)
{
	if (has_run)
		return;
	if (nap_load_acquire(&queued))
		CHECK(++hops <= bound);
	else
		check_assume(++early <= EARLY_HOPS);
	CHECK(nap_schedule(pool, task) == 0);
}

static struct nap_task hopper = NAP_TASK_INIT(hop);

static void note(struct nap_task *task)
{
	job_begin(task);
	has_run = 1;
}

static struct job job = JOB_INIT(note);

static void note_forked(struct nap_worker *worker, struct nap_frame *top, int in)
{
	(void)worker;
	(void)top;
	CHECK(in == JOB_IN);
	has_run = 1;
}

NAP_JOB_VOID(note_forked, int)

/* Queues a task by calling @queue as worker 0, in the middle of a task that then never ends. */
static void queue_and_block(void (*queue)(struct nap_worker *worker))
{
	struct nap_worker *w = registry_at(pool, 0);

	self_is(nap__self(), w);
	queue(w);
	nap_store_release(&queued, 1);
	block_for_ever();
}

static void into_ring(struct nap_worker *w)
{
	(void)w;
	CHECK(job_schedule(&job) == 0);
}

static void into_overflow(struct nap_worker *w)
{
	job.in = JOB_IN;
	overflow_push(&w->overflow, &job.task, &job.task);
	nap__idle_notify(pool);
}

static void into_deque(struct nap_worker *w)
{
	note_forked_fork(w, nap_top(w), JOB_IN);
}

static void in_ring(void *unused)
{
	(void)unused;
	queue_and_block(into_ring);
}

static void in_overflow(void *unused)
{
	(void)unused;
	queue_and_block(into_overflow);
}

static void in_deque(void *unused)
{
	(void)unused;
	queue_and_block(into_deque);
}

/* Injects the task as a thread from outside. */
static void injected(void *unused)
{
	(void)unused;
	job_inject(&job);
	nap_store_release(&queued, 1);
}

static void hop_on(void *unused)
{
	struct nap_worker *w = registry_at(pool, 1);
	struct nap_task *task;

	(void)unused;
	self_is(nap__self(), w);
	while (!has_run && (task = nap__dequeue(w)))
		nap__run(w, task);
	block_for_ever();
}

static void setup(void)
{
	struct nap_worker *w;

	pool_new(2, 0);
	pool_add_worker(0)->rest = 2;
	w = pool_add_worker(0);
	w->rest = 2;
	ring_put(&w->ring, 0, &hopper);
	ring_commit(&w->ring, 1);
	bound = HOPS;
}

static void setup_injected(void)
{
	setup();
	bound = NAP_FAIR_PERIOD;
}

static void it_has_run(void)
{
	CHECK(has_run);
}

#define HOPPER { hop_on, NULL, "W1" }

CHECK_SCENARIO(fair_ring, .about = "a task in the ring of a worker that blocks",
	.setup = setup, .finally = it_has_run, .may_block = true,
	.threads = { { in_ring, NULL, "W0" }, HOPPER });

CHECK_SCENARIO(fair_overflow, .about = "a task in its overflow",
	.setup = setup, .finally = it_has_run, .may_block = true,
	.threads = { { in_overflow, NULL, "W0" }, HOPPER });

CHECK_SCENARIO(fair_job, .about = "a job in its deque",
	.setup = setup, .finally = it_has_run, .may_block = true,
	.threads = { { in_deque, NULL, "W0" }, HOPPER });

CHECK_SCENARIO(fair_injected, .about = "a task that is injected",
	.setup = setup_injected, .finally = it_has_run, .may_block = true,
	.threads = { { injected, NULL, "P" }, HOPPER });
