/* SPDX-License-Identifier: MIT */
/* The orders that race detectors are told of tasks, works, fibers, loops and the end of a pool. */
#include <errno.h>

#include "kit/submit_stuck.h"
#include "kit/work.h"
#include "given.h"
#include "orders.h"
#include "wrap.h"

static struct nap_sem sem;

/* ---- callbacks: what the first thread did is visible to them, and what they did to the second */

static struct nap_classes classes = { .of = { { .weight = 1 } } };
static struct nap_serial serial;
static struct nap_order in_order;
static struct nap_cq cq;
static struct nap_slot slots[2];
static struct nap_submitter submitter;
static struct nap_fiber_start start;
static struct nap_timer timer;
static struct nap_task task, task_too;
static struct nap_work work;
static struct nap_after after;
static struct nap_end end, late;
static struct nap_fiber *fiber;
static struct nap_task behind;
static uint32_t noted, has_begun, may_go;

static void note(void)
{
	has_seen = sees();
	nap_store_release(&noted, 1);
}

static void note_in_task(struct nap_task *unused)
{
	(void)unused;
	note();
}

static int note_in_work(struct nap_work *unused)
{
	(void)unused;
	note();
	return 0;
}

static void note_when_done(struct nap_work *unused, int err)
{
	(void)unused;
	(void)err;
	note();
}

static void note_in_slot(void *unused)
{
	(void)unused;
	note();
}

static intptr_t note_in_fiber(void *unused)
{
	(void)unused;
	note();
	return 0;
}

static void note_in_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	if (nap_worker_index(worker) == 0)
		note();
}

static void act_in_task(struct nap_task *unused)
{
	(void)unused;
	act();
}

/* The first of its runs acts. */
static int act_in_work(struct nap_work *unused)
{
	(void)unused;
	if (!nap_load_relaxed(&acted_by))
		act();
	return 0;
}

static intptr_t act_in_fiber(void *unused)
{
	(void)unused;
	act();
	return 0;
}

static void act_in_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	if (nap_worker_index(worker) == 0)
		act();
}

static void run_nothing(struct nap_task *unused)
{
	(void)unused;
}

static void say_begun(struct nap_task *unused)
{
	(void)unused;
	nap_store_release(&has_begun, 1);
}

/* Holds the only worker. */
static void hold_it(struct nap_task *unused)
{
	(void)unused;
	nap_store_release(&has_begun, 1);
	flag_wait(&may_go);
}

static void a_pool(void)
{
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .classes = &classes }) ||
	      nap_fibers_init(&pool, &(struct nap_fibers_config){ .most = 1 }) ||
	      nap_serial_init(&serial, &pool) || nap_order_init(&in_order, &pool, 1) ||
	      nap_cq_init(&cq) || nap_fiber_start_init(&start, &pool, note_in_fiber, NULL));
	nap_task_init(&task, note_in_task);
	nap_work_init(&work, note_in_work, NULL, NULL);
	nap_timer_init(&timer, note_in_task);
	submitter = (struct nap_submitter)NAP_SUBMIT_INIT(&pool, slots, 2);
	noted = has_begun = may_go = 0;
}

static void no_pool(void)
{
	nap_pool_join(&pool, NULL);
	nap_cq_close(&cq, &(struct nap_batch)NAP_BATCH_INIT);
}

/* The first thread has what it did seen by a callback. */
static bool is_noted(void)
{
	pthread_t thread;

	begin();
	if (pthread_create(&thread, NULL, be_first, NULL) || pthread_join(thread, NULL))
		abort();
	while (!nap_load_acquire(&noted))
		nap_cq_run(&cq, 0);
	no_pool();
	return has_seen;
}

static void schedule(void)
{
	check(nap_schedule(&pool, &task));
}

static void schedule_batch(void)
{
	struct nap_batch batch = { &task, &task, 1 };

	check(nap_schedule_batch(&pool, &batch));
}

static void schedule_in_class(void)
{
	check(nap_class_schedule(&pool, 0, &task));
}

/* The first task of the batch sees. */
static void schedule_batch_in_class(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_task_init(&task_too, say_begun);
	nap_batch_push(&batch, &task);
	nap_batch_push(&batch, &task_too);
	check(nap_class_schedule_batch(&pool, 0, &batch));
}

static void schedule_in_serial(void)
{
	check(nap_serial_schedule(&serial, &task));
}

static void schedule_fast(void)
{
	check(nap_order_schedule(&in_order, NAP_ORDER_FAST, &task));
}

static void schedule_slow(void)
{
	check(nap_order_schedule(&in_order, NAP_ORDER_SLOW, &task));
}

/* A task holds the worker. The own task of each queue is queued already, for another task. */
static void a_busy_queue(void)
{
	static struct nap_task before[2];

	a_pool();
	for (int i = 0; i < 2; i++)
		nap_task_init(&before[i], run_nothing);
	nap_task_init(&behind, hold_it);
	check(nap_schedule(&pool, &behind));
	flag_wait(&has_begun);
	check(nap_serial_schedule(&serial, &before[0]) ||
	      nap_order_schedule(&in_order, NAP_ORDER_FAST, &before[1]));
}

static void schedule_in_busy_serial(void)
{
	schedule_in_serial();
	nap_store_release(&may_go, 1);
}

static void schedule_fast_in_busy(void)
{
	schedule_fast();
	nap_store_release(&may_go, 1);
}

static void schedule_slow_in_busy(void)
{
	schedule_slow();
	nap_store_release(&may_go, 1);
}

static void spawn(void)
{
	check(nap_spawn(&pool, NULL, note_in_fiber, NULL));
}

static void schedule_start(void)
{
	check(nap_schedule(&pool, &start.task));
}

static void schedule_timer(void)
{
	check(nap_schedule_after(&pool, &timer, 0));
}

static void push(void)
{
	check(nap_cq_push(&cq, &task));
}

static void submit(void)
{
	check(nap_submit(&submitter, note_in_slot, NULL));
}

static void schedule_work(void)
{
	check(nap_work_schedule(&pool, &work));
}

static void broadcast(void)
{
	check(nap_pool_prewarm(&pool, 1));
	nap_broadcast(&pool, note_in_call, NULL);
}

/* A fiber has the only stack until the start waits for one. */
static intptr_t wait_in_fiber(void *unused)
{
	(void)unused;
	return nap_sem_acquire(&sem);
}

static void no_stack(void)
{
	a_pool();
	nap_sem_init(&sem, 0);
	check(nap_spawn(&pool, NULL, wait_in_fiber, NULL));
}

static void wait_for_stack(void)
{
	schedule_start();
	nap_task_init(&task, say_begun);
	schedule();	/* behind the start, on the only worker */
	flag_wait(&has_begun);
	nap_sem_release(&sem, 1);
}

/* A task holds the worker, and the work is queued. Then the work is canceled. */
static void a_queued_work(struct nap_cq *loop)
{
	a_pool();
	nap_task_init(&task, hold_it);
	nap_work_init(&work, act_in_work, note_when_done, loop);
	schedule();
	flag_wait(&has_begun);
	schedule_work();
}

static void a_work_on_worker(void)
{
	a_queued_work(NULL);
}

static void a_work_on_loop(void)
{
	a_queued_work(&cq);
}

static void cancel(void)
{
	check(!nap_cancel(&work));
	nap_store_release(&may_go, 1);
}

static void ignore(struct nap_work *unused, int err)
{
	(void)unused;
	(void)err;
}

static void note_when_gone(struct nap_work *unused)
{
	(void)unused;
	note();
}

/* In @done: the worker comes by the canceled work now, so the loop calls @gone. */
static void let_worker_pass(struct nap_work *unused, int err)
{
	(void)unused;
	(void)err;
	nap_store_release(&may_go, 1);
	while (nap_load_relaxed(&work.state) == WORK_TELLING)
		usleep(100);
}

static void a_work_with_gone(void)
{
	a_pool();
	nap_task_init(&task, hold_it);
	nap_work_init(&work, act_in_work, let_worker_pass, &cq);
	work.gone = note_when_gone;
	schedule();
	flag_wait(&has_begun);
}

static void a_canceled_work_with_gone(void)
{
	a_work_with_gone();
	work.done = ignore;
	schedule_work();
	check(!nap_cancel(&work));
}

/* The loop calls @done, and closes its queue: so the worker calls @gone. */
static void run_the_loop(void)
{
	check(nap_cq_run(&cq, 0) != 1 || nap_cq_close(&cq, &(struct nap_batch)NAP_BATCH_INIT));
	nap_store_release(&may_go, 1);
}

static void *cancel_apart(void *unused)
{
	check(!nap_cancel(&work));
	return unused;
}

static void schedule_and_have_canceled(void)
{
	pthread_t thread;

	schedule_work();
	if (pthread_create(&thread, NULL, cancel_apart, NULL) || pthread_join(thread, NULL))
		abort();
}

/* A work that runs until it is canceled. */
static int note_when_asked(struct nap_work *unused)
{
	(void)unused;
	nap_store_release(&has_begun, 1);
	while (!nap_work_is_canceled(&work))
		usleep(100);
	note();
	return 0;
}

static void a_running_work(void)
{
	a_pool();
	nap_work_init(&work, note_when_asked, NULL, NULL);
	schedule_work();
	flag_wait(&has_begun);
}

static void ask(void)
{
	check(nap_cancel(&work));
}

static void a_late_work(void)
{
	a_pool();
	check(nap_work_after(&after, &pool, &work, 2));
}

/* The pool refuses the work, so the last caller calls @done. */
static void a_refused_work(void)
{
	a_pool();
	nap_work_init(&work, note_in_work, note_when_done, NULL);
	check(nap_work_after(&after, &pool, &work, 2) || nap_pool_shutdown(&pool, NAP_STOP));
}

static void *be_last_before(void *unused)
{
	nap_after_done(&after);
	return unused;
}

/* Another thread's call is the last, and schedules the work. */
static void do_before(void)
{
	pthread_t thread;

	nap_after_done(&after);
	if (pthread_create(&thread, NULL, be_last_before, NULL) || pthread_join(thread, NULL))
		abort();
}

/* What was spawned does not begin before the stop. */
static void note_unbegun(nap_fiber_fn fn, void *unused)
{
	(void)fn;
	(void)unused;
	note();
}

static void *join_stopped(void *unused)
{
	check(nap_pool_join(&pool, NULL));
	return unused;
}

static void a_pool_that_is_held(void)
{
	a_pool();
	check(nap_pool_join(&pool, NULL) ||
	      nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	      nap_fibers_init(&pool, &(struct nap_fibers_config){ .unbegun = note_unbegun }));
	nap_task_init(&task, hold_it);
	schedule();
	flag_wait(&has_begun);
}

static void spawn_and_stop(void)
{
	pthread_t joiner;

	check(nap_spawn(&pool, NULL, note_in_fiber, NULL) || nap_pool_shutdown(&pool, NAP_STOP));
	nap_store_release(&may_go, 1);
	if (pthread_create(&joiner, NULL, join_stopped, NULL) || pthread_join(joiner, NULL))
		abort();
}

TEST(a_callback_sees)
{
	EXPECT_ORDERS(is_noted,
		{ "nap_schedule", a_pool, schedule, NULL },
		{ "nap_schedule_batch", a_pool, schedule_batch, NULL },
		{ "nap_class_schedule", a_pool, schedule_in_class, NULL },
		{ "nap_class_schedule_batch", a_pool, schedule_batch_in_class, NULL },
		{ "nap_serial_schedule", a_pool, schedule_in_serial, NULL },
		{ "nap_order_schedule, fast", a_pool, schedule_fast, NULL },
		{ "nap_order_schedule, slow", a_pool, schedule_slow, NULL },
		{ "nap_serial_schedule, busy", a_busy_queue, schedule_in_busy_serial, NULL },
		{ "nap_order_schedule, busy, fast", a_busy_queue, schedule_fast_in_busy, NULL },
		{ "nap_order_schedule, busy, slow", a_busy_queue, schedule_slow_in_busy, NULL },
		{ "nap_spawn", a_pool, spawn, NULL },
		{ "a start", a_pool, schedule_start, NULL },
		{ "a start that waits for a stack", no_stack, wait_for_stack, NULL },
		{ "nap_schedule_after", a_pool, schedule_timer, NULL },
		{ "nap_cq_push", a_pool, push, NULL },
		{ "nap_submit", a_pool, submit, NULL },
		{ "nap_work_schedule", a_pool, schedule_work, NULL },
		{ "nap_cancel", a_work_on_worker, cancel, NULL },
		{ "nap_cancel, with a loop", a_work_on_loop, cancel, NULL },
		{ "nap_cancel, gone on the worker", a_canceled_work_with_gone, run_the_loop, NULL },
		{ "nap_cancel, gone on the loop", a_work_with_gone, schedule_and_have_canceled,
		  NULL },
		{ "nap_cancel, while it runs", a_running_work, ask, NULL },
		{ "nap_after_done", a_late_work, do_before, NULL },
		{ "nap_after_done, refused", a_refused_work, do_before, NULL },
		{ "nap_spawn, before a stop", a_pool_that_is_held, spawn_and_stop, NULL },
		{ "nap_broadcast", a_pool, broadcast, NULL });
}

/* ---- memory that is the program's again: helgrind forgets what the library did there */

TEST(memory_is_given_back)
{
	a_late_work();
	EXPECT_EQ(nap_after_done(&after), 0);
	EXPECT_EQ(COUNT_GIVEN(after), 0);
	EXPECT_EQ(nap_after_done(&after), 1);
	EXPECT_GE(COUNT_GIVEN(after), 1);
	while (!nap_work_is_idle(&work))
		usleep(100);
	EXPECT_GE(COUNT_GIVEN(work), 1);
	no_pool();
}

/* The record of a worker's wait for a slot is on its stack. */
static int waited = 1;

static void wait_for_slot(struct nap_task *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++)
		check(nap_submit(&submitter, note_in_slot, NULL));
	waited = nap_submit_wait(&submitter, note_in_slot, NULL, NAP_FOREVER);
}

TEST(so_is_the_stack_of_a_wait_for_a_slot)
{
	a_pool();
	nap_task_init(&task, wait_for_slot);
	schedule();
	no_pool();
	EXPECT_EQ(waited, 0);
	EXPECT_GE(count_given(NULL, sizeof(struct nap__slot_wait)), 1);
}

/* ---- what a callback did is visible to the second thread */

static bool is_seen(void)
{
	pthread_t thread;

	begin();
	if (pthread_create(&thread, NULL, be_second, NULL) || pthread_join(thread, NULL))
		abort();
	no_pool();
	return is_right();
}

static void has_acted(void)
{
	while (!nap_load_acquire(&acted_by))
		usleep(100);
}

static void a_task_acts(void)
{
	a_pool();
	nap_task_init(&task, act_in_task);
	schedule();
}

static int quiesce(void)
{
	return nap_pool_quiesce(&pool);
}

static int join(void)
{
	return nap_pool_join(&pool, NULL);
}

static void a_fiber_acts(void)
{
	a_pool();
	check(nap_spawn(&pool, &fiber, act_in_fiber, NULL));
}

static void a_fiber_has_acted(void)
{
	a_fiber_acts();
	check(nap_pool_quiesce(&pool));
}

static int await_it(void)
{
	return nap_await(fiber, NULL);
}

static void a_pool_that_is_warm(void)
{
	a_pool();
	check(nap_pool_prewarm(&pool, 1));
}

static int broadcast_and_see(void)
{
	return nap_broadcast(&pool, act_in_call, NULL) > 0 ? 0 : 2;
}

static void a_work_acts(void)
{
	a_pool();
	nap_work_init(&work, act_in_work, NULL, NULL);
	schedule_work();
	has_acted();
}

static int until_idle(void)
{
	while (!nap_work_is_idle(&work))
		usleep(100);
	return 0;
}

static int schedule_again(void)
{
	while (nap_work_schedule(&pool, &work))
		usleep(100);
	return 0;
}

/* The work has run. It is queued again, and a task holds the worker. */
static void a_work_is_queued_again(void)
{
	a_work_acts();
	until_idle();
	nap_task_init(&task, hold_it);
	schedule();
	flag_wait(&has_begun);
	schedule_work();
}

static int is_not_idle(void)
{
	bool is_idle = nap_work_is_idle(&work);

	nap_store_release(&may_go, 1);
	return is_idle ? 2 : 1;
}

/* The task of the end runs in the second thread's loop. */
static void a_task_acts_before_the_end(void)
{
	a_task_acts();
	has_acted();
	nap_end_init(&end, note_in_task, &cq);
	check(nap_pool_notify_end(&pool, &end) || nap_pool_shutdown(&pool, NAP_DRAIN));
}

/* The end has been told of to another loop. */
static void an_end_that_comes_late(void)
{
	static struct nap_end earlier;
	struct nap_cq other;

	a_task_acts_before_the_end();
	check(nap_cq_init(&other));
	nap_end_init(&earlier, note_in_task, &other);
	check(nap_pool_notify_end(&pool, &earlier));
	while (!nap_load_acquire(&noted))
		nap_cq_run(&cq, 0);
	while (!nap_cq_run(&other, 0))
		usleep(100);
	check(nap_cq_close(&other, &(struct nap_batch)NAP_BATCH_INIT));
	noted = 0;
	nap_end_init(&late, note_in_task, &cq);
}

static int until_noted(void)
{
	while (!nap_load_acquire(&noted))
		nap_cq_run(&cq, 0);
	return 0;
}

static int be_told_of_the_end(void)
{
	check(nap_pool_notify_end(&pool, &late));
	return until_noted();
}

/* Of a serial queue whose pool has ended the thread that ends it runs the last task. */
static void a_queue_whose_pool_has_ended(void)
{
	a_pool();
	nap_task_init(&task, act_in_task);
	nap_task_init(&task_too, note_in_task);
	schedule_in_serial();
	check(nap_pool_join(&pool, NULL));
}

static int end_the_queue(void)
{
	return nap_serial_end(&serial, &task_too);
}

static void a_timer_acts(void)
{
	a_pool();
	nap_timer_init(&timer, act_in_task);
	schedule_timer();
	has_acted();
}

static int cancel_timer(void)
{
	return nap_timer_cancel_wait(&timer, NAP_FOREVER);
}

static void a_timer_has_acted(void)
{
	a_timer_acts();
	check(nap_pool_quiesce(&pool));
}

static int cancel_in_vain(void)
{
	return nap_timer_cancel(&timer) == -EALREADY ? 0 : 2;
}

static void a_queue_has_acted(void)
{
	a_pool();
	nap_task_init(&task, act_in_task);
	schedule_in_serial();
	check(nap_pool_quiesce(&pool));
}

static int end_the_queue_alone(void)
{
	return nap_serial_end(&serial, NULL);
}

/* The third thread acts, and schedules tasks that do not begin before the stop. */
static void queues_are_left(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	a_busy_queue();
	act();
	schedule_in_serial();
	nap_task_init(&task_too, run_nothing);
	check(nap_order_schedule(&in_order, NAP_ORDER_SLOW, &task_too) ||
	      nap_pool_shutdown(&pool, NAP_STOP));
	nap_store_release(&may_go, 1);
	check(nap_pool_join(&pool, &left));
}

static int close_serial(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	return nap_serial_close(&serial, &left) || left.count != 2 ? 2 : 0;
}

static int close_order(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	return nap_order_close(&in_order, &left) || left.count != 2 ? 2 : 0;
}

/* ---- on two workers */

static struct blocker first;

static void two_workers(void)
{
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }) ||
	      nap_serial_init(&serial, &pool) || nap_cq_init(&cq) || nap_pool_prewarm(&pool, 2));
	nap_task_init(&behind, hold_it);
	first = (struct blocker)BLOCKER_INIT;
	nr_run = noted = has_begun = may_go = 0;
}

/* Acts, and has its worker held when it has returned. */
static void act_and_be_held(struct nap_task *unused)
{
	(void)unused;
	check(nap_schedule(&pool, &behind));
	act();
}

/* As act_and_be_held(), when first.let_go is set. */
static void act_late_and_be_held(struct nap_task *unused)
{
	block(&first.task);
	act_and_be_held(unused);
}

/*
 * Called when one of the two workers is in act_late_and_be_held(): holds the other one, which might
 * steal the task that is to hold the first, until the first is held.
 */
static void hold_the_other(void)
{
	struct blocker other = BLOCKER_INIT;

	flag_wait(&first.running);
	check(nap_schedule(&pool, &other.task));
	flag_wait(&other.running);
	flag_set(&first.let_go);
	flag_wait(&has_begun);
	flag_set(&other.let_go);
	while (nap_load_acquire(&nr_run) < 2)
		usleep(100);
}

static void let_go(struct nap_task *unused)
{
	(void)unused;
	note();
	nap_store_release(&may_go, 1);
}

/* The next task of the queue is scheduled by a thread that was nowhere before. */
static void *schedule_next(void *unused)
{
	check(nap_serial_schedule(&serial, &task_too));
	return unused;
}

static bool next_task_sees(void)
{
	pthread_t thread;

	begin();
	nap_task_init(&task, act_late_and_be_held);
	nap_task_init(&task_too, let_go);
	check(nap_serial_schedule(&serial, &task));
	hold_the_other();
	if (pthread_create(&thread, NULL, schedule_next, NULL) || pthread_join(thread, NULL))
		abort();
	flag_wait(&noted);
	no_pool();
	return has_seen;
}

static struct nap_task quantum[NAP_SERIAL_QUANTUM - 1];

/* The first task of a quantum acts; its worker is held after the quantum. */
static bool task_behind_a_quantum_sees(void)
{
	begin();
	nap_task_init(&task, act_late_and_be_held);
	nap_task_init(&task_too, let_go);
	check(nap_serial_schedule(&serial, &task));
	flag_wait(&first.running);
	for (size_t i = 0; i < NAP_SERIAL_QUANTUM - 1; i++) {
		nap_task_init(&quantum[i], run_nothing);
		check(nap_serial_schedule(&serial, &quantum[i]));
	}
	check(nap_serial_schedule(&serial, &task_too));
	hold_the_other();
	flag_wait(&noted);
	no_pool();
	return has_seen;
}

/* A fiber's wait for another one is canceled, and before it goes on the other one ends. */
static uint32_t is_awaited;

static intptr_t end_and_hold(void *unused)
{
	(void)unused;
	nap_store_release(&is_awaited, 1);
	flag_wait(&may_go);
	nap_store_relaxed(&may_go, 0);
	act_and_be_held(NULL);
	return 0;
}

static intptr_t await_late(void *unused)
{
	(void)unused;
	result = nap_await(fiber, NULL) != 0;
	let_go(NULL);
	return 0;
}

static struct nap_fiber *awaiter;

static void cancel_and_let_end(struct nap_task *unused)
{
	(void)unused;
	check(nap_fiber_cancel(awaiter));
	nap_store_release(&may_go, 1);
	flag_wait(&has_begun);
}

static bool late_awaiter_sees(void)
{
	begin();
	check(nap_spawn(&pool, &fiber, end_and_hold, NULL));
	flag_wait(&is_awaited);
	nap_task_init(&task, cancel_and_let_end);
	check(nap_spawn(&pool, &awaiter, await_late, NULL) || nap_schedule(&pool, &task));
	flag_wait(&noted);
	check(nap_detach(awaiter) || result);
	no_pool();
	return has_seen;
}

/*
 * A slow task acts, and its worker is held when it has returned. The next slow task has waited for
 * that, and begins on the other worker, which a fast task has held. A third thread has scheduled
 * the queue's own task.
 */
static bool next_slow_task_sees(void)
{
	struct blocker fast = BLOCKER_INIT;

	begin();
	check(nap_order_init(&in_order, &pool, 1));
	nap_task_init(&task, act_late_and_be_held);
	nap_task_init(&task_too, let_go);
	check(nap_order_schedule(&in_order, NAP_ORDER_SLOW, &task));
	flag_wait(&first.running);
	check(nap_order_schedule(&in_order, NAP_ORDER_FAST, &fast.task));
	flag_wait(&fast.running);
	check(nap_order_schedule(&in_order, NAP_ORDER_SLOW, &task_too));
	flag_set(&first.let_go);
	flag_wait(&has_begun);
	flag_set(&fast.let_go);
	flag_wait(&noted);
	no_pool();
	return has_seen;
}

/* What a fiber did before a wait it sees after the wait, on another worker. */
static intptr_t act_and_move(void *unused)
{
	(void)unused;
	act_and_be_held(NULL);
	check(nap_sem_acquire(&sem));
	let_go(NULL);
	return 0;
}

static void *release_it(void *unused)
{
	nap_sem_release(&sem, 1);
	return unused;
}

static bool moved_fiber_sees(void)
{
	pthread_t thread;

	begin();
	nap_sem_init(&sem, 0);
	check(nap_spawn(&pool, NULL, act_and_move, NULL));
	flag_wait(&has_begun);
	if (pthread_create(&thread, NULL, release_it, NULL) || pthread_join(thread, NULL))
		abort();
	flag_wait(&noted);
	no_pool();
	return has_seen;
}

TEST(another_worker_sees)
{
	EXPECT_ORDERS(next_task_sees, { "a serial queue", two_workers, NULL, NULL });
	EXPECT_ORDERS(task_behind_a_quantum_sees,
		      { "a serial queue, behind a quantum", two_workers, NULL, NULL });
	EXPECT_ORDERS(next_slow_task_sees, { "an ordered queue", two_workers, NULL, NULL });
	EXPECT_ORDERS(late_awaiter_sees, { "nap_await, late", two_workers, NULL, NULL });
	EXPECT_ORDERS(moved_fiber_sees, { "a fiber", two_workers, NULL, NULL });
}

/* ---- a loop */

static uint32_t third_runs;

static int act_in_third(size_t i, size_t end_of_range, void *unused)
{
	(void)unused;
	if (i == 0)
		flag_wait(&third_runs);
	else if (i == 2) {
		act();
		nap_store_release(&third_runs, 1);
	}
	return end_of_range != i + 1;
}

static int loop(void)
{
	return nap_for_as(&pool, &(struct nap_loop){ .grain = 1 }, 0, 4, act_in_third, NULL);
}

/*
 * The worker reports first, in its first half: index 2. The caller goes on when the worker is in
 * index 3, that is, when the report is over.
 */
static int report(size_t done, size_t total, void *unused)
{
	(void)done;
	(void)total;
	(void)unused;
	if (!nap_load_relaxed(&acted_by))
		act();
	else if (!nap_load_relaxed(&noted))
		note();
	return 0;
}

static int wait_for_reports(size_t i, size_t end_of_range, void *unused)
{
	(void)unused;
	if (i == 0)
		flag_wait(&third_runs);
	if (i == 3) {
		nap_store_release(&third_runs, 1);
		flag_wait(&noted);
	}
	return end_of_range != i + 1;
}

static bool next_report_sees(void)
{
	const struct nap_loop how = { .grain = 1, .progress = report };

	begin();
	third_runs = 0;
	check(nap_for_as(&pool, &how, 0, 4, wait_for_reports, NULL));
	no_pool();
	return has_seen;
}

TEST(another_report_of_progress_sees)
{
	EXPECT_ORDERS(next_report_sees, { "progress()", a_pool_that_is_warm, NULL, NULL });
}

static void several_workers(void)
{
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 }) || nap_cq_init(&cq) ||
	      nap_pool_prewarm(&pool, 4));
	third_runs = 0;
}

TEST(a_callback_is_seen)
{
	EXPECT_ORDERS(is_seen,
		{ "nap_pool_quiesce", a_task_acts, NULL, quiesce },
		{ "nap_pool_join", a_task_acts, NULL, join },
		{ "nap_await", a_fiber_acts, NULL, await_it },
		{ "nap_await, of one that has ended", a_fiber_has_acted, NULL, await_it },
		{ "nap_broadcast", a_pool_that_is_warm, NULL, broadcast_and_see },
		{ "nap_work_is_idle", a_work_acts, NULL, until_idle },
		{ "nap_work_is_idle, which it is not", a_work_is_queued_again, NULL, is_not_idle },
		{ "nap_work_schedule", a_work_acts, NULL, schedule_again },
		{ "nap_pool_notify_end", a_task_acts_before_the_end, NULL, until_noted },
		{ "nap_pool_notify_end, late", an_end_that_comes_late, NULL, be_told_of_the_end },
		{ "nap_serial_end", a_queue_whose_pool_has_ended, NULL, end_the_queue },
		{ "nap_serial_end, without a task", a_queue_has_acted, NULL, end_the_queue_alone },
		{ "nap_serial_close", queues_are_left, NULL, close_serial },
		{ "nap_order_close", queues_are_left, NULL, close_order },
		{ "nap_timer_cancel_wait", a_timer_acts, NULL, cancel_timer },
		{ "nap_timer_cancel_wait, late", a_timer_has_acted, NULL, cancel_timer },
		{ "nap_timer_cancel", a_timer_has_acted, NULL, cancel_in_vain },
		{ "nap_for_as", several_workers, NULL, loop });
}

TEST_HARNESS_MAIN
