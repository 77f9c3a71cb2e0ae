/* SPDX-License-Identifier: MIT */
/* Deadlines, for every call that takes one: in the past, now, and never. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "async/async.h"
#include "harness.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static int pipe_of[2];

/* ---- times that never come */

static uint32_t has_waited;

static intptr_t reads(void *until)
{
	int got = nap_io_wait(pipe_of[0], NAP_IO_READ, *(uint64_t *)until);

	nap_store_release(&has_waited, 1);
	return got;
}

static bool waits_for_a_file(void)
{
	struct nap__async *async = pool_async(&pool);

	return async && nap_load_relaxed(&async->timers.files);
}

TEST(a_file_is_waited_for_until_never)
{
	uint64_t until = nap_deadline(NAP_FOREVER);
	struct nap_fiber *fiber;
	intptr_t got;

	ASSERT_EQ(pipe(pipe_of), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, reads, &until), 0);
	/* The fiber waits before the test writes something to read. */
	while (!waits_for_a_file() && !nap_load_acquire(&has_waited))
		usleep(100);
	ASSERT_EQ(write(pipe_of[1], "", 1), 1);
	ASSERT_EQ(nap_await(fiber, &got), 0);
	EXPECT_EQ(got, NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	close(pipe_of[0]);
	close(pipe_of[1]);
}

static uint32_t runs;

static void count(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&runs, 1);
}

/*
 * The timer of `due` is armed last. A timer of never[] that was due, too, would have run before it.
 */
TEST(a_timer_is_armed_until_never)
{
	struct nap_timer never[4], due;

	for (int i = 0; i < 4; i++)
		nap_timer_init(&never[i], count);
	nap_timer_init(&due, count);
	ASSERT_EQ(nap_schedule_at(&pool, &never[0], nap_deadline(NAP_FOREVER)), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &never[1], NAP_FOREVER), 0);
	ASSERT_EQ(nap_schedule_after(&pool, &never[2], NAP_FOREVER), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &never[3], NAP_FOREVER - 1), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &due, nap_deadline(0)), 0);
	while (!nap_load_acquire(&runs))
		usleep(100);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), 1u);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(nap_timer_cancel(&never[i]), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- each call with each kind of deadline */

static struct nap_group group;
static struct nap_sem sem;
static struct nap_mutex mutex, cond_mutex;
static struct nap_cond cond;
static struct nap_event event;
static struct nap_channel full, empty;
static struct nap_submitter submitter;
static struct nap_slot slot;
static struct nap_timer timer_that_runs;
static uint64_t full_slot, empty_slot;
static uint32_t may_end, nr_hold;

static void holds(void)
{
	nap_fetch_add_release(&nr_hold, 1);
	while (!nap_load_acquire(&may_end))
		usleep(100);
}

static void holds_a_worker(struct nap_task *task)
{
	(void)task;
	holds();
}

static void holds_a_slot(void *unused)
{
	(void)unused;
	holds();
}

static void nothing(void *unused)
{
	(void)unused;
}

static void let_go(void)
{
	nap_store_release(&may_end, 1);
}

static void until_held(void)
{
	while (!nap_load_acquire(&nr_hold))
		usleep(100);
}

/*
 * For each call, three functions: the first sets up an object so that a caller has to wait for it;
 * the second waits; the third ends the wait.
 */

static void group_busy(void)
{
	nap_group_init(&group, NULL);
	nap_group_add(&group, 1);
}

static int group_wait(uint64_t deadline)
{
	return nap_group_wait_until(&group, deadline);
}

static void group_end(void)
{
	nap_group_done(&group);
}

static void sem_busy(void)
{
	nap_sem_init(&sem, 0);
}

static int sem_wait(uint64_t deadline)
{
	return nap_sem_acquire_until(&sem, deadline);
}

static void sem_end(void)
{
	nap_sem_release(&sem, 1);
}

static void mutex_busy(void)
{
	nap_mutex_init(&mutex);
	nap_mutex_lock(&mutex);
}

static int mutex_wait(uint64_t deadline)
{
	return nap_mutex_lock_until(&mutex, deadline);
}

static void mutex_end(void)
{
	nap_mutex_unlock(&mutex);
}

static void cond_busy(void)
{
	nap_mutex_init(&cond_mutex);
	cond = (struct nap_cond)NAP_COND_INIT;
}

static int cond_wait(uint64_t deadline)
{
	int err;

	nap_mutex_lock(&cond_mutex);
	err = nap_cond_wait_until(&cond, &cond_mutex, deadline);
	nap_mutex_unlock(&cond_mutex);
	return err;
}

static void cond_end(void)
{
	nap_mutex_lock(&cond_mutex);
	nap_cond_broadcast(&cond);
	nap_mutex_unlock(&cond_mutex);
}

static void event_busy(void)
{
	event = (struct nap_event)NAP_EVENT_INIT;
}

static int event_await(uint64_t deadline)
{
	return nap_event_wait_until(&event, deadline);
}

static void event_happens(void)
{
	nap_event_set(&event);
}

static void channels_busy(void)
{
	uint64_t value = 1;

	nap_channel_init(&full, &full_slot, sizeof(full_slot), 1);
	nap_channel_init(&empty, &empty_slot, sizeof(empty_slot), 1);
	nap_channel_send(&full, &value);
}

static int send_wait(uint64_t deadline)
{
	uint64_t value = 2;

	return nap_channel_send_until(&full, &value, deadline);
}

static void send_end(void)
{
	uint64_t value;

	nap_channel_recv(&full, &value);
}

static int recv_wait(uint64_t deadline)
{
	uint64_t value;

	return nap_channel_recv_until(&empty, &value, deadline);
}

static int select_wait(uint64_t deadline)
{
	uint64_t value;
	struct nap_select_case cases[] = { { .channel = &empty, .value = &value } };

	return nap_select_until(cases, 1, deadline);
}

static void recv_end(void)
{
	uint64_t value = 3;

	nap_channel_send(&empty, &value);
}

static void file_busy(void)
{
	if (pipe(pipe_of))
		__builtin_trap();
}

static int file_wait(uint64_t deadline)
{
	int got = nap_io_wait(pipe_of[0], NAP_IO_READ, deadline);

	return got == NAP_IO_READ ? 0 : got;
}

static void file_end(void)
{
	if (write(pipe_of[1], "", 1) != 1)
		__builtin_trap();
}

static void timer_busy(void)
{
	nap_timer_init(&timer_that_runs, holds_a_worker);
	nap_schedule_after(&pool, &timer_that_runs, 0);
	until_held();
}

static int timer_wait(uint64_t deadline)
{
	return nap_timer_cancel_wait(&timer_that_runs, deadline);
}

static void slot_busy(void)
{
	nap_submit_init(&submitter, &pool, &slot, 1, 1, 0, NULL, NULL);
	nap_submit(&submitter, holds_a_slot, NULL);
	until_held();
}

static int slot_wait(uint64_t deadline)
{
	return nap_submit_wait_until(&submitter, nothing, NULL, deadline);
}

static struct nap_task holder;

static void pool_busy(void)
{
	nap_task_init(&holder, holds_a_worker);
	nap_schedule(&pool, &holder);
	until_held();
}

static int pool_wait(uint64_t deadline)
{
	return nap_pool_quiesce_until(&pool, deadline);
}

static int join_wait(uint64_t deadline)
{
	return nap_pool_join_until(&pool, NULL, deadline);
}

enum { OUTSIDE = 1, FIBER = 2, BOTH = 3 };

static const struct row {
	const char *name;
	int from;
	void (*busy)(void);
	int (*wait)(uint64_t deadline);
	void (*end)(void);
} rows[] = {
	{ "group", BOTH, group_busy, group_wait, group_end },
	{ "sem", BOTH, sem_busy, sem_wait, sem_end },
	{ "mutex", BOTH, mutex_busy, mutex_wait, mutex_end },
	{ "cond", BOTH, cond_busy, cond_wait, cond_end },
	{ "event", BOTH, event_busy, event_await, event_happens },
	{ "send", BOTH, channels_busy, send_wait, send_end },
	{ "recv", BOTH, channels_busy, recv_wait, recv_end },
	{ "select", BOTH, channels_busy, select_wait, recv_end },
	{ "file", BOTH, file_busy, file_wait, file_end },
	{ "timer", BOTH, timer_busy, timer_wait, let_go },
	{ "submit", OUTSIDE, slot_busy, slot_wait, let_go },
	{ "quiesce", OUTSIDE, pool_busy, pool_wait, let_go },
	{ "join", OUTSIDE, pool_busy, join_wait, let_go },
};

/* One wait: of a thread outside, or of a fiber. */
struct one {
	const struct row *row;
	uint64_t deadline;
	uint32_t has_begun;
	int result;
};

static intptr_t waits_in_a_fiber(void *arg)
{
	struct one *one = arg;

	nap_store_release(&one->has_begun, 1);
	one->result = one->row->wait(one->deadline);
	return 0;
}

static void *waits_outside(void *arg)
{
	waits_in_a_fiber(arg);
	return NULL;
}

/*
 * Makes the call of a row, and returns its result. @far: the deadline is far off, and the test ends
 * the wait.
 */
static int wait_once(const struct row *row, int from, uint64_t deadline, bool far)
{
	struct one one = { .row = row, .deadline = deadline };
	struct nap_fiber *fiber;
	pthread_t thread;

	if (from == FIBER ? nap_spawn(&pool, &fiber, waits_in_a_fiber, &one) :
			    pthread_create(&thread, NULL, waits_outside, &one))
		__builtin_trap();
	while (far && !nap_load_acquire(&one.has_begun))
		usleep(100);
	if (far) {
		usleep(2000);	/* the call waits by now, or has returned */
		row->end();
	}
	if (from == FIBER)
		nap_await(fiber, NULL);
	else
		pthread_join(thread, NULL);
	return one.result;
}

static void begin_row(const struct row *row)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 });
	nap_store_relaxed(&may_end, 0);
	nap_store_relaxed(&nr_hold, 0);
	row->busy();
}

/* Undoes what the first function of @row has set up. */
static void end_row(const struct row *row)
{
	let_go();
	nap_pool_join(&pool, NULL);
	if (row->busy == file_busy) {
		close(pipe_of[0]);
		close(pipe_of[1]);
	}
}

TEST(each_call_takes_each_time)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int from = OUTSIDE; from <= FIBER; from++) {
			const struct row *row = &rows[i];
			const uint64_t far[] = { NAP_FOREVER - 1, NAP_FOREVER };

			if (!(row->from & from))
				continue;
			begin_row(row);
			/*
			 * Deadlines: 0, the clock's first nanosecond, now, and a nanosecond before
			 * now.
			 */
			for (int n = 0; n < 4; n++) {
				uint64_t past = n < 2 ? (uint64_t)n :
							nap_deadline(0) - (uint64_t)(n - 2);

				EXPECT_EQ(wait_once(row, from, past, false), -ETIMEDOUT)
					TH_LOG("%s, %d, %d", row->name, from, n);
			}
			end_row(row);
			for (int n = 0; n < 2; n++) {
				begin_row(row);
				EXPECT_EQ(wait_once(row, from, far[n], true), 0)
					TH_LOG("%s, %d, far %d", row->name, from, n);
				end_row(row);
			}
		}
	}
}

/* ---- sleeps, and calls that need not wait */

static int slept;

static intptr_t sleeps(void *until)
{
	slept = nap_sleep_until(*(uint64_t *)until);
	return 0;
}

TEST(a_sleep_lasts_until_its_time)
{
	uint64_t past[] = { 0, 1, nap_deadline(0) };
	uint64_t soon = nap_deadline(2000000), never = NAP_FOREVER;
	struct nap_fiber *fiber;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(nap_sleep_until(past[i]), 0);
		ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps, &past[i]), 0);
		ASSERT_EQ(nap_await(fiber, NULL), 0);
		EXPECT_EQ(slept, 0);
	}
	EXPECT_EQ(nap_sleep_until(soon), 0);
	EXPECT_GE(nap__os_now(), soon);
	soon = nap_deadline(2000000);
	ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps, &soon), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	EXPECT_GE(nap__os_now(), soon);
	for (int i = 0; i < 2; i++, never--) {
		ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps, &never), 0);
		usleep(2000);
		EXPECT_EQ(nap_fiber_cancel(fiber), 0);
		ASSERT_EQ(nap_await(fiber, NULL), 0);
		EXPECT_EQ(slept, -ECANCELED);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void called(struct nap_worker *worker, void *count)
{
	(void)worker;
	(*(int *)count)++;
}

TEST(what_need_not_wait_looks_at_no_time)
{
	const uint64_t times[] = { 0, 1, nap_deadline(0), NAP_FOREVER - 1, NAP_FOREVER };
	int n = 0;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < 5; i++) {
		uint64_t value = 1;

		nap_group_init(&group, &pool);
		EXPECT_EQ(nap_group_wait_until(&group, times[i]), 0);
		EXPECT_EQ(nap_pool_quiesce_until(&pool, times[i]), 0);
		EXPECT_EQ(nap_call_until(&pool, called, &n, times[i]), 0);
		nap_sem_init(&sem, 1);
		EXPECT_EQ(nap_sem_acquire_until(&sem, times[i]), 0);
		nap_mutex_init(&mutex);
		EXPECT_EQ(nap_mutex_lock_until(&mutex, times[i]), 0);
		event_busy();
		nap_event_set(&event);
		EXPECT_EQ(nap_event_wait_until(&event, times[i]), 0);
		channels_busy();
		EXPECT_EQ(nap_channel_send_until(&empty, &value, times[i]), 0);
		EXPECT_EQ(nap_channel_recv_until(&empty, &value, times[i]), 0);
	}
	EXPECT_EQ(n, 5);
	EXPECT_EQ(nap_pool_join_until(&pool, NULL, NAP_FOREVER), 0);
}

/* ---- a wait whose time is over when another thread has ended it, and has not said so yet */

enum { BEGINS = 1000000000, TIMEOUT = 1000000 };

static __thread bool is_waiter;
static uint32_t falls_asleep, has_ended_it, time_is_over, nr_pauses;

WRAP(uint64_t, nap__os_now, (void))
{
	if (!is_waiter)
		return __real_nap__os_now();
	return BEGINS + (nap_load_relaxed(&time_is_over) ? 2 * TIMEOUT : 0);
}

/* The waiter sleeps until the other thread has ended its wait. Later calls are pauses. */
WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (is_waiter && !nap_load_relaxed(&time_is_over)) {
		nap_store_release(&falls_asleep, 1);
		while (!nap_load_acquire(&has_ended_it))
			usleep(100);
		nap_store_relaxed(&time_is_over, 1);
	} else if (is_waiter) {
		nap_fetch_add_relaxed(&nr_pauses, 1);
	}
	return __real_nap__futex_wait(word, expected, deadline);
}

WRAP(int, nap__group_done, (struct nap_group *ended))
{
	if (nap_xchg_relaxed(&falls_asleep, 0)) {
		nap_store_release(&has_ended_it, 1);
		while (!nap_load_relaxed(&nr_pauses))
			usleep(100);
	}
	return __real_nap__group_done(ended);
}

static struct nap_event happens = NAP_EVENT_INIT;

static void *wait_too_long(void *err)
{
	is_waiter = true;
	*(int *)err = nap_event_wait_for(&happens, TIMEOUT);
	return NULL;
}

/* The waiter pauses until the other thread says so. Then the event has happened in time. */
TEST(a_wait_that_was_ended_is_not_over)
{
	pthread_t waiter;
	int err = 1;

	watchdog(&pool, 0);
	ASSERT_EQ(pthread_create(&waiter, NULL, wait_too_long, &err), 0);
	while (!nap_load_acquire(&falls_asleep))
		usleep(100);
	nap_event_set(&happens);
	ASSERT_EQ(pthread_join(waiter, NULL), 0);
	EXPECT_EQ(err, 0);
}

TEST_HARNESS_MAIN
