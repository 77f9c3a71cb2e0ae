/* SPDX-License-Identifier: MIT */
/* Every place where a callback runs. Each callback is left by @leave. */
#ifndef NAP_TESTS_UNIT_LEAVING_PLACES_H
#define NAP_TESTS_UNIT_LEAVING_PLACES_H

#include <setjmp.h>

#include "call_fixture.h"
#include "wrap.h"

static bool refuse_starts;
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return refuse_starts ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);
}

/* The way out, and the target of a jump. */
static void (*leave)(void);
static jmp_buf back;

/* ---- places of the calling thread. A place returns only if the callback was left by a jump */

static void leave_task(struct nap_task *task)
{
	(void)task;
	leave();
}

static void leave_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	leave();
}

static void leave_callback(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	leave();
}

static void leave_spawn_failed(struct nap_pool *p, int err, void *arg)
{
	(void)p;
	(void)err;
	(void)arg;
	leave();
}

static struct nap_task task = NAP_TASK_INIT(leave_task);
static struct nap_group group = NAP_GROUP_INIT(&pool);
static struct blocker busy = BLOCKER_INIT;

static void init(const struct nap_config *config)
{
	if (nap_pool_init(&pool, config))
		abort();
}

static void init_one(void)
{
	init(&(struct nap_config){ .max_workers = 1 });
}

/* Queues a task that only the caller can run. */
static void queue_without_worker(void)
{
	init_one();
	refuse_starts = true;
	nap_schedule(&pool, &task);
}

static void in_wait(void)
{
	queue_without_worker();
	nap_group_add(&group, 1);
	nap_group_wait(&group);
}

static void in_quiesce(void)
{
	queue_without_worker();
	nap_pool_quiesce(&pool);
}

static void in_join(void)
{
	queue_without_worker();
	nap_pool_join(&pool, NULL);
}

static void in_help(void)
{
	queue_without_worker();
	nap_pool_help(&pool, 0);
}

static void help_task(struct nap_task *unused)
{
	(void)unused;
	nap_schedule(&pool, &task);
	nap_pool_help(&pool, 0);
}

static void in_help_in_help(void)
{
	struct nap_task outer = NAP_TASK_INIT(help_task);

	init_one();
	refuse_starts = true;
	nap_schedule(&pool, &outer);
	nap_pool_help(&pool, 0);
}

static void in_spawn_failed(void)
{
	init(&(struct nap_config){ .max_workers = 1, .spawn_failed = leave_spawn_failed });
	refuse_starts = true;
	nap_schedule(&pool, &task);
}

static void leave_stuck(uint32_t worker, uint64_t ns, void *arg)
{
	(void)worker;
	(void)ns;
	(void)arg;
	leave();
}

static void in_stuck(void)
{
	const struct nap_stuck look = { .stuck_ns = 1, .stuck = leave_stuck };

	init_one();
	nap_schedule(&pool, &busy.task);
	flag_wait(&busy.running);
	while (nap_pool_check_stuck(&pool, &look) == 0)
		;
}

/* The call for a notice runs what no worker can run. */
static void in_notify_end(void)
{
	static struct nap_cq cq;
	static struct nap_end end;

	if (nap_cq_init(&cq))
		abort();
	nap_end_init(&end, leave_task, &cq);
	queue_without_worker();
	nap_pool_shutdown(&pool, NAP_DRAIN);
	nap_pool_notify_end(&pool, &end);
}

#ifdef __GLIBC__	/* where the end of a thread is unwound */
static struct nap_after after;

static int be_a_work(struct nap_work *unused)
{
	(void)unused;
	return 0;
}

static void leave_done(struct nap_work *unused, int result)
{
	(void)unused;
	(void)result;
	leave();
}

static struct nap_work work = NAP_WORK_INIT(be_a_work, leave_done, NULL);

static void in_done(void)
{
	init_one();
	nap_work_after(&after, &pool, &work, 1);
	nap_pool_shutdown(&pool, NAP_STOP);
	nap_after_done(&after);
}

static void in_done_of_the_left(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	nap_work_batch(&left, &work);
	nap_work_end_left(&left);
}
#endif

/* ---- ways to a callback on a worker; the caller waits for ever */

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void in_task(void)
{
	init_one();
	nap_schedule(&pool, &task);
	wait_for_ever();
}

#ifndef __SANITIZE_THREAD__
static intptr_t leave_fiber(void *unused)
{
	(void)unused;
	leave();
	return 0;
}

static void in_fiber(void)
{
	init_one();
	nap_spawn(&pool, NULL, leave_fiber, NULL);
	wait_for_ever();
}
#endif

static void in_timer(void)
{
	static struct nap_timer timer;

	init_one();
	nap_timer_init(&timer, leave_task);
	nap_schedule_after(&pool, &timer, 1);
	wait_for_ever();
}

static void in_serial(void)
{
	static struct nap_serial serial;

	init_one();
	nap_serial_init(&serial, &pool);
	nap_serial_schedule(&serial, &task);
	wait_for_ever();
}

static void in_broadcast(void)
{
	init_one();
	nap_pool_prewarm(&pool, 1);
	nap_broadcast(&pool, leave_callback, NULL);
	wait_for_ever();
}

static void in_start(void)
{
	init(&(struct nap_config){ .max_workers = 1, .worker_start = leave_callback });
	nap_pool_prewarm(&pool, 1);
	wait_for_ever();
}

static void in_stop(void)
{
	init(&(struct nap_config){ .max_workers = 1, .worker_stop = leave_callback });
	nap_pool_prewarm(&pool, 1);
	nap_pool_join(&pool, NULL);
}

/*
 * Runs @run on a worker. If a jump leaves a callback that @run calls, the jump leads back into
 * @run, and @run returns.
 */
static void run_on_worker(nap_task_fn run)
{
	struct nap_task outer = NAP_TASK_INIT(run);

	init_one();
	nap_schedule(&pool, &outer);
	wait_for_ever();
}

static void *leave_make(struct nap_worker *unused, void *arg)
{
	(void)unused;
	leave();
	return arg;
}

static struct nap_local local = NAP_LOCAL_INIT(leave_make, NULL, NULL);

static void get_local(struct nap_task *unused)
{
	(void)unused;
	nap_local_get(nap_worker_self(), &local);
}

static void in_make(void)
{
	run_on_worker(get_local);
}

static void *make_itself(struct nap_worker *unused, void *arg)
{
	(void)unused;
	return arg;
}

static void leave_end(void *data, void *arg)
{
	(void)data;
	(void)arg;
	leave();
}

static struct nap_local ended = NAP_LOCAL_INIT(make_itself, leave_end, &ended);

static void get_ended(struct nap_task *unused)
{
	(void)unused;
	nap_local_get(nap_worker_self(), &ended);
}

static void in_end_of_data(void)
{
	struct nap_task first = NAP_TASK_INIT(get_ended);

	init_one();
	nap_local_add(&pool, &ended);
	nap_schedule(&pool, &first);
	nap_pool_join(&pool, NULL);
}

static int leave_range(size_t begin, size_t end, void *arg)
{
	(void)begin;
	(void)end;
	(void)arg;
	leave();
	return 0;
}

static void loop_nested(struct nap_task *unused)
{
	struct nap_loop how = { .grain = 1 };

	(void)unused;
	nap_for_as(&pool, &how, 0, 4, leave_range, NULL);
}

static void in_loop_on_worker(void)
{
	run_on_worker(loop_nested);
}

static int leave_comparison(const void *left, const void *right, void *arg)
{
	(void)left;
	(void)right;
	(void)arg;
	leave();
	return 0;
}

static void sort_nested(struct nap_task *unused)
{
	int numbers[3] = { 3, 1, 2 };

	(void)unused;
	nap_sort(&pool, numbers, 3, sizeof(int), leave_comparison, NULL);
}

static void in_sort_on_worker(void)
{
	run_on_worker(sort_nested);
}

static void wait_nested(struct nap_task *unused)
{
	(void)unused;
	if (setjmp(back))
		return;
	nap_group_add(&group, 1);
	nap_schedule(&pool, &task);
	nap_group_wait(&group);
}

static void in_wait_on_worker(void)
{
	run_on_worker(wait_nested);
}

static void help_nested(struct nap_task *unused)
{
	(void)unused;
	if (setjmp(back))
		return;
	nap_schedule(&pool, &task);
	nap_pool_help(&pool, 0);
}

static void in_help_on_worker(void)
{
	run_on_worker(help_nested);
}

static void leave_slot(void *unused)
{
	(void)unused;
	leave();
}

/* In the wait for the only slot the worker runs the function that has it. */
static void submit_nested(struct nap_task *unused)
{
	static struct nap_slot slot;
	static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, &slot, 1);

	(void)unused;
	if (setjmp(back))
		return;
	nap_submit(&submit, leave_slot, NULL);
	nap_submit_wait(&submit, leave_slot, NULL, NAP_FOREVER);
}

static void in_submit_wait_on_worker(void)
{
	run_on_worker(submit_nested);
}

static void job_nested(struct nap_task *unused)
{
	struct nap_worker *self = nap_worker_self();

	(void)unused;
	if (setjmp(back))
		return;
	nap_fork(self, nap_top(self), leave_job);
	nap_pool_help(&pool, 0);
}

static void in_job(void)
{
	run_on_worker(job_nested);
}

/* Keeps the job's thief busy. In its wait for the job, the other worker finds the task. */
static void hold_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	flag_set(&busy.running);
	flag_wait(&busy.let_go);
}

static void join_nested(struct nap_task *unused)
{
	struct nap_worker *self = nap_worker_self();

	struct nap_frame *held = nap_top(self), *second;

	(void)unused;
	if (setjmp(back))
		return;
	second = nap_fork(self, held, hold_job);
	nap_pool_prewarm(&pool, 2);
	while (!nap_load_acquire(&busy.running)) {
		/* The second fork publishes the first job if a worker asks for jobs. */
		nap_fork(self, second, hold_job);
		nap_join(self, second);
	}
	nap_schedule(&pool, &task);
	nap_join(self, held);
}

static void in_nap_join(void)
{
	struct nap_task outer = NAP_TASK_INIT(join_nested);

	init(&(struct nap_config){ .max_workers = 2 });
	nap_schedule(&pool, &outer);
	wait_for_ever();
}

/* Calls into another pool from a worker. */
static void call_other(struct nap_task *unused)
{
	(void)unused;
	if (setjmp(back))
		return;
	nap_call(&other, leave_callback, NULL);
}

static void in_call_on_worker(void)
{
	init(NULL);
	begin_pool(&other, NAP_IDLE_SYNC, 1);
	run_on_worker(call_other);
}

static void in_call(void)
{
	init_one();
	nap_call(&pool, leave_callback, NULL);
}

/* MAY_NOT: an error; MAY_EXIT: the thread may end there; NO_JUMP: no jump is possible */
enum { MAY_NOT, MAY_EXIT, NO_JUMP };

static const struct place {
	const char *name;
	void (*run)(void);
	int but;
} places[] = {
	{ "a wait from outside", in_wait, MAY_NOT },
	{ "quiesce", in_quiesce, MAY_NOT },
	{ "join", in_join, MAY_NOT },
	{ "help", in_help, MAY_NOT },
	{ "help in help", in_help_in_help, MAY_NOT },
	{ "spawn_failed", in_spawn_failed, MAY_NOT },
	{ "a check for stuck workers", in_stuck, MAY_NOT },
	{ "the call for a notice of the end", in_notify_end, MAY_NOT },
#ifdef __GLIBC__
	{ "@done of a refused work", in_done, NO_JUMP },
	{ "@done of a work that is left", in_done_of_the_left, NO_JUMP },
#endif
	{ "nap_call()", in_call, MAY_EXIT },
	{ "a task", in_task, NO_JUMP },
#ifndef __SANITIZE_THREAD__	/* ThreadSanitizer dies of pthread_exit() on a fiber's stack */
	{ "a fiber", in_fiber, NO_JUMP },
#endif
	{ "a timer's task", in_timer, NO_JUMP },
	{ "a task of a serial queue", in_serial, NO_JUMP },
	{ "a broadcast", in_broadcast, NO_JUMP },
	{ "@make of a nap_local", in_make, NO_JUMP },
	{ "@end of a nap_local", in_end_of_data, MAY_NOT },
	{ "a range of a loop", in_loop_on_worker, NO_JUMP },
	{ "a comparison", in_sort_on_worker, NO_JUMP },
	{ "worker_start", in_start, NO_JUMP },
	{ "worker_stop", in_stop, NO_JUMP },
	{ "a wait on a worker", in_wait_on_worker, MAY_NOT },
	{ "help on a worker", in_help_on_worker, MAY_NOT },
	{ "nap_submit_wait() on a worker", in_submit_wait_on_worker, MAY_NOT },
	{ "a job", in_job, MAY_NOT },
	{ "nap_join()", in_nap_join, MAY_NOT },
	{ "nap_call() on a worker", in_call_on_worker, MAY_NOT },
};

#endif /* NAP_TESTS_UNIT_LEAVING_PLACES_H */
