/* SPDX-License-Identifier: MIT */
/*
 * Serial queues: threads A, B and C schedule tasks on a queue, and end or close the queue.
 * Invariants: one task runs at a time, in each scheduler's order; each task sees what the tasks
 * before it have done; no task is lost. The owner of the queue runs its tasks at once, except in
 * the last scenarios. So the queue goes from thread to thread by its own word, and nothing else
 * orders the tasks.
 */
#include <errno.h>

#include <nap/check.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "sched/schedule.h"
#include "sync/gate.h"
#include "worker/phase.h"
#include "worker/worker.h"
#include "eventfd.h"

#define JOBS	4

static struct nap_pool pool;
static struct nap_serial *serial;
static struct job {
	struct nap_task task;
	int in;			/* the task reads it; not atomic, so a missing order is a race */
	int out;		/* the task's position among those that ran, from 1 */
} jobs[JOBS];
static int nr_run;		/* one task writes it at a time; not atomic */
static int accepted[JOBS];
static bool is_kept;		/* the queue's tasks are not run at once, but by run_kept() */
static struct nap_task *kept;

int nap__schedule_as(struct nap_pool *p, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count)
{
	CHECK(p == &pool && !worker && inside && head == tail && count == 1);
	CHECK(nap_serial_of(head) == serial);
	if (is_kept)
		kept = head;
	else
		head->run(head);
	return 0;
}

/* Runs the queue again, after NAP_SERIAL_QUANTUM tasks. */
int nap__schedule_behind(struct nap_pool *p, struct nap_worker *worker, struct nap_task *task)
{
	return nap__schedule_as(p, worker, true, task, task, 1);
}

/* Fails when called: the works here are scheduled on the queue only. */
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

static void job(struct nap_task *task)
{
	struct job *j = nap_container_of(task, struct job, task);

	CHECK(j->in == 1 && j->out == 0);
	j->out = ++nr_run;
}

static void job_and_free(struct nap_task *task)
{
	job(task);
	check_free(serial);
}

static void setup(void)
{
	pool.limit = 1;
	pool.fork_gen = nap_load_relaxed(&nap__fork_gen);
	serial = check_alloc(sizeof(*serial) + NAP__CACHE_LINE);
	CHECK((uintptr_t)serial % NAP__CACHE_LINE == 0);
	CHECK(nap_serial_init(serial, &pool) == 0);
	check_name(&serial->pushed, sizeof(serial->pushed), "pushed");
	for (int i = 0; i < JOBS; i++)
		nap_task_init(&jobs[i].task, job);
}

static void schedule(unsigned index)
{
	jobs[index].in = 1;
	accepted[index] = nap_serial_schedule(serial, &jobs[index].task) == 0;
}

static void schedule_one(void *index)
{
	schedule((unsigned)(uintptr_t)index);
}

static void schedule_two(void *index)
{
	schedule((unsigned)(uintptr_t)index);
	schedule((unsigned)(uintptr_t)index + 1);
}

static void three_in_order(void)
{
	CHECK(nr_run == 3 && jobs[0].out < jobs[1].out);
}

CHECK_SCENARIO(serial_two, .about = "two schedule, one of them twice",
	.setup = setup, .finally = three_in_order,
	.threads = { { schedule_two, (void *)0, "A" }, { schedule_one, (void *)2, "B" } });

static void three(void)
{
	CHECK(nr_run == 3);
}

CHECK_SCENARIO(serial_three, .about = "three schedule",
	.random = 20000,
	.setup = setup, .finally = three,
	.threads = { { schedule_one, (void *)0, "A" }, { schedule_one, (void *)1, "B" },
		     { schedule_one, (void *)2, "C" } });

/* ---- the last task frees the queue */

static void end_with_last(void *none)
{
	(void)none;
	schedule(0);
	nap_task_init(&jobs[1].task, job_and_free);
	jobs[1].in = 1;
	CHECK(nap_serial_end(serial, &jobs[1].task) == 0);
}

static void two_ran(void)
{
	CHECK(nr_run == 2 && jobs[1].out == 2);
}

CHECK_SCENARIO(serial_end, .about = "scheduled by one, and freed by its last task",
	.setup = setup, .finally = two_ran,
	.threads = { { end_with_last, NULL, "A" } });

/* Set by thread A, the owner of the queue, to let thread B end the queue. */
static uint32_t scheduled;

static void schedule_and_tell(void *none)
{
	schedule_one(none);
	nap_store_release(&scheduled, 1);
}

static void end_when_told(void *none)
{
	(void)none;
	nap_task_init(&jobs[1].task, job_and_free);
	jobs[1].in = 1;
	if (nap_load_acquire(&scheduled))
		CHECK(nap_serial_end(serial, &jobs[1].task) == 0);
}

static void first_before_last(void)
{
	CHECK(jobs[0].out == 1 && (jobs[1].out == 0 || jobs[1].out == 2));
}

CHECK_SCENARIO(serial_end_behind, .about = "freed by the last task, which another has scheduled",
	.setup = setup, .finally = first_before_last,
	.threads = { { schedule_and_tell, NULL, "A" }, { end_when_told, NULL, "B" } });

/* Ends the queue. Everything after the last task is refused. */
static void end_one(void *none)
{
	(void)none;
	jobs[3].in = 1;
	accepted[3] = nap_serial_end(serial, &jobs[3].task) == 0;
}

static void refused_or_before(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	for (int i = 0; i < JOBS; i++)
		CHECK(accepted[i] == !!jobs[i].out && jobs[i].out <= jobs[3].out);
	CHECK(accepted[3] && jobs[3].out == nr_run);
	CHECK(nap_serial_schedule(serial, &jobs[3].task) == -ESHUTDOWN);
	CHECK(nap_serial_close(serial, &left) == 0 && !left.head);
}

CHECK_SCENARIO(serial_refused, .about = "ended while another schedules",
	.setup = setup, .finally = refused_or_before,
	.threads = { { schedule_two, (void *)0, "A" }, { end_one, NULL, "B" } });

/* ---- a work among the tasks, which is canceled at any time */

static struct nap_work work;
static int work_ran, work_ended, work_result;	/* used in the queue's order; not atomic */
static bool canceled;

static int run_work(struct nap_work *w)
{
	CHECK(w == &work);
	work_ran++;
	return 0;
}

static void work_done(struct nap_work *w, int result)
{
	CHECK(w == &work);
	work_ended++;
	work_result = result;
}

static void setup_work(void)
{
	setup();
	nap_work_init(&work, run_work, work_done, NULL);
}

static void schedule_work(void *none)
{
	(void)none;
	CHECK(nap_serial_work(serial, &work) == 0);
	schedule(0);
}

static void cancel_work(void *none)
{
	(void)none;
	canceled = nap_cancel(&work);
}

static void work_has_ended(void)
{
	CHECK(work_ended == 1 && work_ran == !canceled);
	CHECK((work_result == -ECANCELED) == canceled);
	CHECK(nr_run == 2);
}

CHECK_SCENARIO(serial_cancel, .about = "a work, which is canceled, among tasks",
	.setup = setup_work, .finally = work_has_ended,
	.threads = { { schedule_work, NULL, "A" }, { schedule_one, (void *)2, "B" },
		     { cancel_work, NULL, "C" } });

/* ---- the pool drains: the queue has an owner, and only an end is still accepted */

static void setup_drain(void)
{
	setup();
	is_kept = true;
	jobs[0].in = 1;
	accepted[0] = nap_serial_schedule(serial, &jobs[0].task) == 0;
	CHECK(accepted[0] && kept);
	pool.intake = GATE_CLOSED;
	pool.phase = PHASE_DRAIN;
}

static void run_kept(void *none)
{
	(void)none;
	kept->run(kept);
}

static void end_in_drain(void *index)
{
	unsigned i = (unsigned)(uintptr_t)index;

	nap_task_init(&jobs[i].task, job_and_free);
	jobs[i].in = 1;
	CHECK(nap_serial_schedule(serial, &jobs[2].task) == -ESHUTDOWN);
	CHECK(nap_serial_end(serial, &jobs[i].task) == 0);
}

CHECK_SCENARIO(serial_drain_end,
	.about = "ended in a drain, and freed, by who has it or who ends it",
	.setup = setup_drain, .finally = two_ran,
	.threads = { { run_kept, NULL, "worker" }, { end_in_drain, (void *)1, "A" } });

/* Set when the last task has run. A thread that sees this may join the pool, and free it. */
static uint32_t last_ran;

static void job_and_tell(struct nap_task *task)
{
	job_and_free(task);
	nap_store_release(&last_ran, 1);
}

static void end_and_be_joined(void *none)
{
	(void)none;
	nap_task_init(&jobs[1].task, job_and_tell);
	jobs[1].in = 1;
	CHECK(nap_serial_end(serial, &jobs[1].task) == 0);
}

static void join_when_told(void *none)
{
	(void)none;
	if (!nap_load_acquire(&last_ran))
		return;
	gate_close(&pool.visits);
	CHECK(gate_wait_empty(&pool.visits, NAP_FOREVER) == 0);
	/* no thread is inside the pool, so a plain write is no race */
	pool.serial_waiting = 0;
}

CHECK_SCENARIO(serial_drain_join, .about = "ended in a drain, and the pool joined by who is told",
	.setup = setup_drain, .finally = two_ran,
	.threads = { { run_kept, NULL, "worker" }, { end_and_be_joined, NULL, "A" },
		     { join_when_told, NULL, "joiner" } });

/* ---- the depth, as another thread reads it */

static void depth_is_one_at_most(void *none)
{
	(void)none;
	CHECK(nap_serial_depth(serial) <= 1);
}

static void both_ran(void)
{
	CHECK(nr_run == 2 && nap_serial_depth(serial) == 0);
}

CHECK_SCENARIO(serial_depth_of_one, .about = "read while one task after another begins",
	.setup = setup, .finally = both_ran,
	.threads = { { schedule_two, (void *)0, "A" }, { depth_is_one_at_most, NULL, "B" } });

/*
 * One task waits, another is scheduled, and then the first one begins: one waits at any time, until
 * the first one has run.
 */
static uint32_t first_ran;	/* atomic */

static void job_and_note(struct nap_task *task)
{
	job(task);
	nap_store_relaxed(&first_ran, 1);
}

static void setup_first(void)
{
	setup();
	is_kept = true;
	nap_task_init(&jobs[0].task, job_and_note);
	schedule(0);
}

static void schedule_and_run(void *none)
{
	(void)none;
	schedule(1);
	kept->run(kept);
}

static void depth_is_one_at_least(void *none)
{
	uint32_t depth = nap_serial_depth(serial);

	(void)none;
	CHECK(depth <= 2 && (depth || nap_load_relaxed(&first_ran)));
}

CHECK_SCENARIO(serial_depth_never_none, .about = "read while one is scheduled, and then one begins",
	.setup = setup_first, .finally = both_ran,
	.threads = { { schedule_and_run, NULL, "A" }, { depth_is_one_at_least, NULL, "B" } });

/* Closes the queue, while another thread asks for its depth. */
static void close_it(void *none)
{
	struct nap_batch left = NAP_BATCH_INIT;

	(void)none;
	CHECK(nap_serial_close(serial, &left) == 0 && left.count == 1);
}

static void ask_for_depth(void *none)
{
	(void)none;
	CHECK(nap_serial_depth(serial) <= 1);
}

static void is_empty(void)
{
	CHECK(nap_serial_depth(serial) == 0);
}

CHECK_SCENARIO(serial_close_depth, .about = "closed while another asks how much is in it",
	.setup = setup_drain, .finally = is_empty,
	.threads = { { close_it, NULL, "A" }, { ask_for_depth, NULL, "B" } });

/*
 * Two threads end the queue. One of the two calls is accepted. (Neither thread frees the queue,
 * because the other may still read it.)
 */
static void end_or_not(void *index)
{
	unsigned i = (unsigned)(uintptr_t)index;

	jobs[i].in = 1;
	accepted[i] = nap_serial_end(serial, &jobs[i].task) == 0;
}

static void one_end(void)
{
	CHECK(accepted[1] + accepted[2] == 1 && nr_run == 2 && jobs[0].out == 1);
	CHECK(accepted[1] == !!jobs[1].out && accepted[2] == !!jobs[2].out);
	CHECK(nap_serial_end(serial, NULL) == -ESHUTDOWN);
}

CHECK_SCENARIO(serial_drain_ends, .about = "two end it in a drain",
	.setup = setup_drain, .finally = one_end,
	.threads = { { run_kept, NULL, "worker" }, { end_or_not, (void *)1, "A" },
		     { end_or_not, (void *)2, "B" } });

/*
 * A queue is ended without a last task: a thread that learns that the queue is idle sees what the
 * queue's tasks have done, and frees the queue.
 */
static bool is_freed;

static void end_plainly(void *none)
{
	(void)none;
	if (nap_serial_end(serial, NULL))
		return;
	CHECK(nr_run == 1 && jobs[0].out == 1);
	is_freed = true;
	check_free(serial);
}

static void one_ran(void)
{
	CHECK(nr_run == 1);
	if (!is_freed)
		CHECK(nap_serial_end(serial, NULL) == 0);
}

CHECK_SCENARIO(serial_drain_plain, .about = "ended without a last task, and freed if it is idle",
	.setup = setup_drain, .finally = one_ran,
	.threads = { { run_kept, NULL, "worker" }, { end_plainly, NULL, "A" } });

/*
 * Ends the queue on each of two threads. A thread that learns that the queue is idle sees what
 * the queue's tasks have done.
 */
static void end_twice(void *none)
{
	(void)none;
	if (nap_serial_end(serial, NULL) == 0)
		CHECK(nr_run == 1 && jobs[0].out == 1);
}

static void nobodys(void)
{
	CHECK(nr_run == 1 && nap_serial_end(serial, NULL) == 0);
	CHECK(nap_serial_schedule(serial, &jobs[1].task) == -ESHUTDOWN);
}

CHECK_SCENARIO(serial_drain_plain_two, .about = "ended without a last task by two",
	.setup = setup_drain, .finally = nobodys,
	.threads = { { run_kept, NULL, "worker" }, { end_twice, NULL, "A" },
		     { end_twice, NULL, "B" } });

/*
 * Ends the idle queue with two accesses, while another thread schedules. Between the two the queue
 * may take the task, run it and be idle again. Then the second access finds the same word as the
 * first, and succeeds. So it has to see what the task has done.
 */
static void end_idle(void *none)
{
	(void)none;
	if (nap_serial_end(serial, NULL) == 0)
		CHECK(jobs[0].out == nr_run);
}

static void ran_or_refused(void)
{
	CHECK(nr_run == accepted[0] && jobs[0].out == nr_run);
}

CHECK_SCENARIO(serial_end_idle_again, .about = "ended when it is idle, or idle again",
	.setup = setup, .finally = ran_or_refused,
	.threads = { { schedule_one, (void *)0, "A" }, { end_idle, NULL, "B" } });
