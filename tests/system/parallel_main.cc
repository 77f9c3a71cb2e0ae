/* SPDX-License-Identifier: MIT */
/*
 * nap/parallel.hpp in a program: loops and sorts with lambdas, and what they throw. Returns 0 if
 * all is right.
 */
#include <nap/nap.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "cxx_check.h"

static nap_pool pool;
static const nap_loop by_one = { 0, 0, 1, 0, nullptr, 0, nullptr, 0, {}, {}, {} };
static const nap_loop fixed = { NAP_LOOP_FIXED, 0, 1, 0, nullptr, 0, nullptr, 0, {}, {}, {} };
static const nap_loop first = { NAP_LOOP_FIRST, 0, 1, 0, nullptr, 0, nullptr, 0, {}, {}, {} };

static void loops()
{
	std::vector<int> v(10000);

	CHECK(nap::for_each(&pool, 0, v.size(), [&](size_t i) { v[i] = int(i); }) == 0);
	CHECK(nap::for_each(&pool, 0, v.size(), [&](size_t begin, size_t end) {
		for (size_t i = begin; i < end; i++)
			v[i]++;
	}, &by_one) == 0);
	for (size_t i = 0; i < v.size(); i++)
		CHECK(v[i] == static_cast<int>(i) + 1);
	CHECK(nap::for_each(&pool, 0, v.size(), [](size_t i) { return i == 77 ? -5 : 0; }) == -5);
	CHECK(nap::for_each(&pool, 0, v.size(), [](size_t begin, size_t) {
		return static_cast<int>(begin);
	}, &first) == 1);

	const nap_tile area = { 0, 100, 0, 100 };
	CHECK(nap::for_2d(&pool, area, 7, 33, [&](const nap_tile &tile) {
		for (size_t row = tile.row; row < tile.row_end; row++)
			for (size_t column = tile.column; column < tile.column_end; column++)
				v[row * 100 + column]++;
	}) == 0);
	for (size_t i = 0; i < v.size(); i++)
		CHECK(v[i]-- == static_cast<int>(i) + 2);

	size_t at = 0;
	CHECK(nap::find(&pool, 0, v.size(), [&](size_t i) { return v[i] == 500; }, at) == 0);
	CHECK(at == 499);
	CHECK(nap::any(&pool, 0, v.size(), [&](size_t i) { return v[i] < 0; }) == 0);
	CHECK(nap::all(&pool, 0, v.size(), [&](size_t i) { return v[i] > 0; }) == 1);

	const std::string text = "one\ntwo\n\nthree";
	std::atomic<size_t> bytes{ 0 };
	CHECK(nap::for_each_chunk(&pool, text.data(), text.size(), '\n',
				  [&](const char *, size_t size) { bytes += size; }) == 0);
	CHECK(bytes == text.size());
}

struct range {
	size_t begin, end;
};

static void reductions()
{
	long sum = 5;
	CHECK(nap::reduce(&pool, 0, 1000, sum, [](size_t i, long &s) { s += static_cast<long>(i); },
			  [](long &s, long right) { s += right; }, &by_one) == 0);
	CHECK(sum == 5 + 999 * 500);

	std::vector<long> sums(1000);
	sum = 0;
	CHECK(nap::scan(&pool, 0, 1000, sum, [](size_t i, long &s) { s += static_cast<long>(i); },
			[](long &s, long right) { s += right; }, [&](size_t i, long &s) {
		s += static_cast<long>(i);
		sums[i] = s;
	}, &by_one) == 0);
	CHECK(sum == 999 * 500 && sums[0] == 0 && sums[999] == sum && sums[10] == 55);

	/* Only neighbours are joined, in order. */
	const range nothing = { SIZE_MAX, SIZE_MAX };
	range all = { 3, 3 };
	auto join = [](range &left, const range &right) {
		if (left.end == SIZE_MAX)
			left = right;
		else if (right.end != SIZE_MAX)
			left.end = left.end == right.begin ? right.end : 0;
	};
	CHECK(nap::reduce(&pool, 3, 1000, all, [&](size_t begin, size_t end, range &r) {
		join(r, range{ begin, end });
	}, join, &by_one, nothing) == 0);
	CHECK(all.begin == 3 && all.end == 1000);
}

struct person {
	int age;
	int nr;
};

static void sorts()
{
	std::vector<person> people(5000);
	std::vector<double> numbers(100000);
	std::vector<short> shorts(5000);

	for (size_t i = 0; i < people.size(); i++)
		people[i] = { static_cast<int>(i * 7919 % 100), static_cast<int>(i) };
	CHECK(nap::stable_sort(&pool, people.data(), people.data() + people.size(),
			       [](const person &a, const person &b) {
		return a.age < b.age;
	}) == 0);
	for (size_t i = 1; i < people.size(); i++)
		CHECK(people[i - 1].age < people[i].age ||
		      (people[i - 1].age == people[i].age && people[i - 1].nr < people[i].nr));
	for (size_t i = 0; i < people.size(); i++)
		people[i].nr = static_cast<int>(i * 7919 % people.size());
	CHECK(nap::sort_by(&pool, people.data(), people.data() + people.size(), &person::nr) == 0);
	for (size_t i = 0; i < people.size(); i++)
		CHECK(people[i].nr == static_cast<int>(i));
	for (size_t i = 0; i < numbers.size(); i++)
		numbers[i] = static_cast<double>(i * 7919 % numbers.size()) - 5000.5;
	CHECK(nap::sort(&pool, numbers.data(), numbers.data() + numbers.size()) == 0);
	CHECK(std::is_sorted(numbers.begin(), numbers.end()));
	for (size_t i = 0; i < shorts.size(); i++)
		shorts[i] = static_cast<short>(i * 7919);
	CHECK(nap::sort(&pool, shorts.data(), shorts.data() + shorts.size()) == 0);
	CHECK(std::is_sorted(shorts.begin(), shorts.end()));
	CHECK(nap::sort(&pool, shorts.data(), shorts.data() + shorts.size(),
			std::greater<short>()) == 0);
	CHECK(std::is_sorted(shorts.rbegin(), shorts.rend()));
}

struct wide {
	int age, nr;
	char rest[80];
};

/*
 * Sorts with comparisons in line: many elements, a lambda with a captured variable, and no
 * exception.
 */
template <class T> static void sorted_in_line(size_t n)
{
	std::vector<T> all(n), same;
	int sign = -1;

	for (size_t i = 0; i < n; i++) {
		all[i].age = static_cast<int>(i * 7919 % 1000);
		all[i].nr = static_cast<int>(i);
	}
	same = all;
	CHECK(nap::stable_sort(&pool, all.data(), all.data() + n, [&](const T &a, const T &b) {
		return a.age * sign < b.age * sign;
	}) == 0);
	std::stable_sort(same.begin(), same.end(), [](const T &a, const T &b) {
		return a.age > b.age;
	});
	for (size_t i = 0; i < n; i++)
		CHECK(all[i].nr == same[i].nr);
	CHECK(nap::sort(&pool, all.data(), all.data() + n, [](const T &a, const T &b) noexcept {
		return a.nr < b.nr;
	}) == 0);
	for (size_t i = 0; i < n; i++)
		CHECK(all[i].nr == static_cast<int>(i));
}

static void sorts_in_line()
{
	for (size_t n : { 0, 1, 7, 100, 4096, 30000, 100000 })
		sorted_in_line<person>(n);
	for (size_t n : { 3, 1000, 20000 })
		sorted_in_line<wide>(n);
	std::vector<const char *> words = { "of", "a", "sort", "", "in", "line" };
	CHECK(nap::sort(&pool, words.data(), words.data() + words.size(),
			[](const char *a, const char *b) {
		return std::string(a) < b;
	}) == 0);
	CHECK(std::string(words[0]) + words[1] + words[5] == "asort");
}

template <class Call> static std::string what_is_thrown_by(const Call &call)
{
	try {
		call();
	} catch (const std::runtime_error &e) {
		return e.what();
	}
	return "nothing";
}

static void fail(size_t i)
{
	throw std::runtime_error(std::to_string(i));
}

static void exceptions()
{
	/* An exception that a plain loop would not have reached is not thrown. */
	for (int k = 0; k < 50; k++) {
		size_t where = 1;

		CHECK(nap::for_each(&pool, 0, 10, [](size_t i) {
			i == 1 ? fail(i) : void();
			return i ? 0 : -5;
		}, &first) == -5);
		CHECK(nap::find(&pool, 0, 10, [](size_t i) { return i == 1 ? fail(i), true : !i; },
				where, &first) == 0);
		CHECK(where == 0);
	}
	/* After an exception where two values are merged, nothing more is added. */
	long sum = 0;
	CHECK(what_is_thrown_by([&] {
		nap::reduce(&pool, 0, 1000, sum, [](size_t, long &s) { s++; },
			    [](long &, long) { fail(3); }, &fixed);
	}) == "3");
	/* After an exception where two values are merged, nothing is stored. */
	std::atomic<bool> has_thrown{ false };
	std::atomic<int> stored{ 0 };
	sum = 0;
	CHECK(what_is_thrown_by([&] {
		nap::scan(&pool, 0, 1000, sum, [](size_t, long &s) { s++; }, [&](long &, long) {
			has_thrown = true;
			fail(4);
		}, [&](size_t, long &s) {
			s++;
			stored += has_thrown;
		}, &by_one);
	}) == "4");
	CHECK(stored == 0);
	/*
	 * Everything below an index that throws is still added, because the exception of the
	 * lowest index is the one thrown.
	 */
	for (int k = 0; k < 20; k++) {
		std::atomic<bool> above{ false };

		CHECK(what_is_thrown_by([&] {
			nap::reduce(&pool, 0, 64, sum, [&](size_t i, long &) {
				for (int n = 0; !i && !above && n < 300; n++)
					usleep(100);
				above = above || i > 1;
				i ? fail(i) : void();
			}, [](long &, long) {}, &first);
		}) == "1");
	}
	/*
	 * The exception of the lowest tile is thrown, even if the area has more indices than a
	 * size_t counts.
	 */
	const size_t side = size_t(1) << 38;
	for (int k = 0; k < 20; k++) {
		std::atomic<bool> above{ false };

		CHECK(what_is_thrown_by([&] {
			nap::for_2d(&pool, { 0, 4 * side, 0, 4 * side }, side, side,
				    [&](const nap_tile &tile) {
				size_t i = tile.row / side * 4 + tile.column / side;

				for (int n = 0; !i && !above && n < 300; n++)
					usleep(100);
				above = above || i == 9;
				i == 3 || i == 9 ? fail(i) : void();
			}, &first);
		}) == "3");
	}
	for (size_t at : { size_t(0), size_t(1), size_t(63), size_t(99) }) {
		const std::string name = std::to_string(at);

		CHECK(what_is_thrown_by([&] {
			nap::for_each(&pool, 0, 100, [&](size_t i) { i == at ? fail(i) : void(); },
				      &by_one);
		}) == name);
		CHECK(what_is_thrown_by([&] {
			nap::for_each(&pool, 0, 100, [&](size_t i) { i >= at ? fail(i) : void(); },
				      &first);
		}) == name);
		CHECK(what_is_thrown_by([&] {
			nap::any(&pool, 0, 100, [&](size_t i) {
				return i == at ? fail(i), true : false;
			});
		}) == name);
		CHECK(what_is_thrown_by([&] {
			int n = 0;
			nap::reduce(&pool, 0, 100, n, [&](size_t i, int &) {
				i == at ? fail(i) : void();
			}, [](int &, int) {}, &by_one);
		}) == name);
		CHECK(what_is_thrown_by([&] {
			nap::for_each_chunk(&pool, "a\nb", 3, '\n', [&](const char *, size_t) {
				fail(at);
			});
		}) == name);
	}
	/* A loop inside a loop: the exception passes through both. */
	CHECK(what_is_thrown_by([] {
		nap::for_each(&pool, 0, 10, [](size_t i) {
			nap::for_each(&pool, 0, 10, [&](size_t k) {
				i == 5 && k == 5 ? fail(7) : void();
			}, &by_one);
		}, &by_one);
	}) == "7");
	/* After an exception in a comparison the array has the same elements as before. */
	std::vector<int> numbers(5000);
	std::atomic<int> compared{ 0 };
	for (size_t i = 0; i < numbers.size(); i++)
		numbers[i] = static_cast<int>(i * 7919 % 5000);
	CHECK(what_is_thrown_by([&] {
		nap::sort(&pool, numbers.data(), numbers.data() + numbers.size(),
			  [&](int a, int b) {
			if (++compared > 10000)
				fail(9);
			return a < b;
		});
	}) == "9");
	std::sort(numbers.begin(), numbers.end());
	for (size_t i = 0; i < numbers.size(); i++)
		CHECK(numbers[i] == static_cast<int>(i));
	/*
	 * In each round a later comparison throws. In the last rounds a sort on one thread is over
	 * before that comparison.
	 */
	std::vector<int> more(40000);
	for (int limit = 0; limit < 700000; limit = limit * 3 + 1) {
		for (size_t i = 0; i < more.size(); i++)
			more[i] = static_cast<int>(i * 7919 % more.size());
		compared = 0;
		std::string what = what_is_thrown_by([&] {
			nap::sort(&pool, more.data(), more.data() + more.size(), [&](int a, int b) {
				if (++compared > limit)
					fail(9);
				return a < b;
			});
		});
		CHECK(what == (compared > limit ? "9" : "nothing"));
		CHECK(what == "9" || std::is_sorted(more.begin(), more.end()));
		std::sort(more.begin(), more.end());
		for (size_t i = 0; i < more.size(); i++)
			CHECK(more[i] == static_cast<int>(i));
	}
}

static void broadcasts(int workers)
{
	std::atomic<int> sum{ 0 };

	CHECK(nap_pool_prewarm(&pool, static_cast<uint32_t>(workers)) == 0);
	CHECK(nap::broadcast(&pool, [&](nap_worker *worker) {
		sum += 1 + static_cast<int>(nap_worker_index(worker));
	}) == workers);
	CHECK(sum == workers * (workers + 1) / 2);
	CHECK(what_is_thrown_by([&] {
		nap::broadcast(&pool, [](nap_worker *) { fail(5); });
	}) == "5");
}

int main()
{
	for (unsigned workers : { 1u, 2u, 8u }) {
		nap_config config = {};

		config.max_workers = workers;
		CHECK(nap_pool_init(&pool, &config) == 0);
		loops();
		reductions();
		sorts();
		sorts_in_line();
		exceptions();
		broadcasts(static_cast<int>(workers));
		CHECK(nap_pool_join(&pool, nullptr) == 0);
	}
	return 0;
}
