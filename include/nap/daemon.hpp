/* SPDX-License-Identifier: MIT */
/*
 * Works (nap/work.h), tasks (nap/task.h) and submits (nap/submit.h) for C++14 and later. These are
 * templates over the C calls, header only. Nothing is allocated: the scheduled object holds what
 * its function needs.
 *
 *	struct request : nap::work<request> {
 *		explicit request(nap_cq *loop) : work(loop) {}
 *
 *		int run();			on a worker; may return nothing; may throw
 *		void done(int result);		on the loop: run()'s result, -ECANCELED, -ETIMEDOUT,
 *						or nap::threw
 *	};
 *
 *	request->within(std::chrono::milliseconds(50));
 *	request->schedule(&pool);
 *	...
 *	request->cancel();
 *
 * A nap::work is a struct nap_work, and a nap::task a struct nap_task. So every C call takes them,
 * and the headers of the C calls say which errors there are, and until when the object must stay:
 *
 *	nap_serial_end_work(&connection->serial, request);
 *	nap_work_after(&after, &pool, request, 3);
 *	nap_cq_push(&loop, &task);
 *
 * There is no class for a queue: its destructor could find tasks in a queue that is not closed, and
 * only the program knows how to end those tasks. (nap/pool.hpp has a pool that its destructor
 * joins.)
 *
 * If run() throws, done() gets the result nap::threw. Until the work runs or ends again, or is
 * destroyed, error() returns the exception, and rethrow() throws it. Nothing else may throw
 * (done(), a task, a submitted function): no caller would catch the exception, so std::terminate()
 * is called. A work need not have done(); nap_work_is_idle() tells when such a work has ended.
 */
#ifndef NAP_DAEMON_HPP
#define NAP_DAEMON_HPP

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

#include "nap.h"

namespace nap {

/** nap::threw - the result of a work whose run() has thrown; run() returns something else */
constexpr int threw = INT_MIN;

namespace detail {

template <class F> inline int result_of(F &fn_, std::true_type)
{
	fn_();
	return 0;
}

template <class F> inline int result_of(F &fn_, std::false_type)
{
	return fn_();
}

/* Calls @fn_, and returns what it returns; 0 if @fn_ returns nothing. */
template <class F> inline int result_of(F &fn_)
{
	using result = decltype(fn_());

	static_assert(std::is_void<result>::value || std::is_same<result, int>::value,
		      "the function of a work returns nothing, or an int");
	return result_of(fn_, std::is_void<result>());
}

/*
 * Converts a duration to nanoseconds. First compares the duration with the largest number of
 * nanoseconds, both as seconds in floating point, because in an integer one of the two might
 * overflow, whichever the unit.
 */
template <class Rep, class Period>
inline uint64_t timeout_of(const std::chrono::duration<Rep, Period> &time_)
{
	using seconds = std::chrono::duration<long double>;
	using std::chrono::nanoseconds;

	if (!(time_ > time_.zero()))
		return 0;
	if (seconds(time_) >= seconds(nanoseconds::max()))
		return NAP_FOREVER;
	return static_cast<uint64_t>(std::chrono::duration_cast<nanoseconds>(time_).count());
}

/*
 * Whether the name "done" in @Derived is the field of struct nap_work. Then @Derived has no
 * function done(). A function done() of whatever type is called, or the compiler says why it cannot
 * be called.
 */
template <class Derived>
auto lacks_done(int) -> std::is_same<decltype(&Derived::done), nap_done_fn nap_work::*>;

template <class Derived> std::false_type lacks_done(long);

/*
 * Whether @Derived has gone(). (The field "gone" of struct nap_work is a pointer to a function,
 * which cannot be called without an argument.)
 */
template <class Derived>
auto has_gone(int) -> decltype(std::declval<Derived &>().gone(), std::true_type());

template <class Derived> std::false_type has_gone(long);

} /* namespace detail */

/**
 * nap::work - a work (nap/work.h) whose functions are those of @Derived
 *
 * @Derived has run(), and typically done(int). A scheduled object stays where it is until done() is
 * called, or without done() until it is idle; done() may delete it. An idle object may be copied
 * and moved, if @Derived may. If @Derived has gone() as well, cancel() has done() called at once,
 * and the object stays until gone() is called, which may delete it (nap/work.h).
 */
template <class Derived> class work : public nap_work {
public:
	/** As nap_work_init(): done() is called by the loop of @loop_; nullptr: by the worker. */
	explicit work(nap_cq *loop_ = nullptr) noexcept : nap_work()
	{
		nap_work_init(this, call, end_of(decltype(detail::lacks_done<Derived>(0))()),
			      loop_);
		nap_work::gone = gone_of(decltype(detail::has_gone<Derived>(0))());
	}

	/** nap_work_schedule() */
	int schedule(nap_pool *pool_) noexcept { return nap_work_schedule(pool_, this); }

	/** nap_serial_work() */
	int schedule(nap_serial *serial_) noexcept { return nap_serial_work(serial_, this); }

	/**
	 * The work begins within @time_, or does not run. A negative time is 0; a time that is too
	 * long for nanoseconds is no deadline. Called while the work is idle.
	 */
	template <class Rep, class Period>
	void within(const std::chrono::duration<Rep, Period> &time_) noexcept
	{
		deadline = nap_deadline(detail::timeout_of(time_));
	}

	/** nap_cancel() */
	bool cancel() noexcept { return nap_cancel(this); }

	/** nap_work_is_canceled(), for run() */
	bool is_canceled() const noexcept { return nap_work_is_canceled(this); }

	/** What run() has thrown, or nullptr; called in done(), or while the work is idle */
	std::exception_ptr error() const noexcept { return has_thrown() ? error_ : nullptr; }

	/** Throws again what run() has thrown; if it has thrown nothing, returns */
	void rethrow() const
	{
#ifdef __cpp_exceptions
		if (has_thrown())
			std::rethrow_exception(error_);
#endif
	}

private:
	static Derived *self(nap_work *work_) noexcept
	{
		return static_cast<Derived *>(static_cast<work *>(work_));
	}

	static int call(nap_work *work_) noexcept
	{
		Derived *me_ = self(work_);
		auto run_ = [me_] { return me_->run(); };

		me_->error_ = nullptr;
#ifdef __cpp_exceptions
		try {
			return detail::result_of(run_);
		} catch (...) {
			me_->error_ = std::current_exception();
			return threw;
		}
#else
		return detail::result_of(run_);
#endif
	}

	static void end(nap_work *work_, int result_) noexcept
	{
		Derived *me_ = self(work_);

		/* An exception of an earlier run is not a part of this run's result. */
		if (result_ != threw)
			me_->error_ = nullptr;
		me_->done(result_);
	}

	static void let_go(nap_work *work_) noexcept { self(work_)->gone(); }

	static nap_gone_fn gone_of(std::true_type) noexcept { return let_go; }
	static nap_gone_fn gone_of(std::false_type) noexcept { return nullptr; }
	static nap_done_fn end_of(std::true_type) noexcept { return nullptr; }
	static nap_done_fn end_of(std::false_type) noexcept { return end; }

	/*
	 * Whether run() threw, and the work has not been canceled, or missed its deadline, since.
	 */
	bool has_thrown() const noexcept { return result == threw && error_; }

	std::exception_ptr error_;
};

/**
 * nap::function_work - a work whose run() and done() call two functions; nap::make_work() makes one
 */
template <class Run, class Done> class function_work : public work<function_work<Run, Done>> {
public:
	function_work(nap_cq *loop_, Run a_run, Done a_done)
		: work<function_work>(loop_), run_(std::move(a_run)), done_(std::move(a_done)) {}

	auto run() { return run_(); }
	void done(int result_) { done_(*this, result_); }

private:
	Run run_;
	Done done_;
};

/**
 * nap::make_work() - make a work of two lambdas:
 *
 *	auto work = nap::make_work(&loop, [=] { return hash(bytes); },
 *				   [=](auto &self, int result) { ... self.error() ... });
 */
template <class Run, class Done>
inline function_work<Run, Done> make_work(nap_cq *loop_, Run run_, Done done_)
{
	return function_work<Run, Done>(loop_, std::move(run_), std::move(done_));
}

/**
 * nap::task - a task (nap/task.h) that calls @Function; nap::make_task() makes one
 *
 * The task is for nap_schedule(), nap_serial_schedule(), nap_cq_push(). @Function may destroy the
 * task, if it no longer touches what it has captured. The task may be copied and moved while no
 * pool or queue has it.
 */
template <class Function> class task : public nap_task {
public:
	explicit task(Function a_fn) : nap_task(), fn_(std::move(a_fn))
	{
		nap_task_init(this, call);
	}

private:
	static void call(nap_task *task_) noexcept { static_cast<task *>(task_)->fn_(); }

	Function fn_;
};

/** nap::make_task() - auto task = nap::make_task([&] { ... }); */
template <class Function> inline task<Function> make_task(Function fn_)
{
	return task<Function>(std::move(fn_));
}

namespace detail {

/* Returns @fn_ as an argument. */
template <class F> inline void *as_argument(const F &fn_) noexcept
{
	void *arg_ = nullptr;

	static_assert(sizeof(F) <= sizeof(arg_) && std::is_trivially_copyable<F>::value,
		      "what is submitted has one pointer at most: let it point to more");
	/* An empty class has a size of one byte, too, but this byte has no value to copy. */
	std::memcpy(&arg_, &fn_, std::is_empty<F>::value ? 0 : sizeof(F));
	return arg_;
}

template <class F> inline void call_argument(void *arg_) noexcept
{
	/* The bytes of @arg_ are those of a trivially copyable F: as_argument(). */
	union holder {
		char none;
		F fn;
		holder() : none() {}
	} held_;

	std::memcpy(static_cast<void *>(&held_.fn), &arg_, sizeof(F));
	held_.fn();
}

} /* namespace detail */

/**
 * nap::submit() - nap_submit() of a lambda that captures one pointer at most: nap::submit(&s, [r] {
 * r->go(); })
 */
template <class Function> inline int submit(nap_submitter *submitter_, Function fn_) noexcept
{
	return nap_submit(submitter_, detail::call_argument<Function>, detail::as_argument(fn_));
}

/** nap::submit_wait() - nap_submit_wait() of such a lambda */
template <class Function>
inline int submit_wait(nap_submitter *submitter_, Function fn_, uint64_t timeout_ = NAP_FOREVER)
{
	return nap_submit_wait(submitter_, detail::call_argument<Function>,
			       detail::as_argument(fn_), timeout_);
}

} /* namespace nap */

#endif /* NAP_DAEMON_HPP */
