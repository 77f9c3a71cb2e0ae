/* SPDX-License-Identifier: MIT */
/*
 * Completion queues: threads P0 and P1 push, and the loop pops, and sleeps on the queue's fd when
 * the queue is empty. Invariants: the loop gets every task that was pushed, in each pusher's order;
 * a push during a close is refused, or its task is handed out; after the close no thread touches
 * the queue or its fd.
 */
#include <errno.h>

#include <nap/check.h>
#include <nap/complete.h>

#include "eventfd.h"

#define JOBS		4
static struct job {
	struct nap_task task;
	int payload;		/* not atomic, so a missing order is a race */
	/* written by the loop: the task's position among those popped, from 1 */
	int out;
} jobs[JOBS];

static struct nap_cq *cq;
static void *cq_memory;
static int accepted[JOBS], nr_out, nr_sleeps;

/* ---- the loop, and threads that push */

static void setup(void)
{
	cq_memory = check_alloc(sizeof(*cq) + NAP__CACHE_LINE);
	cq = (struct nap_cq *)(((uintptr_t)cq_memory + NAP__CACHE_LINE - 1) / NAP__CACHE_LINE *
			       NAP__CACHE_LINE);
	CHECK(nap_cq_init(cq) == 0);
	check_name(&cq->pushed, sizeof(cq->pushed), "pushed");
	check_name(&efd, sizeof(efd), "eventfd");
}

static void push(unsigned index)
{
	jobs[index].payload = 1;
	accepted[index] = nap_cq_push(cq, &jobs[index].task) == 0;
}

static void push_one(void *index)
{
	push((unsigned)(uintptr_t)index);
}

static void push_two(void *index)
{
	push((unsigned)(uintptr_t)index);
	push((unsigned)(uintptr_t)index + 1);
}

static void out(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	CHECK(job->payload == 1 && job->out == 0);
	job->out = ++nr_out;
}

static void sleep_on_fd(void)
{
	nap__os_eventfd_wait(nap_cq_fd(cq), UINT64_MAX);
	nr_sleeps++;
}

/*
 * Pops until the queue is empty, and then sleeps. Checks that pushes wrote to the fd at most once
 * for each sleep.
 */
static void take_all(void *nr)
{
	struct nap_task *task;

	while (nr_out < (int)(intptr_t)nr) {
		while ((task = nap_cq_pop(cq)))
			out(task);
		if (nr_out < (int)(intptr_t)nr)
			sleep_on_fd();
	}
	CHECK(nap_load_relaxed(&nr_writes) <= (uint32_t)nr_sleeps + 1);
}

/* Pops one task each time the fd is ready, like a loop that polls other fds as well. */
static void take_one_by_one(void *nr)
{
	struct nap_task *task;

	while (nr_out < (int)(intptr_t)nr) {
		sleep_on_fd();
		task = nap_cq_pop(cq);
		if (task)
			out(task);
	}
}

static void take_batches(void *nr)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task *task;

	while (nr_out < (int)(intptr_t)nr) {
		sleep_on_fd();
		nap_cq_pop_all(cq, &batch);
		while ((task = nap_batch_pop(&batch)))
			out(task);
	}
}

static void all_out(void)
{
	CHECK(nr_out == 3);
	CHECK(jobs[0].out < jobs[1].out);
}

static void both_out(void)
{
	CHECK(nr_out == 2);
}

#define THREE { push_two, (void *)0, "P0" }, { push_one, (void *)2, "P1" }

CHECK_SCENARIO(cq_two, .about = "two push; the loop takes out all, and sleeps",
	.setup = setup, .finally = both_out,
	.threads = { { push_one, (void *)0, "P0" }, { push_one, (void *)1, "P1" },
		     { take_all, (void *)2, "loop" } });

CHECK_SCENARIO(cq_all, .about = "the same, and one pushes again",
	.random = 10000,
	.setup = setup, .finally = all_out,
	.threads = { THREE, { take_all, (void *)3, "loop" } });

CHECK_SCENARIO(cq_one_by_one, .about = "the loop sleeps before each one that it takes out",
	.setup = setup, .finally = both_out,
	.threads = { { push_one, (void *)0, "P0" }, { push_one, (void *)1, "P1" },
		     { take_one_by_one, (void *)2, "loop" } });

CHECK_SCENARIO(cq_one_by_one_again, .about = "the same, and one pushes again",
	.random = 10000,
	.setup = setup, .finally = all_out,
	.threads = { THREE, { take_one_by_one, (void *)3, "loop" } });

CHECK_SCENARIO(cq_batches, .about = "the loop takes out what is there, and sleeps",
	.random = 10000,
	.setup = setup, .finally = all_out,
	.threads = { THREE, { take_batches, (void *)3, "loop" } });

/* ---- writes that fail */

static void setup_failing(void)
{
	setup();
	nap_store_relaxed(&nr_failures, 3);
}

static void setup_two(void)
{
	setup();
	loop = 1;
}

static void setup_two_failing(void)
{
	setup_failing();
	loop = 1;
}

static void two_out(void)
{
	CHECK(jobs[0].out == 1 && jobs[1].out == 2);
}

/* No task is lost: the next push notifies the loop. */
CHECK_SCENARIO(cq_untold, .about = "the first push cannot write, the next one does",
	.setup = setup_two_failing, .finally = two_out,
	.threads = { { push_two, (void *)0, "P0" }, { take_all, (void *)2, "loop" } });

/* ---- the end of the queue */

static void close_and_take(void *nr)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task *task = nr ? nap_cq_pop(cq) : NULL;

	if (task)
		out(task);
	CHECK(nap_cq_close(cq, &left) == 0);
	CHECK(nap_cq_fd(cq) == -EBADF && !nap_cq_pop(cq) && nap_cq_close(cq, &left) == -EALREADY);
	while ((task = nap_batch_pop(&left)))
		out(task);
}

static void accepted_are_out(void)
{
	for (int i = 0; i < 3; i++)
		CHECK(accepted[i] == !!jobs[i].out);
	CHECK(!accepted[1] || jobs[0].out < jobs[1].out);
	CHECK(nap_load_relaxed(&efd) & EFD_CLOSED);
}

CHECK_SCENARIO(cq_close, .about = "closed while two push: accepted is handed out",
	.setup = setup, .finally = accepted_are_out,
	.threads = { THREE, { close_and_take, (void *)0, "loop" } });

CHECK_SCENARIO(cq_pop_close, .about = "the same behind one that was taken out",
	.setup = setup, .finally = accepted_are_out,
	.threads = { THREE, { close_and_take, (void *)1, "loop" } });

CHECK_SCENARIO(cq_close_untold, .about = "the same, where writes fail",
	.setup = setup_failing, .finally = accepted_are_out,
	.threads = { THREE, { close_and_take, (void *)1, "loop" } });

/* Closes and frees the queue after all pops: an accepted pusher no longer touches the queue. */
static void take_close_free(void *nr)
{
	struct nap_batch left = NAP_BATCH_INIT;

	take_all(nr);
	CHECK(nap_cq_close(cq, &left) == 0);
	check_free(cq_memory);
}

CHECK_SCENARIO(cq_free, .about = "the loop has all that will come, closes the queue and frees it",
	.setup = setup_two, .finally = two_out,
	.threads = { { push_two, (void *)0, "P0" }, { take_close_free, (void *)2, "loop" } });

CHECK_SCENARIO(cq_free_untold, .about = "the same, where writes fail",
	.setup = setup_two_failing, .finally = two_out,
	.threads = { { push_two, (void *)0, "P0" }, { take_close_free, (void *)2, "loop" } });

/* ---- the queue is opened again after a close */

static uint32_t is_open_again;

static void push_until_accepted(void *none)
{
	(void)none;
	push(0);
	if (accepted[0])
		return;
	while (!nap_load_acquire(&is_open_again))
		nap__futex_wait(&is_open_again, 0, UINT64_MAX);
	push(0);
	CHECK(accepted[0]);
}

/*
 * Closes the queue and opens it again. The task of a push under way comes out of the first queue
 * or of the second, whichever accepted the push.
 */
static void open_again(void *none)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task *task;

	(void)none;
	CHECK(nap_cq_close(cq, &left) == 0);
	while ((task = nap_batch_pop(&left)))
		out(task);
	CHECK(nap_cq_init(cq) == 0);
	nap_store_release(&is_open_again, 1);
	nap__futex_wake(&is_open_again, 1);
	take_all((void *)1);
	CHECK(nap_cq_close(cq, &left) == 0);
}

static void setup_one(void)
{
	setup();
	loop = 1;
}

static void is_out(void)
{
	CHECK(jobs[0].out == 1);
}

CHECK_SCENARIO(cq_open_again, .about = "a push while the queue is closed and opened again",
	.setup = setup_one, .finally = is_out,
	.threads = { { push_until_accepted, NULL, "P0" }, { open_again, NULL, "loop" } });

/*
 * Closes the queue and opens it again, beside a push. If the first queue refuses the push, the push
 * may take its count back from the second.
 */
static void open_again_and_count(void *none)
{
	struct nap_batch left = NAP_BATCH_INIT;

	(void)none;
	CHECK(nap_cq_close(cq, &left) == 0);
	CHECK(nap_cq_init(cq) == 0);
	CHECK(nap_cq_depth(cq) <= 1);
	CHECK(nap_cq_close(cq, &left) == 0);
}

CHECK_SCENARIO(cq_depth_open_again,
	.about = "how many are in a queue that is opened again beside a push",
	.setup = setup,
	.threads = { { push_one, (void *)0, "P0" }, { open_again_and_count, NULL, "loop" } });
