/* SPDX-License-Identifier: MIT */
/*
 * A fiber that takes its stack when it begins, while the only stack is given back or trimmed
 * (src/async/fiber/starts.c, free.c). The starter is a worker that begins the fiber; the giver is
 * a worker or a thread from outside. Invariants: the fiber gets the stack, whichever thread gives
 * it back; no thread takes the pool to be idle before the fiber has ended.
 */
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "async/async.h"
#include "worker/queued.h"
#include "pool_setup.h"

/* The numbers of the threads */
#define GIVER	0
#define STARTER	1
#define OTHER	2	/* a third worker, or a thread from outside */

static struct nap__fibers *all;
static struct nap_worker *workers[3];
static struct nap_fiber *mine;		/* the only stack, which the giver has */
static struct nap_fiber_start start;
static int in;				/* stands for what the fiber's function does; not atomic */
static int begun;

/* Begins the fiber on its stack; the fiber ends at once. */
struct nap_fiber *nap__fiber_enter(struct nap_fiber *fiber, struct nap_task **next)
{
	if (next)
		*next = NULL;
	CHECK(fiber == mine && fiber->life == FIBER_SPAWNED);
	CHECK(in == 1);
	in = 0;
	begun++;
	nap_store_relaxed(&fiber->life, FIBER_ENDED);
	return fiber;
}

struct nap_fiber *nap__fiber_waiting(void)
{
	return NULL;
}

void nap__fiber_suspend(struct nap_fiber *fiber)
{
	(void)fiber;
	CHECK(false);
}

void nap__fiber_yield(struct nap_fiber *fiber)
{
	(void)fiber;
	CHECK(false);
}

void nap__fiber_ready(struct nap_fiber *fiber)
{
	(void)fiber;
	CHECK(false);
}

struct nap_task *nap__fiber_take(struct nap_fiber *fiber)
{
	(void)fiber;
	CHECK(false);
	return NULL;
}

static intptr_t nothing(void *unused)
{
	(void)unused;
	return 0;
}

static void begin(void)
{
	const struct nap_fibers_config config = { .stack_size = 16 << 10, .most = 1,
						  .flags = NAP_FIBER_NO_GUARD };

	pool_new(3, CHECK_THREADS);
	all = nap__fibers_of(pool);
	check_name(&all->warm, sizeof(all->warm), "warm");
	check_name(&all->moves, sizeof(all->moves), "moves");
	check_name(&all->spawned, sizeof(all->spawned), "spawned");
	check_name(&all->ended, sizeof(all->ended), "ended");
	check_name(&all->async.starts, sizeof(all->async.starts), "starts");
	for (int i = 0; i < 3; i++)
		workers[i] = pool_add_worker(3);
	check_name(workers[GIVER]->stacks, sizeof(workers[GIVER]->stacks), "kept");
	CHECK(nap__stacks_init(all, &config) == 0);
	mine = nap__stack_take(all, NULL);
	CHECK(mine && !nap__stack_take(all, NULL));
	CHECK(nap_fiber_start_init(&start, pool, nothing, NULL) == 0);
	in = 1;
	begun = 0;
}

/* Runs what is in the worker's ring, and checks once more for work before the worker parks. */
static void park(struct nap_worker *worker)
{
	struct nap_task *task;

	while ((task = ring_pop(&worker->ring)))
		nap__run(worker, task);
	nap_fence_seq_cst();
	if (nap__work_queued(pool) && (task = nap__dequeue(worker)))
		nap__run(worker, task);
}

static void worker_starts(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[STARTER]);
	nap__start_run(&start.task);
	park(workers[STARTER]);
}

static void worker_gives(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[GIVER]);
	nap__stack_give(all, workers[GIVER], mine);
	park(workers[GIVER]);
}

/*
 * Gives the stack back from outside, as a thread that awaits a fiber does. A worker is notified
 * of the fiber, or finds it.
 */
static void outsider_gives(void *unused)
{
	(void)unused;
	nap__stack_give(all, NULL, mine);
}

static void has_begun(void)
{
	uint64_t spawned;

	CHECK(begun == 1 && !in);
	CHECK(!nap__fibers_live(all, &spawned) && spawned == 1);
}

/* Checks that the fiber has its stack, and that the next worker finds the fiber. */
static void begins_now(void)
{
	struct nap_task *task;

	self_is(nap__self(), workers[OTHER]);
	if (!begun) {
		/* The stack was handed over before this worker searches. */
		CHECK(start.stack == mine);
		task = nap__dequeue(workers[OTHER]);
		CHECK(task == &start.task);
		nap__run(workers[OTHER], task);
	}
	has_begun();
}

CHECK_SCENARIO(start_worker_gives,
	.about = "a fiber that finds no stack begins, as a worker gives one back and parks",
	.setup = begin, .finally = has_begun,
	.threads = { { worker_gives, NULL, "giver" }, { worker_starts, NULL, "starter" } });

/* Begins the fiber, and does not check again. */
static void starts_and_goes(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[STARTER]);
	nap__start_run(&start.task);
}

CHECK_SCENARIO(start_outsider_gives, .about = "the same as a thread from outside gives one back",
	.setup = begin, .finally = begins_now,
	.threads = { { outsider_gives, NULL, "giver" }, { starts_and_goes, NULL, "starter" } });

/* ---- beside a trim, which holds the stack for a while */

/* Setup: the giver keeps the stack, and has not yet seen that a fiber waits for a stack. */
static void kept_and_waiting(void)
{
	begin();
	self_is(nap__self(), workers[STARTER]);
	nap__start_run(&start.task);
	self_is(nap__self(), NULL);
	stack_keep(workers[GIVER], mine);
}

static void parks(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[GIVER]);
	park(workers[GIVER]);
}

static void trims(void *unused)
{
	(void)unused;
	CHECK(nap_fibers_trim(pool) >= 0);
}

CHECK_SCENARIO(start_beside_trim,
	.about = "a worker that keeps the stack parks, as a trim has that stack",
	.setup = kept_and_waiting, .finally = begins_now,
	.threads = { { parks, NULL, "giver" }, { trims, NULL, "trimmer" } });

/*
 * Keeps the stack, as nap__stack_give() does when it has seen no fiber that waits; then checks as
 * a worker does before it parks.
 */
static void keeps_and_parks(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[GIVER]);
	stack_keep(workers[GIVER], mine);
	nap_fence_seq_cst();
	if (nap__starts_may(pool) && nap__starts_take(workers[GIVER]))
		nap__run(workers[GIVER], &start.task);
}

/* Lists the start, as nap__start_run() does when it has found no stack. */
static void lists_and_goes(void *unused)
{
	(void)unused;
	self_is(nap__self(), workers[STARTER]);
	nap__starts_wait(all, workers[STARTER], &start.task);
}

/* Sampled: there are more than a million executions. */
CHECK_SCENARIO(start_listed_beside_trim, .about = "the same as the fiber lists itself",
	.setup = begin, .finally = begins_now, .random = 20000,
	.threads = { { keeps_and_parks, NULL, "giver" }, { lists_and_goes, NULL, "starter" },
		     { trims, NULL, "trimmer" } });

/* ---- whether the pool is at rest */

static struct nap_task *taken;

/* Setup: the stack is free again, and the fiber waits; no thread has checked yet. */
static void free_and_waiting(void)
{
	begin();
	self_is(nap__self(), workers[STARTER]);
	nap__start_run(&start.task);
	self_is(nap__self(), NULL);
	free_list_push(&all->warm, all->notes, mine->index, mine->index, 1);
	taken = NULL;
}

static void looks_for_it(void *unused)
{
	(void)unused;
	taken = nap__starts_take(workers[OTHER]);
}

static void asks(void *unused)
{
	(void)unused;
	CHECK(async_ops(pool)->waits(pool));
}

static void taken_begins(void)
{
	CHECK(taken == &start.task && start.stack == mine);
	self_is(nap__self(), workers[OTHER]);
	nap__run(workers[OTHER], taken);
	has_begun();
}

CHECK_SCENARIO(start_not_at_rest,
	.about = "a pool is not at rest as a fiber gets the stack that it has waited for",
	.setup = free_and_waiting, .finally = taken_begins,
	.threads = { { looks_for_it, NULL, "giver" }, { asks, NULL, "joiner" } });
