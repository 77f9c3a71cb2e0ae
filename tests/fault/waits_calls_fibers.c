/* SPDX-License-Identifier: MIT */
/* The rows of the table of waits: files, scopes, and timers. */
#include "fault/waits_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- a pipe, which is empty */

static void open_pipe(struct cell *cell)
{
	WAITS_CHECK(cell, pipe2(cell->fds, O_NONBLOCK | O_CLOEXEC) == 0);
}

static void write_to_it(struct cell *cell)
{
	WAITS_CHECK(cell, write(cell->fds[1], "x", 1) == 1);
}

static long wait_for_file(struct cell *cell)
{
	uint64_t deadline = cell->timeout == NAP_FOREVER ? NAP_FOREVER :
							   waits_deadline(cell);

	return nap_io_wait(cell->fds[0], NAP_IO_READ, deadline);
}

/* Forgets the file. A thread waits in poll(2), so it is in no list of the pool's. */
static void forget_file(struct cell *cell)
{
	int n = nap_io_forget(&cell->world->home, cell->fds[0]);

	WAITS_CHECK(cell, n == waits_is_fiber(cell->who));
}

static bool pipe_is_left(struct cell *cell)
{
	char c;
	bool full = read(cell->fds[0], &c, 1) == 1;

	close(cell->fds[0]);
	close(cell->fds[1]);
	return full == cell->given;
}

/* A pool's first wait for a file maps memory. */
static struct expected io_differs(enum who who, enum event event)
{
	return (struct expected){ waits_is_fiber(who) && event == NO_MEMORY ? 'M' : 0, NULL };
}

const struct call waits_io = {
	.name = "file",
	.flags = TIMED | SUSPENDS,
	.init = open_pipe,
	.possible = write_to_it,
	.forget = forget_file,
	.call = wait_for_file,
	.left = pipe_is_left,
	.except = io_differs,
};

/* ---- a scope of one fiber */

static intptr_t nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Runs a fiber, so that the first block of stacks is mapped. */
static void have_stacks(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;

	WAITS_CHECK(cell, nap_spawn(home, NULL, nothing, NULL) == 0);
	if (cell->world->no_threads || cell->world->no_workers)
		nap_pool_help(home, 0);
}

static intptr_t member(void *arg)
{
	struct cell *cell = arg;

	waits_set(&cell->runs);
	nap_event_wait(&cell->is_so);
	nap_fetch_add_relaxed(&cell->ran, 1);
	return 0;
}

static void have_member_end(struct cell *cell)
{
	nap_event_set(&cell->is_so);
}

/*
 * Ends the scope with a deadline. After a timeout the scope is still open, and a second call ends
 * it.
 */
static long end_in_time(struct cell *cell)
{
	intptr_t result = 0;
	long err = nap_scope_end_until(&cell->scope, waits_deadline(cell), &result);

	if (err != -ETIMEDOUT)
		return err ? err : result;
	have_member_end(cell);
	return nap_scope_end(&cell->scope) ? -EINVAL : err;
}

static long end_scope(struct cell *cell)
{
	long err = nap_scope_begin(&cell->scope, &cell->world->home), ended;

	if (err)
		return err;
	err = nap_scope_spawn(&cell->scope, member, cell);
	ended = cell->timeout == NAP_FOREVER ? nap_scope_end(&cell->scope) : end_in_time(cell);
	return err ? err : ended;
}

static bool member_runs(struct cell *cell)
{
	return waits_is_set(&cell->runs);
}

/* Whether every fiber of the scope that has begun has ended, whatever the call returned. */
static bool scope_is_left(struct cell *cell)
{
	return nap_load_relaxed(&cell->ran) == waits_is_set(&cell->runs);
}

static struct expected scope_differs(enum who who, enum event event)
{
	if (event == FORKED)
		return (struct expected){ 'S', NULL };
	if (waits_is_inside(who) && !waits_is_fiber(who))
		return (struct expected){ 'D', NULL };
	/*
	 * After a stop the joiner runs the caller and the scope's fiber to their ends, in any
	 * order. So there are two right answers, as for an await: await_differs() in
	 * waits_calls_groups.c.
	 */
	if (event == STOPS && waits_is_fiber(who))
		return (struct expected){ '?', NULL };
	return (struct expected){ event == STOPPED ? 'S' : 0, NULL };
}

const struct call waits_scope = {
	.name = "scope",
	.flags = OF_HOME | OF_WORKER | TIMED | SUSPENDS | IS_SCOPE,
	.init = have_stacks,
	.possible = have_member_end,
	.listed = member_runs,
	.call = end_scope,
	.left = scope_is_left,
	.except = scope_differs,
};

/* ---- a timer whose task runs */

static void stay_in_timer(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);

	waits_stay(nap_container_of(timer, struct cell, timer));
}

static void have_timer_run(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;

	nap_timer_init(&cell->timer, stay_in_timer);
	WAITS_CHECK(cell, nap_schedule_after(home, &cell->timer, 0) == 0);
	waits_have_helper(cell, home);
	while (!waits_is_set(&cell->runs))
		usleep(20);
}

static long cancel_timer(struct cell *cell)
{
	uint64_t deadline = cell->timeout == NAP_FOREVER ? NAP_FOREVER : waits_deadline(cell);

	return nap_timer_cancel_wait(&cell->timer, deadline);
}

static bool timer_is_left(struct cell *cell)
{
	waits_end_busy(cell);
	return true;
}

/* A fiber's wait ends in the join, unless the awaited task has notified the fiber before that. */
static struct expected timer_differs(enum who who, enum event event)
{
	if (event == FORKED)
		return (struct expected){ '0', NULL };
	return (struct expected){ waits_is_fiber(who) && event == STOPS ? '?' : 0, NULL };
}

const struct call waits_timer = {
	.name = "timer",
	.flags = OF_HOME | OF_WORKER | TIMED | SUSPENDS | JOIN_NEEDS_IT | NOT_SHARED,
	.except = timer_differs,
	.init = have_timer_run,
	.possible = waits_let_go,
	.call = cancel_timer,
	.left = timer_is_left,
};
