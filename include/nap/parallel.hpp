/* SPDX-License-Identifier: MIT */
/*
 * Loops and sorts of nap/parallel.h, and nap_broadcast(), for C++17, with lambdas. nap/nap.hpp
 * includes this header. These are templates over the C calls, header only. Nothing is allocated.
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
 * Each returns what the C call returns. If a function of the program throws, the loop ends, as if
 * the function had returned an error. When all ranges that had begun are over, the caller's thread
 * throws the exception: the first one, or with NAP_LOOP_FIRST the one of the lowest range. No
 * exception passes a frame of C. Several threads call a function at the same time, as a const
 * function; so a lambda cannot change what it has captured by value.
 */
#ifndef NAP_PARALLEL_HPP
#define NAP_PARALLEL_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>

#include "nap.h"

namespace nap {
namespace detail {

/*
 * Keeps one of the exceptions that the functions of a loop or sort throw: the first one, or that of
 * the lowest range.
 */
class caught {
public:
	/*
	 * Called in a handler, by a range that begins at @at. @first: the lowest range counts
	 * (NAP_LOOP_FIRST).
	 */
	void note(size_t at, bool first) noexcept
	{
#ifdef __cpp_exceptions
		std::exception_ptr what = std::current_exception();

		/* The other exception ends outside of the lock, because its destructor may loop. */
		lock_.lock();
		if (!what_ || (first && at < at_)) {
			std::swap(what_, what);
			at_ = at;
		}
		lock_.unlock();
		__atomic_store_n(&any_, true, __ATOMIC_RELAXED);
#else
		(void)at;
		(void)first;
#endif
	}

	/*
	 * Called by a range that has returned an error or has a match: exceptions of higher ranges
	 * do not count.
	 */
	void decide(size_t at) noexcept
	{
		lock_.lock();
		if (at < decided_)
			decided_ = at;
		lock_.unlock();
	}

	bool any() const noexcept { return __atomic_load_n(&any_, __ATOMIC_RELAXED); }

	/*
	 * Called by the caller of the loop, when no other thread is in the loop. Throws, or returns
	 * @err.
	 */
	int done(int err)
	{
#ifdef __cpp_exceptions
		if (what_ && at_ <= decided_)
			std::rethrow_exception(what_);
#endif
		return err;
	}

private:
	std::mutex lock_;
	std::exception_ptr what_;
	size_t at_ = 0, decided_ = SIZE_MAX;
	bool any_ = false;
};

#ifdef __cpp_exceptions
#define NAP__TRY	try
#define NAP__CATCH(...)	catch (...) { __VA_ARGS__; }
#else
#define NAP__TRY
#define NAP__CATCH(...)
#endif

/* The last argument of a loop's functions: the program's functions, and what they have thrown. */
template <class... Functions> struct loop;

template <class Body> struct loop<Body> {
	const Body &body;
	bool first;
	caught thrown;

	loop(const Body &b, const nap_loop *how)
		: body(b), first(how && how->flags & NAP_LOOP_FIRST) {}

	/* Notes that the range that begins at @at has returned @err; returns @err. */
	int decided(size_t at, int err)
	{
		if (err && first)
			thrown.decide(at);
		return err;
	}
};

template <class Body, class Merge> struct loop<Body, Merge> : loop<Body> {
	const Merge &merge;

	loop(const Body &b, const Merge &m, const nap_loop *how) : loop<Body>(b, how), merge(m) {}
};

template <class Body, class... Arguments> constexpr bool answers()
{
	using result = std::invoke_result_t<const Body &, Arguments...>;

	static_assert(std::is_void_v<result> || std::is_same_v<result, int>,
		      "a function of a loop returns nothing, or an int: 0 to go on");
	return !std::is_void_v<result>;
}

/* Calls @body, and returns what it returns; 0 if it returns nothing. */
template <class Body, class... Arguments>
inline int answer_of(const Body &body, Arguments &&...arguments)
{
	if constexpr (answers<Body, Arguments...>())
		return body(std::forward<Arguments>(arguments)...);
	else
		return body(std::forward<Arguments>(arguments)...), 0;
}

/* Runs one range: calls @body once if it takes a range, else for each index. */
template <class Body, class... More>
inline int run_range(const Body &body, size_t begin, size_t end, More &...more)
{
	if constexpr (std::is_invocable_v<const Body &, size_t, size_t, More &...>) {
		return answer_of(body, begin, end, more...);
	} else {
		for (size_t i = begin; i < end; i++) {
			if constexpr (!answers<Body, size_t, More &...>())
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
		return self->decided(begin, run_range(self->body, begin, end));
	}
	NAP__CATCH(self->thrown.note(begin, self->first); return -ECANCELED)
}

/*
 * Tiles are compared by their numbers in the area. (The number of an index might overflow a size_t;
 * nap_for_2d() ensures that the number of a tile does not.)
 */
template <class Body> struct tiles : loop<Body> {
	const nap_tile &area;
	size_t rows, columns, in_row;

	tiles(const Body &b, const nap_loop *how, const nap_tile &a, size_t r, size_t c)
		: loop<Body>(b, how), area(a), rows(r ? r : 64), columns(c ? c : 64),
		  in_row((a.column_end - a.column - 1) / columns + 1) {}

	size_t place(const nap_tile *tile) const
	{
		return (tile->row - area.row) / rows * in_row +
		       (tile->column - area.column) / columns;
	}
};

template <class Body> int body_of_for_2d(const nap_tile *tile, void *arg)
{
	auto *self = static_cast<tiles<Body> *>(static_cast<loop<Body> *>(arg));

	NAP__TRY {
		return self->decided(self->place(tile), answer_of(self->body, *tile));
	}
	NAP__CATCH(self->thrown.note(self->place(tile), self->first); return -ECANCELED)
}

template <class Body> int body_of_chunks(const void *chunk, size_t size, void *arg)
{
	auto *self = static_cast<loop<Body> *>(arg);
	auto *at = static_cast<const char *>(chunk);
	auto place = reinterpret_cast<uintptr_t>(at);

	NAP__TRY {
		return self->decided(place, answer_of(self->body, at, size));
	}
	NAP__CATCH(self->thrown.note(place, self->first); return -ECANCELED)
}

template <class Match> size_t body_of_find(size_t begin, size_t end, void *arg)
{
	auto *self = static_cast<loop<Match> *>(arg);
	size_t i = begin;

	NAP__TRY {
		while (i < end && !self->body(i))
			i++;
		self->decided(begin, i < end);
		return i;
	}
	/* The index counts as a match, so that the search ends. Then nap::find() throws. */
	NAP__CATCH(self->thrown.note(begin, self->first); return i)
}

template <class T, class Add, class Merge>
int body_of_add(size_t begin, size_t end, void *value, void *arg)
{
	auto *self = static_cast<loop<Add, Merge> *>(arg);

	NAP__TRY {
		/*
		 * If a merge has thrown, the loop ends. With NAP_LOOP_FIRST lower ranges still run.
		 */
		if (!self->first && self->thrown.any())
			return -ECANCELED;
		return self->decided(begin, run_range(self->body, begin, end,
						      *static_cast<T *>(value)));
	}
	NAP__CATCH(self->thrown.note(begin, self->first); return -ECANCELED)
}

template <class Add, class Merge, class Each> struct scans : loop<Add, Merge> {
	const Each &each;

	scans(const Add &a, const Merge &m, const Each &e, const nap_loop *how)
		: loop<Add, Merge>(a, m, how), each(e) {}
};

/*
 * @arg is the loop<Add, Merge> of a struct scans, because body_of_add() and body_of_merge() get the
 * same @arg.
 */
template <class T, class Add, class Merge, class Each>
int body_of_each(size_t begin, size_t end, void *value, void *arg)
{
	auto *self = static_cast<scans<Add, Merge, Each> *>(static_cast<loop<Add, Merge> *>(arg));

	NAP__TRY {
		if (self->thrown.any())		/* a function of the scan has thrown */
			return -ECANCELED;
		return run_range(self->each, begin, end, *static_cast<T *>(value));
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

/* After the first exception the comparison is no longer called, and all elements count as equal. */
template <class T, class Less> bool comes_before(const void *left, const void *right, void *arg)
{
	auto *self = static_cast<loop<Less> *>(arg);
	const T &a = *static_cast<const T *>(left), &b = *static_cast<const T *>(right);

	if constexpr (std::is_nothrow_invocable_v<const Less &, const T &, const T &>) {
		return static_cast<bool>(self->body(a, b));
	} else {
		if (self->thrown.any())
			return false;
		NAP__TRY {
			return static_cast<bool>(self->body(a, b));
		}
		NAP__CATCH(self->thrown.note(0, false); return false)
	}
}

/* The functions of a sort, as NAP_SORT_DEFINE() makes them in C. */
template <class T, class Less> struct sort_of {
	static size_t turn(const unsigned char *first, size_t i, size_t end, bool falls, void *arg)
	{
		return nap__sort_turn(first, i, end, falls, sizeof(T), comes_before<T, Less>, arg);
	}

	static int split(nap__part *part, nap__part *rest, void *arg)
	{
		return nap__part_split(part, rest, sizeof(T), comes_before<T, Less>, arg);
	}

	static void sort(const nap__part *leaf, void *arg)
	{
		nap__part_sort(leaf, sizeof(T), comes_before<T, Less>, arg);
	}

	static void merge(const unsigned char *left, size_t lefts, const unsigned char *right,
			  size_t rights, unsigned char *to, void *arg)
	{
		nap__merge_runs(left, lefts, right, rights, to, sizeof(T), comes_before<T, Less>,
				arg);
	}

	static constexpr nap__sort_form form = { comes_before<T, Less>, turn, split, sort,
						 merge };

	static int run(nap_pool *pool, T *begin, T *end, const Less &less, bool stable)
	{
		loop<Less> how(less, nullptr);

		return how.thrown.done(nap_sort_slow(pool, begin, static_cast<size_t>(end - begin),
						     sizeof(T), &form, &how, stable));
	}
};

template <class Body> void body_of_broadcast(nap_worker *worker, void *arg)
{
	auto *self = static_cast<loop<Body> *>(arg);

	NAP__TRY {
		self->body(worker);
	}
	NAP__CATCH(self->thrown.note(nap_worker_index(worker), self->first))
}

/* is_value(): whether a T may be a value of a reduction; is_element(): an element of a sort. */
template <class T> constexpr bool is_value()
{
	return std::is_trivially_copyable_v<T> && sizeof(T) <= NAP_REDUCE_SIZE && alignof(T) <= 16;
}

template <class T> constexpr bool is_element()
{
	return std::is_trivially_copyable_v<T> && alignof(T) <= 64;
}

struct less {
	template <class T>
	bool operator()(const T &a, const T &b) const noexcept(noexcept(a < b))
	{
		return a < b;
	}
};

/* The enum nap_key for numbers of type T; NAP__KEYS: there is none. */
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
 * @body: takes (size_t index) or (size_t begin, size_t end), and returns void or int
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
 * nap::for_2d() - nap_for_2d()
 * @body: takes (const nap_tile &tile), and returns void or int
 */
template <class Body>
inline int for_2d(nap_pool *pool, const nap_tile &area, size_t tile_rows, size_t tile_columns,
		  const Body &body, const nap_loop *how = nullptr)
{
	detail::tiles<Body> tiles(body, how, area, tile_rows, tile_columns);

	return tiles.thrown.done(nap_for_2d(pool, how, &area, tile_rows, tile_columns,
					    detail::body_of_for_2d<Body>,
					    static_cast<detail::loop<Body> *>(&tiles)));
}

/**
 * nap::for_each_chunk() - nap_for_chunks()
 * @body: takes (const char *chunk, size_t size), and returns void or int
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

/** nap::any() - whether @match is true of any index: 1, 0, or an error of nap_find() */
template <class Match>
inline int any(nap_pool *pool, size_t begin, size_t end, const Match &match,
	       const nap_loop *how = nullptr)
{
	size_t index;
	int err = find(pool, begin, end, match, index, how);

	return err == -ENOENT ? 0 : err ? err : 1;
}

/** nap::all() - whether @holds is true of all indices: 1, 0, or an error of nap_find() */
template <class Holds>
inline int all(nap_pool *pool, size_t begin, size_t end, const Holds &holds,
	       const nap_loop *how = nullptr)
{
	int differs = any(pool, begin, end, [&](size_t i) { return !holds(i); }, how);

	return differs < 0 ? differs : !differs;
}

/**
 * nap::reduce() - nap_reduce()
 * @value:   the value to begin with; on return the result. Trivially copyable, NAP_REDUCE_SIZE
 *           bytes at most
 * @add:     takes (size_t index, T &value) or (size_t begin, size_t end, T &value), and returns
 *           void or int
 * @merge:   void (T &value, const T &right)
 * @nothing: the value of no index
 */
template <class T, class Add, class Merge>
inline int reduce(nap_pool *pool, size_t begin, size_t end, T &value, const Add &add,
		  const Merge &merge, const nap_loop *how = nullptr, const T &nothing = T())
{
	static_assert(detail::is_value<T>(), "values are small, copied, and aligned to 16");
	const nap_reduction by = { sizeof(T), detail::body_of_add<T, Add, Merge>,
				   detail::body_of_merge<T, Add, Merge>, &nothing };
	detail::loop<Add, Merge> loop(add, merge, how);

	return loop.thrown.done(nap_reduce(pool, how, begin, end, &by, &value, &loop));
}

/**
 * nap::scan() - nap_scan()
 * @each: as @add, but also stores for each index the value of all indices before it, or up to and
 *        with it
 */
template <class T, class Add, class Merge, class Each>
inline int scan(nap_pool *pool, size_t begin, size_t end, T &value, const Add &add,
		const Merge &merge, const Each &each, const nap_loop *how = nullptr,
		const T &nothing = T())
{
	static_assert(detail::is_value<T>(), "values are small, copied, and aligned to 16");
	const nap_reduction by = { sizeof(T), detail::body_of_add<T, Add, Merge>,
				   detail::body_of_merge<T, Add, Merge>, &nothing };
	detail::scans<Add, Merge, Each> scans(add, merge, each, how);

	return scans.thrown.done(nap_scan(pool, how, begin, end, &by,
					  detail::body_of_each<T, Add, Merge, Each>, &value,
					  static_cast<detail::loop<Add, Merge> *>(&scans)));
}

/**
 * nap::sort() - nap_sort() of the elements from @begin up to @end
 * @less: bool (const T &, const T &)
 *
 * The comparison is inlined, as by NAP_SORT_DEFINE(). Elements are copied as bytes, so they are
 * trivially copyable. If @less throws, the elements are left in some order; a @less that is
 * noexcept costs less time. Without a @less numbers are sorted by nap_sort_keys().
 */
template <class T, class Less = detail::less>
inline int sort(nap_pool *pool, T *begin, T *end, const Less &less = Less())
{
	static_assert(detail::is_element<T>(), "elements are copied as bytes, and aligned to 64");

	if constexpr (std::is_same_v<Less, detail::less> && detail::key_of<T>() != NAP__KEYS)
		return nap_sort_keys(pool, begin, static_cast<size_t>(end - begin), sizeof(T),
				     detail::key_of<T>(), 0);
	else
		return detail::sort_of<T, Less>::run(pool, begin, end, less, false);
}

/** nap::stable_sort() - as nap::sort(), but stable: nap_sort_stable() */
template <class T, class Less = detail::less>
inline int stable_sort(nap_pool *pool, T *begin, T *end, const Less &less = Less())
{
	static_assert(detail::is_element<T>(), "elements are copied as bytes, and aligned to 64");

	return detail::sort_of<T, Less>::run(pool, begin, end, less, true);
}

/**
 * nap::sort_by() - nap_sort_keys()
 * @key: which member of an element is the number to sort by, as &person::age
 */
template <class T, class Key> inline int sort_by(nap_pool *pool, T *begin, T *end, Key T::*key)
{
	static_assert(detail::is_element<T>(), "elements are copied as bytes, and aligned to 64");
	static_assert(detail::key_of<Key>() != NAP__KEYS, "a key is a number of 4 or 8 bytes");
	size_t n = static_cast<size_t>(end - begin), offset = 0;

	if (n)
		offset = static_cast<size_t>(reinterpret_cast<const char *>(&(begin->*key)) -
					     reinterpret_cast<const char *>(begin));
	return nap_sort_keys(pool, begin, n, sizeof(T), detail::key_of<Key>(), offset);
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
