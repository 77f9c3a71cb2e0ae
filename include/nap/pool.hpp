/* SPDX-License-Identifier: MIT */
/*
 * A pool that its destructor joins, and nap_call() of a lambda, for C++14 and later.
 *
 *	nap::pool pool;				as many workers as CPUs
 *
 *	nap::call(&pool, [&](nap_worker *worker, nap_frame *top) {
 *		result = fib(worker, top, 30);
 *	});
 *
 * A nap::pool is a struct nap_pool, which every C call and every template takes by its address.
 *
 * The destructor calls nap_pool_join(): it drains the pool, and waits until the workers have left.
 * If a program needs the tasks that a stop leaves, it joins the pool itself. On a worker of the
 * pool a join is not possible, so the destructor calls std::terminate() there. Unlike
 * nap_pool_join() the destructor is no cancellation point: a cancellation waits until it is over.
 */
#ifndef NAP_POOL_HPP
#define NAP_POOL_HPP

#include <cerrno>
#include <cxxabi.h>
#include <exception>
#include <system_error>

#include <pthread.h>

#include "nap.h"

namespace nap {

/** nap::pool - a pool while the object lives, which is aligned to 64 bytes and does not move */
class pool : public nap_pool {
public:
	/** nap_pool_init(); an error is thrown as a std::system_error */
	explicit pool(const nap_config &config_ = nap_config()) : nap_pool()
	{
		int err_ = nap_pool_init(this, &config_);

		if (err_)
#ifdef __cpp_exceptions
			throw std::system_error(-err_, std::generic_category(), "nap_pool_init");
#else
			std::terminate();
#endif
	}

	/**
	 * nap_pool_join(), which does nothing if the program has joined the pool, or in the child
	 * of a fork
	 */
	~pool()
	{
		int state_;

		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
		if (nap_pool_join(this, nullptr) == -EDEADLK)
			std::terminate();
		pthread_setcancelstate(state_, nullptr);
	}

	pool(const pool &) = delete;
	pool &operator=(const pool &) = delete;
};

namespace detail {

template <class Function> struct called {
	const Function *fn;
	std::exception_ptr thrown;
};

/*
 * Throws nothing, because its callers are functions of C. But pthread_exit() and a cancellation
 * pass, as they pass nap_call(): in libstdc++ both look like an exception that has to go on.
 */
template <class Function> inline void body_of_call(nap_worker *worker_, void *arg_)
{
	auto *call_ = static_cast<called<Function> *>(arg_);

#ifdef __cpp_exceptions
	try {
		(*call_->fn)(worker_, nap_top(worker_));
#ifdef __GLIBCXX__
	} catch (abi::__forced_unwind &) {
		throw;
#endif
	} catch (...) {
		call_->thrown = std::current_exception();
	}
#else
	(*call_->fn)(worker_, nap_top(worker_));
#endif
}

} /* namespace detail */

/**
 * nap::call() - nap_call()
 * @fn_: void (nap_worker *worker, nap_frame *top): may fork and join with these arguments
 *
 * Returns as nap_call(). What @fn_ throws is thrown to the caller, also if a worker has run it.
 */
template <class Function> inline int call(nap_pool *pool_, const Function &fn_)
{
	detail::called<Function> call_ = { &fn_, nullptr };
	int err_ = nap_call(pool_, detail::body_of_call<Function>, &call_);

#ifdef __cpp_exceptions
	if (call_.thrown)
		std::rethrow_exception(call_.thrown);
#endif
	return err_;
}

} /* namespace nap */

#endif /* NAP_POOL_HPP */
