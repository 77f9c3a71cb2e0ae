/* SPDX-License-Identifier: MIT */
/* The callers in the table of waits: tests/fault/waits.h. */
#include "fault/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "async/fiber/fiber.h"

const char *const waits_who[WHOS] = {
	"task", "serial", "class", "fiber", "shielded", "thread", "helper", "other's", "start",
	"loop", "guest", "both", "run",
};

/* ---- every caller */

static void act(struct cell *cell)
{
	nap_store_relaxed(&cell->tid, (int32_t)syscall(SYS_gettid));
	cell->self = nap_fiber_self();
	if (cell->who == SHIELDED)
		nap_fiber_shield(true);
	waits_set(&cell->here);
	waits_until(&cell->go);
	cell->answer = waits_is_fork(cell->event) ? waits_in_child(cell) : cell->call->call(cell);
	waits_set(&cell->returned);
}

/* ---- how each caller comes to its call */

static void act_as_task(struct nap_task *task)
{
	act(nap_container_of(task, struct cell, task));
}

static intptr_t act_as_fiber(void *cell)
{
	act(cell);
	return 0;
}

static void *act_as_thread(void *cell)
{
	act(cell);
	return NULL;
}

static void *help_with_it(void *arg)
{
	struct cell *cell = arg;

	WAITS_CHECK(cell, nap_pool_help(&cell->world->home, 1) == 1);
	return NULL;
}

static void act_as_guest(struct nap_worker *worker, void *cell)
{
	(void)worker;
	act(cell);
}

static void *call_from_outside(void *arg)
{
	struct cell *cell = arg;

	WAITS_CHECK(cell, nap_call(&cell->world->home, act_as_guest, cell) == 0);
	return NULL;
}

static void call_from_other(struct nap_task *task)
{
	call_from_outside(nap_container_of(task, struct cell, task));
}

/*
 * Runs the calling fiber on a thread from outside. After a stop the joiner runs the rest of the
 * fiber.
 */
static void *run_from_outside(void *arg)
{
	struct cell *cell = arg;
	struct world *world = cell->world;
	int err = nap_run(&world->home, act_as_fiber, cell, NULL);

	WAITS_CHECK(cell, err == 0 || (err == -ECANCELED && nap_load_relaxed(&world->home_stops)));
	return NULL;
}

void waits_on_start(struct nap_worker *worker, void *arg)
{
	struct world *world = arg;
	struct cell *cell = nap_xchg_acquire(&world->starts, NULL);

	(void)worker;
	if (cell)
		act(cell);
}

static int work_fn(struct nap_work *work)
{
	(void)work;
	return 0;
}

static void work_done(struct nap_work *work, int result)
{
	(void)result;
	act(nap_container_of(work, struct cell, work));
}

static void *run_loop(void *arg)
{
	struct cell *cell = arg;
	struct pollfd fd = { .fd = nap_cq_fd(&cell->cq), .events = POLLIN };

	while (!waits_is_set(&cell->returned)) {
		poll(&fd, 1, -1);
		nap_cq_run(&cell->cq, 0);
	}
	return NULL;
}

static void begin_thread(struct cell *cell, void *(*run)(void *cell))
{
	WAITS_CHECK(cell, pthread_create(&cell->thread, NULL, run, cell) == 0);
	cell->has_thread = true;
}

static int launch_loop(struct cell *cell)
{
	WAITS_CHECK(cell, nap_cq_init(&cell->cq) == 0);
	nap_work_init(&cell->work, work_fn, work_done, &cell->cq);
	begin_thread(cell, run_loop);
	return nap_work_schedule(&cell->world->home, &cell->work);
}

/* Starts workers until the worker_start of one of them has begun the call. */
static int launch_start(struct cell *cell)
{
	struct world *world = cell->world;
	int err = 0;

	nap_store_release(&world->starts, cell);
	for (uint32_t n = 1; !err && nap_load_relaxed(&world->starts) && n <= WAITS_STARTS; n++)
		err = nap_pool_prewarm(&world->home, n);
	return err;
}

static int launch(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;

	nap_task_init(&cell->task, act_as_task);
	switch (cell->who) {
	case TASK:
		return nap_schedule(home, &cell->task);
	case OTHERS:
		return nap_schedule(&cell->world->other, &cell->task);
	case SERIAL:
		nap_serial_init(&cell->serial, home);
		return nap_serial_schedule(&cell->serial, &cell->task);
	case CLASSED:
		return nap_class_schedule(home, NAP_CLASS_BATCH, &cell->task);
	case FIBER:
	case SHIELDED:
		return nap_spawn(home, &cell->fiber, act_as_fiber, cell);
	case HELPER:
		begin_thread(cell, help_with_it);
		return 0;
	case STARTS:
		return launch_start(cell);
	case LOOP:
		return launch_loop(cell);
	case GUEST:
		begin_thread(cell, call_from_outside);
		return 0;
	case BOTH:
		nap_task_init(&cell->task, call_from_other);
		return nap_schedule(&cell->world->other, &cell->task);
	case RUNS:
		begin_thread(cell, run_from_outside);
		return 0;
	default:
		begin_thread(cell, act_as_thread);
		return 0;
	}
}

/*
 * Runs the tasks of pools without threads: until the fiber has returned, or the loop has its work.
 */
static void *be_runner(void *arg)
{
	struct cell *cell = arg;

	while (!waits_is_set(cell->who == LOOP ? &cell->here : &cell->returned)) {
		nap_pool_help(&cell->world->home, 1);
		nap_pool_help(&cell->world->other, 1);
		usleep(20);
	}
	return NULL;
}

/* Returns when the caller is about to call. */
void waits_launch(struct cell *cell)
{
	const struct world *world = cell->world;

	if ((world->no_threads && waits_is_fiber(cell->who)) ||
	    ((world->no_threads || world->no_workers) && cell->who == LOOP)) {
		WAITS_CHECK(cell, pthread_create(&cell->runner, NULL, be_runner, cell) == 0);
		cell->has_runner = true;
	}
	if (cell->who == HELPER) {
		nap_task_init(&cell->task, act_as_task);
		WAITS_CHECK(cell, nap_schedule(&cell->world->home, &cell->task) == 0);
	}
	WAITS_CHECK(cell, launch(cell) == 0);
	while (!waits_is_set(&cell->here))
		usleep(20);
}

/* ---- during the wait */

/* Whether the kernel says that thread @tid sleeps (state 'S'). */
static bool thread_sleeps(int32_t tid)
{
	char path[64], text[64] = "";
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	return strstr(text, ") S");
}

static bool fiber_sleeps(struct nap_fiber *fiber)
{
	uint32_t word = nap_load_acquire(&fiber->wait.state);

	return (word & WAIT_OPEN) && (word & WAIT_OFF);
}

bool waits_is_asleep(struct cell *cell)
{
	if (!waits_is_set(&cell->here) || (cell->call->listed && !cell->call->listed(cell)))
		return false;
	if (waits_is_fiber(cell->who) && (cell->call->flags & SUSPENDS))
		return fiber_sleeps(cell->self);
	for (int i = 0; i < 3; i++)
		if (!thread_sleeps(nap_load_relaxed(&cell->tid)))
			return false;
	return true;
}

/* Joins the caller's thread. Awaits its fiber, unless home was stopped. */
void waits_finish_caller(struct cell *cell)
{
	struct nap_batch left = NAP_BATCH_INIT;

	if (cell->has_runner)
		pthread_join(cell->runner, NULL);
	if (cell->fiber && !cell->world->home_stops)
		WAITS_CHECK(cell, nap_await(cell->fiber, NULL) == 0);
	if (cell->has_thread)
		pthread_join(cell->thread, NULL);
	if (cell->who == LOOP) {
		int err = nap_cq_close(&cell->cq, &left);

		WAITS_CHECK(cell, (!err || err == -EALREADY) && !left.count);
	}
}
