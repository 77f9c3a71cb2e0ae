/* SPDX-License-Identifier: MIT */
/*
 * A program that does not go on, for a debugger (gdb_stuck.sh): fibers in cycles, threads that
 * wait, and tasks in every kind of queue. The function of a task or a fiber is used for one place
 * alone, so that its name tells where the task or the fiber is.
 *
 *	gdb_stuck stop		calls look_now()
 *	gdb_stuck abort		aborts
 *	gdb_stuck end		shuts the pool down first, and then calls look_now()
 *	gdb_stuck forks		with two more pools: a worker waits for a job that was stolen, a
 *				fiber and a thread for each other
 *	gdb_stuck stop few	few tasks in the ring, for an emulator
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>
#include <nap/order.h>

enum { RINGED = 300, HOUR = 3600 };

static struct nap_classes classes = {
	.of = { [NAP_CLASS_BATCH] = { .weight = 1, .limit = 1 } },
	.count = NAP_CLASSES,
};
static struct nap_pool bank = NAP_POOL_INIT(.name = "bank", .max_workers = 2, .classes = &classes);
static struct nap_mutex first = NAP_MUTEX_INIT, second = NAP_MUTEX_INIT;
static struct nap_sem holds = NAP_SEM_INIT(0), both_hold = NAP_SEM_INIT(0);
static struct nap_sem may_join = NAP_SEM_INIT(0);
static struct nap_fiber *left, *right, *joins, *joined, *opener;
static struct nap_scope scope;
static struct nap_group report;
static struct nap_serial *journal;	/* allocated, so that no symbol names it */
static struct nap_order orders;
static struct nap_cq loop;
static struct nap_slot slots[2];
static struct nap_submitter submitter = NAP_SUBMIT_INIT(&bank, slots, 2);
static sem_t begun, ended;
static int ringed = RINGED;

int look_now(int n);
__attribute__((noinline)) int look_now(int n)
{
	__asm__ volatile("" : "+r" (n));
	return n;
}

/* ---- whether everything is in its place */

/* Returns how many waiters @mutex has. No waiter leaves these lists. */
static int waiters(struct nap_mutex *mutex)
{
	int n = 0;

	for (void *volatile *at = *(void *volatile *)&mutex->waiters.first; at; at = *at)
		n++;
	return n;
}

/* Waits until @mutex has @n waiters. */
static void await_waiters(struct nap_mutex *mutex, int n)
{
	while (waiters(mutex) < n)
		nap_sleep(1000000);
}

/*
 * Waits until @workers are inside tasks, and @queued tasks are queued, none of them in a ring or
 * injected.
 */
static void await_rest(struct nap_pool *pool, uint32_t workers, uint64_t queued)
{
	struct nap_remaining remains;
	struct nap_pool_stats stats;

	do {
		nap_sleep(1000000);
		nap_pool_remaining(pool, &remains);
		nap_pool_get_stats(pool, &stats);
	} while (remains.workers != workers || remains.queued != queued || stats.queued_injected ||
		 stats.queued_rings);
}

/* ---- fibers */

static __attribute__((noinline)) int takes(struct nap_mutex *mutex)
{
	int err = nap_mutex_lock(mutex);

	__asm__ volatile("" : "+r" (err));
	return err;
}

static intptr_t from_left(void *arg)
{
	(void)arg;
	nap_fiber_set_name("from left");
	if (takes(&first))
		return 1;
	nap_sem_release(&holds, 1);
	return nap_sem_acquire(&both_hold) || takes(&second);
}

static intptr_t from_right(void *arg)
{
	(void)arg;
	nap_fiber_set_name("from right");
	if (takes(&second))
		return 1;
	nap_sem_release(&holds, 1);
	return nap_sem_acquire(&both_hold) || takes(&first);
}

static intptr_t watches(void *arg)
{
	(void)arg;
	return nap_await(left, NULL);
}

static intptr_t awaits_joined(void *arg)
{
	(void)arg;
	return nap_sem_acquire(&may_join) || nap_await(joined, NULL);
}

static intptr_t awaits_joins(void *arg)
{
	(void)arg;
	return nap_sem_acquire(&may_join) || nap_await(joins, NULL);
}

static intptr_t inside(void *arg)
{
	(void)arg;
	return nap_await(opener, NULL);
}

static intptr_t opens_a_scope(void *arg)
{
	nap_fiber_set_name("opener");
	if (nap_scope_begin(&scope, &bank) || nap_scope_spawn(&scope, inside, arg))
		return 1;
	return nap_scope_end(&scope);
}

static intptr_t sleeps_long(void *arg)
{
	(void)arg;
	return nap_sleep((uint64_t)HOUR * 1000000000u);
}

static intptr_t finds_no_stack(void *arg)
{
	return (intptr_t)arg;
}

static int make_fibers(void)
{
	struct nap_fibers_config config = { .flags = NAP_FIBER_NO_GUARD, .most = 8 };
	struct nap_fiber *other;

	if (nap_fibers_init(&bank, &config) || nap_spawn(&bank, &left, from_left, NULL) ||
	    nap_spawn(&bank, &right, from_right, NULL) ||
	    nap_spawn(&bank, &joins, awaits_joined, NULL) ||
	    nap_spawn(&bank, &joined, awaits_joins, NULL) ||
	    nap_spawn(&bank, &other, sleeps_long, NULL) ||
	    nap_spawn(&bank, &opener, opens_a_scope, NULL) || nap_sem_acquire(&holds) ||
	    nap_sem_acquire(&holds) || nap_spawn(&bank, &other, watches, NULL))
		return 1;
	nap_sem_release(&both_hold, 2);
	nap_sem_release(&may_join, 2);
	await_waiters(&first, 1);
	await_waiters(&second, 1);
	await_rest(&bank, 0, 0);
	return 0;
}

/* ---- tasks */

#define TASK(name) static void name(struct nap_task *task) { (void)task; }

TASK(is_injected)
TASK(in_a_ring)
TASK(has_no_permit)
TASK(in_the_journal)
TASK(in_order)
TASK(at_the_loop)
TASK(at_an_hour)
static void in_a_slot(void *arg) { (void)arg; }
static int is_a_work(struct nap_work *work) { (void)work; return 0; }

/* Never returns. */
static void blocks(void *arg)
{
	(void)arg;
	sem_post(&begun);
	while (sem_wait(&ended))
		;
}

/* Never ends: stays in a blocking section, and holds the permit of its class. */
static void holds_the_permit(struct nap_task *task)
{
	(void)task;
	nap_blocking(blocks, NULL);
}

/* Fills the worker's ring and overflow, and then waits for a mutex that a fiber owns. */
static void holds_the_journal(struct nap_task *task)
{
	static struct nap_task tasks[RINGED];

	(void)task;
	for (int i = 0; i < ringed; i++) {
		nap_task_init(&tasks[i], in_a_ring);
		nap_schedule(&bank, &tasks[i]);
	}
	sem_post(&begun);
	nap_mutex_lock(&second);
}

static int make_tasks(void)
{
	static struct nap_task permit = NAP_TASK_INIT(holds_the_permit);
	static struct nap_task held = NAP_TASK_INIT(holds_the_journal);
	static struct nap_task classed[2] = { NAP_TASK_INIT(has_no_permit),
					      NAP_TASK_INIT(has_no_permit) };
	static struct nap_task entries[3] = { NAP_TASK_INIT(in_the_journal),
					      NAP_TASK_INIT(in_the_journal),
					      NAP_TASK_INIT(in_the_journal) };
	static struct nap_task injected[2] = { NAP_TASK_INIT(is_injected),
					       NAP_TASK_INIT(is_injected) };
	static struct nap_task last = NAP_TASK_INIT(at_the_loop);
	static struct nap_task order[2] = { NAP_TASK_INIT(in_order), NAP_TASK_INIT(in_order) };
	static struct nap_work work = NAP_WORK_INIT(is_a_work, NULL, &loop);
	static struct nap_fiber_start start;
	static struct nap_timer timer;
	int err = nap_class_schedule(&bank, NAP_CLASS_BATCH, &permit);

	while (sem_wait(&begun))
		;
	for (int i = 0; i < 2; i++)
		err |= nap_class_schedule(&bank, NAP_CLASS_BATCH, &classed[i]);
	err |= nap_fiber_start_init(&start, &bank, finds_no_stack, NULL) ||
	       nap_schedule(&bank, &start.task);
	journal = malloc(sizeof(*journal));
	await_rest(&bank, 1, 3);	/* the start waits for a stack */
	err |= !journal || nap_serial_init(journal, &bank) || nap_serial_schedule(journal, &held);
	while (sem_wait(&begun))
		;
	await_waiters(&second, 2);
	for (int i = 0; i < 3; i++)
		err |= nap_serial_schedule(journal, &entries[i]);
	for (int i = 0; i < 2; i++)
		err |= nap_schedule(&bank, &injected[i]);
	err |= nap_order_init(&orders, &bank, 1);
	for (int i = 0; i < 2; i++)
		err |= nap_order_schedule(&orders, NAP_ORDER_FAST, &order[i]);
	err |= nap_cq_init(&loop) || nap_cq_push(&loop, &last) || nap_work_schedule(&bank, &work);
	err |= nap_submit(&submitter, in_a_slot, NULL);
	nap_timer_init(&timer, at_an_hour);
	return err | nap_schedule_after(&bank, &timer, (uint64_t)HOUR * 1000000000u);
}

/* ---- two more pools */

static struct nap_pool mill = NAP_POOL_INIT(.name = "mill", .max_workers = 2);
static struct nap_pool tower = NAP_POOL_INIT(.max_workers = 2);
static struct nap_mutex third = NAP_MUTEX_INIT, fourth = NAP_MUTEX_INIT;
static struct nap_fiber *forgets;
static volatile bool is_ending;
static struct nap_timer ticker;

/* A timer's task. It waits for a mutex of the fiber that waits for the end of this task. */
static void ticks(struct nap_task *task)
{
	(void)task;
	nap_mutex_lock(&third);
}

static intptr_t ends_the_timer(void *arg)
{
	(void)arg;
	nap_timer_init(&ticker, ticks);
	if (takes(&third) || nap_schedule_after(&tower, &ticker, 1000000))
		return 1;
	await_waiters(&third, 1);
	is_ending = true;
	return nap_timer_cancel_wait(&ticker, NAP_FOREVER);
}

static intptr_t ends_as_owner(void *arg)
{
	(void)arg;
	return takes(&fourth);
}

static intptr_t waits_in_vain(void *arg)
{
	(void)arg;
	return takes(&fourth);
}

static void grinds(struct nap_worker *worker, struct nap_frame *top, int n);
NAP_JOB_VOID(grinds, int)

static void grinds(struct nap_worker *worker, struct nap_frame *top, int n)
{
	(void)worker;
	(void)top;
	(void)n;
	blocks(NULL);
}

/* Runs inside the join. */
static void is_nested(struct nap_task *task)
{
	(void)task;
	nap_mutex_lock(&second);
}

static void splits(struct nap_task *task)
{
	static struct nap_task nested = NAP_TASK_INIT(is_nested);
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);

	(void)task;
	top = grinds_fork(worker, top, 1);
	while (sem_wait(&begun))
		;
	nap_schedule(&mill, &nested);
	grinds_join(worker, top - 1, 1);
}

static int make_forks(void)
{
	static struct nap_task task = NAP_TASK_INIT(splits);

	if (nap_schedule(&mill, &task) || nap_spawn(&tower, NULL, ends_the_timer, NULL))
		return 1;
	await_waiters(&second, 3);
	while (!is_ending)
		nap_sleep(1000000);
	await_rest(&tower, 1, 0);
	if (nap_spawn(&tower, &forgets, ends_as_owner, NULL))
		return 1;
	await_rest(&tower, 1, 0);
	if (nap_spawn(&tower, NULL, waits_in_vain, NULL))
		return 1;
	await_waiters(&fourth, 1);
	await_rest(&tower, 1, 0);
	return 0;
}

/* ---- threads */

static __attribute__((noinline)) void *waits_for_the_report(void *arg)
{
	nap_group_wait(&report);
	return arg;
}

static __attribute__((noinline)) void *waits_for_the_mutex(void *arg)
{
	nap_mutex_lock(&first);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc > 2)
		ringed = 3;
	nap_group_init(&report, &bank);
	nap_group_add(&report, 1);
	if (sem_init(&begun, 0, 0) || sem_init(&ended, 0, 0) || make_fibers() || make_tasks() ||
	    pthread_create(&threads[0], NULL, waits_for_the_report, NULL) ||
	    pthread_create(&threads[1], NULL, waits_for_the_mutex, NULL))
		return 1;
	await_waiters(&first, 2);
	while (__atomic_load_n(&report.state, __ATOMIC_RELAXED) >> 32 == 0)
		nap_sleep(1000000);
	if (argc > 1 && !strcmp(argv[1], "forks") && make_forks())
		return 1;
	nap_sleep(200000000);	/* time for the listed waiters to fall asleep */
	if (argc > 1 && !strcmp(argv[1], "abort"))
		abort();
	if (argc > 1 && !strcmp(argv[1], "end"))
		nap_pool_shutdown(&bank, NAP_DRAIN);
	look_now(1);
	_exit(0);
}
