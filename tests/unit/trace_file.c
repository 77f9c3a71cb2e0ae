/* SPDX-License-Identifier: MIT */
/* The calls of nap/trace.h, and snapshots of a pool that keeps running. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <nap/trace.h>

#include "child_threads.h"
#include "os/os.h"
#include "pool_fixture.h"
#include "trace_fixture.h"
#include "worker/phase.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .name = "traced");
static struct trace_read seen;

static bool snapshot(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	bool is_whole = !nap_trace_write(&pool, fd) && trace_read(&seen, fd);

	close(fd);
	return is_whole;
}

static void run_some(int n)
{
	while (n--)
		nap_schedule(&pool, new_task(count_and_free));
	nap_pool_quiesce(&pool);
}

TEST(wrong_arguments)
{
	struct nap_trace_options options = { .events = NAP_TRACE_EVENTS_MAX + 1 };

	EXPECT_EQ(nap_trace_begin(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_trace_begin(&pool, &options), -EINVAL);
	options = (struct nap_trace_options){ .flags = 4 };
	EXPECT_EQ(nap_trace_begin(&pool, &options), -EINVAL);
	options = (struct nap_trace_options){ .reserved = 1 };
	EXPECT_EQ(nap_trace_begin(&pool, &options), -EINVAL);
	options = (struct nap_trace_options){ .reserved_too = 1 };
	EXPECT_EQ(nap_trace_begin(&pool, &options), -EINVAL);
	EXPECT_EQ(nap_trace_end(NULL), -EINVAL);
	EXPECT_EQ(nap_trace_write(NULL, 1), -EINVAL);
	EXPECT_EQ(nap_trace_write(&pool, 1), -ENODATA);
	EXPECT_EQ(nap_trace_end(&pool), -EALREADY);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), -EALREADY);
	EXPECT_EQ(nap_trace_write(&pool, -1), -EBADF);
	EXPECT_EQ(nap_trace_end(&pool), 0);
	EXPECT_EQ(nap_trace_end(&pool), -EALREADY);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_trace_end(&pool), -ESHUTDOWN);
	EXPECT_EQ(nap_trace_write(&pool, 1), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_init(&pool, NULL), 0);
	EXPECT_EQ(nap_trace_write(&pool, 1), -ENODATA);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(on_and_off_again)
{
	bool was_plain;

	run_some(10);
	was_plain = pool_is_plain(&pool);
	for (uint32_t i = 1; i <= 3; i++) {
		EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
		EXPECT_FALSE(pool_is_plain(&pool));
		run_some(10);
		ASSERT_TRUE(snapshot());
		EXPECT_EQ(seen.nr_pauses, i - 1);
		EXPECT_EQ(seen.begun + seen.begun_outside, 10 * i);
		EXPECT_EQ(seen.file.flags, NAP_TRACE_ON);
		EXPECT_EQ(nap_trace_end(&pool), 0);
		EXPECT_EQ(pool_is_plain(&pool), was_plain);
		run_some(10);
		ASSERT_TRUE(snapshot());
		EXPECT_EQ(seen.begun + seen.begun_outside, 10 * i);
		EXPECT_EQ(seen.file.flags, 0);
		ASSERT_EQ(seen.nr_pauses, i);
		EXPECT_LT(seen.file.begin_ticks, seen.pauses[i - 1].ended);
		EXPECT_EQ(seen.pauses[i - 1].begun, 0);
	}
	for (uint32_t i = 0; i + 1 < seen.nr_pauses; i++) {
		EXPECT_LT(seen.pauses[i].ended, seen.pauses[i].begun);
		EXPECT_LT(seen.pauses[i].begun, seen.pauses[i + 1].ended);
	}
	EXPECT_STREQ(seen.name, "traced");
	EXPECT_EQ(memcmp(seen.file.magic, NAP_TRACE_MAGIC, 8), 0);
	EXPECT_EQ(seen.file.pid, getpid());
	EXPECT_EQ(seen.file.pool, (uintptr_t)&pool);
	EXPECT_EQ(seen.file.workers, 2);
	EXPECT_EQ(seen.now.workers.run + seen.now.helped, nr_run);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(more_pauses_than_fit)
{
	uint64_t first, end;

	for (uint32_t i = 0; i < NAP_TRACE_PAUSES_MOST; i++) {
		EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
		EXPECT_EQ(nap_trace_end(&pool), 0);
	}
	ASSERT_TRUE(snapshot());
	first = seen.pauses[0].ended;
	end = seen.pauses[10].begun;
	for (uint32_t i = 0; i < 10; i++) {
		EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
		EXPECT_EQ(nap_trace_end(&pool), 0);
	}
	ASSERT_TRUE(snapshot());
	ASSERT_EQ(seen.nr_pauses, NAP_TRACE_PAUSES_MOST);
	EXPECT_EQ(seen.pauses[0].ended, first);
	EXPECT_EQ(seen.pauses[0].begun, end);
	for (uint32_t i = 0; i + 1 < seen.nr_pauses; i++) {
		EXPECT_LE(seen.pauses[i].ended, seen.pauses[i].begun);
		EXPECT_LE(seen.pauses[i].begun, seen.pauses[i + 1].ended);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(the_oldest_is_overwritten)
{
	struct nap_trace_options options = { .events = 65, .flags = NAP_TRACE_BY_SYSTEM };
	uint64_t kept = 0, written = 0;

	EXPECT_EQ(nap_trace_begin(&pool, &options), 0);
	run_some(1000);
	ASSERT_TRUE(snapshot());
	EXPECT_EQ(seen.file.ring, 128);
	EXPECT_EQ(seen.file.clock, NAP_TRACE_MONOTONIC);
	EXPECT_LT(seen.file.begin_ns, seen.file.end_ns);
	for (int i = 0; i < 2; i++) {
		EXPECT_LE(seen.of[i].kept, 128);
		EXPECT_EQ(seen.of[i].written - seen.of[i].kept, seen.of[i].lost);
		kept += seen.of[i].kept;
		written += seen.of[i].written;
	}
	EXPECT_GE(written, 2000 - 2 * seen.begun_outside);
	EXPECT_GE(kept, 127);
	EXPECT_EQ(seen.outside.kept, 128);
	EXPECT_GE(seen.outside.written, 1000);
	EXPECT_TRUE(seen.is_in_time);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- while the pool keeps running */

static uint32_t over;

static void again(struct nap_task *task)
{
	if (nap_load_relaxed(&over) || nap_schedule(&pool, task))
		count_and_free(task);
}

static void *schedule_more(void *arg)
{
	while (!nap_load_relaxed(&over))
		nap_schedule(&pool, new_task(count_and_free));
	return arg;
}

TEST(a_pool_that_goes_on)
{
	struct nap_trace_options options = { .events = 1024 };
	pthread_t threads[2];
	uint64_t before = 0;

	EXPECT_EQ(nap_trace_begin(&pool, &options), 0);
	for (int i = 0; i < 4; i++) {
		nap_schedule(&pool, new_task(again));
	}
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, schedule_more, NULL);
	}
	for (int i = 0; nap_test_again(i, nap_test_count(50)); i++) {
		ASSERT_TRUE(snapshot());
		EXPECT_TRUE(seen.is_in_time);
		EXPECT_EQ(seen.nr_odd, 0);
		EXPECT_LE(before, seen.of[0].written);
		before = seen.of[0].written;
	}
	EXPECT_EQ(nap_trace_end(&pool), 0);
	EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
	nap_store_relaxed(&over, 1);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- beside a broadcast, which closes the fast path, too */

static uint32_t inside;

static void begin_trace(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (nap_worker_index(worker) == 0)
		nap_store_relaxed(&inside, (uint32_t)-nap_trace_begin(&pool, NULL));
}

static void end_trace_here(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (nap_worker_index(worker) == 0)
		nap_store_relaxed(&inside, (uint32_t)-nap_trace_end(&pool));
}

TEST(inside_a_broadcast)
{
	bool was_plain;

	nap_store_relaxed(&inside, 1);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	was_plain = pool_is_plain(&pool);
	EXPECT_EQ(nap_broadcast(&pool, begin_trace, NULL), 2);
	EXPECT_EQ(inside, 0);
	EXPECT_FALSE(pool_is_plain(&pool));
	run_some(10);
	ASSERT_TRUE(snapshot());
	EXPECT_EQ(seen.begun + seen.begun_outside, 10);
	EXPECT_EQ(nap_broadcast(&pool, end_trace_here, NULL), 2);
	EXPECT_EQ(inside, 0);
	EXPECT_EQ(pool_is_plain(&pool), was_plain);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a signal handler pushes to a loop, and interrupts a thread that writes events */

enum { SECTIONS = 1 << 18, ROUNDS = 4 };

static struct nap_cq cq;
static struct nap_task pushed;
static uint32_t is_here, nr_pushed;

static void come_back(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&is_here, 1);
}

static void push_it(int number)
{
	(void)number;
	if (!nap_xchg_relaxed(&is_here, 0))
		return;
	nap_store_relaxed(&nr_pushed, nap_load_relaxed(&nr_pushed) + 1);
	nap_cq_push(&cq, &pushed);
}

/* Runs on the only thread that the signal may interrupt. */
static void write_events(struct nap_task *task)
{
	/* As many sections between two signals in a slow build as natively. */
	suseconds_t pause = 20 * (suseconds_t)nap_test_scale();
	struct itimerval often = { { 0, pause }, { 0, pause } }, never = { { 0, 0 }, { 0, 0 } };
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint32_t i = 0; i < nap_test_count(SECTIONS); i++) {
		nap_blocking_begin();
		nap_blocking_end();
		nap_cq_run(&cq, 0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	nap_cq_run(&cq, 0);
	count_and_free(task);
}

TEST(events_that_are_interrupted)
{
	struct nap_trace_options options = { .events = 4 * SECTIONS };
	struct sigaction action = { .sa_handler = push_it, .sa_flags = SA_RESTART };
	struct nap_config config = { .max_workers = 1 };
	struct nap_batch left = NAP_BATCH_INIT;
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	sigaction(SIGALRM, &action, NULL);
	nap_task_init(&pushed, come_back);
	nap_store_relaxed(&is_here, 1);
	ASSERT_EQ(nap_cq_init(&cq), 0);
	for (int i = 0; i < ROUNDS; i++) {
		nr_pushed = 0;
		ASSERT_EQ(nap_pool_init(&pool, &config), 0);
		ASSERT_EQ(nap_trace_begin(&pool, &options), 0);
		nap_schedule(&pool, new_task(write_events));
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		ASSERT_TRUE(snapshot());
		EXPECT_TRUE(seen.is_in_time);
		EXPECT_EQ(seen.nr_odd, 0);
		EXPECT_EQ(seen.of[0].lost, 0);
		/*
		 * Each push has written its event; or the signal came while another event was
		 * written, and the push's event was dropped.
		 */
		EXPECT_EQ(nr_pushed, seen.kinds[NAP_TRACE_PUSH] + seen.of[0].dropped);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
	EXPECT_EQ(nap_cq_close(&cq, &left), 0);
}

/* ---- the child of a fork */

static int trace_anew(void)
{
	int err;

	in_child = true;
	err = nap_trace_write(&pool, 1) != -ESHUTDOWN || nap_trace_end(&pool) != -ESHUTDOWN ||
	      nap_trace_begin(&pool, NULL) != -ESHUTDOWN;
	if (err || nap_pool_init_child(&pool) || nap_trace_begin(&pool, NULL))
		return 1;
	run_some(3);
	return !snapshot() || seen.begun + seen.begun_outside != 3 || nap_pool_join(&pool, NULL);
}

TEST(a_child_begins_anew)
{
	int status = -1;
	pid_t child;

	EXPECT_EQ(nap_trace_begin(&pool, NULL), 0);
	run_some(10);
	child = fork();
	if (!child) {
		_exit(trace_anew());
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	ASSERT_TRUE(snapshot());
	EXPECT_EQ(seen.begun + seen.begun_outside, 10);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_pool childs = NAP_POOL_INIT(.max_workers = 1);

/* NAP_TRACE: the file of a child's pool has the number of the child in its name. */
TEST(the_file_of_a_child_has_its_number)
{
	char folder[] = "/tmp/nap-trace-XXXXXX", name[64], of_child[80];
	int status = -1;
	pid_t child;

	ASSERT_NE(mkdtemp(folder), NULL);
	snprintf(name, sizeof(name), "%s/t", folder);
	ASSERT_EQ(setenv("NAP_TRACE", name, 1), 0);
	run_some(1);
	/*
	 * The join comes first: ThreadSanitizer knows no threads in the child of a process with
	 * threads.
	 */
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	child = fork();
	if (!child) {
		nap_schedule(&childs, new_task(count_and_free));
		_exit(nap_pool_join(&childs, NULL));
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	snprintf(of_child, sizeof(of_child), "%s.%d", name, (int)child);
	EXPECT_EQ(unlink(of_child), 0);
	EXPECT_EQ(unlink(name), 0);
	EXPECT_EQ(rmdir(folder), 0);
}

TEST_HARNESS_MAIN
