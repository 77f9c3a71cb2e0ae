/* SPDX-License-Identifier: MIT */
/*
 * nap/pool.hpp and nap/fiber.hpp as a program uses them: pools and their ends, calls, fibers and
 * scopes, what is thrown. Returns 0 if all is right.
 */
#include <nap/fiber.hpp>
#include <nap/nap.hpp>
#include <nap/pool.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "cxx_check.h"

/* Whether @fn throws @what. */
template <class Function> static bool throws(const Function &fn, const char *what)
{
	try {
		fn();
	} catch (const char *thrown) {
		return !std::strcmp(thrown, what);
	}
	return false;
}

/* The errno that @fn throws, or 0. */
template <class Function> static int error_of(const Function &fn)
{
	try {
		fn();
	} catch (const std::system_error &error) {
		return error.code().value();
	}
	return 0;
}

/* Whether a child that calls @fn is ended by std::terminate(). */
template <class Function> static bool terminates(const Function &fn)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		std::set_terminate([] { _exit(42); });
		alarm(60);
		fn();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

struct counted : nap_task {
	std::atomic<int> *n;
};

static void count(nap_task *task)
{
	++*static_cast<counted *>(task)->n;
}

static void pools()
{
	std::atomic<int> n{0};
	static counted tasks[1000];
	nap_config config = {};

	config.max_workers = 2;
	{
		nap::pool pool(config);

		for (counted &task : tasks) {
			nap_task_init(&task, count);
			task.n = &n;
			CHECK(!nap_schedule(&pool, &task));
		}
	}
	CHECK(n == 1000);
	{
		nap::pool pool(config);

		CHECK(!nap_pool_join(&pool, nullptr));
	}
	auto heap = std::make_unique<nap::pool>();
	CHECK(!nap_pool_prewarm(heap.get(), 1));
	heap.reset();
	config.max_workers = 1u << 20;
	CHECK(error_of([&] { nap::pool pool(config); }) == EINVAL);
	static_assert(!std::is_copy_constructible_v<nap::pool> && alignof(nap::pool) == 64);
}

static long fib(nap_worker *worker, nap_frame *top, long n)
{
	if (n < 2)
		return n;
	nap_frame *next = nap::fork<fib>(worker, top, n - 1);
	long right = fib(worker, next, n - 2);
	return right + nap::join<fib>(worker, top, n - 1);
}

static void calls()
{
	nap::pool pool;
	long result = 0;

	CHECK(!nap::call(&pool, [&](nap_worker *worker, nap_frame *top) {
		result = fib(worker, top, 15);
	}));
	CHECK(result == 610);
	CHECK(throws([&] { nap::call(&pool, [](nap_worker *, nap_frame *) { throw "call"; }); },
		     "call"));
	/* The pool goes on. */
	CHECK(!nap::call(&pool, [&](nap_worker *worker, nap_frame *) {
		result = nap_worker_pool(worker) == &pool;
	}));
	CHECK(result == 1);
	CHECK(!nap_pool_shutdown(&pool, NAP_DRAIN));
	CHECK(nap::call(&pool, [&](nap_worker *, nap_frame *) {}) == -ESHUTDOWN);
}

static void fibers()
{
	nap::pool pool;
	nap::fiber seven([] { return 7; });
	nap::fiber text([] { return std::string(100, 'a'); });
	nap::fiber nothing([] {});
	nap::fiber thrower([]() -> std::unique_ptr<int> { throw "fiber"; });
	nap::fiber pointer([] { return std::make_unique<int>(5); });

	for (int i = 0; i < 3; i++) {
		CHECK(!seven.has_ended() || i);
		CHECK(!seven.spawn(&pool) && !text.spawn(&pool) && !nothing.spawn(&pool) &&
		      !thrower.spawn(&pool));
		CHECK(!pointer.spawn(&pool) && pointer.spawn(&pool) == -EBUSY);
		CHECK(!seven.await() && !text.await() && !nothing.await() && !thrower.await() &&
		      !pointer.await());
		CHECK(seven.result() == 7 && text.result() == std::string(100, 'a') &&
		      *pointer.result() == 5);
		nothing.result();
		CHECK(throws([&] { thrower.result(); }, "fiber"));
	}
	CHECK(seven.await() == -EINVAL && seven.cancel() == -EINVAL);

	/* Fibers wait for fibers. */
	nap::fiber outer([&] {
		nap::fiber inner([] { nap_yield(); return 20; });

		return inner.spawn(&pool) || inner.await() ? -1 : inner.result() + 1;
	});
	CHECK(!outer.spawn(&pool) && !outer.await() && outer.result() == 21);
}

static void cancels()
{
	nap::pool pool;
	nap::fiber sleeper([] { return nap_sleep(NAP_FOREVER); });

	CHECK(!sleeper.spawn(&pool));
	CHECK(sleeper.await_for(std::chrono::milliseconds(1)) == -ETIMEDOUT);
	CHECK(!sleeper.cancel() && !sleeper.await() && sleeper.result() == -ECANCELED);

	/* After a stop the join ends the fibers that have begun, and their handles. */
	nap::fiber stopped([] { return nap_sleep(NAP_FOREVER); });
	CHECK(!stopped.spawn(&pool) && !nap_pool_shutdown(&pool, NAP_STOP) &&
	      !nap_pool_join(&pool, nullptr));
	stopped.forget();
}

static void scopes()
{
	nap::pool pool;
	int sum = 0;
	nap_mutex mutex = NAP_MUTEX_INIT;
	nap::fiber one([&] { nap_mutex_lock(&mutex); sum += 1; nap_mutex_unlock(&mutex); });
	nap::fiber two([&] { nap_mutex_lock(&mutex); sum += 2; nap_mutex_unlock(&mutex); });
	{
		nap::scope both(&pool);

		CHECK(!both.spawn(one) && !both.spawn(two));
	}
	CHECK(sum == 3 && one.has_ended() && two.has_ended());

	nap::fiber sleeper([] { return nap_sleep(NAP_FOREVER); });
	nap::fiber thrower([] { throw "scope"; });
	nap::fiber failing([] { return -7; });
	{
		nap::scope both(&pool);

		CHECK(!both.spawn(sleeper) && !both.spawn(thrower));
		CHECK(both.end() == nap::threw);
		CHECK(throws([&] { thrower.result(); }, "scope") && sleeper.result() == -ECANCELED);
	}
	{
		nap::scope both(&pool);

		CHECK(!both.spawn(sleeper) && !both.spawn(failing) && both.end() == -7);
	}
	{
		nap::scope both(&pool);

		CHECK(!both.spawn(sleeper) && !both.cancel() && both.spawn(one) == -ECANCELED);
		CHECK(both.end() == -ECANCELED);
	}
	CHECK(error_of([&] { nap::scope none(nullptr); }) == EINVAL);
}

static void faults()
{
	CHECK(terminates([] {
		auto *pool = new nap::pool;
		struct own : nap_task {
			nap::pool *pool;
		} task;

		nap_task_init(&task, [](nap_task *one) { delete static_cast<own *>(one)->pool; });
		task.pool = pool;
		if (!nap_schedule(pool, &task))
			pause();
	}));
	CHECK(terminates([] {
		nap::pool pool;
		nap::fiber sleeper([] { return nap_sleep(NAP_FOREVER); });

		if (!sleeper.spawn(&pool))
			return;
	}));
	/* In the child of a fork the parent's pool is only memory. */
	nap::pool pool;
	CHECK(!nap_pool_prewarm(&pool, 1));
	pid_t child = fork();
	if (!child) {
		alarm(60);
		pool.~pool();
		_exit(0);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && !status);
}

int main()
{
	pools();
	calls();
	fibers();
	cancels();
	scopes();
	faults();
}
