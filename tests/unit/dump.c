/* SPDX-License-Identifier: MIT */
/*
 * nap/dump.h: what a dump says of a pool in a known state, and dumps in the middle of everything.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <nap/async.h>
#include <nap/dump.h>

#include "async/fiber/fiber.h"
#include "dump/dump.h"
#include "hold_worker.h"
#include "pool_fixture.h"
#include "wait/wait.h"
#include "worker/registry.h"
#include "worker/runs.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "kn\nown");
static char text[1 << 18];

/* Dumps into text[]. Returns what the dump returned. */
static int dump_of(struct nap_pool *which)
{
	int fd = memfd_create("dump", MFD_CLOEXEC), err = nap_pool_dump(which, fd);
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
	return err;
}

/* How often @part is in the dump. */
static int said(const char *part)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

/* Whether some line has each of the parts, in this order. */
static bool line_has(const char *a, const char *b, const char *c)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const char *end = line + strcspn(line, "\n"), *at = strstr(line, a);

		at = at ? strstr(at, b) : NULL;
		at = at ? strstr(at, c) : NULL;
		if (at && at < end)
			return true;
		if (!*end)
			break;
	}
	return false;
}

/* ---- in the middle of a dump */

static void (*in_the_middle)(void);
static size_t at_copy_of;	/* the size of a copy, in bytes */

/* Calls in_the_middle() once in a dump: after the first copy of at_copy_of bytes. */
WRAP(bool, nap__os_peek, (const void *from, void *to, size_t size))
{
	bool is_there = __real_nap__os_peek(from, to, size);

	if (in_the_middle && size == at_copy_of) {
		void (*act)(void) = in_the_middle;

		in_the_middle = NULL;
		act();
	}
	return is_there;
}

static uint32_t nr_writes, failing_write;

WRAP(int, nap__os_write, (int fd, const void *data, size_t size))
{
	if (nap_fetch_add_relaxed(&nr_writes, 1) + 1 == failing_write)
		return -EAGAIN;
	return __real_nap__os_write(fd, data, size);
}

static bool starts_fail, starts_slowly, dumps_before_start;
static uint32_t ran_early;

/* If starts_slowly, the start returns to its caller after the new thread has run a task. */
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	int err;

	if (dumps_before_start)
		dump_of(&pool);
	err = starts_fail ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);

	if (!err && starts_slowly)
		flag_wait(&ran_early);
	return err;
}

/* ---- a pool in a known state */

/* Few, because a build may have rings of four tasks. */
enum { QUEUED = 3 };

static void keeps_busy(struct nap_task *task)
{
	(void)task;
	for (int i = 0; i < QUEUED; i++)
		nap_schedule(&pool, new_task(count_and_free));
	stay_busy();
}

static struct nap_task blocker = NAP_TASK_INIT(keeps_busy);

static struct nap_task counted[] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run),
				     NAP_TASK_INIT(count_run) };

TEST(what_runs_and_what_is_queued)
{
	EXPECT_EQ(dump_of(&pool), 0);
	EXPECT_TRUE(line_has("nap: pool 0x", "\"kn?own\"", " was not used yet"));
	hold_worker(&pool, &blocker);
	for (int i = 0; i < 3; i++)
		nap_schedule(&pool, &counted[i]);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_TRUE(line_has("nap: pool 0x", "\"kn?own\"", " runs"));
	EXPECT_EQ(said("workers: 1 of 1 started, 0 idle, 0 blocked; guests: 0\n"), 1);
	EXPECT_EQ(said("queued: 3 injected, 3 in rings, 0 in overflows, "), 1);
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " keeps_busy ("));
	EXPECT_EQ(said("\tring: 3\n"), 1);
	EXPECT_EQ(said(" count_and_free ("), QUEUED);
	EXPECT_EQ(said("\tinjected:\n"), 1);
	EXPECT_EQ(said(" count_run ("), 3);
	EXPECT_EQ(said("\t\ttask 0x"), QUEUED + 3);
	EXPECT_EQ(said("during the dump"), 0);
	EXPECT_EQ(said(" or longer"), 0);
	/* A second dump says for how long the task has run at least. */
	usleep(20000);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_TRUE(line_has(" keeps_busy (", "), since ", " or longer"));
	let_worker_go();
	nap_pool_quiesce(&pool);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("worker 0: idle, 7 run\n"), 1);
	EXPECT_EQ(said("\ttask 0x"), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(dump_of(&pool), -ESHUTDOWN);
	EXPECT_EQ(said("was joined, or is about to be\n"), 1);
	EXPECT_EQ(nap_pool_dump(NULL, 1), -EINVAL);
}

TEST(starts_that_failed)
{
	hold_worker(&pool, &blocker);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("starts of workers that failed"), 0);
	nap_store_relaxed(&pool.spawn_failures, 3);
	nap_store_relaxed(&pool.spawn_errno, EAGAIN);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("starts of workers that failed: 3, errno 11\n"), 1);
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_record_without_a_thread)
{
	starts_fail = true;
	ASSERT_EQ(nap_schedule(&pool, new_task(count_and_free)), 0);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("starts of workers that failed: 1, errno 11\n"), 1);
	EXPECT_EQ(said("worker 0: has no thread, 0 run\n"), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_remaining seen_early;

static void runs_early(struct nap_task *task)
{
	dump_of(&pool);
	nap_pool_remaining(&pool, &seen_early);
	flag_set(&ran_early);
	(void)task;
}

static struct nap_task early = NAP_TASK_INIT(runs_early);

TEST(a_task_runs_before_its_worker_is_known_to_be_started)
{
	starts_slowly = true;
	ASSERT_EQ(nap_schedule(&pool, &early), 0);
	nap_pool_quiesce(&pool);
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " runs_early ("));
	EXPECT_EQ(seen_early.workers, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_worker_that_starts_runs_nothing_of_its_records_last_worker)
{
	starts_fail = true;
	ASSERT_EQ(nap_schedule(&pool, new_task(count_and_free)), 0);
	starts_fail = false;
	/* as a worker leaves its record whose last function was worker_stop */
	runs_now(registry_at(&pool, 0), (uintptr_t)count_run);
	dumps_before_start = true;
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(said("worker 0: starts, 0 run\n"), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Lists @n threads that the dump leaves out, because they are workers, with the pool. */
static void list_waiters(struct nap__wait *waits, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		waits[i].worker = registry_at(&pool, 0);
		waits[i].visitor.next = i + 1 < n ? &waits[i + 1].visitor : NULL;
	}
	nap_store_relaxed(&pool.waiters, (uintptr_t)&waits[0].visitor);
}

TEST(so_many_waiters_are_looked_at)
{
	static struct nap__wait waits[DUMP_MOST + 1];

	hold_worker(&pool, &blocker);
	list_waiters(waits, DUMP_MOST);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("and more threads\n"), 0);
	list_waiters(waits, DUMP_MOST + 1);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("and more threads\n"), 1);
	nap_store_relaxed(&pool.waiters, 0);
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void run_all(void)
{
	let_worker_go();
	nap_pool_quiesce(&pool);
}

TEST(a_task_is_taken_during_the_dump)
{
	hold_worker(&pool, &blocker);
	in_the_middle = run_all;
	at_copy_of = sizeof(struct nap_task);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("\tring: 3\n\t\t3 taken during the dump\n"), 1);
	EXPECT_EQ(said("\t\ttask 0x"), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(writes_end_with_the_first_error)
{
	hold_worker(&pool, &blocker);
	/* so that the dump is longer than its buffer */
	for (int i = 0; i < 40; i++)
		nap_schedule(&pool, new_task(count_and_free));
	EXPECT_EQ(dump_of(&pool), 0);
	EXPECT_GE(nr_writes, 3);
	nr_writes = 0;
	failing_write = 1;
	EXPECT_EQ(dump_of(&pool), -EAGAIN);
	EXPECT_EQ(nr_writes, 1);
	EXPECT_EQ(strlen(text), 0);
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- nesting */

static struct nap_group inner = NAP_GROUP_INIT(&pool), never = NAP_GROUP_INIT(&pool);

static void the_innermost(struct nap_task *task)
{
	dump_of(&pool);
	nap_group_done(&inner);
	(void)task;
}

static struct nap_task innermost = NAP_TASK_INIT(the_innermost);

static char nested[sizeof(text)];

static void waits_for_the_innermost(struct nap_task *task)
{
	nap_group_add(&inner, 1);
	nap_schedule(&pool, &innermost);
	nap_group_wait(&inner);
	memcpy(nested, text, sizeof(text));
	dump_of(&pool);
	nap_group_done(&never);
	(void)task;
}

static struct nap_task nesting = NAP_TASK_INIT(waits_for_the_innermost);

TEST(functions_are_nested)
{
	nap_group_add(&never, 1);
	nap_schedule(&pool, &nesting);
	nap_group_wait(&never);
	/*
	 * After the nested task the dump shows that the outer task runs, and at the end that no
	 * task runs.
	 */
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " waits_for_the_innermost ("));
	EXPECT_EQ(said("\tin 0x"), 0);
	memcpy(text, nested, sizeof(text));
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " the_innermost ("));
	EXPECT_TRUE(line_has("\tin 0x", " waits_for_the_innermost (", ")"));
	nap_pool_quiesce(&pool);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("the_innermost"), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t in_wait;

static void waits_for_ever(struct nap_task *task)
{
	nap_store_release(&in_wait, true);
	nap_group_wait(&never);
	nap_store_release(&in_wait, false);
	(void)task;
}

static struct nap_task waiter = NAP_TASK_INIT(waits_for_ever);

static void *waits_outside(void *unused)
{
	nap_group_wait_for(&never, 1000000000000);
	return unused;
}

/* Dumps again and again until some line of the dump has the parts: line_has(). */
static bool soon_has(const char *a, const char *b, const char *c)
{
	for (int i = 0; i < 5000; i++) {
		dump_of(&pool);
		if (line_has(a, b, c))
			return true;
		usleep(1000);
	}
	return false;
}

static bool soon_says(const char *part)
{
	return soon_has(part, "", "");
}

TEST(waits_of_threads)
{
	pthread_t thread;

	nap_group_add(&never, 1);
	nap_schedule(&pool, &waiter);
	/* The worker notes since when it waits, and that it sleeps, one after the other. */
	EXPECT_TRUE(soon_has("\twaits for a group 0x", ", since ", " s"));
	EXPECT_TRUE(line_has("worker 0, thread ", ": in a wait", ""));
	EXPECT_TRUE(line_has("\tin 0x", " waits_for_ever (", ")"));
	ASSERT_EQ(pthread_create(&thread, NULL, waits_outside, NULL), 0);
	/* The waiter is listed before it sleeps. */
	EXPECT_TRUE(soon_has("a thread from outside waits for a group 0x", ", since ",
			     " s more at most"));
	nap_group_done(&never);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- timers */

static void keeps_a_timer_busy(struct nap_task *task)
{
	(void)task;
	stay_busy();
}

TEST(a_timer_is_named_by_its_function)
{
	struct nap_timer timer;

	nap_timer_init(&timer, keeps_a_timer_busy);
	EXPECT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	while (!nap_load_acquire(&busy))
		usleep(500);
	dump_of(&pool);
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " keeps_a_timer_busy ("));
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- fibers */

static struct nap_mutex mutex = NAP_MUTEX_INIT;
static struct nap_event event = NAP_EVENT_INIT, begun = NAP_EVENT_INIT;
static struct nap_fiber *holder;

static intptr_t holds(void *name)
{
	nap_fiber_set_name(name);
	nap_mutex_lock(&mutex);
	nap_event_set(&begun);
	nap_event_wait(&event);
	nap_mutex_unlock(&mutex);
	return 0;
}

static intptr_t locks(void *name)
{
	nap_fiber_set_name(name);
	nap_mutex_lock(&mutex);
	nap_mutex_unlock(&mutex);
	return 0;
}

static intptr_t awaits(void *name)
{
	nap_fiber_set_name(name);
	return nap_await(holder, NULL);
}

TEST(fibers_and_for_what_they_wait)
{
	char owner[64];

	EXPECT_EQ(nap_spawn(&pool, &holder, holds, "holder"), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, locks, "locker"), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, awaits, "awaiter"), 0);
	EXPECT_TRUE(soon_says("waits for the end of"));
	dump_of(&pool);
	EXPECT_EQ(said("waits for"), 3);
	EXPECT_TRUE(line_has("fiber 0 \"holder\" 0x", " holds (", "): waits for an event 0x"));
	snprintf(owner, sizeof(owner), "0x%lx, which was locked by fiber 0 \"holder\" 0x",
		 (unsigned long)&mutex);
	EXPECT_TRUE(line_has("fiber 1 \"locker\" 0x", "): waits for a mutex ", owner));
	EXPECT_TRUE(line_has("fiber 2 \"awaiter\" 0x", "waits for the end of fiber 0 \"holder\" 0x",
			     " holds ("));
	/* The pool knows these fibers, so the dump takes none of them for another pool's. */
	EXPECT_EQ(said("of another pool"), 0);
	usleep(5000);
	dump_of(&pool);
	EXPECT_TRUE(line_has("fiber 2 ", ", since ", " s or longer"));
	nap_event_set(&event);
	nap_pool_quiesce(&pool);
	dump_of(&pool);
	EXPECT_EQ(said("waits for"), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t waits_for_a_file(void *fd)
{
	return nap_io_wait(*(int *)fd, NAP_IO_READ, NAP_FOREVER);
}

static intptr_t waits_for_a_timer(void *timer)
{
	return nap_timer_cancel_wait(timer, NAP_FOREVER);
}

/* The task of the timer holds a worker of another pool, whose fibers wait. */
TEST(a_fiber_that_waits_for_a_timer_and_one_that_waits_for_a_file)
{
	static struct nap_pool two = NAP_POOL_INIT(.max_workers = 2);
	char name[64], number[64];
	struct nap_timer timer;
	int fds[2];

	ASSERT_EQ(pipe(fds), 0);
	nap_timer_init(&timer, keeps_a_timer_busy);
	ASSERT_EQ(nap_schedule_after(&two, &timer, 0), 0);
	while (!nap_load_acquire(&busy))
		usleep(500);
	ASSERT_EQ(nap_spawn(&two, NULL, waits_for_a_timer, &timer), 0);
	ASSERT_EQ(nap_spawn(&two, NULL, waits_for_a_file, &fds[0]), 0);
	while (dump_of(&two) == 0 && said("): waits for ") < 2)
		usleep(500);
	snprintf(name, sizeof(name), "a timer's task 0x%lx", (unsigned long)&timer);
	snprintf(number, sizeof(number), "file descriptor %d", fds[0]);
	EXPECT_TRUE(line_has("fiber 0 ", "): waits for the end of ", name));
	EXPECT_TRUE(line_has("fiber 1 ", "): waits for ", number));
	let_worker_go();
	EXPECT_EQ(write(fds[1], "", 1), 1);
	EXPECT_EQ(nap_pool_join(&two, NULL), 0);
}

/* The owner is named, too, if it has waited for the mutex. */
TEST(a_fiber_that_has_waited_for_its_mutex)
{
	char owner[64];

	event = begun = (struct nap_event)NAP_EVENT_INIT;
	nap_mutex_lock(&mutex);
	EXPECT_EQ(nap_spawn(&pool, NULL, holds, "holder"), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, locks, "locker"), 0);
	EXPECT_TRUE(soon_says("fiber 1 \"locker\""));
	snprintf(owner, sizeof(owner), "0x%lx, which was locked by a thread",
		 (unsigned long)&mutex);
	EXPECT_TRUE(soon_says(owner));
	nap_mutex_unlock(&mutex);
	nap_event_wait(&begun);
	snprintf(owner, sizeof(owner), "0x%lx, which was locked by fiber 0 \"holder\"",
		 (unsigned long)&mutex);
	EXPECT_TRUE(soon_says(owner));
	nap_event_set(&event);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t waits_and_stays_busy(void *name)
{
	nap_fiber_set_name(name);
	nap_event_wait(&event);
	stay_busy();
	return 0;
}

/* A pool that is traced or measured notes when each wait begins. */
TEST(a_fiber_waits_since_the_begin_of_its_wait)
{
	static struct nap_pool measured = NAP_POOL_INIT(.max_workers = 1, .measure = NAP_MEASURE);

	nap_event_reset(&begun);
	EXPECT_EQ(nap_spawn(&measured, &holder, holds, "holder"), 0);
	EXPECT_EQ(nap_event_wait(&begun), 0);
	usleep(20000);
	EXPECT_EQ(dump_of(&measured), 0);
	EXPECT_TRUE(line_has("fiber 0 \"holder\" 0x", "waits for an event", ", since "));
	nap_event_set(&event);
	EXPECT_EQ(nap_await(holder, NULL), 0);
	EXPECT_EQ(nap_pool_join(&measured, NULL), 0);
}

/* With one worker the second fiber is queued while the first runs. Both have waited before. */
TEST(a_fiber_that_runs_and_one_that_is_queued)
{
	nap_store_relaxed(&let_go, false);
	EXPECT_EQ(nap_spawn(&pool, NULL, waits_and_stays_busy, "first"), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, waits_and_stays_busy, "second"), 0);
	while (dump_of(&pool) == 0 && said("): waits for an event 0x") < 2)
		usleep(500);
	nap_event_set(&event);
	while (!nap_load_acquire(&busy))
		usleep(500);
	usleep(5000);
	dump_of(&pool);
	EXPECT_EQ(said("): runs\n"), 1);
	/*
	 * Earlier dumps saw this fiber wait. None has seen it since its wait was over, so the line
	 * has no time.
	 */
	EXPECT_EQ(said("): is to go on\n"), 1);
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A dump reads the clock once, and a fiber of a measured pool may begin its wait later. */
TEST(a_wait_that_is_younger_than_the_dump)
{
	uint64_t noted = 0;

	EXPECT_EQ(seen_for(&noted, 7, 5000000), 0);
	EXPECT_EQ(seen_for(&noted, 7, 3000000), 0);
	EXPECT_EQ(seen_for(&noted, 7, 9000000), 4);
}

/* In a daemon that runs for years a worker may be stuck for years, and a fiber may wait. */
TEST(years_without_progress)
{
	const uint64_t day_ms = 24 * 3600 * 1000, day = day_ms * 1000000;

	for (uint64_t up = 0; up <= 4000; up += 500) {
		uint64_t noted = 0;

		EXPECT_EQ(seen_for(&noted, 7, up * day + 1000000), 0);
		for (uint64_t days = 1; days <= 6000; days += 100) {
			ASSERT_EQ(seen_for(&noted, 7, (up + days) * day + 1000000), days * day_ms);
		}
	}
}

static void let_fibers_end(void)
{
	nap_event_set(&event);
	nap_pool_quiesce(&pool);
	nap_event_reset(&event);
	nap_event_reset(&begun);
	nap_spawn(&pool, NULL, holds, "later");
	nap_event_wait(&begun);
}

TEST(a_fiber_changes_during_the_dump)
{
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .most = 1 }), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, holds, "earlier"), 0);
	EXPECT_TRUE(soon_says("): waits for an event 0x"));
	in_the_middle = let_fibers_end;
	at_copy_of = sizeof(struct nap_fiber);
	ASSERT_EQ(dump_of(&pool), 0);
	EXPECT_EQ(said("earlier"), 0);
	EXPECT_EQ(said(": changed during the dump\n"), 1);
	EXPECT_TRUE(soon_says("\"later\" 0x"));
	nap_event_set(&event);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- classes */

static struct nap_classes classes = { .of = { { .weight = 3, .limit = 1 }, { .weight = 2 } },
				      .count = 2 };
static struct nap_pool classed = NAP_POOL_INIT(.max_workers = 1, .classes = &classes);

static void keeps_class_busy(struct nap_task *task)
{
	(void)task;
	nap_store_release(&busy, true);
	while (!nap_load_acquire(&let_go))
		usleep(100);
}

static struct nap_task in_class = NAP_TASK_INIT(keeps_class_busy);

TEST(classes_and_their_permits)
{
	nap_class_schedule(&classed, 0, &in_class);
	while (!nap_load_acquire(&busy))
		usleep(100);
	for (int i = 0; i < 4; i++)
		nap_class_schedule(&classed, 0, new_task(count_and_free));
	nap_class_schedule(&classed, 1, &counted[0]);
	ASSERT_EQ(dump_of(&classed), 0);
	EXPECT_EQ(said("class 0: weight 3, 1 of 1 permits taken\n\tqueued:\n"), 1);
	EXPECT_EQ(said("class 1: weight 2\n\tqueued:\n"), 1);
	EXPECT_EQ(said(" count_and_free ("), 4);
	EXPECT_EQ(said(" count_run ("), 1);
	EXPECT_TRUE(line_has("worker 0, thread ", ": runs 0x", " keeps_class_busy ("));
	nap_store_release(&let_go, true);
	EXPECT_EQ(nap_pool_join(&classed, NULL), 0);
}

/* ---- at any time */

static struct nap_pool loaded = NAP_POOL_INIT(.max_workers = 3);
static uint32_t dumps, failed, over;
static int nowhere;

static void dump_now(int signo)
{
	int err = errno;

	errno = 77;
	if (nap_pool_dump(&loaded, nowhere) || errno != 77)
		nap_store_relaxed(&failed, true);
	nap_fetch_add_relaxed(&dumps, 1);
	errno = err;
	(void)signo;
}

static void goes_on(struct nap_task *task)
{
	if (nap_load_relaxed(&over)) {
		count_and_free(task);
		return;
	}
	nap_schedule(&loaded, new_task(count_and_free));
	nap_schedule(&loaded, task);
}

static intptr_t takes_turns(void *unused)
{
	while (!nap_load_relaxed(&over)) {
		nap_mutex_lock(&mutex);
		nap_yield();
		nap_mutex_unlock(&mutex);
	}
	(void)unused;
	return 0;
}

static intptr_t sleeps_briefly(void *unused)
{
	(void)unused;
	return nap_sleep(20000);
}

/* Fibers begin and end, so that stacks come and go. */
static intptr_t spawns(void *unused)
{
	struct nap_fiber *fiber;

	for (int i = 0; i < 20 && !nap_load_relaxed(&over); i++)
		if (nap_spawn(&loaded, &fiber, sleeps_briefly, NULL) || nap_await(fiber, NULL))
			break;
	if (!nap_load_relaxed(&over))
		nap_spawn(&loaded, NULL, spawns, NULL);
	(void)unused;
	return 0;
}

static void waits_for_tasks(struct nap_task *task)
{
	struct nap_group group = NAP_GROUP_INIT(&loaded);

	nap_group_wait_for(&group, 1000);
	goes_on(task);
}

/* A worker makes a dump in a signal handler, which has interrupted a task inside nap's code. */
static void interrupts_itself(struct nap_task *task)
{
	raise(SIGUSR1);
	goes_on(task);
}

static void *interrupts_others(void *unused)
{
	while (!nap_load_relaxed(&over)) {
		kill(getpid(), SIGUSR1);
		usleep(200);
	}
	return unused;
}

TEST(a_signal_at_any_time)
{
	struct sigaction action = { .sa_handler = dump_now, .sa_flags = SA_RESTART };
	pthread_t thread;

	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++) {
		nap_schedule(&loaded, new_task(goes_on));
		nap_schedule(&loaded, new_task(interrupts_itself));
		nap_schedule(&loaded, new_task(waits_for_tasks));
		nap_spawn(&loaded, NULL, takes_turns, NULL);
		nap_spawn(&loaded, NULL, spawns, NULL);
	}
	ASSERT_EQ(pthread_create(&thread, NULL, interrupts_others, NULL), 0);
	while (nap_load_relaxed(&dumps) < nap_test_count(2000))
		for (int i = 0; i < 20 && usleep(100) <= 0; i++)
			nap_schedule(&loaded, new_task(count_and_free));
	nap_store_relaxed(&over, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_pool_join(&loaded, NULL), 0);
	EXPECT_EQ(failed, 0);
}

/* ---- the stack */

/* nap/dump.h: the stack that a dump needs; and the stack of the test, which may be overrun. */
enum { STACK_PROMISED = 8192, STACK_ALL = 8 * STACK_PROMISED, UNUSED = 0xa5 };

static unsigned char *stack;
static size_t stack_used;

static void dump_on_the_stack(int signo)
{
	unsigned char *here = __builtin_frame_address(0), *at = stack;

	nap_pools_dump(nowhere);
	while (*at == UNUSED)
		at++;
	stack_used = (size_t)(here - at);
	(void)signo;
}

/* A sanitizer's frames are larger, and a race detector calls handlers on a stack of its own. */
#if defined(NAP_TEST_TSAN) || defined(NAP_TEST_LSAN)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/*
 * The dump has everything that lies on its stack at once: a fiber that waits for a mutex, whose
 * owner has a function of its own; a worker in a wait; queued tasks, in a class, too. A handler
 * begins below the frame of its signal, whose size the machine decides: that frame does not count.
 * It is the first dump of the process: so the stack that the dynamic linker needs to find a
 * function when it is first called counts, too.
 */
TEST(a_dump_needs_little_stack)
{
	struct sigaction action = { .sa_handler = dump_on_the_stack, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_size = STACK_ALL }, before;

	if (SANITIZED)
		return;
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	event = begun = (struct nap_event)NAP_EVENT_INIT;
	EXPECT_EQ(nap_spawn(&pool, NULL, holds, "holder"), 0);
	EXPECT_EQ(nap_event_wait(&begun), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, locks, "locker"), 0);
	nap_group_add(&never, 1);
	nap_schedule(&pool, &waiter);
	while (!nap_load_acquire(&in_wait))	/* The only worker has run the locker before. */
		usleep(100);
	nap_class_schedule(&classed, 0, &in_class);
	nap_class_schedule(&classed, 0, &counted[0]);
	stack = mmap(NULL, STACK_ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(stack != MAP_FAILED);
	memset(stack, UNUSED, STACK_ALL);
	alternate.ss_sp = stack;
	sigaction(SIGUSR2, &action, NULL);
	ASSERT_EQ(sigaltstack(&alternate, &before), 0);
	raise(SIGUSR2);
	sigaltstack(&before, NULL);
	EXPECT_GT(stack_used, 2048);
	EXPECT_LE(stack_used, STACK_PROMISED);
	nap_store_release(&let_go, true);
	nap_group_done(&never);
	nap_event_set(&event);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&classed, NULL), 0);
}

/* ---- processes */

TEST(the_child_of_a_fork)
{
	int status = 1;
	pid_t child;

	hold_worker(&pool, &blocker);
	child = fork();
	if (!child)
		_exit(dump_of(&pool) != -ESHUTDOWN || said("is the parent's\n") != 1);
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	let_worker_go();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
