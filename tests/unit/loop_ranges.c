/* SPDX-License-Identifier: MIT */
/*
 * The promises of nap/for.h and nap/reduce.h about ranges, for every loop: how large a range is,
 * and that @stop and the time limit are checked between two ranges. Where a test counts checks, one
 * thread runs all ranges.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>
#include <nap/parallel.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "harness.h"
#include "wrap.h"

static bool no_memory;
WRAP(void *, nap__os_map, (size_t size))
{
	return no_memory ? NULL : __real_nap__os_map(size);
}

#define N	640u
/* the size of a value of which a scan's stack has no room for one for each part */
#define WIDE	400u

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

/* ---- the loops, all with one function */

enum kind { PLAIN, OWNED, TILES, CHUNKS, REDUCED, SCANNED, SCANNED_WIDE, KINDS };

static int (*body)(size_t begin, size_t end);

static int range(size_t begin, size_t end, void *unused)
{
	(void)unused;
	return body(begin, end);
}

/* Called for a row of tiles, each of one index. */
static int tile(const struct nap_tile *tile, void *unused)
{
	(void)unused;
	return body(tile->column, tile->column_end);
}

static char memory[N];

static int chunk(const void *at, size_t size, void *unused)
{
	size_t begin = (size_t)((const char *)at - memory);

	(void)unused;
	return body(begin, begin + size);
}

static int add(size_t begin, size_t end, void *value, void *unused)
{
	(void)unused;
	*(size_t *)value += end - begin;
	return body(begin, end);
}

static void merge(void *value, const void *right, void *unused)
{
	(void)unused;
	*(size_t *)value += *(const size_t *)right;
}

static int run(enum kind kind, const struct nap_loop *how, size_t begin, size_t end)
{
	static const struct nap_reduction by = { sizeof(size_t), add, merge, NULL };
	static const struct nap_reduction by_wide = { WIDE, add, merge, NULL };
	static struct nap_owners owners;
	struct nap_loop owned = *how;
	size_t value = 0;
	_Alignas(16) char wide[WIDE] = { 0 };

	owned.owners = &owners;
	switch (kind) {
	case OWNED:
		return nap_for_as(&pool, &owned, begin, end, range, NULL);
	case TILES:
		return nap_for_2d(&pool, &owned, &(struct nap_tile){ 0, 1, begin, end }, 1, 1, tile,
				  NULL);
	case CHUNKS:
		memset(memory, '\n', sizeof(memory));
		return nap_for_chunks(&pool, how, memory + begin, end - begin, '\n', chunk, NULL);
	case REDUCED:
		return nap_reduce(&pool, how, begin, end, &by, &value, NULL);
	case SCANNED:
		return nap_scan(&pool, how, begin, end, &by, add, &value, NULL);
	case SCANNED_WIDE:
		return nap_scan(&pool, how, begin, end, &by_wide, add, wide, NULL);
	default:
		return nap_for_as(&pool, how, begin, end, range, NULL);
	}
}

/* ---- the size of ranges */

static size_t last, grain;
static uint32_t nr_wrong;

static int is_right(size_t begin, size_t end)
{
	if (begin >= end || end - begin > grain || (end != last && 2 * (end - begin) < grain))
		nap_fetch_add_relaxed(&nr_wrong, 1);
	return 0;
}

TEST(a_range_is_a_grain_and_at_least_half_of_that)
{
	static const enum kind kinds[] = { PLAIN, OWNED, REDUCED, SCANNED };

	body = is_right;
	for (grain = 1; grain < 12; grain++)
		for (size_t n = 0; n < 300; n += n < 40 ? 1 : 37)
			for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
				last = SIZE_MAX;
				nr_wrong = 0;
				ASSERT_EQ(run(kinds[k], &(struct nap_loop){ .grain = grain },
					      last - n, last), 0);
				EXPECT_EQ(nr_wrong, 0) {
					TH_LOG("kind %d, grain %zu, %zu indices", kinds[k], grain,
					       n);
				}
			}
	nap_pool_join(&pool, NULL);
}

static size_t nr_indices;

static int counts(size_t begin, size_t end)
{
	nap_fetch_add_relaxed(&nr_indices, end - begin);
	return 0;
}

TEST(a_grain_may_be_as_large_as_can_be)
{
	static const size_t grains[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 2,
					 SIZE_MAX / 3 };
	static const enum kind kinds[] = { PLAIN, OWNED, REDUCED };

	body = counts;
	for (size_t g = 0; g < sizeof(grains) / sizeof(*grains); g++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			nr_indices = 0;
			ASSERT_EQ(run(kinds[k], &(struct nap_loop){ .grain = grains[g] }, 0,
				      SIZE_MAX), 0);
			EXPECT_EQ(nr_indices, SIZE_MAX);
			nr_indices = 0;
			ASSERT_EQ(run(kinds[k], &(struct nap_loop){ .grain = grains[g] },
				      SIZE_MAX - 7, SIZE_MAX), 0);
			EXPECT_EQ(nr_indices, 7);
		}
	nap_pool_join(&pool, NULL);
}

/* ---- fixed ranges */

static uint8_t begins[N];	/* how many ranges began at each index */
static uint64_t pause_ns;	/* how long a range takes */

static int note_begin(size_t begin, size_t end)
{
	uint64_t until = pause_ns ? nap__os_now() + pause_ns : 0;

	begins[begin]++;
	if (end - begin > (N - 1) / 64 + 1)
		nr_wrong++;
	while (until && nap__os_now() < until)
		;
	return 0;
}

/* Ranges begin at the same indices if they take long, and if there is no memory for values. */
TEST(fixed_ranges_depend_on_no_clock_and_no_memory)
{
	static const uint32_t never;
	static const struct nap_loop hows[] = {
		{ .flags = NAP_LOOP_FIXED },
		{ .flags = NAP_LOOP_FIXED, .stop = &never },
		{ .flags = NAP_LOOP_FIXED, .timeout_ns = NAP_FOREVER },
	};
	uint8_t first[N];

	body = note_begin;
	nr_wrong = 0;
	/* Workers would run several ranges at a time. */
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .flags = NAP_NO_WORKERS }), 0);
	for (enum kind kind = PLAIN; kind < KINDS; kind++)
		for (size_t i = 0; i < 12; i++) {
			pause_ns = i & 1 ? 20000 : 0;
			no_memory = i >= 6;
			memset(begins, 0, sizeof(begins));
			EXPECT_EQ(run(kind, &hows[i / 2 % 3], 0, N), 0);
			if (!i)
				memcpy(first, begins, sizeof(first));
			EXPECT_EQ(memcmp(begins, first, sizeof(first)), 0) {
				TH_LOG("kind %d, run %zu", kind, i);
			}
		}
	no_memory = false;
	EXPECT_EQ(nr_wrong, 0);
	nap_pool_join(&pool, NULL);
}

/* ---- checks between two ranges */

static uint32_t stop, nr_calls, nr_late, longest;
static uint64_t ends_behind;	/* ns after the first call of the body; 0: the stop ends the loop */
static bool over;

/* Takes longer per index than a whole range is meant to take. The twentieth index ends the loop. */
static int ends_it(size_t begin, size_t end)
{
	static uint64_t first;
	uint64_t now = nap__os_now(), until = now + (end - begin) * 20000;

	if (!nr_calls)
		first = now;

	nr_late += over;
	if (end - begin > longest)
		longest = (uint32_t)(end - begin);
	while (nap__os_now() < until)
		;
	if (++nr_calls != 20)
		return 0;
	over = true;
	if (!ends_behind)
		nap_store_release(&stop, 1);
	while (nap__os_now() < first + ends_behind)
		;
	return 0;
}

struct look {
	struct nap_task task;
	enum kind kind;
	struct nap_loop how;
	int err;
};

static void loop(struct nap_task *task)
{
	struct look *look = nap_container_of(task, struct look, task);

	look->err = run(look->kind, &look->how, 0, N);
}

static int look_at(enum kind kind, size_t of_grain, bool timed)
{
	struct look look = {
		NAP_TASK_INIT(loop), kind,
		{ .grain = of_grain, .stop = timed ? NULL : &stop,
		  .timeout_ns = timed ? 30000000 : 0 }, 1
	};

	nr_calls = nr_late = longest = stop = 0;
	ends_behind = look.how.timeout_ns;
	over = false;
	body = ends_it;
	nap_schedule(&pool, &look.task);
	nap_pool_quiesce(&pool);
	return look.err;
}

TEST(no_range_begins_behind_a_stop)
{
	for (enum kind kind = PLAIN; kind < KINDS; kind++)
		for (size_t of_grain = 0; of_grain < 3; of_grain++) {
			EXPECT_EQ(look_at(kind, of_grain, false), -ECANCELED);
			EXPECT_EQ(nr_calls, 20);
			EXPECT_EQ(nr_late, 0);
			EXPECT_LE(longest, of_grain ? of_grain : 1);
		}
	nap_pool_join(&pool, NULL);
}

/* On a slow machine the time may be over before the twentieth index. */
TEST(no_range_begins_behind_the_time)
{
	for (enum kind kind = PLAIN; kind < KINDS; kind++)
		for (size_t of_grain = 0; of_grain < 3; of_grain++) {
			EXPECT_EQ(look_at(kind, of_grain, true), -ETIMEDOUT);
			EXPECT_LE(nr_calls, 20);
			EXPECT_EQ(nr_late, 0);
			EXPECT_LE(longest, of_grain ? of_grain : 1);
		}
	nap_pool_join(&pool, NULL);
}

/* ---- the size of ranges without a grain, by a clock that only the ranges move */

static uint64_t clock_at, ns_each;

WRAP(uint64_t, nap__os_now, (void))
{
	uint64_t at = nap_load_relaxed(&clock_at);

	return at ? at : __real_nap__os_now();
}

static int moves_the_clock(size_t begin, size_t end)
{
	if (end - begin > longest)
		longest = (uint32_t)(end - begin);
	nap_store_relaxed(&clock_at, clock_at + (end - begin) * ns_each);
	return 0;
}

/* The longest range takes 8 us, or half of that; or one index takes longer. */
TEST(a_range_without_a_grain_takes_some_microseconds)
{
	static const enum kind kinds[] = { PLAIN, OWNED, CHUNKS, REDUCED, SCANNED };
	static const uint64_t each[] = { 20000, 4000, 1000 };
	uint32_t unstopped = 0;

	body = moves_the_clock;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
			struct look look = {
				NAP_TASK_INIT(loop), kinds[k], { .stop = &unstopped }, 1
			};
			uint64_t most = i ? 8000 / each[i] : 1;

			longest = 0;
			ns_each = each[i];
			nap_store_relaxed(&clock_at, 1);
			ASSERT_EQ(nap_schedule(&pool, &look.task), 0);
			ASSERT_EQ(nap_pool_quiesce(&pool), 0);
			nap_store_relaxed(&clock_at, 0);
			EXPECT_EQ(look.err, 0);
			EXPECT_TRUE(longest <= most && 2 * longest >= most) {
				TH_LOG("kind %d, %d ns: %u", kinds[k], (int)each[i], longest);
			}
		}
	nap_pool_join(&pool, NULL);
}

/* ---- how often progress is reported */

static uint32_t nr_told;

static int told(size_t done, size_t total, void *unused)
{
	(void)unused;
	nr_told++;
	return done > total;
}

TEST(progress_is_told_never_or_behind_each_range)
{
	static const uint64_t nevers[] = { NAP_FOREVER, NAP_FOREVER - 1, NAP_FOREVER / 2 };

	body = counts;
	for (enum kind kind = PLAIN; kind < KINDS; kind++) {
		nr_told = 0;
		for (size_t i = 0; i < sizeof(nevers) / sizeof(*nevers); i++)
			EXPECT_EQ(run(kind, &(struct nap_loop){ .grain = 1, .progress = told,
								.progress_ns = nevers[i] },
				      0, N), 0);
		EXPECT_EQ(nr_told, 0);
		EXPECT_EQ(run(kind, &(struct nap_loop){ .grain = 1, .progress = told }, 0, N), 0);
		EXPECT_GT(nr_told, 0);
		/* With a time limit the clock is read in each part of an inner loop, too. */
		EXPECT_EQ(run(kind, &(struct nap_loop){ .grain = 1, .progress = told,
							.timeout_ns = NAP_FOREVER / 2 },
			      0, N), 0);
	}
	nap_pool_join(&pool, NULL);
}

/* ---- only two kinds of loop have owners */

TEST(owners_change_nothing_elsewhere)
{
	static const struct nap_reduction by = { sizeof(size_t), add, merge, NULL };
	static const struct nap_owners none;
	struct nap_owners owners = none;
	struct nap_loop how = { .grain = 3, .owners = &owners };
	size_t value = 0;

	body = counts;
	memset(memory, '\n', sizeof(memory));
	EXPECT_EQ(nap_for_chunks(&pool, &how, memory, N, '\n', chunk, NULL), 0);
	EXPECT_EQ(nap_scan(&pool, &how, 0, N, &by, add, &value, NULL), 0);
	EXPECT_EQ(nap_reduce(&pool, &how, 0, N, &by, &value, NULL), 0);
	EXPECT_EQ(value, 2 * N);
	EXPECT_EQ(memcmp(&owners, &none, sizeof(none)), 0);
	EXPECT_EQ(nap_for_as(&pool, &how, 0, N, range, NULL), 0);
	EXPECT_NE(memcmp(&owners, &none, sizeof(none)), 0);
	nap_pool_join(&pool, NULL);
}

TEST_HARNESS_MAIN
