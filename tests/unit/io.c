/* SPDX-License-Identifier: MIT */
/* Fibers that wait for files. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/io/io.h"
#include "worker/registry.h"
#include "fiber_fixture.h"
#include "harness.h"
#include "os/os.h"
#include "arch/syscall.h"
#include "sync/lock.h"
#include "wrap.h"

#define O_NONBLOCK_ 04000
#define SOON 20	/* ms, after which every waiter sleeps */

/* The errno with which each wrapped call fails (-Wl,--wrap); 0: it works. */
static int epoll_err, watch_err, eventfd_err, arm_err;
/* If it is not 0, the number of each eventfd. */
static int eventfd_number;
/* Files that do not exist, whose numbers are above all others, are armed. */
static bool pretends;
static uint32_t nr_watched, nr_forgotten_by_kernel;
static uint32_t refuses, nr_refused;
/* How often a poller has asked without sleeping. */
static uint32_t nr_asked_again;
/* The events of each request to the kernel for a file, by the number of the request. */
static uint32_t armed[32], nr_armed;
/* The next eventfd gets the number 0, because stdin is closed right before. */
static bool eventfd_is_0;

static void close_file(int fd)
{
	nap__syscall1(NAP__NR_close, fd);
}

WRAP(int, nap__os_epoll_open, (void))
{
	return epoll_err ? epoll_err : __real_nap__os_epoll_open();
}

/* Calls this once, while the pool's files are being made. */
static void (*makes_others)(void);

WRAP(int, nap__os_epoll_watch, (int epoll, int fd))
{
	void (*others)(void) = nap_load_relaxed(&makes_others);

	nap_fetch_add_relaxed(&nr_watched, 1);
	if (others) {
		nap_store_relaxed(&makes_others, NULL);
		others();
	}
	return watch_err ? watch_err : __real_nap__os_epoll_watch(epoll, fd);
}

WRAP(int, nap__os_epoll_arm, (int epoll, int fd, uint32_t number, uint32_t events))
{
	uint32_t n = nap_load_relaxed(&nr_armed);	/* only tests of one file read these */
	int err = nap_load_relaxed(&arm_err);

	nap_store_relaxed(&armed[n % 32], events);
	nap_store_release(&nr_armed, n + 1);
	if (pretends && fd >= (int)NAP_IO_SLOTS)
		return 0;
	return err ? err : __real_nap__os_epoll_arm(epoll, fd, number, events);
}

WRAP(void, nap__os_epoll_forget, (int epoll, int fd))
{
	nr_forgotten_by_kernel++;
	__real_nap__os_epoll_forget(epoll, fd);
}

WRAP(int, nap__os_eventfd_open, (void))
{
	if (eventfd_is_0)
		close_file(0);
	if (eventfd_number)
		return eventfd_number;
	return eventfd_err ? eventfd_err : __real_nap__os_eventfd_open();
}

/* Holds up the next poller that has found a ready file, until @let_go. */
static uint32_t keeps, has_read, let_go;

static void keep_for_a_while(void)
{
	if (!nap_xchg_relaxed(&keeps, false))
		return;
	nap_store_release(&has_read, true);
	while (!nap_load_acquire(&let_go))
		usleep(500);
}

WRAP(int, nap__os_epoll_wait, (int epoll, void *ready, int most, uint64_t deadline))
{
	if (!deadline && most == IO_AT_ONCE)
		nap_fetch_add_relaxed(&nr_asked_again, 1);
	if (!deadline || !nap_load_relaxed(&refuses)) {
		int n = __real_nap__os_epoll_wait(epoll, ready, most, deadline);

		if (n > 0 && nap_load_relaxed(&keeps))
			keep_for_a_while();
		return n;
	}
	nap_fetch_add_relaxed(&nr_refused, 1);
	return -EINVAL;
}

static void open_pipe(int fds[2])
{
	if (nap__syscall2(NAP__NR_pipe2, (long)fds, O_NONBLOCK_))
		__builtin_trap();
}

static void put(int fd)
{
	if (nap__syscall3(NAP__NR_write, fd, (long)"x", 1) != 1)
		__builtin_trap();
}

static bool get(int fd)
{
	char c;

	return nap__syscall3(NAP__NR_read, fd, (long)&c, 1) == 1;
}

static int lowest_free_fd(void)
{
	int fd = nap__os_eventfd_open();

	nap__os_eventfd_close(fd);
	return fd;
}

/* What a fiber waits for. */
struct io_wait {
	int fd;
	uint32_t events;
	uint64_t deadline;
	struct nap_fiber *fiber;
};

static intptr_t waits_for(void *arg)
{
	struct io_wait *w = arg;
	int err;

	nap_fetch_add_relaxed(&nr_waiting, 1);
	err = nap_io_wait(w->fd, w->events, w->deadline);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

static int begin(struct io_wait *w, int fd, uint32_t events, uint64_t deadline)
{
	*w = (struct io_wait){ fd, events, deadline, NULL };
	return nap_spawn(&pool, &w->fiber, waits_for, w);
}

static intptr_t end(struct io_wait *w)
{
	intptr_t result = 0;
	int err = nap_await(w->fiber, &result);

	return err ? -1000 : result;
}

TEST(a_fiber_waits_until_there_is_something_to_read)
{
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
		if (i % 2)
			until_waiting((uint32_t)i + 1);
		EXPECT_EQ(nap_load_relaxed(&nr_ended), (uint32_t)i);
		put(fds[1]);
		ASSERT_EQ(end(&w), NAP_IO_READ);
		ASSERT_TRUE(get(fds[0]));
		/* The pipe can be written at once. */
		ASSERT_EQ(begin(&w, fds[1], NAP_IO_WRITE, NAP_FOREVER), 0);
		ASSERT_EQ(end(&w), NAP_IO_WRITE);
		nap_store_relaxed(&nr_ended, (uint32_t)i + 1);
		nap_store_relaxed(&nr_waiting, (uint32_t)i + 1);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

#define PAIRS 64
#define TURNS (NAP_TEST_SCALE > 1 ? 20 : 200)

struct pair {
	int to[2], from[2];
	struct nap_fiber *echo, *client;
};

/* Sends one byte to and fro. */
static intptr_t echoes(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < TURNS; i++) {
		while (!get(p->to[0]))
			if (nap_io_wait(p->to[0], NAP_IO_READ, NAP_FOREVER) != NAP_IO_READ)
				return -1;
		put(p->from[1]);
	}
	return 0;
}

static intptr_t asks(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < TURNS; i++) {
		put(p->to[1]);
		while (!get(p->from[0]))
			if (nap_io_wait(p->from[0], NAP_IO_READ, NAP_FOREVER) != NAP_IO_READ)
				return -1;
	}
	return 0;
}

TEST(many_wait_for_many)
{
	static struct pair pairs[PAIRS];
	intptr_t result;

	for (int i = 0; i < PAIRS; i++) {
		open_pipe(pairs[i].to);
		open_pipe(pairs[i].from);
		ASSERT_EQ(nap_spawn(&pool, &pairs[i].echo, echoes, &pairs[i]), 0);
		ASSERT_EQ(nap_spawn(&pool, &pairs[i].client, asks, &pairs[i]), 0);
	}
	for (int i = 0; i < PAIRS; i++) {
		ASSERT_EQ(nap_await(pairs[i].echo, &result), 0);
		EXPECT_EQ(result, 0);
		ASSERT_EQ(nap_await(pairs[i].client, &result), 0);
		EXPECT_EQ(result, 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(several_wait_for_one_file_and_for_different_things)
{
	struct io_wait readers[4], writer, other;
	int fd = nap__os_eventfd_open();

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(begin(&readers[i], fd, NAP_IO_READ, NAP_FOREVER), 0);
	until_waiting(4);
	/* Fibers that wait to read are not notified of a writable file, and keep waiting. */
	ASSERT_EQ(begin(&writer, fd, NAP_IO_WRITE, NAP_FOREVER), 0);
	ASSERT_EQ(end(&writer), NAP_IO_WRITE);
	ASSERT_EQ(begin(&other, fd, NAP_IO_READ | NAP_IO_WRITE, NAP_FOREVER), 0);
	ASSERT_EQ(end(&other), NAP_IO_WRITE);
	usleep(SOON * 1000);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
	ASSERT_EQ(nap__os_eventfd_write(fd), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(end(&readers[i]), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_hangup_is_told_without_being_asked_for)
{
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_waiting(1);
	nap__os_eventfd_close(fds[1]);
	ASSERT_EQ(end(&w), NAP_IO_HANGUP);
	open_pipe(fds);
	nap__os_eventfd_close(fds[0]);
	ASSERT_EQ(begin(&w, fds[1], NAP_IO_WRITE, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_WRITE | NAP_IO_ERROR);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_deadline_ends_it)
{
	uint64_t until;
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	for (int i = 0; i < 3; i++) {
		until = nap_deadline(5 * MS);
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, until), 0);
		ASSERT_EQ(end(&w), -ETIMEDOUT);
		EXPECT_GE(nap__os_now(), until);
		/* With a deadline that has passed, the call only polls. */
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, 1), 0);
		ASSERT_EQ(end(&w), -ETIMEDOUT);
		ASSERT_EQ(begin(&w, fds[1], NAP_IO_WRITE, 0), 0);
		ASSERT_EQ(end(&w), NAP_IO_WRITE);
	}
	/* A file that is ready before the deadline is not missed. */
	ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, nap_deadline(3600000ull * MS)), 0);
	put(fds[1]);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Returns the events of the request with the number @n, once it is made. */
static uint32_t armed_at(uint32_t n)
{
	while (nap_load_acquire(&nr_armed) <= n)
		usleep(100);
	return nap_load_relaxed(&armed[n % 32]);
}

/*
 * Waits until the pool's last request to the kernel was for @events. The watchdog ends the test if
 * no such request comes.
 */
static void until_armed(uint32_t events)
{
	uint32_t n;

	while (!(n = nap_load_acquire(&nr_armed)) || armed_at(n - 1) != events)
		usleep(100);
}

/* Begins three waits for the file @fd, each for another event. */
static void begin_three(struct __test_metadata *_metadata, int fd, struct io_wait *reads,
			struct io_wait *other, struct io_wait *more)
{
	ASSERT_EQ(begin(reads, fd, NAP_IO_READ, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ);
	ASSERT_EQ(begin(other, fd, NAP_IO_PRIORITY, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ | NAP_IO_PRIORITY);
	ASSERT_EQ(begin(more, fd, NAP_IO_PEER_END, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ | NAP_IO_PRIORITY | NAP_IO_PEER_END);
}

/*
 * The kernel is asked for all events that a file's waiters want. If a waiter that wanted an event
 * is gone, the kernel still reports the event once; then it is asked for the remaining events, also
 * when the next waiter comes.
 */
TEST(a_file_is_armed_for_all_who_wait_for_it)
{
	struct io_wait reads, other, more, urgent, late;
	uint32_t n;
	int fds[2];

	open_pipe(fds);
	begin_three(_metadata, fds[0], &reads, &other, &more);
	EXPECT_EQ(nap_fiber_cancel(reads.fiber), 0);
	ASSERT_EQ(end(&reads), -ECANCELED);
	/* No fiber waits to read any longer, only for other events of the same file. */
	put(fds[1]);
	until_armed(NAP_IO_PRIORITY | NAP_IO_PEER_END);
	n = nap_load_relaxed(&nr_armed);
	ASSERT_EQ(begin(&urgent, fds[0], NAP_IO_PRIORITY, NAP_FOREVER), 0);
	EXPECT_EQ(armed_at(n), NAP_IO_PRIORITY | NAP_IO_PEER_END);
	ASSERT_EQ(begin(&late, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&late), NAP_IO_READ);
	EXPECT_TRUE(get(fds[0]));
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2u);
	nap__os_eventfd_close(fds[1]);
	ASSERT_EQ(end(&other), NAP_IO_HANGUP);
	ASSERT_EQ(end(&more), NAP_IO_HANGUP);
	ASSERT_EQ(end(&urgent), NAP_IO_HANGUP);
	nap__os_eventfd_close(fds[0]);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * If stdin is closed the next file has the number 0: in turn the pipe, the epoll, and the eventfd,
 * which wakes the only worker from the epoll for a second fiber.
 */
TEST(the_number_0_is_as_good_as_another)
{
	static struct nap_pool pools[3] = {
		NAP_POOL_INIT(.max_workers = 1), NAP_POOL_INIT(.max_workers = 1),
		NAP_POOL_INIT(.max_workers = 1),
	};
	struct io_wait w = { .events = NAP_IO_READ, .deadline = NAP_FOREVER };
	struct nap_fiber *second;
	struct nap__files *files;
	intptr_t result;
	int fds[3][2];
	uint32_t n;

	nap__os_eventfd_open();		/* 0, if stdin was closed before */
	open_pipe(fds[1]);
	open_pipe(fds[2]);
	close_file(0);
	open_pipe(fds[0]);
	for (uint32_t i = 0; i < 3; i++) {
		n = nap_load_relaxed(&nr_armed);
		eventfd_is_0 = i == 2;
		w.fd = fds[i][0];
		ASSERT_EQ(nap_spawn(&pools[i], &w.fiber, waits_for, &w), 0);
		EXPECT_EQ(armed_at(n), NAP_IO_READ);
		ASSERT_EQ(nap__files_of(&pools[i], &files), 0);
		EXPECT_EQ(i == 0 ? w.fd : i == 1 ? files->epoll : files->eventfd, 0);
		ASSERT_EQ(nap_spawn(&pools[i], &second, number, &w), 0);
		ASSERT_EQ(nap_await(second, &result), 0);
		EXPECT_EQ(result, (intptr_t)&w);
		put(fds[i][1]);
		ASSERT_EQ(nap_await(w.fiber, &result), 0);
		EXPECT_EQ(result, NAP_IO_READ);
		EXPECT_TRUE(get(w.fd));
		ASSERT_EQ(nap_spawn(&pools[i], &w.fiber, waits_for, &w), 0);
		EXPECT_EQ(armed_at(n + 1), NAP_IO_READ);
		EXPECT_EQ(nap_io_forget(&pools[i], w.fd), 1);
		ASSERT_EQ(nap_await(w.fiber, &result), 0);
		EXPECT_EQ(result, -EBADF);
		ASSERT_EQ(nap_pool_join(&pools[i], NULL), 0);
		/* The pool has closed its own files. */
		if (i == 0)
			close_file(0);
		EXPECT_TRUE(i == 0 || nap__os_eventfd_open() == 0);
	}
}

static bool nobody_is_listed(int fd)
{
	struct nap__files *files;

	return !nap__files_of(&pool, &files) && !slot_of(files, fd)->waiters.first;
}

/*
 * A canceled waiter must leave the list: a later waiter would be at the same address of the same
 * stack.
 */
TEST(it_is_canceled_and_the_file_can_be_waited_for_again)
{
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	for (uint32_t i = 0; i < 5; i++) {
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
		until_waiting(i + 1);
		ASSERT_EQ(nap_fiber_cancel(w.fiber), 0);
		ASSERT_EQ(end(&w), -ECANCELED);
		EXPECT_TRUE(nobody_is_listed(fds[0]));
	}
	put(fds[1]);
	ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_stop_ends_it)
{
	int fds[2], before = lowest_free_fd();
	struct io_wait w[8];

	open_pipe(fds);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(begin(&w[i], fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_waiting(8);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_ended, 8);
	nap__os_eventfd_close(fds[0]);
	nap__os_eventfd_close(fds[1]);
	/* The pool has closed all its file descriptors. */
	EXPECT_EQ(lowest_free_fd(), before);
}

TEST(who_waits_for_a_file_that_is_closed_is_told)
{
	struct io_wait w[3], other;
	int fds[2];

	open_pipe(fds);
	EXPECT_EQ(nap_io_forget(&pool, fds[0]), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(begin(&w[i], fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(begin(&other, fds[0] + (1 << 16), NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&other), -EBADF);
	until_waiting(4);
	EXPECT_EQ(nap_io_forget(&pool, fds[0]), 3);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(end(&w[i]), -EBADF);
	EXPECT_EQ(nap_io_forget(&pool, fds[0]), 0);
	/* The file can be waited for as before. */
	put(fds[1]);
	ASSERT_EQ(begin(&w[0], fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w[0]), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_io_forget(&pool, fds[0]), -ESHUTDOWN);
	EXPECT_EQ(nap_io_forget(NULL, fds[0]), -EINVAL);
}

static struct io_wait given_up, kept;
static int nr_forgotten;

static void cancel_and_forget(struct nap_task *task)
{
	(void)task;
	nap_fiber_cancel(given_up.fiber);
	nr_forgotten = nap_io_forget(&pool, kept.fd);
}

/*
 * One of two waiters is canceled, and before it can leave the list the file is forgotten, all on
 * the only worker.
 */
TEST(who_has_given_up_is_forgotten_once)
{
	struct nap_task task = NAP_TASK_INIT(cancel_and_forget);
	int fds[2];

	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	open_pipe(fds);
	ASSERT_EQ(begin(&given_up, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(begin(&kept, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_waiting(2);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(end(&given_up), -ECANCELED);
	EXPECT_EQ(end(&kept), -EBADF);
	EXPECT_EQ(nr_forgotten, 1);
	EXPECT_TRUE(nobody_is_listed(fds[0]));
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(what_is_refused)
{
	static struct nap_pool refused = NAP_POOL_INIT(.max_workers = 1);
	int file = (int)nap__syscall4(NAP__NR_openat, -100, (long)"/proc/self/maps", 0, 0);
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	EXPECT_EQ(nap_io_wait(-1, NAP_IO_READ, NAP_FOREVER), -EBADF);
	EXPECT_EQ(nap_io_wait(fds[0], 0, NAP_FOREVER), -EINVAL);
	EXPECT_EQ(nap_io_wait(fds[0], 0x40000000, NAP_FOREVER), -EINVAL);
	EXPECT_EQ(nap_io_wait(999, NAP_IO_READ, NAP_FOREVER), -EBADF);
	ASSERT_EQ(begin(&w, 999, NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), -EBADF);
	/* A file that epoll(7) does not accept. */
	ASSERT_GE(file, 0);
	ASSERT_EQ(begin(&w, file, NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	ASSERT_EQ(begin(&w, file, NAP_IO_PRIORITY, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), -EINVAL);
	/* -EPERM when the epoll is opened says nothing of the file, and is returned. */
	epoll_err = -EPERM;
	w = (struct io_wait){ fds[0], NAP_IO_READ, NAP_FOREVER, NULL };
	ASSERT_EQ(nap_spawn(&refused, &w.fiber, waits_for, &w), 0);
	ASSERT_EQ(end(&w), -EPERM);
	ASSERT_EQ(nap_pool_join(&refused, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(what_fails_leaves_nothing_and_the_next_one_has_it)
{
	int fds[2], before = lowest_free_fd();
	int *each[] = { &epoll_err, &eventfd_err, &watch_err, &arm_err };
	struct io_wait w;

	open_pipe(fds);
	put(fds[1]);
	for (int i = 0; i < 4; i++) {
		*each[i] = -ENOMEM;
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
		ASSERT_EQ(end(&w), -ENOMEM);
		*each[i] = 0;
	}
	ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	nap__os_eventfd_close(fds[0]);
	nap__os_eventfd_close(fds[1]);
	EXPECT_EQ(lowest_free_fd(), before);
}

/* The number of an eventfd is in the upper bits of an event word. */
TEST(an_eventfd_whose_number_is_too_large_is_refused)
{
	int before = lowest_free_fd();
	struct io_wait w;

	watch_err = -ENOMEM;
	for (int i = 0; i < 2; i++) {
		eventfd_number = (int)(UINT32_MAX / EVENT_FD) - 1 + i;
		ASSERT_EQ(begin(&w, 0, NAP_IO_READ, NAP_FOREVER), 0);
		ASSERT_EQ(end(&w), i ? -EMFILE : -ENOMEM);
		EXPECT_EQ(nr_watched, 1u);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	eventfd_number = 0;
	EXPECT_EQ(lowest_free_fd(), before);
}

static struct nap__files *others;

static void make_others(void)
{
	if (nap__files_of(&pool, &others))
		__builtin_trap();
}

/* Of two threads that make them, the first makes the pool's files, and the other gives its back. */
TEST(another_thread_was_first)
{
	struct nap__files *files;
	struct io_wait w;
	int fds[2], before;

	open_pipe(fds);
	before = lowest_free_fd();
	makes_others = make_others;
	ASSERT_EQ(begin(&w, fds[1], NAP_IO_WRITE, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_WRITE);
	EXPECT_EQ(nr_watched, 2u);
	ASSERT_EQ(nap__files_of(&pool, &files), 0);
	EXPECT_EQ(files, others);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(lowest_free_fd(), before);
}

static uint32_t is_canceled;

/* The first wait is for a file that is always ready, the second one for a pipe. */
static intptr_t waits_and_waits_again(void *arg)
{
	struct io_wait *w = arg;
	int err = nap_io_wait(w[0].fd, w[0].events, w[0].deadline);

	nap_fetch_add_relaxed(&nr_ended, 1);
	while (!nap_load_acquire(&is_canceled))
		usleep(100);
	return err == NAP_IO_READ ? nap_io_wait(w[1].fd, w[1].events, w[1].deadline) : -1000;
}

/* A fiber is canceled between two waits. In the first one there was nothing to wait for. */
TEST(a_canceled_fiber_does_not_wait)
{
	int file = (int)nap__syscall4(NAP__NR_openat, -100, (long)"/proc/self/maps", 0, 0);
	struct io_wait w[2] = { { file, NAP_IO_READ, NAP_FOREVER, NULL } };
	int fds[2];

	open_pipe(fds);
	w[1] = (struct io_wait){ fds[0], NAP_IO_READ, NAP_FOREVER, NULL };
	ASSERT_EQ(nap_spawn(&pool, &w[0].fiber, waits_and_waits_again, w), 0);
	while (!nap_load_relaxed(&nr_ended))
		usleep(100);
	EXPECT_FALSE(nap_load_relaxed(&w[0].fiber->wait.state) & WAIT_OPEN);
	EXPECT_EQ(nap_fiber_cancel(w[0].fiber), 0);
	nap_store_release(&is_canceled, 1);
	EXPECT_EQ(end(&w[0]), -ECANCELED);
	EXPECT_TRUE(nobody_is_listed(fds[0]));
	EXPECT_EQ(nap_load_relaxed(&pool_async(&pool)->timers.files), 0u);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The kernel refuses to report the file again, to a second fiber that waits for other events. */
TEST(who_waits_on_is_told_if_the_file_cannot_be_armed_again)
{
	struct io_wait reads, other, more;
	int fds[2];
	uint32_t n;

	open_pipe(fds);
	begin_three(_metadata, fds[0], &reads, &other, &more);
	EXPECT_EQ(nap_load_relaxed(&pool_async(&pool)->timers.files), 3u);
	nap_store_relaxed(&arm_err, -EBADF);
	n = nap_load_relaxed(&nr_armed);
	put(fds[1]);
	ASSERT_EQ(end(&reads), NAP_IO_READ);
	ASSERT_EQ(end(&other), -EBADF);
	ASSERT_EQ(end(&more), -EBADF);
	EXPECT_EQ(nap_load_relaxed(&nr_armed), n + 1);
	nap_store_relaxed(&arm_err, 0);
	EXPECT_TRUE(get(fds[0]));
	EXPECT_TRUE(nobody_is_listed(fds[0]));
	EXPECT_EQ(nap_load_relaxed(&pool_async(&pool)->timers.files), 0u);
	/* If nobody waits on, the file is not armed again. */
	n = nap_load_relaxed(&nr_armed);
	ASSERT_EQ(begin(&reads, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	EXPECT_EQ(armed_at(n), NAP_IO_READ);
	put(fds[1]);
	ASSERT_EQ(end(&reads), NAP_IO_READ);
	EXPECT_EQ(nap_load_relaxed(&nr_armed), n + 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * Two files share a slot. An event of one changes nothing of the other. One has the number 0, as a
 * slot that was not used has.
 */
TEST(files_that_share_a_slot_are_told_apart)
{
	struct io_wait reads, urgent, twin, late;
	int fds[2], shared = (int)NAP_IO_SLOTS;
	uint32_t n;

	close_file(0);
	open_pipe(fds);
	ASSERT_EQ(fds[0], 0);
	pretends = true;
	ASSERT_EQ(begin(&reads, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ);
	ASSERT_EQ(begin(&twin, shared, NAP_IO_READ | NAP_IO_WRITE, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ | NAP_IO_WRITE);
	ASSERT_EQ(begin(&urgent, fds[0], NAP_IO_PRIORITY, NAP_FOREVER), 0);
	until_armed(NAP_IO_READ | NAP_IO_PRIORITY);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 0u);
	n = nap_load_relaxed(&nr_armed);
	ASSERT_EQ(begin(&late, shared, NAP_IO_PEER_END, NAP_FOREVER), 0);
	EXPECT_EQ(armed_at(n), NAP_IO_READ | NAP_IO_WRITE | NAP_IO_PEER_END);
	put(fds[1]);
	ASSERT_EQ(end(&reads), NAP_IO_READ);
	EXPECT_EQ(armed_at(n + 1), NAP_IO_PRIORITY);
	ASSERT_EQ(begin(&reads, shared, NAP_IO_PRIORITY, NAP_FOREVER), 0);
	EXPECT_EQ(armed_at(n + 2),
		  NAP_IO_READ | NAP_IO_WRITE | NAP_IO_PEER_END | NAP_IO_PRIORITY);
	EXPECT_EQ(nap_io_forget(&pool, shared), 3);
	ASSERT_EQ(end(&twin), -EBADF);
	ASSERT_EQ(end(&late), -EBADF);
	ASSERT_EQ(end(&reads), -EBADF);
	EXPECT_EQ(nap_io_forget(&pool, fds[0]), 1);
	ASSERT_EQ(end(&urgent), -EBADF);
	EXPECT_EQ(nr_forgotten_by_kernel, 2u);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the lock of a slot */

/* Whether a thread sleeps until the lock is given. */
static void until_awaited(uint32_t *lock)
{
	while (nap_load_relaxed(lock) != LOCK_AWAITED)
		usleep(100);
}

static void *forgets(void *fd)
{
	return (void *)(intptr_t)nap_io_forget(&pool, *(int *)fd);
}

TEST(who_lists_who_notifies_and_who_forgets_takes_the_lock)
{
	struct nap__files *files;
	pthread_t thread;
	struct io_wait w;
	uint32_t *lock, number;
	void *n;
	int fds[2];

	open_pipe(fds);
	ASSERT_EQ(begin(&w, fds[1], NAP_IO_WRITE, NAP_FOREVER), 0);
	ASSERT_EQ(end(&w), NAP_IO_WRITE);
	ASSERT_EQ(nap__files_of(&pool, &files), 0);
	lock = &slot_of(files, fds[0])->lock;
	number = slot_of(files, fds[0])->number;
	lock_take(lock);
	ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_awaited(lock);
	lock_give(lock);
	until_armed(NAP_IO_READ);
	/* The file is armed with another number than before. */
	EXPECT_EQ(slot_of(files, fds[0])->number, number + 1);
	lock_take(lock);
	put(fds[1]);
	until_awaited(lock);
	lock_give(lock);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	EXPECT_TRUE(get(fds[0]));
	lock_take(lock);
	ASSERT_EQ(pthread_create(&thread, NULL, forgets, &fds[0]), 0);
	until_awaited(lock);
	lock_give(lock);
	pthread_join(thread, &n);
	EXPECT_EQ(n, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a poller that sleeps since before the pool had files */

static bool poller_sleeps(struct nap_pool *of)
{
	uint32_t poller = nap_load_relaxed(&pool_async(of)->timers.poller);

	return poller && !poller_is_passing(poller) &&
	       (nap_load_relaxed(&registry_at(of, poller - 1)->event) & EVENT_PARKED);
}

static intptr_t waits_beside_a_poller(void *arg)
{
	while (!poller_sleeps(&pool))
		usleep(100);
	return waits_for(arg);
}

static uint32_t nr_called;

static void is_called(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&nr_called, 1);
}

/* A poller sleeps until a timer is due. When a fiber waits for a file the poller looks at files. */
TEST(a_poller_is_told_of_the_first_file)
{
	struct nap_timer timer;
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	w = (struct io_wait){ fds[0], NAP_IO_READ, NAP_FOREVER, NULL };
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	nap_timer_init(&timer, is_called);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 3600000ull * MS), 0);
	ASSERT_EQ(nap_spawn(&pool, &w.fiber, waits_beside_a_poller, &w), 0);
	until_armed(NAP_IO_READ);
	usleep(SOON * 1000);
	put(fds[1]);
	ASSERT_EQ(end(&w), NAP_IO_READ);
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void call_one(void)
{
	static struct nap_task task;
	uint32_t before = nap_load_relaxed(&nr_called);

	nap_task_init(&task, is_called);
	nap_schedule(&pool, &task);
	while (nap_load_acquire(&nr_called) == before)
		usleep(100);
}

static void never_runs(struct nap_task *task)
{
	(void)task;
	__builtin_trap();
}

static intptr_t sleeps_shortly(void *unused)
{
	(void)unused;
	return nap_sleep(3 * MS);
}

/* In the first two rounds the pool has no timer, in the last two it has one. */
TEST(where_nobody_can_sleep_it_is_asked_now_and_then)
{
	struct nap_fiber *sleeper;
	struct nap_timer timer;
	struct io_wait w;
	intptr_t result;
	int fds[2];

	open_pipe(fds);
	nap_timer_init(&timer, never_runs);
	nap_store_relaxed(&refuses, true);
	for (uint32_t i = 0; i < 4; i++) {
		if (i == 2)
			ASSERT_EQ(nap_schedule_after(&pool, &timer, 3600000ull * MS), 0);
		nap_store_relaxed(&nr_refused, 0);
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
		until_waiting(i + 1);
		while (!nap_load_relaxed(&nr_refused))
			call_one();
		EXPECT_EQ(nap_load_relaxed(&nr_ended), i);
		/* The sleep of another fiber ends, too. */
		ASSERT_EQ(nap_spawn(&pool, &sleeper, sleeps_shortly, NULL), 0);
		ASSERT_EQ(nap_await(sleeper, &result), 0);
		EXPECT_EQ(result, 0);
		put(fds[1]);
		ASSERT_EQ(end(&w), NAP_IO_READ);
		ASSERT_TRUE(get(fds[0]));
	}
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t nr_stopped;

static void stopped(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&nr_stopped, 1);
}

/* A file for which no fiber waits any longer becomes ready. This makes no worker retire. */
TEST(a_file_that_is_late_ends_no_worker)
{
	static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1, .worker_stop = stopped,
						     .idle_timeout_ns = 3600000000000u);
	struct io_wait w = { .events = NAP_IO_READ };
	intptr_t result;
	int fds[2];

	open_pipe(fds);
	w.fd = fds[0];
	for (int i = 0; i < 5; i++) {
		w.deadline = nap_deadline(2 * MS);
		ASSERT_EQ(nap_spawn(&other, &w.fiber, waits_for, &w), 0);
		ASSERT_EQ(nap_await(w.fiber, &result), 0);
		ASSERT_EQ(result, -ETIMEDOUT);
		usleep(1000);
		put(fds[1]);
		usleep(3000);
		ASSERT_TRUE(get(fds[0]));
		EXPECT_EQ(nap_load_relaxed(&nr_stopped), 0);
	}
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_stopped, 1);
}

static struct io_wait of_task;
static int told_to_task;

static void waits_as_task(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&told_to_task, nap_io_wait(of_task.fd, of_task.events, of_task.deadline));
	nap_group_done(&never);
}

TEST(a_thread_and_a_task_wait_as_with_poll)
{
	struct nap_task task = NAP_TASK_INIT(waits_as_task);
	int fds[2];

	open_pipe(fds);
	EXPECT_EQ(nap_io_wait(fds[0], NAP_IO_READ, nap_deadline(3 * MS)), -ETIMEDOUT);
	EXPECT_EQ(nap_io_wait(fds[1], NAP_IO_WRITE, NAP_FOREVER), NAP_IO_WRITE);
	begin_waiting(NULL);
	of_task = (struct io_wait){ fds[0], NAP_IO_READ, NAP_FOREVER, NULL };
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	usleep(SOON * 1000);
	EXPECT_EQ(nap_load_relaxed(&told_to_task), 0);
	put(fds[1]);
	ASSERT_EQ(nap_group_wait(&never), 0);
	EXPECT_EQ(told_to_task, NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- writes to the eventfd */

static struct nap_pool single = NAP_POOL_INIT(.max_workers = 1);

/* Waits until the only worker sleeps in the epoll. */
static void until_in_epoll(void)
{
	while (!nap_load_acquire(&single.nr_records) ||
	       nap_load_relaxed(&registry_at(&single, 0)->event) < EVENT_FD)
		usleep(100);
}

/* Each sleep that ends with a reason has one write, and a ready file or a time has none. */
TEST(the_writes_that_are_owed_are_counted)
{
	struct nap_task task = NAP_TASK_INIT(is_called);
	struct io_wait reads, times_out;
	struct nap__files *files;
	intptr_t result;
	int fds[2];

	open_pipe(fds);
	reads = (struct io_wait){ fds[0], NAP_IO_READ, NAP_FOREVER, NULL };
	ASSERT_EQ(nap_spawn(&single, &reads.fiber, waits_for, &reads), 0);
	until_armed(NAP_IO_READ);
	until_in_epoll();
	ASSERT_EQ(nap__files_of(&single, &files), 0);
	for (uint32_t i = 1; i <= 3; i++) {
		ASSERT_EQ(nap_schedule(&single, &task), 0);
		while (nap_load_acquire(&nr_called) < i)
			usleep(100);
		until_in_epoll();
		EXPECT_EQ(nap_load_relaxed(&files->owed), i);
	}
	put(fds[1]);
	ASSERT_EQ(nap_await(reads.fiber, &result), 0);
	EXPECT_EQ(result, NAP_IO_READ);
	ASSERT_TRUE(get(fds[0]));
	/* The spawn is a reason, the deadline is none. */
	times_out = (struct io_wait){ fds[0], NAP_IO_READ, nap_deadline(20 * MS), NULL };
	ASSERT_EQ(nap_spawn(&single, &times_out.fiber, waits_for, &times_out), 0);
	ASSERT_EQ(nap_await(times_out.fiber, &result), 0);
	EXPECT_EQ(result, -ETIMEDOUT);
	EXPECT_LE(nap_load_relaxed(&files->owed), 4u);
	EXPECT_EQ(nap_load_relaxed(&nr_asked_again), 0u);
	ASSERT_EQ(nap_pool_join(&single, NULL), 0);
}

/* A worker that sleeps in the epoll is woken for other work, and returns to the epoll. */
TEST(one_worker_has_files_and_tasks)
{
	static struct nap_task tasks[TURNS];
	static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
	struct io_wait w = { .events = NAP_IO_READ, .deadline = NAP_FOREVER };
	intptr_t result;
	int fds[2];

	open_pipe(fds);
	w.fd = fds[0];
	for (uint32_t i = 0; i < TURNS; i++) {
		ASSERT_EQ(nap_spawn(&one, &w.fiber, waits_for, &w), 0);
		if (i % 4 == 0)
			usleep(1000);
		nap_task_init(&tasks[i], is_called);
		ASSERT_EQ(nap_schedule(&one, &tasks[i]), 0);
		while (nap_load_acquire(&nr_called) <= i)
			usleep(10);
		EXPECT_EQ(nap_load_relaxed(&nr_ended), i);
		put(fds[1]);
		ASSERT_EQ(nap_await(w.fiber, &result), 0);
		ASSERT_EQ(result, NAP_IO_READ);
		ASSERT_TRUE(get(fds[0]));
	}
	ASSERT_EQ(nap_pool_join(&one, NULL), 0);
}

static uint32_t goes_on;

static void again(struct nap_task *task)
{
	if (nap_load_relaxed(&goes_on))
		nap_schedule(&pool, task);
}

/* No worker ever sleeps, so a busy worker polls between tasks. */
TEST(busy_workers_look_too)
{
	struct nap_task tasks[4];
	struct io_wait w;
	int fds[2];

	open_pipe(fds);
	nap_store_relaxed(&goes_on, true);
	for (int i = 0; i < 4; i++) {
		nap_task_init(&tasks[i], again);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	for (uint32_t i = 0; i < 20; i++) {
		ASSERT_EQ(begin(&w, fds[0], NAP_IO_READ, NAP_FOREVER), 0);
		until_waiting(i + 1);
		put(fds[1]);
		ASSERT_EQ(end(&w), NAP_IO_READ);
		ASSERT_TRUE(get(fds[0]));
	}
	nap_store_relaxed(&goes_on, false);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Each pool ends right after a write to its eventfd has woken a worker from epoll. */
TEST(pools_come_and_go)
{
	int before = lowest_free_fd(), fds[2];

	open_pipe(fds);
	for (int i = 0; i < TURNS; i++) {
		struct nap_pool *other = aligned_alloc(64, sizeof(*other));
		struct nap_config config = { .max_workers = 1 + (uint32_t)i % 2 };
		struct io_wait w = { .fd = fds[0], .events = NAP_IO_READ, .deadline = NAP_FOREVER };
		struct nap_task task = NAP_TASK_INIT(is_called);

		ASSERT_EQ(nap_pool_init(other, &config), 0);
		ASSERT_EQ(nap_spawn(other, &w.fiber, waits_for, &w), 0);
		if (i % 4 == 0)
			until_waiting((uint32_t)i + 1);
		put(fds[1]);
		ASSERT_EQ(nap_schedule(other, &task), 0);
		ASSERT_EQ(nap_pool_join(other, NULL), 0);
		ASSERT_TRUE(get(fds[0]));
		free(other);
	}
	nap__os_eventfd_close(fds[0]);
	nap__os_eventfd_close(fds[1]);
	EXPECT_EQ(lowest_free_fd(), before);
}

/*
 * ---- an event of a file whose number is another file's by now
 *
 * The poller that is held up counts as idle, so the pool may wake it to run the fibers of this
 * test. So the test runs its fibers itself.
 */

static void help_until_waiting(uint32_t n)
{
	while (nap_load_relaxed(&nr_waiting) < n)
		if (!nap_pool_help(&pool, 1))
			usleep(500);
}

static intptr_t end_with_help(struct io_wait *w)
{
	intptr_t result = 0;
	int err;

	while ((err = nap_await_for(w->fiber, &result, 500000)) == -ETIMEDOUT)
		nap_pool_help(&pool, 1);
	return err ? -1000 : result;
}

TEST(an_event_of_a_closed_file_is_not_the_next_ones)
{
	struct io_wait first, second;
	int old[2], now[2];

	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	open_pipe(old);
	ASSERT_EQ(begin(&first, old[0], NAP_IO_READ, NAP_FOREVER), 0);
	until_waiting(1);
	usleep(1000 * SOON);
	nap_store_relaxed(&keeps, true);
	nap__syscall1(NAP__NR_close, old[1]);	/* the event is a hangup */
	while (!nap_load_acquire(&has_read))
		usleep(500);
	EXPECT_EQ(nap_io_forget(&pool, old[0]), 1);
	nap__syscall1(NAP__NR_close, old[0]);
	EXPECT_EQ(end_with_help(&first), -EBADF);
	open_pipe(now);
	ASSERT_EQ(now[0], old[0]);
	ASSERT_EQ(begin(&second, now[0], NAP_IO_READ, NAP_FOREVER), 0);
	help_until_waiting(2);
	usleep(1000 * SOON);
	nap_store_release(&let_go, true);
	usleep(1000 * SOON);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1u);
	put(now[1]);
	EXPECT_EQ(end(&second), NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
