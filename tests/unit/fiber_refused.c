/* SPDX-License-Identifier: MIT */
/* Fibers: refused calls, and the results of a canceled fiber's calls. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/fiber.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/os.h"
#include "fiber_fixture.h"
#include "harness.h"

TEST(stacks_are_sized_once_and_run_out)
{
	struct nap_fiber *fibers[5];

	EXPECT_EQ(nap_fibers_init(NULL, &(struct nap_fibers_config){ 0 }), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 4096 }),
		  -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .flags = 2 }), -EINVAL);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .reserved = 1 }), -EINVAL);
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 20000,
								      .most = 4 }), 0);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ 0 }), -EBUSY);
	begin_waiting(NULL);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits, NULL), 0);
	EXPECT_EQ(nap_spawn(&pool, &fibers[4], waits, NULL), -EAGAIN);
	EXPECT_EQ(fibers[4], NULL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fibers[0], NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &fibers[4], number, NULL), 0);
	for (int i = 1; i < 5; i++)
		ASSERT_EQ(nap_await(fibers[i], NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_spawn(&pool, NULL, number, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ 0 }), -ESHUTDOWN);
}

static intptr_t awaits_itself(void *arg)
{
	(void)arg;
	return nap_await(nap_fiber_self(), NULL);
}

static struct nap_fiber *beneath;

static void awaits_beneath(struct nap_worker *worker, void *err)
{
	(void)worker;
	*(intptr_t *)err = nap_await_for(beneath, NULL, MS);
}

static intptr_t awaits_itself_in_call(void *arg)
{
	intptr_t err = 0;

	beneath = nap_fiber_self();
	return nap_call(arg, awaits_beneath, &err) ? 1 : err;
}

/* Awaits again after -EBUSY: the second awaiter is not notified of the first one's end. */
static void *awaits(void *fiber)
{
	int err;

	while ((err = nap_await(fiber, NULL)) == -EBUSY)
		usleep(100);
	return (void *)(intptr_t)err;
}

TEST(who_may_await)
{
	struct nap_fiber *fiber;
	pthread_t thread;
	intptr_t result;
	void *err;

	EXPECT_EQ(nap_await(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_detach(NULL), -EINVAL);
	EXPECT_EQ(nap_fiber_cancel(NULL), -EINVAL);
	EXPECT_EQ(nap_spawn(NULL, NULL, number, NULL), -EINVAL);
	EXPECT_EQ(nap_spawn(&pool, NULL, NULL, NULL), -EINVAL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, awaits_itself, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -EDEADLK);
	ASSERT_EQ(nap_spawn(&pool, &fiber, awaits_itself_in_call, &pool), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -EDEADLK);

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, awaits, fiber), 0);
	while (nap_await_for(fiber, NULL, MS) != -EBUSY)
		usleep(100);
	EXPECT_EQ(nap_detach(fiber), -EBUSY);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(pthread_join(thread, &err), 0);
	EXPECT_EQ((intptr_t)err, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a second call for a fiber that has ended, while the awaiter has not returned */

#ifndef NAP_DEBUG	/* a debug build aborts: the handle is invalid */
static struct nap_pool beside = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

static intptr_t awaits_here(void *fiber)
{
	intptr_t result = 0;

	return nap_await(fiber, &result) ? -1 : result;
}

static uint64_t nr_live(struct nap_pool *of)
{
	struct nap_fiber_stats stats;

	return nap_fiber_get_stats(of, &stats) ? UINT64_MAX : stats.live;
}

static intptr_t waits_and_returns(void *arg)
{
	return waits(NULL) ? 0 : (intptr_t)arg;
}

/* Runs fibers of @of here, if no worker does. */
static void let_run(struct nap_pool *of)
{
	if (of != &pool)
		nap_pool_help(of, 1);
}

/* The fiber @awaited of @of has ended; its awaiter, a fiber of @beside, continues only later. */
static struct nap_fiber *end_awaited(struct nap_pool *of, struct nap_fiber **awaited)
{
	struct nap_fiber *awaiter;

	nap_store_relaxed(&nr_waiting, 0);
	begin_waiting(NULL);
	if (nap_spawn(of, awaited, waits_and_returns, (void *)7) ||
	    nap_spawn(&beside, &awaiter, awaits_here, *awaited))
		abort();
	while (!nap_load_relaxed(&nr_waiting))
		let_run(of);
	while (nap_load_relaxed(&(*awaited)->joiner) == JOINER_NONE)
		nap_pool_help(&beside, 1);
	nap_group_done(&never);
	while (nr_live(of))
		let_run(of);
	return awaiter;
}

/*
 * The first awaiter has the handle, and the stack is given back once. A worker ends the fiber as
 * src/async/fiber/direct.h says, nap_pool_help() does not.
 */
static void a_second_call_is_refused(struct __test_metadata *_metadata, struct nap_pool *of,
				     bool detaches)
{
	for (int i = 0; i < 20; i++) {
		struct nap_fiber *awaited, *awaiter = end_awaited(of, &awaited), *two[2];
		intptr_t result = 0;

		ASSERT_EQ(detaches ? nap_detach(awaited) : nap_await(awaited, NULL), -EBUSY);
		ASSERT_EQ(nap_await_until(awaited, NULL, 0), -ETIMEDOUT);
		ASSERT_EQ(nap_await(awaiter, &result), 0);
		EXPECT_EQ(result, 7);
		ASSERT_EQ(nap_spawn(of, &two[0], number, (void *)1), 0);
		ASSERT_EQ(nap_spawn(of, &two[1], number, (void *)2), 0);
		ASSERT_NE(two[0], two[1]);
		ASSERT_EQ(nap_await(two[0], &result), 0);
		EXPECT_EQ(result, 1);
		ASSERT_EQ(nap_await(two[1], &result), 0);
		EXPECT_EQ(result, 2);
	}
	ASSERT_EQ(nap_pool_join(of, NULL), 0);
	ASSERT_EQ(nap_pool_join(&beside, NULL), 0);
}

TEST(a_second_await_is_refused_when_a_worker_has_ended_the_fiber)
{
	a_second_call_is_refused(_metadata, &pool, false);
}

TEST(a_detach_is_refused_when_a_worker_has_ended_the_awaited_fiber)
{
	a_second_call_is_refused(_metadata, &pool, true);
}

TEST(a_second_await_is_refused_when_a_guest_has_ended_the_fiber)
{
	struct nap_pool here = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

	a_second_call_is_refused(_metadata, &here, false);
}

TEST(a_detach_is_refused_when_a_guest_has_ended_the_awaited_fiber)
{
	struct nap_pool here = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

	a_second_call_is_refused(_metadata, &here, true);
}
#endif

/* ---- cancellation */

static intptr_t sees_it(void *arg)
{
	int first, second;

	while (!nap_fiber_canceled())
		nap_yield();
	first = waits(arg);
	nap_fiber_shield(true);
	/* counted before the group can be complete */
	nap_fetch_add_relaxed(&nr_waiting, 1);
	second = nap_group_wait(&never);
	return first == -ECANCELED && second == 0 && nap_fiber_shield(false) &&
	       nap_group_wait(arg) == -ECANCELED;
}

TEST(a_canceled_fiber_is_told_in_each_wait)
{
	struct nap_group also = NAP_GROUP_INIT(NULL);
	struct nap_fiber *fiber;
	intptr_t result = 0;

	nap_group_add(&also, 1);
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, sees_it, &also), 0);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	until_waiting(2);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t waits_shielded(void *arg)
{
	nap_fiber_shield(true);
	return waits(arg);
}

TEST(a_shielded_wait_goes_on)
{
	struct nap_fiber *fiber;
	intptr_t result = -1;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_shielded, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	EXPECT_EQ(nap_await_for(fiber, &result, 5 * MS), -ETIMEDOUT);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- cancellation by a caller without a handle */

static uint64_t own_id;

static intptr_t says_its_id(void *arg)
{
	nap_store_release(&own_id, nap_fiber_id(nap_fiber_self()));
	return waits(arg);
}

TEST(a_fiber_is_canceled_by_its_number)
{
	struct nap_fiber *fiber, *later;
	intptr_t result = 0;
	uint64_t id;

	ASSERT_EQ(nap_fiber_cancel_id(&pool, 1), -ESRCH);
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .most = 1 }), 0);
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, says_its_id, NULL), 0);
	id = nap_fiber_id(fiber);
	until_waiting(1);
	EXPECT_EQ(nap_load_acquire(&own_id), id);
	EXPECT_EQ(nap_fiber_cancel_id(&pool, id + 1), -ESRCH);
	EXPECT_EQ(nap_fiber_cancel_id(&pool, id | UINT32_MAX), -ESRCH);
	ASSERT_EQ(nap_fiber_cancel_id(&pool, id), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(nap_fiber_cancel_id(&pool, id), -ESRCH);

	/*
	 * The next fiber gets the same stack. In the second round a trim has given back the stack's
	 * pages before.
	 */
	for (int i = 0; i < 2; i++) {
		if (i)
			nap_fibers_trim(&pool);
		ASSERT_EQ(nap_spawn(&pool, &later, waits, NULL), 0);
		EXPECT_EQ(later, fiber);
		EXPECT_NE(nap_fiber_id(later), id);
		EXPECT_EQ(nap_fiber_cancel_id(&pool, id), -ESRCH);
		EXPECT_EQ(nap_await_for(later, NULL, MS), -ETIMEDOUT);
		ASSERT_EQ(nap_fiber_cancel_id(&pool, nap_fiber_id(later)), 0);
		ASSERT_EQ(nap_await(later, &result), 0);
		EXPECT_EQ(result, -ECANCELED);
	}
	/* The 2^32nd fiber of the first stack has a number, too. */
	nap_store_relaxed(&fiber->generation, UINT32_MAX);
	ASSERT_EQ(nap_spawn(&pool, &later, waits, NULL), 0);
	EXPECT_EQ(later, fiber);
	EXPECT_NE(nap_fiber_id(later), 0);
	EXPECT_EQ(nap_await_for(later, NULL, MS), -ETIMEDOUT);
	ASSERT_EQ(nap_fiber_cancel_id(&pool, nap_fiber_id(later)), 0);
	ASSERT_EQ(nap_await(later, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(nap_fiber_id(NULL), 0);
	EXPECT_EQ(nap_fiber_cancel_id(NULL, id), -EINVAL);
	EXPECT_EQ(nap_fiber_cancel_id(&pool, 0), -EINVAL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_fiber_cancel_id(&pool, id), -ESHUTDOWN);
}

static intptr_t yields_until_canceled(void *arg)
{
	(void)arg;
	while (!nap_fiber_canceled())
		nap_yield();
	return 3;
}

TEST(a_fiber_that_does_not_wait_is_canceled_by_its_number)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	ASSERT_EQ(nap_spawn(&pool, &fiber, yields_until_canceled, NULL), 0);
	ASSERT_EQ(nap_fiber_cancel_id(&pool, nap_fiber_id(fiber)), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 3);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_shielded_wait_goes_on_where_a_number_is_canceled)
{
	struct nap_fiber *fiber;
	intptr_t result = -1;
	uint32_t state;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_shielded, NULL), 0);
	while (!(nap_load_relaxed(&fiber->wait.state) & WAIT_OFF))
		usleep(100);
	ASSERT_EQ(nap_fiber_cancel_id(&pool, nap_fiber_id(fiber)), 0);
	state = nap_load_relaxed(&fiber->wait.state);
	EXPECT_EQ(state & (WAIT_OPEN | WAIT_ASKED), WAIT_OPEN | WAIT_ASKED);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The first fiber of each life of the pool has the same stack, in memory of the same size. */
TEST(a_number_is_none_of_a_later_life_of_the_pool)
{
	struct nap_config config = { .max_workers = 1 };
	uint64_t ids[5];

	for (int life = 0; life < 5; life++) {
		struct nap_fiber *fiber;
		intptr_t result = 0;

		ASSERT_EQ(life ? nap_pool_init(&pool, &config) : 0, 0);
		begin_waiting(NULL);
		ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
		ids[life] = nap_fiber_id(fiber);
		for (int earlier = 0; earlier < life; earlier++)
			EXPECT_EQ(nap_fiber_cancel_id(&pool, ids[earlier]), -ESRCH);
		EXPECT_EQ(nap_await_for(fiber, NULL, MS), -ETIMEDOUT);
		ASSERT_EQ(nap_group_done(&never), 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		EXPECT_EQ(result, 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* ---- a fiber that has to wait as a thread does */

static intptr_t forks_and_waits(struct nap_worker *worker, struct nap_frame *top, intptr_t n);
NAP_JOB(forks_and_waits, intptr_t, intptr_t)

static intptr_t forks_and_waits(struct nap_worker *worker, struct nap_frame *top, intptr_t n)
{
	intptr_t other_half;

	if (n < 2) {
		/*
		 * With jobs that are not joined, a fiber keeps its worker in a wait, and runs
		 * queued tasks there.
		 */
		struct nap_fiber *fiber;
		intptr_t result = -1;

		if (nap_spawn(&pool, &fiber, number, (void *)n) || nap_await(fiber, &result))
			return -1000;
		return result;
	}
	top = forks_and_waits_fork(worker, top, n - 1);
	other_half = forks_and_waits(worker, top, n - 2);
	return other_half + forks_and_waits_join(worker, top - 1, n - 1);
}

static intptr_t forks_jobs(void *arg)
{
	struct nap_worker *worker = nap_worker_self();

	return forks_and_waits(worker, nap_top(worker), (intptr_t)arg);
}

TEST(fibers_fork_jobs_that_wait)
{
	struct nap_fiber *fibers[4];
	intptr_t result;

	/*
	 * Stacks are large, because at the nesting limit a wait would run nothing, and
	 * AddressSanitizer needs large frames.
	 */
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 1 << 20 }), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], forks_jobs, (void *)10), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 55);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_channel nobody_sends;
static struct nap_mutex held = NAP_MUTEX_INIT;
static int looks[8], idle_fd;

/* Makes calls that only try, on objects for which a caller would have to wait. */
static intptr_t looks_again_and_again(void *other)
{
	struct nap_select_case one = { .channel = &nobody_sends, .value = &(int){ 0 } };
	struct nap_sem sem = NAP_SEM_INIT(0);
	struct nap_event event = NAP_EVENT_INIT;
	int value;

	nap_fiber_cancel(nap_fiber_self());
	looks[0] = nap_sem_acquire_for(&sem, 0);
	looks[1] = nap_mutex_lock_for(&held, 0);
	looks[2] = nap_event_wait_for(&event, 0);
	looks[3] = nap_channel_recv_for(&nobody_sends, &value, 0);
	looks[4] = nap_select_for(&one, 1, 0);
	looks[5] = nap_group_wait_for(&never, 0);
	looks[6] = nap_await_for(other, NULL, 0);
	looks[7] = nap_io_wait(idle_fd, NAP_IO_READ, 0);
	return 0;
}

TEST(who_is_canceled_learns_of_it_where_it_only_looks)
{
	struct nap_fiber *fiber, *other;
	char room[sizeof(int)];

	idle_fd = nap__os_eventfd_open();
	nap_channel_init(&nobody_sends, room, sizeof(int), 1);
	ASSERT_TRUE(nap_mutex_trylock(&held));
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &other, waits, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, looks_again_and_again, other), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(looks[i], -ECANCELED);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
