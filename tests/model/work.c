/* SPDX-License-Identifier: MIT */
/*
 * Works: a worker runs a work, while other threads cancel it, ask whether it is idle, or close
 * the loop to which the work's end is reported. Invariants: the work ends once, whichever thread
 * cancels it, and whenever; its function has run, or the work was canceled; callers that cancel
 * or ask get the right answer; no thread touches the work after its end.
 */
#include <nap/work.h>

#include "kit/work.h"
#include "eventfd.h"
#include "pool_setup.h"

static struct nap_work *work;
static struct nap_cq loop_queue;
static struct nap_batch batch;
static int ran, ended, result, reason;	/* not atomic, so a missing order is a race */
static bool canceled[2];
static int refused;

static int run_once(struct nap_work *w)
{
	CHECK(w == work && ran == 0);
	ran = 1;
	if (!nap_work_is_canceled(w))
		return 0;
	CHECK(reason == 1);
	return 1;
}

static void judge(int told)
{
	CHECK(ended == 0);
	ended = 1;
	result = told;
	/* The worker sees what the canceler has written. */
	if (told == -ECANCELED)
		CHECK(reason == 1 && ran == 0);
	else
		CHECK(ran == 1);
}

static void done(struct nap_work *w, int told)
{
	CHECK(w == work && nap_work_is_idle(w));
	judge(told);
}

static void done_and_free(struct nap_work *w, int told)
{
	done(w, told);
	check_free(work);
}

static void setup_of(nap_done_fn fn, struct nap_cq *cq)
{
	work = check_alloc(sizeof(*work));
	nap_work_init(work, run_once, fn, cq);
	check_name(&work->state, sizeof(work->state), "state");
}

static void queued(nap_done_fn fn, struct nap_cq *cq)
{
	setup_of(fn, cq);
	CHECK(nap_work_batch(&batch, work) == 0 && nap_work_batch(&batch, work) == -EBUSY);
}

/* Runs the queued work, as the pool's worker. */
static void take_turn(void *none)
{
	struct nap_task *task = nap_batch_pop(&batch);

	(void)none;
	CHECK(nap_work_of(task) == work);
	task->run(task);
}

static void cancel(void *index)
{
	if (!index)
		reason = 1;
	canceled[(uintptr_t)index] = nap_cancel(work);
}

#define WORKER_TURN { take_turn, NULL, "worker" }
#define CANCELER(index) { cancel, (void *)(uintptr_t)(index), "C" #index }

static void is_told_right(void)
{
	CHECK(ended == 1);
	CHECK(canceled[0] + canceled[1] == (result == -ECANCELED));
	CHECK(canceled[0] + canceled[1] + ran == 1);
}

/* ---- cancel against begin */

static void setup(void)
{
	queued(done, NULL);
}

CHECK_SCENARIO(work_cancel, .about = "canceled while it begins",
	.setup = setup, .finally = is_told_right,
	.threads = { WORKER_TURN, CANCELER(0) });

/* The second canceler must not write to @reason, which @done reads. */
static void setup_two(void)
{
	setup();
	reason = 1;
}

static void cancel_only(void *index)
{
	canceled[(uintptr_t)index] = nap_cancel(work);
}

CHECK_SCENARIO(work_cancel_two, .about = "two cancel: one of them, or none, has",
	.setup = setup_two, .finally = is_told_right,
	.threads = { WORKER_TURN, { cancel_only, (void *)0, "C0" },
		     { cancel_only, (void *)1, "C1" } });

/*
 * ---- without a function at the end: a thread that finds the work idle has what the work wrote,
 * and frees it
 */

static void setup_idle(void)
{
	queued(NULL, NULL);
}

static void free_when_idle(void *none)
{
	(void)none;
	if (!nap_work_is_idle(work))
		return;
	CHECK(ran == 1);
	check_free(work);
}

CHECK_SCENARIO(work_idle, .about = "freed by who finds it idle",
	.setup = setup_idle,
	.threads = { WORKER_TURN, { free_when_idle, NULL, "owner" } });

static void schedule_again(void *none)
{
	(void)none;
	if (nap_work_batch(&batch, work))
		return;
	CHECK(ran == 1);
	ran = 0;
}

CHECK_SCENARIO(work_again, .about = "scheduled by who finds that it is not busy",
	.setup = setup_idle,
	.threads = { WORKER_TURN, { schedule_again, NULL, "owner" } });

/* ---- the work's end goes to a loop, which frees the work */

static void setup_loop(void)
{
	CHECK(nap_cq_init(&loop_queue) == 0);
	queued(done_and_free, &loop_queue);
}

static void run_loop(void *none)
{
	(void)none;
	while (!ended) {
		nap__os_eventfd_wait(nap_cq_fd(&loop_queue), UINT64_MAX);
		nap_cq_run(&loop_queue, 0);
	}
}

/* Cancels in the loop's thread, because only the loop knows that the work has not been freed. */
static void cancel_and_loop(void *none)
{
	cancel((void *)0);
	run_loop(none);
	CHECK(canceled[0] == (result == -ECANCELED));
}

static void has_ended(void)
{
	CHECK(ended == 1);
}

CHECK_SCENARIO(work_loop, .about = "canceled by the loop that is told of its end, and frees it",
	.setup = setup_loop, .finally = has_ended,
	.threads = { WORKER_TURN, { cancel_and_loop, NULL, "loop" } });

/* Closes the loop's queue; after that the worker calls @done. */
static void close_loop(void *none)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task *task;

	(void)none;
	CHECK(nap_cq_close(&loop_queue, &left) == 0);
	while ((task = nap_batch_pop(&left)))
		task->run(task);
}

CHECK_SCENARIO(work_loop_closed, .about = "the loop closes its queue while it ends",
	.setup = setup_loop, .finally = has_ended,
	.threads = { WORKER_TURN, { close_loop, NULL, "loop" } });

/*
 * ---- the work's end is reported at once: the loop calls @done, and then the second thread that
 * comes calls @gone, which frees the work
 */

static int gone;

static void done_only(struct nap_work *w, int told)
{
	CHECK(w == work && !nap_work_is_idle(w) && gone == 0);
	judge(told);
}

static void free_gone(struct nap_work *w)
{
	CHECK(w == work && nap_work_is_idle(w) && ended == 1);
	gone = 1;
	check_free(work);
}

static void setup_gone(void)
{
	CHECK(nap_cq_init(&loop_queue) == 0);
	queued(done_only, &loop_queue);
	work->gone = free_gone;
}

static void run_until_gone(void *none)
{
	(void)none;
	while (!gone) {
		nap__os_eventfd_wait(nap_cq_fd(&loop_queue), UINT64_MAX);
		nap_cq_run(&loop_queue, 0);
	}
}

static void cancel_and_run_until_gone(void *none)
{
	cancel((void *)0);
	run_until_gone(none);
	CHECK(canceled[0] == (result == -ECANCELED));
}

static void is_gone(void)
{
	CHECK(ended == 1 && gone == 1);
}

CHECK_SCENARIO(work_gone, .about = "told of at once, and gone when its place is reached",
	.setup = setup_gone, .finally = is_gone,
	.threads = { WORKER_TURN, { cancel_and_run_until_gone, NULL, "loop" } });

static void setup_gone_queued(void)
{
	setup_gone();
	reason = 1;
}

static void cancel_queued(void *none)
{
	(void)none;
	canceled[0] = nap_cancel(work);
}

/*
 * Takes the work's entry when the work was canceled. Until then the work exists for the canceler,
 * and after that for this thread.
 */
static void take_when_canceled(void *none)
{
	while (nap_load_relaxed(&work->state) == WORK_QUEUED)
		check_yield();
	take_turn(none);
}

CHECK_SCENARIO(work_gone_three, .about = "the same, canceled by a third thread",
	.setup = setup_gone_queued, .finally = is_gone,
	.threads = { { take_when_canceled, NULL, "worker" }, { run_until_gone, NULL, "loop" },
		     { cancel_queued, NULL, "C" } });

/* Closes the loop's queue: a pusher that comes too late gets an error. */
static void close_and_end(void *none)
{
	struct nap_batch left = NAP_BATCH_INIT;

	(void)none;
	CHECK(nap_cq_close(&loop_queue, &left) == 0);
	nap_work_end_left(&left);
	CHECK(!left.head);
}

CHECK_SCENARIO(work_gone_closed, .about = "its loop closes its queue meanwhile",
	.setup = setup_gone_queued, .finally = is_gone,
	.threads = { { take_when_canceled, NULL, "worker" }, { close_and_end, NULL, "loop" },
		     { cancel_queued, NULL, "C" } });

/* ---- a schedule that is refused, while another thread cancels the work */

static void setup_refused(void)
{
	pool_new(1, 0);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	setup_of(done, NULL);
}

static void schedule_refused(void *none)
{
	(void)none;
	refused = nap_work_schedule(pool, work);
}

static void refused_or_canceled(void)
{
	CHECK(refused == 0 || refused == -ESHUTDOWN);
	CHECK(canceled[0] == (refused == 0) && ended == (refused == 0));
	CHECK(nap_work_is_idle(work));
}

CHECK_SCENARIO(work_refused, .about = "refused, and canceled meanwhile by one who was told so",
	.setup = setup_refused, .finally = refused_or_canceled,
	.threads = { { schedule_refused, NULL, "C1" }, CANCELER(0) });
