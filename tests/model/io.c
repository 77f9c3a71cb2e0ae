/* SPDX-License-Identifier: MIT */
/*
 * Fibers F1 and F4 wait until a file is readable or writable (src/async/io/io.h), under each idle
 * protocol, while workers sleep, poll and run tasks. Invariants: a waiter goes on when the file
 * is ready, whatever the workers do; the worker that sleeps in the epoll is woken for other work;
 * no thread writes to a closed eventfd.
 */
#include <errno.h>

#include "async/io/io.h"
#include "epoll.h"
#include "fiber_setup.h"
#include "wait_setup.h"

static int results[2], nr_forgotten;
static struct nap__files *files;

static void begin(uint32_t limit, unsigned first_worker)
{
	pool_new(limit, first_worker);
	pool->config.yields = NAP_NO_YIELDS;
	epoll_begin();
	for (unsigned i = 0; i < 2; i++)
		fiber_is(i);
	check_name(&nap__fibers_of(pool)->async.timers, sizeof(struct nap__timers), "pool.timers");
	results[0] = results[1] = nr_forgotten = 0;
}

/* Setup: the pool has had files for some time, so no worker is notified of them. */
static void have_files(void)
{
	struct nap__timers *timers = &pool_async(pool)->timers;

	timers->poller = POLLER_IN_PASSING;
	CHECK(nap__files_of(pool, &files) == 0);
	timers->poller = POLLER_NONE;
	check_name(&files->slots[0], sizeof(files->slots[0]), "slot");
	check_name(&files->owed, sizeof(files->owed), "owed");
}

static void wait_for(void *events)
{
	results[check_self()] = nap_io_wait(FILE_FD, (uint32_t)(uintptr_t)events, NAP_FOREVER);
}

static void get_ready(void *events)
{
	file_ready((uint32_t)(uintptr_t)events);
}

#define WAITS(events)	{ wait_for, (void *)(uintptr_t)(events), "F" #events }
#define READY(events)	{ get_ready, (void *)(uintptr_t)(events), "ready" #events }
#define READ_		1
#define WRITE_		4

static bool nobody_waits(void)
{
	return !pool_async(pool)->timers.files && !files->slots[0].waiters.first;
}

static void has_read(void)
{
	CHECK(results[0] == READ_);
}

/* ---- a worker falls asleep, in the epoll or before there is an epoll */

static void first_wait(void)
{
	begin(1, 2);
	pool_set_idle(pool_add_worker(2));
}

CHECK_SCENARIO(io_first,
	.about = "the first wait for a file of a pool, whose worker sleeps elsewhere",
	.random = 5000,
	.setup = first_wait, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), [2] = PARKED(0) });

static void one_sleeps(void)
{
	begin(1, 2);
	have_files();
	pool_set_idle(pool_add_worker(2));
}

CHECK_SCENARIO(io_ready, .about = "a file gets ready while the only worker falls asleep",
	.random = 5000,
	.setup = one_sleeps, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), [2] = PARKED(0) });

static void one_awake(void)
{
	begin(1, 2);
	have_files();
	pool_add_worker(2);
}

CHECK_SCENARIO(io_ready_awake, .about = "a file gets ready while the only worker looks for work",
	.random = 5000,
	.setup = one_awake, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), [2] = WORKER(0) });

/* ---- the worker that sleeps in the epoll is woken for a task that never ends */

static struct job job = JOB_INIT(job_block);

static void call_away(void *unused)
{
	(void)unused;
	job_inject(&job);
}

static void two_sleep(void)
{
	begin(2, 3);
	have_files();
	pool_set_idle(pool_add_worker(3));
	pool_set_idle(pool_add_worker(3));
}

CHECK_SCENARIO(io_seat_handed_on, .about = "who sleeps in the epoll is called away for good",
	.random = 20000,
	.setup = two_sleep, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), { call_away, NULL, "producer" }, PARKED(0), PARKED(1) });

/* ---- a worker polls in passing, and goes on with a task that never ends */

static void look_and_block(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);

	self_is(nap__self(), worker);
	nap__files_ops.poll(&files->io, worker);
	nap__idle_stop_search(worker, false);
}

#define LOOKS(index)	{ look_and_block, (void *)(uintptr_t)(index), "W" #index }

static void one_looks_one_sleeps(void)
{
	begin(2, 3);
	have_files();
	pool_set_idle(pool_add_worker(3));
	pool_add_worker(3);
	/* so that a poll is due: PASSING_NS before the clock begins */
	files->polled = -20000ull;
}

CHECK_SCENARIO(io_in_passing,
	.about = "a busy worker looks in passing, and who is to wait relies on that",
	.random = 20000,
	.setup = one_looks_one_sleeps, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), LOOKS(1), PARKED(0) });

static void two_look_one_sleeps(void)
{
	begin(3, 4);
	have_files();
	pool_set_idle(pool_add_worker(4));
	pool_add_worker(4);
	pool_add_worker(4);
	files->polled = -20000ull;
}

CHECK_SCENARIO(io_two_in_passing,
	.about = "two look in passing at once, and who is to wait relies on the last",
	.random = 20000,
	.setup = two_look_one_sleeps, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), LOOKS(1), LOOKS(2), PARKED(0) });

/* ---- the worker that sleeps in the epoll waits inside a task, which never ends after that */

static void one_waits(void)
{
	begin(2, 3);
	have_files();
	pool_waits(3);
}

CHECK_SCENARIO(io_done, .about = "who sleeps in the epoll has what it waits for",
	.random = 20000,
	.setup = one_waits, .finally = has_read, .may_block = true,
	.threads = { WAITS(1), READY(1), { done, NULL, "done" }, WORKER(0), PARKED(1) });

static struct job short_job = JOB_INIT(job_run);

static void has_run(void)
{
	CHECK(short_job.runs == 1);
}

static void call(void *unused)
{
	(void)unused;
	job_inject(&short_job);
}

CHECK_SCENARIO(io_called, .about = "who sleeps in the epoll is called to a task",
	.setup = one_sleeps, .finally = has_run, .may_block = true,
	.threads = { [1] = { call, NULL, "producer" }, PARKED(0) });

/*
 * The write to the eventfd is reported to one epoll_wait() only. A poll in passing must not take
 * this report from the worker that sleeps in the epoll.
 */
CHECK_SCENARIO(io_called_beside_two,
	.about = "two look in passing, and who sleeps in the epoll is called",
	.random = 200000,
	.setup = two_look_one_sleeps, .finally = has_run, .may_block = true,
	.threads = { WAITS(1), { call, NULL, "producer" }, LOOKS(1), LOOKS(2), PARKED(0) });

/* ---- several waiters */

static void both_have_theirs(void)
{
	CHECK(results[0] == READ_ && results[1] == WRITE_);
}

static void get_ready_for_both(void *unused)
{
	(void)unused;
	file_ready(READ_);
	file_ready(WRITE_);
}

CHECK_SCENARIO(io_armed_again,
	.about = "two wait for one file, which gets ready for one and then the other",
	.random = 20000,
	.setup = two_sleep, .finally = both_have_theirs, .may_block = true,
	.threads = { WAITS(1), WAITS(4), { get_ready_for_both, NULL, "ready" }, PARKED(0) });

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
}

static void has_read_or_not(void)
{
	CHECK(results[0] == READ_ || results[0] == -ECANCELED);
	CHECK(nobody_waits());
}

CHECK_SCENARIO(io_canceled, .about = "who waits for a file is canceled as that gets ready",
	.random = 5000,
	.setup = one_sleeps, .finally = has_read_or_not, .may_block = true,
	.threads = { WAITS(1), { cancel, NULL, "canceler" }, [2] = PARKED(0), READY(1) });

static void forget(void *unused)
{
	(void)unused;
	nr_forgotten = nap_io_forget(pool, FILE_FD);
}

static void has_read_or_was_told(void)
{
	CHECK(nr_forgotten == (results[0] == -EBADF));
	CHECK(results[0] == -EBADF || results[0] == READ_);
	CHECK(nobody_waits());
}

CHECK_SCENARIO(io_forgotten, .about = "a file is forgotten as it gets ready, and is waited for",
	.random = 5000,
	.setup = one_sleeps, .finally = has_read_or_was_told, .may_block = true,
	.threads = { WAITS(1), { forget, NULL, "closer" }, [2] = PARKED(0), READY(1) });

/* ---- the end of the eventfd */

static struct nap_worker *sleeper;

static void has_slept(void)
{
	begin(1, 2);
	have_files();
	sleeper = pool_add_worker(2);
	CHECK(timers_begin_polling(&pool_async(pool)->timers, 1));
	nap__os_epoll_arm(EPOLL_FD, FILE_FD, 0, READ_);
}

/*
 * Sleeps as a worker that waits inside a task. Then closes the eventfd as soon as both reasons are
 * set, because the end of a pool does not wait for a setter either.
 */
static void sleep_and_close(void *unused)
{
	uint32_t reasons;
	bool any;

	(void)unused;
	reasons = nap__files_ops.sleep(&files->io, sleeper, NAP_FOREVER, &any);
	nap__files_ops.notify(&files->io);
	if (!(reasons & EVENT_LATCH))
		event_wait(&sleeper->event, EVENT_LATCH, UINT64_MAX);
	if (!(reasons & EVENT_WORK))
		event_wait(&sleeper->event, EVENT_WORK, UINT64_MAX);
	nap__files_ops.free(&files->io);
}

static void set(void *reason)
{
	event_set(&sleeper->event, (uint32_t)(uintptr_t)reason);
}

CHECK_SCENARIO(io_closed, .about = "an eventfd is closed when all have written who are to",
	.setup = has_slept,
	.threads = { { sleep_and_close, NULL, "W0" }, { set, (void *)EVENT_LATCH, "latch" },
		{ set, (void *)EVENT_WORK, "work" }, READY(1) });
