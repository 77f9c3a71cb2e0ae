/* SPDX-License-Identifier: MIT */
/*
 * nap for C++17: templates over the C calls, header only. Nothing is allocated.
 *
 *	static long fib(nap_worker *worker, nap_frame *top, long n)
 *	{
 *		if (n < 2)
 *			return n;
 *		nap_frame *next = nap::fork<fib>(worker, top, n - 1);
 *		long right = fib(worker, next, n - 2);
 *		return right + nap::join<fib>(worker, top, n - 1);
 *	}
 *
 * Loops and sorts are in nap/parallel.hpp, which this header includes.
 *
 * What nap/fork.h says of forks and joins holds here, too. For functions of one argument NAP_JOB()
 * of nap/fork.h serves in every version of C++.
 */
#ifndef NAP_NAP_HPP
#define NAP_NAP_HPP

#if __cplusplus < 201703L
#error "nap/nap.hpp is C++17: nap/nap.h is for all others"
#endif

#include <new>
#include <tuple>
#include <type_traits>

#include "nap.h"

namespace nap {
namespace detail {

/* Whether a frame can hold a T: there is room, and the T needs no destructor. */
template <class T> constexpr bool fits()
{
	return sizeof(T) <= NAP_JOB_SIZE && alignof(T) <= 16 &&
	       std::is_trivially_destructible<T>::value;
}

template <class T> inline void hold(nap_frame *frame, const T &what)
{
	static_assert(fits<T>(), "what a frame holds is small and trivial: use a pointer");
	new (frame->words) T(what);
}

template <class T> inline T held(nap_frame *frame)
{
	return *std::launder(reinterpret_cast<T *>(frame->words));
}

template <class Function> struct job;

template <class Result, class... Arguments>
struct job<Result (*)(nap_worker *, nap_frame *, Arguments...)> {
	using result = Result;
	using arguments = std::tuple<Arguments...>;

	static_assert((std::is_trivially_copyable<Arguments>::value && ...),
		      "an argument lies in a frame until the join: use a pointer");

	template <auto fn> static Result call(nap_worker *worker, nap_frame *top, arguments a)
	{
		return std::apply([&](auto... each) { return fn(worker, top, each...); }, a);
	}
};

template <class Result, class... Arguments>
struct job<Result (*)(nap_worker *, nap_frame *, Arguments...) noexcept>
	: job<Result (*)(nap_worker *, nap_frame *, Arguments...)> {};

template <auto fn> inline void run(nap_worker *worker, nap_frame *top, nap_frame *frame)
{
	using job = job<decltype(fn)>;
	auto arguments = held<typename job::arguments>(frame);

	if constexpr (std::is_void<typename job::result>::value)
		job::template call<fn>(worker, top, arguments);
	else
		hold(frame, job::template call<fn>(worker, top, arguments));
}

} /* namespace detail */

/**
 * nap::fork() - nap_fork() of the call fn(arguments...)
 * @fn:        result fn(nap_worker *worker, nap_frame *top, arguments...), with any number of
 *             arguments, each trivially copyable, which together take at most 48 bytes, padding
 *             included. The result is of at most 48 bytes, and needs no destructor
 * @worker:    the calling worker
 * @top:       the first free frame
 * @arguments: converted to the types of @fn's parameters, as in a call
 *
 * Returns the new first free frame, for functions that are called before the join.
 */
template <auto fn, class... Arguments>
inline nap_frame *fork(nap_worker *worker, nap_frame *top, Arguments... arguments)
{
	detail::hold(top, typename detail::job<decltype(fn)>::arguments(arguments...));
	return nap_fork(worker, top, detail::run<fn>);
}

/**
 * nap::join() - nap_join(), and return what fn(arguments...) returns; calls @fn if no other worker
 * took the job
 *
 * @fn, @worker, @top and @arguments are those of the fork.
 */
template <auto fn, class... Arguments>
inline auto join(nap_worker *worker, nap_frame *top, Arguments... arguments)
{
	using result = typename detail::job<decltype(fn)>::result;

	if (nap_join(worker, top))
		return fn(worker, top, arguments...);
	if constexpr (!std::is_void<result>::value)
		return detail::held<result>(top);
}

/**
 * nap::result() - what @fn has returned on another worker, after nap_join() of @top has returned
 * false
 */
template <auto fn> inline auto result(nap_frame *top)
{
	return detail::held<typename detail::job<decltype(fn)>::result>(top);
}

} /* namespace nap */

#include "parallel.hpp"

#endif /* NAP_NAP_HPP */
