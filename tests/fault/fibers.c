/* SPDX-License-Identifier: MIT */
/*
 * A pool with fibers makes calls that fail: mappings, guards, threads, epoll, eventfd, epoll_ctl.
 * For each k the k-th call fails, alone or with all later ones. Every spawned fiber ends, a refused
 * call returns its reason, nothing hangs, and nothing stays open or mapped. A fiber that waits for
 * a group of another pool needs no memory for that.
 */
#include <errno.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/os.h"
#include "fault/report.h"
#include "harness.h"
#include "wrap.h"

#define FIBERS	12
#define MS	1000000u

/* All these calls are counted together. The k-th one fails, or every one from the k-th on. */
static uint32_t nr_calls, fails_at, nr_failed;
static bool for_good;
static size_t mapped;
static uint32_t nr_open;

static bool fails(void)
{
	uint32_t n = nap_fetch_add_relaxed(&nr_calls, 1) + 1, at = nap_load_relaxed(&fails_at);

	if (!at || (for_good ? n < at : n != at))
		return false;
	nap_fetch_add_relaxed(&nr_failed, 1);
	return true;
}

WRAP(void *, nap__os_map, (size_t size))
{
	void *mem = fails() ? NULL : __real_nap__os_map(size);

	nap_fetch_add_relaxed(&mapped, mem ? size : 0);
	return mem;
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	nap_fetch_sub_relaxed(&mapped, size);
	__real_nap__os_unmap(mem, size);
}

WRAP(enum nap__guard, nap__os_guard, (void *mem, size_t size))
{
	return fails() ? GUARD_NONE : __real_nap__os_guard(mem, size);
}

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return fails() ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);
}

static int opened(int fd)
{
	nap_fetch_add_relaxed(&nr_open, fd >= 0);
	return fd;
}

WRAP(int, nap__os_epoll_open, (void))
{
	return fails() ? -EMFILE : opened(__real_nap__os_epoll_open());
}

WRAP(void, nap__os_epoll_close, (int epoll))
{
	nap_fetch_sub_relaxed(&nr_open, 1);
	__real_nap__os_epoll_close(epoll);
}

WRAP(int, nap__os_eventfd_open, (void))
{
	return fails() ? -EMFILE : opened(__real_nap__os_eventfd_open());
}

WRAP(void, nap__os_eventfd_close, (int fd))
{
	nap_fetch_sub_relaxed(&nr_open, 1);
	__real_nap__os_eventfd_close(fd);
}

WRAP(int, nap__os_epoll_watch, (int epoll, int fd))
{
	return fails() ? -ENOMEM : __real_nap__os_epoll_watch(epoll, fd);
}

WRAP(int, nap__os_epoll_arm, (int epoll, int fd, uint32_t number, uint32_t events))
{
	return fails() ? -ENOMEM : __real_nap__os_epoll_arm(epoll, fd, number, events);
}

/* ---- the fibers: each waits four times; the third wait may be refused */

static struct nap_pool *pool;
static struct nap_sem sem;
static struct nap_mutex mutex;
static int fds[2];
static uint32_t fibers_ended, nr_wrong, nr_refused_waits;
static unsigned long nr_spawned, nr_refused;

static bool is_refusal(int err)
{
	return err == -EMFILE || err == -ENOMEM;
}

static intptr_t waits(void *unused)
{
	int err;

	(void)unused;
	if (nap_sleep(MS / 10) || nap_mutex_lock(&mutex))
		nap_fetch_add_relaxed(&nr_wrong, 1);
	nap_yield();
	nap_mutex_unlock(&mutex);
	err = nap_io_wait(fds[0], NAP_IO_READ, NAP_FOREVER);
	if (is_refusal(err))
		nap_fetch_add_relaxed(&nr_refused_waits, 1);
	else if (err != NAP_IO_READ)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	if (nap_sem_acquire(&sem))
		nap_fetch_add_relaxed(&nr_wrong, 1);
	nap_fetch_add_relaxed(&fibers_ended, 1);
	return 7;
}

static void ticks(struct nap_task *task)
{
	(void)task;
	nap_sem_release(&sem, FIBERS);
}

/* Runs one pool from beginning to end; false: a result is wrong. */
static bool live(void)
{
	struct nap_config config = { .max_workers = 2 };
	struct nap_fiber *fibers[FIBERS];
	struct nap_timer timer;
	intptr_t result;
	bool right = true;
	unsigned n = 0;
	int err;

	nap_sem_init(&sem, 0);
	nap_mutex_init(&mutex);
	nap_timer_init(&timer, ticks);
	if (nap_pool_init(pool, &config))
		return false;
	err = nap_schedule_after(pool, &timer, MS / 5);
	right &= err == 0 || err == -ENOMEM;
	for (int i = 0; i < FIBERS; i++) {
		int refused = nap_spawn(pool, &fibers[n], waits, NULL);

		right &= refused == 0 || refused == -ENOMEM;
		n += !refused;
		nr_refused += refused != 0;
	}
	nr_spawned += n;
	if (err)	/* no timer will release @sem */
		nap_sem_release(&sem, FIBERS);
	for (unsigned i = 0; i < n; i++)
		right &= !nap_await(fibers[i], &result) && result == 7;
	right &= !nap_pool_join(pool, NULL);
#ifdef NAP_TEST_BARE		/* the unmapping of stacks is not counted */
	nap_store_relaxed(&mapped, 0);
#endif
	return right && !nap_load_relaxed(&nr_wrong) && !nap_load_relaxed(&mapped) &&
	       !nap_load_relaxed(&nr_open);
}

static void campaign(struct __test_metadata *_metadata, bool stays, const char *what)
{
	unsigned long failed = 0;
	uint32_t last;

	for_good = stays;
	pool = aligned_alloc(NAP__CACHE_LINE, sizeof(*pool));
	ASSERT_NE(pool, NULL);
	ASSERT_EQ(nap__syscall2(NAP__NR_pipe2, (long)fds, 04000), 0);
	ASSERT_EQ(nap__syscall3(NAP__NR_write, fds[1], (long)"x", 1), 1);
	ASSERT_TRUE(live());
	last = nr_calls;
	for (uint32_t k = 1; k <= last; k++) {
		nap_store_relaxed(&nr_calls, 0);
		nap_store_relaxed(&nr_failed, 0);
		nap_store_relaxed(&fails_at, k);
		EXPECT_TRUE(live());
		nap_store_relaxed(&fails_at, 0);
		failed += nap_load_relaxed(&nr_failed);
	}
	EXPECT_GT(nap_load_relaxed(&nr_refused_waits), 0);
	EXPECT_GT(nr_refused, 0);
	fault_report(what, failed, nr_spawned, nap_load_relaxed(&fibers_ended));
	free(pool);
}

TEST(one_call_fails)
{
	campaign(_metadata, false,
		 "the k-th call for fibers fails: memory, guards, threads, epoll");
}

TEST(all_fail_from_one_on)
{
	campaign(_metadata, true, "all calls for fibers fail from the k-th on");
}

/* ---- a fiber that waits for another pool's group when no memory is left */

static struct nap_group group;
static struct nap_event came_by;
static int waited;

static intptr_t waits_elsewhere(void *unused)
{
	(void)unused;
	nap_store_relaxed(&fails_at, 1);
	waited = nap_group_wait(&group);
	return 0;
}

static void comes_by(struct nap_task *task)
{
	(void)task;
	nap_event_set(&came_by);
}

/*
 * Returns when the only worker of @of has run, or suspended, everything that was queued before this
 * call.
 */
static int come_by(struct nap_pool *of)
{
	struct nap_task task = { .run = comes_by };
	int err = nap_schedule(of, &task);

	if (!err)
		err = nap_event_wait(&came_by);
	nap_event_reset(&came_by);
	return err;
}

TEST(a_stop_ends_the_wait_of_a_fiber_of_another_pool)
{
	struct nap_pool *other = aligned_alloc(NAP__CACHE_LINE, sizeof(*other));
	struct nap_config config = { .max_workers = 1 };
	struct nap_fiber *fiber;

	pool = aligned_alloc(NAP__CACHE_LINE, sizeof(*pool));
	for_good = true;
	ASSERT_TRUE(pool && other);
	ASSERT_EQ(nap_pool_init(pool, &config), 0);
	ASSERT_EQ(nap_pool_init(other, &config), 0);
	nap_group_init(&group, other);
	ASSERT_EQ(nap_group_add(&group, 1), 0);
	waited = 1;
	ASSERT_EQ(nap_spawn(pool, &fiber, waits_elsewhere, NULL), 0);
	ASSERT_EQ(come_by(pool), 0);
	EXPECT_EQ(waited, 1);
	EXPECT_EQ(nap_pool_shutdown(other, NAP_STOP), 0);
	ASSERT_EQ(come_by(pool), 0);
	EXPECT_EQ(waited, -ECANCELED);
	EXPECT_EQ(nap_group_done(&group), 0);
	EXPECT_EQ(nap_await(fiber, NULL), 0);
	EXPECT_EQ(nap_pool_join(other, NULL), 0);
	EXPECT_EQ(nap_pool_join(pool, NULL), 0);
	nap_store_relaxed(&fails_at, 0);
	fault_report("no memory when a fiber of another pool waits", 1, 1, 1);
	free(other);
	free(pool);
}

TEST_HARNESS_MAIN
