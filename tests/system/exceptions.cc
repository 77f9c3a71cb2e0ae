// SPDX-License-Identifier: MIT
// C++ exceptions out of callbacks, one case a run: exceptions.sh says what has to come of each.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <nap/daemon.hpp>
#include <nap/pool.hpp>
#include <nap/nap.h>
#include <pthread.h>
#include <unistd.h>

static nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static int caught, unwound;

#define CHECK(condition) \
	((condition) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

struct unwinds {
	~unwinds() { __atomic_fetch_add(&unwound, 1, __ATOMIC_RELAXED); }
};

static void throw_it(nap_worker *, void *)
{
	unwinds here;
	throw 42;
}

static void call_and_catch(nap_pool *p, nap_call_fn fn, void *arg)
{
	try {
		nap_call(p, fn, arg);
	} catch (int i) {
		CHECK(i == 42);
		__atomic_fetch_add(&caught, 1, __ATOMIC_RELAXED);
	}
}

static void run_count(nap_task *task)
{
	__atomic_fetch_add(reinterpret_cast<long *>(task + 1), 1, __ATOMIC_RELAXED);
}

// Checks that the pool still works, and can be joined.
static void use_and_join(nap_pool *p)
{
	struct { nap_task task; long runs; } count = { NAP_TASK_INIT(run_count), 0 };

	CHECK(!nap_worker_self());
	CHECK(nap_schedule(p, &count.task) == 0);
	CHECK(nap_pool_quiesce(p) == 0);
	CHECK(count.runs == 1);
	CHECK(nap_pool_join(p, nullptr) == 0);
}

// ---- through nap_call()

static void from_outside()
{
	// More calls than there are guest records.
	for (unsigned i = 0; i < 3 * NAP_GUESTS; i++)
		call_and_catch(&pool, throw_it, nullptr);
	CHECK(caught == 3 * NAP_GUESTS && unwound == caught);
}

static void call_other(nap_worker *self, void *)
{
	call_and_catch(&other, throw_it, nullptr);
	CHECK(nap_worker_self() == self);
	call_and_catch(&pool, throw_it, nullptr);	// a plain call
	CHECK(nap_worker_self() == self);
	throw_it(self, nullptr);
}

static void nested()
{
	call_and_catch(&pool, call_other, nullptr);
	CHECK(caught == 3);
	use_and_join(&other);
}

static void through_both(nap_worker *, void *)
{
	unwinds here;
	nap_call(&other, throw_it, nullptr);
}

static void through_two()
{
	call_and_catch(&pool, through_both, nullptr);
	CHECK(caught == 1 && unwound == 2);
	use_and_join(&other);
}

static nap_group group = NAP_GROUP_INIT(&pool);

static void task_that_calls(nap_task *)
{
	nap_worker *self = nap_worker_self();

	call_and_catch(&pool, throw_it, nullptr);
	call_and_catch(&other, throw_it, nullptr);
	CHECK(nap_worker_self() == self);
	nap_group_done(&group);
}

static void on_a_worker()
{
	nap_task task = NAP_TASK_INIT(task_that_calls);

	nap_group_add(&group, 1);
	nap_schedule(&pool, &task);
	CHECK(nap_group_wait(&group) == 0);
	CHECK(caught == 2);
	use_and_join(&other);
}

static long work(nap_worker *worker, nap_frame *top, int depth);
NAP_JOB(work, long, int)

static long work(nap_worker *worker, nap_frame *top, int depth)
{
	if (depth == 0)
		return 1;
	nap_frame *next = work_fork(worker, top, depth - 1);
	long right = work(worker, next, depth - 1);
	return right + work_join(worker, top, depth - 1);
}

static void group_task(nap_task *)
{
	nap_group_done(&group);
}

static void work_and_throw(nap_worker *worker, void *)
{
	static nap_task tasks[100];

	nap_group_add(&group, 100);
	for (nap_task &task : tasks) {
		nap_task_init(&task, group_task);
		nap_schedule(&pool, &task);
	}
	CHECK(work(worker, nap_top(worker), 10) == 1024);
	CHECK(nap_group_wait(&group) == 0);
	throw 42;
}

static void after_work()
{
	for (int i = 0; i < 100; i++)
		call_and_catch(&pool, work_and_throw, nullptr);
	CHECK(caught == 100);
}

static void exit_in_call(nap_worker *, void *)
{
	unwinds here;
	pthread_exit(nullptr);
}

static void *call_exit(void *)
{
	unwinds here;
	nap_call(&pool, exit_in_call, nullptr);
	return nullptr;
}

// Ends more threads in calls than there are guest records. Each unwinds two frames.
static void threads_exit(void *(*run)(void *))
{
	pthread_t thread;

	for (unsigned i = 0; i < 2 * NAP_GUESTS; i++) {
		CHECK(pthread_create(&thread, nullptr, run, nullptr) == 0);
		CHECK(pthread_join(thread, nullptr) == 0);
	}
	CHECK(unwound == 4 * NAP_GUESTS);
}

static void thread_exits()
{
	threads_exit(call_exit);
}

static void *call_lambda_that_exits(void *)
{
	unwinds here;

	nap::call(&pool, [](nap_worker *, nap_frame *) {
		unwinds inside;
		pthread_exit(nullptr);
	});
	return nullptr;
}

static void lambda_exits()
{
	threads_exit(call_lambda_that_exits);
}

// A cancellation that is already wanted when the pool's scope ends comes after the join.
static void *own_a_pool(void *)
{
	unwinds here;
	nap_config config = {};

	config.max_workers = 1;
	{
		nap::pool own(config);

		CHECK(nap_pool_prewarm(&own, 1) == 0);
		pthread_cancel(pthread_self());
	}
	caught++;
	pthread_testcancel();
	return nullptr;
}

static void canceled_in_scope()
{
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, nullptr, own_a_pool, nullptr) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && caught == 1 && unwound == 1);
}

// ---- in a fiber, which may be on another thread after each wait

struct waits_too {
	int n;

	~waits_too()
	{
		int uncaught = std::uncaught_exceptions();

		CHECK(uncaught == 1);
		CHECK(nap_sleep(500000) == 0);
		CHECK(std::uncaught_exceptions() == uncaught);
		__atomic_fetch_add(&unwound, n, __ATOMIC_RELAXED);
	}
};

static void wait_and_throw(int n)
{
	waits_too here = { 1 };

	CHECK(nap_sleep(n % 7 * 100000) == 0);
	throw n;
}

static intptr_t catches(void *arg)
{
	int n = static_cast<int>(reinterpret_cast<intptr_t>(arg));

	try {
		try {
			wait_and_throw(n);
		} catch (int i) {
			CHECK(i == n);
			CHECK(nap_sleep(n % 5 * 100000) == 0);
			try {
				wait_and_throw(n + 1000);
			} catch (int other) {
				CHECK(other == n + 1000);
				nap_yield();
			}
			throw;
		}
	} catch (int i) {
		CHECK(i == n);
		nap_yield();
		__atomic_fetch_add(&caught, 1, __ATOMIC_RELAXED);
	}
	CHECK(std::uncaught_exceptions() == 0 && !std::current_exception());
	return n;
}

static void in_fibers()
{
	nap_fiber *fibers[100];
	intptr_t n;

	for (intptr_t i = 0; i < 100; i++)
		CHECK(nap_spawn(&pool, &fibers[i], catches, reinterpret_cast<void *>(i)) == 0);
	for (intptr_t i = 0; i < 100; i++)
		CHECK(nap_await(fibers[i], &n) == 0 && n == i);
	CHECK(caught == 100 && unwound == 200);
}

#include "exceptions_not_allowed.h"

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
	{ "from_outside", from_outside }, { "nested", nested }, { "through_two", through_two },
	{ "on_a_worker", on_a_worker }, { "after_work", after_work },
	{ "thread_exits", thread_exits }, { "in_fibers", in_fibers }, { "in_task", in_task },
	{ "in_done", in_done }, { "in_lambda_task", in_lambda_task },
	{ "in_submit", in_submit }, { "in_worker_start", in_worker_start },
	{ "in_spawn_failed", in_spawn_failed },
	{ "in_help", in_help }, { "in_quiesce", in_quiesce }, { "in_wait", in_wait },
	{ "in_wait_on_worker", [] { on_one_worker(wait_on_worker); } },
	{ "in_help_on_worker", [] { on_one_worker(help_on_worker); } },
	{ "in_job", [] { on_one_worker(job_on_worker); } }, { "with_a_job", with_a_job },
	{ "in_range", [] { on_one_worker(loop_on_worker); } },
	{ "in_add", [] { on_one_worker(reduce_on_worker); } },
	{ "in_merge", [] { on_one_worker(merge_on_worker); } },
	{ "in_comparison", [] { on_one_worker(sort_on_worker); } },
	{ "in_end_of_data", in_end_of_data }, { "lambda_exits", lambda_exits },
	{ "canceled_in_scope", canceled_in_scope },
};

int main(int argc, char **argv)
{
	alarm(60);
	for (const auto &one : cases) {
		if (argc == 2 && !strcmp(argv[1], one.name)) {
			one.run();
			use_and_join(&pool);
			return 0;
		}
	}
	return 2;
}
