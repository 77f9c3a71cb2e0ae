/* SPDX-License-Identifier: MIT */
/*
 * A worker (W0) forks a job and joins it, while a thief (W1) may take the job. The joiner sleeps
 * as an idle worker. The joiner is woken by its latch, by new work, by both at once, or by a fork
 * of its thief. Invariants: what the job works on may be freed right after the join, and the
 * job's frame used again; nothing of the latch is left for the joiner's next wait.
 */
#include "sync/event.h"
#include "../forked.h"
#include "os/futex.h"
#include "fork/jobs.h"
#include "pool_setup.h"

/* What a job works on: memory of its own, so that a touch after its end is found. */
struct piece {
	int in, out;
};

static bool joined;
static struct job task;

static void do_piece(struct nap_worker *worker, struct nap_frame *top, struct piece *piece)
{
	(void)worker;
	(void)top;
	CHECK(piece->in == JOB_IN);
	piece->out = piece->in + 1;
}

NAP_JOB_VOID(do_piece, struct piece *)

static struct piece *new_piece(void)
{
	struct piece *piece = check_alloc(sizeof(*piece));

	piece->in = JOB_IN;
	return piece;
}

static void end_piece(struct piece *piece)
{
	CHECK(piece->out == JOB_IN + 1);
	check_free(piece);
}

static void fork_and_join_on(struct nap_worker *worker, nap_job_fn run)
{
	struct piece *piece = new_piece();
	struct nap_frame *frame = fork_run(worker, run, piece);

	if (nap_join(worker, frame))
		do_piece(worker, frame, piece);
	end_piece(piece);
}

static struct nap_worker *begin_worker(uintptr_t index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)index);

	self_is(nap__self(), worker);
	return worker;
}

static void fork_and_join(void *arg)
{
	(void)arg;
	fork_and_join_on(begin_worker(0), do_piece_run);
	joined = true;
}

static void fork_and_join_twice(void *arg)
{
	fork_and_join(arg);
	fork_and_join(arg);
}

/* Forks, joins, and then searches for other work. */
static void fork_join_and_work(void *arg)
{
	fork_and_join(arg);
	nap__worker_main(nap__self()->worker);
}

/* Steals once from the first worker, and runs the job if there is one. */
static void steal_from_first(struct nap_worker *worker)
{
	bool more = false;
	struct nap_task *stolen = nap__steal_job(worker, registry_at(pool, 0), &more);

	if (stolen)
		nap__run(worker, stolen);
}

static void thief(void *arg)
{
	(void)arg;
	steal_from_first(begin_worker(1));
}

static void producer(void *arg)
{
	(void)arg;
	job_inject(&task);
}

static void setup(void)
{
	pool_new(2, 0);
	/* without yields an execution has a bounded length */
	pool->config.yields = NAP_NO_YIELDS;
	check_name(&pool->forks, sizeof(pool->forks), "pool.forks");
	pool_add_worker(0)->rest = 2;
	pool_add_worker(0)->rest = 2;
	task.task.run = job_run;
}

static void setup_fenced(void)
{
	seam_no_membarrier();
	setup();
}

static void nothing_left(void)
{
	CHECK(joined);
	CHECK(!(registry_at(pool, 0)->event & EVENT_LATCH));
	CHECK(!registry_at(pool, 0)->frames[0].latch);
}

static void task_ran(void)
{
	nothing_left();
	CHECK(task.runs == 1);
}

/* A test of [L1] in ordering.rst. */
CHECK_SCENARIO(join_latch, .about = "what a stolen job is about is freed as soon as it is joined",
	.setup = setup, .finally = nothing_left,
	.threads = { { fork_and_join, NULL, "W0" }, { thief, NULL, "W1" } });

CHECK_SCENARIO(join_latch_again, .about = "the same frame and latch twice",
	.setup = setup_fenced, .finally = nothing_left,
	.threads = { { fork_and_join_twice, NULL, "W0" }, { thief, NULL, "W1" } });

CHECK_SCENARIO(join_latch_and_work, .about = "a joiner is woken by work and by its latch at once",
	.random = 20000,
	.setup = setup, .finally = task_ran, .may_block = true,
	.threads = { { fork_join_and_work, NULL, "W0" }, { thief, NULL, "W1" },
		     { producer, NULL, "producer" } });

/* ---- the thief forks, and goes on when the forked job has been begun */

static uint32_t begun;

static void begin_inner(struct nap_worker *worker, struct nap_frame *top, struct piece *piece)
{
	do_piece(worker, top, piece);
	nap_store_relaxed(&begun, 1);
	nap__futex_wake(&begun, 1);
}

NAP_JOB_VOID(begin_inner, struct piece *)

static void fork_inner(struct nap_worker *worker, struct nap_frame *top, struct piece *piece)
{
	struct piece *inner = new_piece();

	begin_inner_fork(worker, top, inner);
	while (!nap_load_relaxed(&begun))
		nap__futex_wait(&begun, 0, UINT64_MAX);
	CHECK(!nap_join(worker, top));
	end_piece(inner);
	do_piece(worker, top, piece);
}

NAP_JOB_VOID(fork_inner, struct piece *)

static void fork_outer(void *arg)
{
	(void)arg;
	fork_and_join_on(begin_worker(0), fork_inner_run);
	joined = true;
}

CHECK_SCENARIO(join_called_back, .about = "a joiner runs what its thief forks, asleep or not",
	.random = 20000,
	.setup = setup, .finally = nothing_left,
	.threads = { { fork_outer, NULL, "W0" }, { thief, NULL, "W1" } });

/* ---- a thief that no worker has met: the thief's record is made while the joiner searches */

static void new_thief(void *arg)
{
	struct nap_worker *worker = registry_at(pool, 1);

	(void)arg;
	worker->pool = pool;
	worker->index = 1;
	deque_init(&worker->deque, worker->frames, NAP_DEQUE_SIZE);
	self_is(nap__self(), worker);
	steal_from_first(worker);
}

static void setup_new(void)
{
	pool_new(2, 0);
	/* without yields an execution has a bounded length */
	pool->config.yields = NAP_NO_YIELDS;
	pool_add_worker(0)->rest = 2;
	pool_count_worker();
}

/* A test of [L2] in ordering.rst. */
CHECK_SCENARIO(join_new_thief, .about = "a joiner goes to the deque of a thief that is new to it",
	.setup = setup_new, .finally = nothing_left,
	.threads = { { fork_and_join, NULL, "W0" }, { new_thief, NULL, "W1" } });
