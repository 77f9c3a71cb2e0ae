/* SPDX-License-Identifier: MIT */
/*
 * Loops and sorts of nap/parallel.h for C++17, with lambdas, and nap_broadcast(); nap/nap.hpp
 * includes it. Templates over the C calls, header only, nothing is allocated.
 *
 *	std::vector<float> v = ...;
 *
 *	nap::for_each(&pool, 0, v.size(), [&](size_t i) { v[i] = std::sqrt(v[i]); });
 *
 *	double sum = 0;
 *	nap::reduce(&pool, 0, v.size(), sum,
 *		    [&](size_t i, double &s) { s += v[i]; },
 *		    [](double &s, double right) { s += right; });
 *
 *	nap::sort(&pool, v.data(), v.data() + v.size());
 *
 * Each returns what the C call does, described there. An exception that leaves a function of the
 * program's ends the loop, as if the function had returned an error, and goes on at the caller when
 * all that had begun is over: the first one, with NAP_LOOP_FIRST the lowest range's. It passes no
 * frame of C. A function is called by several threads at a time, as a const one; so what a lambda
 * has by value is not changed by it.
 */
#ifndef NAP_PARALLEL_HPP
#define NAP_PARALLEL_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "nap.h"

namespace nap {
namespace detail {

/* Where exceptions meet: the one of the lowest range that threw, of those that wait for it. */
class caught {
public:
	/* In a handler. */
	void note(size_t at, bool first) noexcept
	{
#ifdef __cpp_exceptions
		while (__atomic_exchange_n(&lock_, true, __ATOMIC_ACQUIRE))
			;
		if (!what_ || (first && at < at_)) {
			what_ = std::current_exception();
			at_ = at;
		}
		__atomic_store_n(&lock_, false, __ATOMIC_RELEASE);
		__atomic_store_n(&any_, true, __ATOMIC_RELAXED);
#else
		(void)at;
		(void)first;
#endif
	}

	bool any() const noexcept { return __atomic_load_n(&any_, __ATOMIC_RELAXED); }

	/* By the caller, when nobody else is in the loop any more. */
	int done(int err)
	{
#ifdef __cpp_exceptions
		if (what_)
			std::rethrow_exception(what_);
#endif
		return err;
	}

private:
	std::exception_ptr what_;
	size_t at_ = 0;
	bool lock_ = false, any_ = false;
};

#ifdef __cpp_exceptions
#define NAP__TRY	try
#define NAP__CATCH(...)	catch (...) { __VA_ARGS__; }
#else
#define NAP__TRY
#define NAP__CATCH(...)
#endif

/* What a loop's functions are given as their argument. */
template <class... Functions> struct loop;

template <class Body> struct loop<Body> {
	const Body &body;
	bool first;
	caught thrown;

	loop(const Body &b, const nap_loop *how)
		: body(b), first(how && how->flags & NAP_LOOP_FIRST) {}
};

template <class Body, class Merge> struct loop<Body, Merge> : loop<Body> {
	const Merge &merge;

	loop(const Body &b, const Merge &m, const nap_loop *how) : loop<Body>(b, how), merge(m) {}
};

/* One index or one range, with an answer or without. */
template <class Body, class... More>
inline int run_range(const Body &body, size_t begin, size_t end, More &...more)
{
	if constexpr (std::is_invocable_v<const Body &, size_t, size_t, More &...>) {
		if constexpr (std::is_void_v<std::invoke_result_t<const Body &, size_t, size_t,
								  More &...>>)
			return body(begin, end, more...), 0;
		else
			return body(begin, end, more...);
	} else {
		for (size_t i = begin; i < end; i++) {
			if constexpr (std::is_void_v<std::invoke_result_t<const Body &, size_t,
									  More &...>>)
				body(i, more...);
			else if (int err = body(i, more...))
				return err;
		}
		return 0;
	}
}

template <class Body> int body_of_for(size_t begin, size_t end, void *arg)
{
	auto *self = static_cast<loop<Body> *>(arg);

	NAP__TRY {
		return run_range(self->body, begin, end);
	}
	NAP__CATCH(self->thrown.note(begin, self->first); return -ECANCELED)
}

template <class Body> int body_of_chunks(const void *chunk, size_t size, void *arg)
{
	auto *self = static_cast<loop<Body> *>(arg);
	auto *at = static_cast<const char *>(chunk);

	NAP__TRY {
		if constexpr (std::is_void_v<std::invoke_result_t<const Body &, const char *,
								  size_t>>)
			return self->body(at, size), 0;
		else
			return self->body(at, size);
	}
	NAP__CATCH(self->thrown.note(reinterpret_cast<uintptr_t>(at), self->first);
		   return -ECANCELED)
}

template <class Match> size_t body_of_find(size_t begin, size_t end, void *arg)
{
	auto *self = static_cast<loop<Match> *>(arg);
	size_t i = begin;

	NAP__TRY {
		while (i < end && !self->body(i))
			i++;
		return i;
	}
	/* As a match: the search is over, and what threw is not lost. */
	NAP__CATCH(self->thrown.note(begin, self->first); return i)
}

template <class T, class Add, class Merge>
int body_of_add(size_t begin, size_t end, void *value, void *arg)
{
	auto *self = static_cast<loop<Add, Merge> *>(arg);

	NAP__TRY {
		return run_range(self->body, begin, end, *static_cast<T *>(value));
	}
	NAP__CATCH(self->thrown.note(begin, self->first); return -ECANCELED)
}

template <class T, class Add, class Merge>
void body_of_merge(void *value, const void *right, void *arg)
{
	auto *self = static_cast<loop<Add, Merge> *>(arg);

	NAP__TRY {
		self->merge(*static_cast<T *>(value), *static_cast<const T *>(right));
	}
	NAP__CATCH(self->thrown.note(SIZE_MAX, self->first))
}

/* Behind the first exception nothing is compared any more: all are the same. */
template <class T, class Less> int body_of_compare(const void *left, const void *right, void *arg)
{
	auto *self = static_cast<loop<Less> *>(arg);
	const T &a = *static_cast<const T *>(left), &b = *static_cast<const T *>(right);

	if (self->thrown.any())
		return 0;
	NAP__TRY {
		return self->body(a, b) ? -1 : self->body(b, a) ? 1 : 0;
	}
	NAP__CATCH(self->thrown.note(0, false); return 0)
}

template <class Body> void body_of_broadcast(nap_worker *worker, void *arg)
{
	auto *self = static_cast<loop<Body> *>(arg);

	NAP__TRY {
		self->body(worker);
	}
	NAP__CATCH(self->thrown.note(nap_worker_index(worker), self->first))
}

struct less {
	template <class T> bool operator()(const T &a, const T &b) const { return a < b; }
};

/* The kind of key that numbers of type T are; NAP__KEYS: none. */
template <class T> constexpr nap_key key_of()
{
	if constexpr (std::is_same_v<T, float>)
		return NAP_KEY_FLOAT;
	else if constexpr (std::is_same_v<T, double>)
		return NAP_KEY_DOUBLE;
	else if constexpr (!std::is_integral_v<T>)
		return NAP__KEYS;
	else if constexpr (sizeof(T) == 4)
		return std::is_signed_v<T> ? NAP_KEY_I32 : NAP_KEY_U32;
	else if constexpr (sizeof(T) == 8)
		return std::is_signed_v<T> ? NAP_KEY_I64 : NAP_KEY_U64;
	else
		return NAP__KEYS;
}

} /* namespace detail */

/**
 * nap::for_each() - nap_for_as()
 * @body: void or int, (size_t index) or (size_t begin, size_t end)
 * @how:  nullptr, or as in C
 */
template <class Body>
inline int for_each(nap_pool *pool, size_t begin, size_t end, const Body &body,
		    const nap_loop *how = nullptr)
{
	detail::loop<Body> loop(body, how);

	return loop.thrown.done(nap_for_as(pool, how, begin, end, detail::body_of_for<Body>,
					   &loop));
}

/**
 * nap::for_each_chunk() - nap_for_chunks()
 * @body: void or int, (const char *chunk, size_t size)
 */
template <class Body>
inline int for_each_chunk(nap_pool *pool, const void *memory, size_t size, char separator,
			  const Body &body, const nap_loop *how = nullptr)
{
	detail::loop<Body> loop(body, how);

	return loop.thrown.done(nap_for_chunks(pool, how, memory, size,
					       static_cast<unsigned char>(separator),
					       detail::body_of_chunks<Body>, &loop));
}

/**
 * nap::find() - nap_find()
 * @match: bool (size_t index)
 * @index: set to the index that was found
 */
template <class Match>
inline int find(nap_pool *pool, size_t begin, size_t end, const Match &match, size_t &index,
		const nap_loop *how = nullptr)
{
	detail::loop<Match> loop(match, how);

	return loop.thrown.done(nap_find(pool, how, begin, end, detail::body_of_find<Match>, &loop,
					 &index));
}

/** nap::any() - whether @match is true of any index: 1, 0, or what is below 0 */
template <class Match>
inline int any(nap_pool *pool, size_t begin, size_t end, const Match &match,
	       const nap_loop *how = nullptr)
{
	size_t index;
	int err = find(pool, begin, end, match, index, how);

	return err == -ENOENT ? 0 : err ? err : 1;
}

/** nap::all() - whether @holds is true of all indices: 1, 0, or what is below 0 */
template <class Holds>
inline int all(nap_pool *pool, size_t begin, size_t end, const Holds &holds,
	       const nap_loop *how = nullptr)
{
	int differs = any(pool, begin, end, [&](size_t i) { return !holds(i); }, how);

	return differs < 0 ? differs : !differs;
}

/**
 * nap::reduce() - nap_reduce()
 * @value:   what the result begins with, and on return is; trivially copyable, NAP_REDUCE_SIZE
 *           bytes at most
 * @add:     void or int, (size_t index, T &value) or (size_t begin, size_t end, T &value)
 * @merge:   void (T &value, const T &right)
 * @nothing: the value of no index
 */
template <class T, class Add, class Merge>
inline int reduce(nap_pool *pool, size_t begin, size_t end, T &value, const Add &add,
		  const Merge &merge, const nap_loop *how = nullptr, const T &nothing = T())
{
	static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= NAP_REDUCE_SIZE,
		      "values are copied, and lie on stacks");
	static_assert(alignof(T) <= 16, "where values lie is a multiple of 16");
	const nap_reduction by = { sizeof(T), detail::body_of_add<T, Add, Merge>,
				   detail::body_of_merge<T, Add, Merge>, &nothing };
	detail::loop<Add, Merge> loop(add, merge, how);

	return loop.thrown.done(nap_reduce(pool, how, begin, end, &by, &value, &loop));
}

/**
 * nap::sort() - nap_sort() of the elements from @begin up to @end
 * @less: bool (const T &, const T &)
 *
 * Elements are copied as bytes, so they are trivially copyable. If @less throws, they are in some
 * order. Without a @less numbers are sorted as keys: nap_sort_keys().
 */
template <class T, class Less = detail::less>
inline int sort(nap_pool *pool, T *begin, T *end, const Less &less = Less())
{
	static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
	size_t n = static_cast<size_t>(end - begin);
	detail::loop<Less> loop(less, nullptr);

	if constexpr (std::is_same_v<Less, detail::less> && detail::key_of<T>() != NAP__KEYS)
		return nap_sort_keys(pool, begin, n, sizeof(T), detail::key_of<T>(), 0);
	else
		return loop.thrown.done(nap_sort(pool, begin, n, sizeof(T),
						 detail::body_of_compare<T, Less>, &loop));
}

/** nap::stable_sort() - the same by nap_sort_stable() */
template <class T, class Less = detail::less>
inline int stable_sort(nap_pool *pool, T *begin, T *end, const Less &less = Less())
{
	static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
	detail::loop<Less> loop(less, nullptr);

	return loop.thrown.done(nap_sort_stable(pool, begin, static_cast<size_t>(end - begin),
						sizeof(T), detail::body_of_compare<T, Less>,
						&loop));
}

/**
 * nap::broadcast() - nap_broadcast()
 * @body: void (nap_worker *worker)
 */
template <class Body> inline int broadcast(nap_pool *pool, const Body &body)
{
	detail::loop<Body> loop(body, nullptr);

	return loop.thrown.done(nap_broadcast(pool, detail::body_of_broadcast<Body>, &loop));
}

#undef NAP__TRY
#undef NAP__CATCH

} /* namespace nap */

#endif /* NAP_PARALLEL_HPP */
