/* SPDX-License-Identifier: MIT */
/*
 * Histograms as text (nap/metrics.h), of values that the test makes up: the bounds and their
 * counts, seconds as decimal fractions, and a series for each class.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <nap/histogram.h>
#include <nap/metrics.h>
#include <nap/nap.h>

#include "harness.h"
#include "wrap.h"

static struct nap_classes classes = { .count = 2 };
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool classed = NAP_POOL_INIT(.max_workers = 1, .classes = &classes);
static struct nap_pool unmeasured = NAP_POOL_INIT(.max_workers = 1);

static char page[1 << 16];
static uint64_t sum;

/* One value in each bucket. The sum says which histogram it is, unless the test sets it. */
WRAP(int, nap_pool_histogram, (struct nap_pool *of, enum nap_measured what, uint32_t which,
			       struct nap_histogram *out))
{
	(void)&__real_nap_pool_histogram;
	if (!of)
		return -EINVAL;
	if (of == &unmeasured)
		return -ENODATA;
	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS; i++)
		out->of[i] = 1;
	out->count = NAP_HISTOGRAM_BUCKETS;
	out->sum = sum ? sum : 100 * (uint64_t)what + which;
	out->missed = which == NAP_ALL_CLASSES ? 42 : 0;
	return 0;
}

static void write_page(const struct nap_metrics_pool *pools, size_t count)
{
	if (nap_metrics_pools(pools, count, page, sizeof(page)) >= sizeof(page))
		abort();
}

static size_t lines_with(const char *part)
{
	size_t n = 0;

	for (const char *at = page; (at = strstr(at, part)); at++)
		n++;
	return n;
}

static bool has_line(const char *line)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	return strstr(page, whole);
}

/* ---- values */

TEST(seconds_are_fractions_without_zeros_at_the_end)
{
	static const struct { uint64_t ns; const char *seconds; } table[] = {
		{ 1, "0.000000001" }, { 10, "0.00000001" }, { 999999999, "0.999999999" },
		{ 500000000, "0.5" }, { 1000000000, "1" }, { 1000000001, "1.000000001" },
		{ 1500000000, "1.5" }, { 10000000000, "10" }, { 123456789000, "123.456789" },
	};
	static const struct nap_metrics_pool of = { &pool, NULL };
	char line[100];

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		sum = table[i].ns;
		write_page(&of, 1);
		snprintf(line, sizeof(line), "nap_task_run_seconds_sum{pool=\"nap\"} %s",
			 table[i].seconds);
		EXPECT_TRUE(has_line(line));
		/* Tasks are counted, and not timed. */
		snprintf(line, sizeof(line), "nap_queue_length_sum{pool=\"nap\"} %lu",
			 (unsigned long)table[i].ns);
		EXPECT_TRUE(has_line(line));
	}
}

/* Whether the page has @n bounds, each four times the one before, and the counts up to them. */
static bool has_bounds(const char *metric, uint64_t first, uint32_t n, bool in_seconds)
{
	char line[100], value[32];
	uint32_t i = 0;

	for (uint64_t bound = first; n--; bound *= 4) {
		while (nap_histogram_bound(i) < bound)
			i++;
		snprintf(value, sizeof(value), in_seconds ? "%lu.%09lu" : "%lu",
			 (unsigned long)(in_seconds ? bound / 1000000000 : bound),
			 (unsigned long)(bound % 1000000000));
		snprintf(line, sizeof(line), "%s_bucket{pool=\"nap\",le=\"%s\"} %u", metric, value,
			 i + 1);
		if (nap_histogram_bound(i) != bound || !has_line(line))
			return false;
	}
	return true;
}

TEST(the_counts_up_to_each_bound)
{
	static const struct nap_metrics_pool of = { &pool, NULL };

	write_page(&of, 1);
	EXPECT_TRUE(has_bounds("nap_task_wait_seconds", 256, 15, true));
	EXPECT_TRUE(has_bounds("nap_task_run_seconds", 256, 15, true));
	EXPECT_TRUE(has_bounds("nap_wake_seconds", 256, 15, true));
	EXPECT_TRUE(has_bounds("nap_queue_length", 1, 11, false));
	/* and no more bounds than these */
	EXPECT_EQ(lines_with("_bucket{"), 3 * (15 + 1) + 11 + 1);
	EXPECT_TRUE(has_line("nap_task_wait_seconds_bucket{pool=\"nap\",le=\"+Inf\"} 593"));
	EXPECT_TRUE(has_line("nap_queue_length_bucket{pool=\"nap\",le=\"+Inf\"} 593"));
	EXPECT_TRUE(has_line("nap_task_wait_seconds_count{pool=\"nap\"} 593"));
	EXPECT_TRUE(has_line("nap_tasks_unmeasured_total{pool=\"nap\"} 42"));
}

/* ---- series */

TEST(each_class_has_a_series_and_so_have_ordinary_tasks)
{
	static const struct nap_metrics_pool of[] = { { &classed, "c" }, { &pool, "p" } };

	write_page(of, 2);
	EXPECT_TRUE(has_line("nap_queue_length_sum{pool=\"c\",class=\"0\"} 200"));
	EXPECT_TRUE(has_line("nap_queue_length_sum{pool=\"c\",class=\"1\"} 201"));
	EXPECT_TRUE(has_line("nap_queue_length_sum{pool=\"c\",class=\"ordinary\"} 204"));
	EXPECT_TRUE(has_line("nap_queue_length_sum{pool=\"p\"} 204"));
	EXPECT_TRUE(has_line("nap_wake_seconds_bucket{pool=\"c\",le=\"+Inf\"} 593"));
	EXPECT_TRUE(has_line("nap_task_run_seconds_bucket"
			     "{pool=\"c\",class=\"1\",le=\"+Inf\"} 593"));
	EXPECT_EQ(lines_with("nap_queue_length_count{pool=\"c\""), 3);
	EXPECT_EQ(lines_with("nap_task_wait_seconds_sum{pool=\"c\""), 3);
	/* What is not of a class has none. */
	EXPECT_TRUE(has_line("nap_wake_seconds_count{pool=\"c\"} 593"));
	EXPECT_TRUE(has_line("nap_tasks_unmeasured_total{pool=\"c\"} 42"));
	EXPECT_EQ(lines_with("nap_wake_seconds_count{"), 2);
	EXPECT_EQ(lines_with("nap_tasks_unmeasured_total{"), 2);
}

TEST(each_pool_that_is_measured_has_its_series)
{
	static const struct nap_metrics_pool of[] = {
		{ &unmeasured, "u" }, { NULL, "n" }, { &pool, "a" }, { &other, "a" }, { NULL, "a" },
	};

	write_page(of, 5);
	EXPECT_EQ(lines_with("_seconds_count{"), 3 * 2);
	EXPECT_TRUE(has_line("nap_wake_seconds_count{pool=\"a\"} 593"));
	EXPECT_TRUE(has_line("nap_wake_seconds_count{pool=\"a\",nr=\"2\"} 593"));
	EXPECT_TRUE(has_line("nap_tasks_unmeasured_total{pool=\"a\",nr=\"2\"} 42"));
	EXPECT_EQ(lines_with("nap_tasks_unmeasured_total{"), 2);
	/* A metric is described once. */
	EXPECT_EQ(lines_with("# TYPE nap_wake_seconds histogram\n"), 1);
	EXPECT_EQ(lines_with(" histogram\n"), 4);
	EXPECT_EQ(lines_with("# TYPE nap_tasks_unmeasured_total counter\n"), 1);
	EXPECT_TRUE(has_line("# HELP nap_wake_seconds "
			     "From a wake for work until the worker goes on."));
	EXPECT_TRUE(has_line("# HELP nap_queue_length "
			     "Tasks in the queue into which a task went, with it."));
	EXPECT_TRUE(has_line("# HELP nap_tasks_unmeasured_total "
			     "Tasks that are in no histogram for lack of room."));
	/* The first pool of several is enough, too. */
	write_page(of + 2, 1);
	EXPECT_EQ(lines_with(" histogram\n"), 4);
	EXPECT_EQ(lines_with("_seconds_count{"), 3);
	write_page(of, 2);
	EXPECT_EQ(lines_with("nap_wake_seconds"), 0);
	EXPECT_EQ(lines_with("nap_tasks_unmeasured_total"), 0);
}

TEST_HARNESS_MAIN
