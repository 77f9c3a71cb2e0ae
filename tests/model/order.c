/* SPDX-License-Identifier: MIT */
/*
 * Queues whose tasks begin in order. One thread at a time owns the queue, and begins the earliest
 * task that may begin. Workers W1 to W3 take the queue's own task; thread A schedules.
 * Invariants: no more slow tasks run than the bound permits; no task is lost, whichever thread
 * leaves the queue last. The pool here is one slot for the queue's own task.
 */
#include <nap/check.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "sched/schedule.h"
#include "worker/phase.h"
#include "eventfd.h"

#define JOBS	3

static struct nap_pool pool;
static struct nap_order order;
static struct nap_task *queued;		/* atomic: the queue's own task, or NULL */
static struct job {
	struct nap_task task;
	int in;			/* the task reads it; not atomic, so a missing order is a race */
	uint32_t ran;		/* atomic: how often the task ran */
} jobs[JOBS];
static uint32_t may_be_held;		/* how many tasks may be held when a fast one begins */
/* not atomic: where the bound is one, slow tasks run one at a time */
static int slow_inside, last_slow;

int nap__schedule_as(struct nap_pool *p, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count)
{
	CHECK(p == &pool && !worker && inside && head == tail && count == 1);
	CHECK(nap_order_of(head) == &order);
	/* There is one owner, so the queue's own task is queued once. */
	CHECK(nap_xchg_release(&queued, head) == NULL);
	return 0;
}

int nap__schedule_behind(struct nap_pool *p, struct nap_worker *worker, struct nap_task *task)
{
	return nap__schedule_as(p, worker, true, task, task, 1);
}

int nap_schedule(struct nap_pool *p, struct nap_task *task)
{
	CHECK(!p && !task);
	return 0;
}

/* Fails when called: no thread stops the pool. */
void nap__schedule_left(struct nap_pool *p, struct nap_task *task)
{
	CHECK(!p && !task);
}

static bool run_one(void)
{
	struct nap_task *own = nap_xchg_acquire(&queued, NULL);

	if (own)
		own->run(own);
	return own;
}

static void note(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	CHECK(job->in == 1);
	CHECK(nap_fetch_add_relaxed(&job->ran, 1) == 0);
}

/*
 * Checks that at most may_be_held of the tasks before this one have not begun. One thread has
 * scheduled all tasks.
 */
static void fast(struct nap_task *task)
{
	uint32_t before = (uint32_t)(nap_container_of(task, struct job, task) - jobs);

	note(task);
	CHECK(nap_load_relaxed(&order.serial.nr_begun) + may_be_held > before);
}

static void slow(struct nap_task *task)
{
	int nr = (int)(nap_container_of(task, struct job, task) - jobs) + 1;

	note(task);
	if (order.most_slow > 1)
		return;
	CHECK(slow_inside++ == 0 && last_slow < nr);
	last_slow = nr;
	slow_inside--;
}

static void setup(void)
{
	pool.limit = 1;
	pool.fork_gen = nap_load_relaxed(&nap__fork_gen);
	CHECK(nap_order_init(&order, &pool, 1) == 0);
	check_name(&order.serial.pushed, sizeof(order.serial.pushed), "pushed");
	check_name(&order.slow_ended, sizeof(order.slow_ended), "slow_ended");
	check_name(&order.is_told, sizeof(order.is_told), "is_told");
}

static void put(int i, enum nap_order_kind kind)
{
	nap_task_init(&jobs[i].task, kind == NAP_ORDER_SLOW ? slow : fast);
	jobs[i].in = 1;
	CHECK(nap_order_schedule(&order, kind, &jobs[i].task) == 0);
}

static void worker(void *none)
{
	(void)none;
	run_one();
}

/* Runs what is left, in the thread of .finally; then no task waits. */
static void all_have_run(void)
{
	while (run_one())
		;
	for (int i = 0; i < JOBS; i++)
		CHECK(jobs[i].ran == (uint32_t)jobs[i].in);
	CHECK(nap_order_depth(&order) == 0 && pool.serial_waiting == 0);
}

/* ---- tasks that may begin at any time */

static void setup_three(void)
{
	setup();
	for (int i = 0; i < 3; i++)
		put(i, NAP_ORDER_FAST);
}

CHECK_SCENARIO(order_three, .about = "two begin what is there",
	.setup = setup_three, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" } });

static void setup_one(void)
{
	setup();
	put(0, NAP_ORDER_FAST);
}

static void put_two(void *none)
{
	(void)none;
	put(1, NAP_ORDER_FAST);
	put(2, NAP_ORDER_FAST);
}

CHECK_SCENARIO(order_put, .about = "two begin what a third one schedules meanwhile",
	.setup = setup_one, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" }, { put_two, NULL, "A" } });

/* One waits at any time. */
static void put_and_begin(void *none)
{
	(void)none;
	put(1, NAP_ORDER_FAST);
	run_one();
}

static void depth_is_one_at_least(void *none)
{
	uint32_t depth = nap_order_depth(&order);

	(void)none;
	CHECK(depth == 1 || depth == 2);
}

CHECK_SCENARIO(order_depth, .about = "its depth is read while one is scheduled, and one begins",
	.setup = setup_one, .finally = all_have_run,
	.threads = { { put_and_begin, NULL, "A" }, { depth_is_one_at_least, NULL, "B" } });

/* ---- slow tasks */

static void setup_slow(void)
{
	setup();
	may_be_held = 1;
	put(0, NAP_ORDER_SLOW);
	put(1, NAP_ORDER_SLOW);
}

CHECK_SCENARIO(order_slow, .about = "one is slow, one is held, and nobody else comes",
	.setup = setup_slow, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" } });

static void put_third(void *kind)
{
	put(2, (enum nap_order_kind)(uintptr_t)kind);
}

CHECK_SCENARIO(order_slow_put, .about = "and another is scheduled meanwhile",
	.setup = setup_slow, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" },
		     { put_third, (void *)NAP_ORDER_SLOW, "A" } });

CHECK_SCENARIO(order_passed, .about = "and a fast one, which passes over the one that is held",
	.setup = setup_slow, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" },
		     { put_third, (void *)NAP_ORDER_FAST, "A" } });

/* Setup: two workers return at the same time; one of them notifies, for both. */
static void setup_told(void)
{
	setup();
	order.most_slow = 2;
	for (int i = 0; i < 3; i++)
		put(i, NAP_ORDER_SLOW);
}

CHECK_SCENARIO(order_told, .about = "two slow ones return at the same time, and a third is held",
	.setup = setup_told, .finally = all_have_run,
	.threads = { { worker, NULL, "W1" }, { worker, NULL, "W2" }, { worker, NULL, "W3" } });
