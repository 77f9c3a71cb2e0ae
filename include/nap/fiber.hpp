/* SPDX-License-Identifier: MIT */
/*
 * Fibers and scopes for C++17, with lambdas. These are templates over the C calls, header only.
 * Nothing is allocated: the function and its result lie in the object.
 *
 *	nap::fiber left([&] { return load(a); });
 *	nap::fiber right([&] { return load(b); });
 *
 *	left.spawn(&pool);
 *	right.spawn(&pool);
 *	if (!left.await() && !right.await())
 *		show(left.result(), right.result());
 *
 * Or with a scope, which cancels all of its fibers when one of them fails:
 *
 *	nap::scope both(&pool);
 *
 *	both.spawn(left);
 *	both.spawn(right);
 *	int err = both.end();
 *
 * What nap/fiber.h and nap/scope.h say holds here, too. An exception that leaves the function ends
 * the fiber, and result() throws the exception. In a scope such a fiber has failed, with
 * nap::threw; a fiber whose function returns a signed integer below 0 has failed, too.
 */
#ifndef NAP_FIBER_HPP
#define NAP_FIBER_HPP

#if __cplusplus < 201703L
#error "nap/fiber.hpp is C++17: nap/fiber.h is for all others"
#endif

#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "daemon.hpp"
#include "nap.h"

namespace nap {

class scope;

/**
 * nap::fiber - a function that waits without a thread
 *
 * A spawned object stays where it is until an await has returned 0, or the scope has ended; then it
 * may be spawned again. To destroy the object earlier is a fault of the program. If spawn() has
 * started the fiber, the destructor calls std::terminate(), as that of a std::thread that is not
 * joined. If a scope has started the fiber, the destructor cannot notice the fault: so declare a
 * scope after its fibers.
 */
template <class Function> class fiber {
public:
	using result_type = std::invoke_result_t<Function &>;

	explicit fiber(Function a_fn) : fn_(std::move(a_fn)) {}

	~fiber()
	{
		if (handle_)
			std::terminate();
	}

	fiber(const fiber &) = delete;
	fiber &operator=(const fiber &) = delete;

	/** nap_spawn(); -EBUSY: the fiber was spawned, and has not been awaited */
	int spawn(nap_pool *pool_)
	{
		if (handle_)
			return -EBUSY;
		clear();
		return nap_spawn(pool_, &handle_, run, this);
	}

	/**
	 * nap_await(); -ECANCELED also if the pool was stopped before the fiber began; -EINVAL: not
	 * spawned
	 */
	int await() { return await_until(NAP_FOREVER); }

	/** nap_await_for() */
	template <class Rep, class Period>
	int await_for(const std::chrono::duration<Rep, Period> &time_)
	{
		return await_until(nap_deadline(detail::timeout_of(time_)));
	}

	/** nap_await_until() */
	int await_until(uint64_t deadline_)
	{
		int err_ = nap_await_until(handle_, nullptr, deadline_);

		if (err_)
			return err_;
		handle_ = nullptr;
		return has_ended() ? 0 : -ECANCELED;
	}

	/** nap_fiber_cancel() of a fiber that is spawned and not awaited */
	int cancel() { return nap_fiber_cancel(handle_); }

	/** Called when the pool was joined: then its fibers are gone, and no handle is valid. */
	void forget() { handle_ = nullptr; }

	/**
	 * Whether the function has come to its end, by return or by an exception; called after the
	 * await, or after the scope's end
	 */
	bool has_ended() const { return thrown_ || value_; }

	/**
	 * Returns what the function has returned, or throws what it has thrown; only if has_ended()
	 */
	result_type result()
	{
		if (thrown_)
			std::rethrow_exception(thrown_);
		if constexpr (!std::is_void_v<result_type>)
			return std::move(*value_);
	}

private:
	friend class scope;

	struct nothing {};
	using kept = std::conditional_t<std::is_void_v<result_type>, nothing, result_type>;

	void clear()
	{
		thrown_ = nullptr;
		value_.reset();
	}

	/*
	 * Calls the function. Returns the function's result if it is a signed integer, else 0: the
	 * scope takes a number below 0 for a failure.
	 */
	intptr_t call()
	{
		if constexpr (std::is_void_v<result_type>) {
			fn_();
			value_.emplace();
		} else {
			value_.emplace(fn_());
			if constexpr (std::is_integral_v<result_type> &&
				      std::is_signed_v<result_type>)
				return static_cast<intptr_t>(*value_);
		}
		return 0;
	}

	static intptr_t run(void *arg_) noexcept
	{
		auto *me_ = static_cast<fiber *>(arg_);

#ifdef __cpp_exceptions
		try {
			return me_->call();
		} catch (...) {
			me_->value_.reset();
			me_->thrown_ = std::current_exception();
			return threw;
		}
#else
		return me_->call();
#endif
	}

	Function fn_;
	nap_fiber *handle_ = nullptr;
	std::exception_ptr thrown_;
	std::optional<kept> value_;
};

/**
 * nap::scope - fibers that end together: a struct nap_scope
 *
 * The destructor calls end(), and if end() returns -EDEADLK, std::terminate().
 */
class scope : public nap_scope {
public:
	/** nap_scope_begin(); an error is thrown as a std::system_error */
	explicit scope(nap_pool *pool_) : nap_scope()
	{
		int err_ = nap_scope_begin(this, pool_);

		if (err_)
#ifdef __cpp_exceptions
			throw std::system_error(-err_, std::generic_category(), "nap_scope_begin");
#else
			std::terminate();
#endif
	}

	~scope()
	{
		if (is_open_ && end() == -EDEADLK && is_open_)
			std::terminate();
	}

	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

	/**
	 * nap_scope_spawn(); @fiber_ is not spawned at present, and lives until the scope has ended
	 */
	template <class Function> int spawn(fiber<Function> &fiber_)
	{
		if (fiber_.handle_)
			return -EBUSY;
		fiber_.clear();
		return nap_scope_spawn(this, fiber<Function>::run, &fiber_);
	}

	/** nap_scope_cancel() */
	int cancel() { return nap_scope_cancel(this); }

	/**
	 * nap_scope_end_until() without a deadline. Returns 0, or what the first fiber that failed
	 * has returned, or -ECANCELED, or an error
	 */
	intptr_t end()
	{
		intptr_t result_ = 0;
		int err_ = nap_scope_end_until(this, NAP_FOREVER, &result_);

		if (err_)
			return err_;
		is_open_ = false;
		return result_;
	}

private:
	bool is_open_ = true;
};

} /* namespace nap */

#endif /* NAP_FIBER_HPP */
