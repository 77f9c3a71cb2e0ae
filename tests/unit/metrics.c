/* SPDX-License-Identifier: MIT */
/*
 * nap/metrics.h: every counter, once for each pool, as text that is never cut in the middle of a
 * line.
 */
#include <string.h>

#include "pool_fixture.h"
#include "wrap.h"

static struct nap_pool pool, other;
static char page[32768], part[32768];

/* Returns the value of @sample, or -1. */
static long value_of(const char *text, const char *sample)
{
	size_t len = strlen(sample);
	long n = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, sample, len) || line[len] != ' ')
			continue;
		for (const char *c = line + len + 1; *c >= '0' && *c <= '9'; c++)
			n = 10 * n + *c - '0';
		return n;
	}
	return -1;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

TEST(each_pool_has_its_counters)
{
	struct nap_metrics_pool pools[] = { { &pool, "first" }, { NULL, "none" },
					    { &other, NULL } };
	struct nap_task tasks[5];
	size_t len;

	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }), 0);
	for (int i = 0; i < 5; i++) {
		nap_task_init(&tasks[i], count_run);
		EXPECT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	len = nap_metrics_pools(pools, 3, page, sizeof(page));
	EXPECT_EQ(len, strlen(page));
	EXPECT_EQ(page[len - 1], '\n');
	EXPECT_EQ(value_of(page, "nap_tasks_run_total{pool=\"first\"}") +
		  value_of(page, "nap_tasks_helped_total{pool=\"first\"}"), 5);
	EXPECT_EQ(value_of(page, "nap_tasks_run_total{pool=\"nap\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers_limit{pool=\"first\"}"), 3);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"first\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_tasks_run_total{pool=\"none\"}"), -1);
	/* Each of 32 metrics has two lines of description, and a line for each of two pools. */
	EXPECT_EQ(lines_of(page), 4u * 32);
	EXPECT_TRUE(!strncmp(page, "# HELP nap_tasks_run_total ", 27));
	EXPECT_TRUE(!!strstr(page, "\n# TYPE nap_tasks_run_total counter\n"));
	EXPECT_TRUE(!!strstr(page, "\n# TYPE nap_workers_idle gauge\n"));
}

/* ---- which field is which metric */

static bool numbers_fields;

/* Gives each word of the counters a value of its own. */
WRAP(int, nap_pool_get_stats, (struct nap_pool *which, struct nap_pool_stats *out))
{
	uint32_t words[sizeof(*out) / sizeof(uint32_t)];

	if (!numbers_fields)
		return __real_nap_pool_get_stats(which, out);
	for (uint32_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = i;
	memcpy(out, words, sizeof(words));
	return 0;
}

#define FIELD(field, name) \
	{ "nap_" name "{pool=\"nap\"}", offsetof(struct nap_pool_stats, field), \
	  sizeof(((struct nap_pool_stats *)0)->field) == 8 }

static const struct { const char *sample; size_t offset; bool is_wide; } fields[] = {
	FIELD(workers.run, "tasks_run_total"),
	FIELD(workers.stolen, "tasks_stolen_total"),
	FIELD(workers.overflowed, "tasks_overflowed_total"),
	FIELD(workers.parked, "parks_total"),
	FIELD(workers.woken_idle, "wakes_in_vain_total"),
	FIELD(workers.jobs_stolen, "jobs_stolen_total"),
	FIELD(workers.dozed, "dozes_total"),
	FIELD(workers.spun, "spins_total"),
	FIELD(workers.yielded, "yields_total"),
	FIELD(workers.searched, "searches_in_vain_total"),
	FIELD(workers.asked, "asks_total"),
	FIELD(workers.canceled, "works_canceled_total"),
	FIELD(workers.timed_out, "works_timed_out_total"),
	FIELD(workers.fibers_spawned, "fibers_spawned_total"),
	FIELD(workers.fibers_ended, "fibers_ended_total"),
	FIELD(helped, "tasks_helped_total"),
	FIELD(max_workers, "workers_limit"),
	FIELD(spawned, "workers"),
	FIELD(idle, "workers_idle"),
	FIELD(spawn_failures, "spawn_failures_total"),
	FIELD(refused, "workers_refused_total"),
	FIELD(running, "workers_running"),
	FIELD(helping, "threads_helping"),
	FIELD(queued_calls, "queued_calls"),
	FIELD(most_running, "running_most"),
	FIELD(queued_injected, "queued_injected"),
	FIELD(queued_rings, "queued_rings"),
	FIELD(queued_overflow, "queued_overflow"),
	FIELD(most_queued, "queued_most"),
	FIELD(tasks_refused, "tasks_refused_total"),
	FIELD(queued_classes, "queued_classes"),
	FIELD(queued_serial, "queued_serial"),
};

/* nap/metrics.h has this table, too. */
TEST(each_field_is_the_metric_that_the_header_names)
{
	struct nap_metrics_pool named = { &pool, NULL };

	numbers_fields = true;
	nap_metrics_pools(&named, 1, page, sizeof(page));
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		long word = (long)(fields[i].offset / sizeof(uint32_t));

		/* The words of a wide field are numbered from its low one, in little endian. */
		EXPECT_EQ(value_of(page, fields[i].sample),
			  fields[i].is_wide ? word + ((word + 1) << 32) : word);
	}
	EXPECT_EQ(lines_of(page), 3 * sizeof(fields) / sizeof(*fields));
}

TEST(a_name_may_have_any_character)
{
	struct nap_metrics_pool named = { &pool, "a\"b\\c\nd" };

	nap_metrics_pools(&named, 1, page, sizeof(page));
	EXPECT_TRUE(!!strstr(page, "nap_workers{pool=\"a\\\"b\\\\c\\nd\"} 0\n"));
}

/* A byte that is no UTF-8 is replaced, because a reader would refuse the whole page. */
TEST(what_is_no_utf8_is_replaced)
{
	static const struct { const char *name, *label; } names[] = {
		{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf",
		  "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf" },
		/* the first and the last character of each length */
		{ "\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf \xf0\x90\x80\x80",
		  "\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf \xf0\x90\x80\x80" },
		{ "a\xff\xfe", "a\xef\xbf\xbd\xef\xbf\xbd" },		/* bytes of no character */
		{ "\x80z", "\xef\xbf\xbdz" },				/* first byte missing */
		{ "\xc3", "\xef\xbf\xbd" },				/* last byte missing */
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },			/* overlong form */
		{ "\xc1\xbf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x8f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x8f\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		/* half of a surrogate pair */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		/* larger than any character */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf5\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd" },
		/* replaced, and the quotation mark is escaped */
		{ "\xc3\"", "\xef\xbf\xbd\\\"" },
	};
	char sample[100];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct nap_metrics_pool named = { &pool, names[i].name };

		nap_metrics_pools(&named, 1, page, sizeof(page));
		snprintf(sample, sizeof(sample), "nap_workers{pool=\"%s\"}", names[i].label);
		EXPECT_EQ(value_of(page, sample), 0);
	}
}

/* Pools of one name get numbers, because a reader would refuse two samples of one series. */
TEST(of_one_name_each_has_a_number)
{
	struct nap_metrics_pool named[] = { { &pool, NULL }, { &pool, "b\xff" }, { NULL, "nap" },
					    { &other, "nap" }, { &other, "b\xfe" }, { &pool, "b" },
					    { &pool, NULL }, { &pool, "c" },
					    { &other, "\xc3\xa4" } };
	static struct nap_slot slot[1];
	static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, slot, 1);
	struct nap_metrics_submitter of[] = { { &submit, "in" }, { NULL, "in" },
					      { &submit, "out" }, { &submit, "in" } };

	nap_metrics_pools(named, 9, page, sizeof(page));
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"nap\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"nap\",nr=\"2\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"nap\",nr=\"3\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"b\xef\xbf\xbd\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"b\xef\xbf\xbd\",nr=\"2\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"b\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"c\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_workers{pool=\"\xc3\xa4\"}"), 0);
	EXPECT_EQ(lines_of(page), 10u * 32);
	nap_metrics_submitters(of, 4, page, sizeof(page));
	EXPECT_EQ(value_of(page, "nap_submit_slots{submitter=\"in\"}"), 1);
	EXPECT_EQ(value_of(page, "nap_submit_slots{submitter=\"in\",nr=\"2\"}"), 1);
	EXPECT_EQ(value_of(page, "nap_submit_slots{submitter=\"out\"}"), 1);
	EXPECT_EQ(lines_of(page), 5u * 4);
}

/* A buffer that is too small gets whole lines; the call returns the length that would be enough. */
TEST(it_is_cut_behind_a_line)
{
	struct nap_metrics_pool one = { &pool, "one" };
	size_t len = nap_metrics_pools(&one, 1, page, sizeof(page)), n, wrong = 0;

	EXPECT_EQ(nap_metrics_pools(&one, 1, NULL, 0), len);
	EXPECT_EQ(nap_metrics_pools(&one, 1, NULL, 100), len);
	for (size_t size = 1; size <= len + 1; size++) {
		part[size] = 'x';
		wrong += nap_metrics_pools(&one, 1, part, size) != len;
		n = strlen(part);
		wrong += part[size] != 'x' || n >= size || (n && part[n - 1] != '\n') ||
			 strncmp(part, page, n);
		/* The next line would not have fitted. */
		wrong += n < len && (size_t)(strchr(page + n, '\n') + 1 - page) < size;
	}
	EXPECT_EQ(wrong, 0u);
	EXPECT_EQ(strlen(part), len);
}

static void run(void *unused)
{
	(void)unused;
}

TEST(slots_have_theirs)
{
	static struct nap_slot slots[2];
	static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, 2);
	struct nap_metrics_submitter of[] = { { &submit, "in" }, { NULL, NULL } };
	size_t len;

	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	EXPECT_EQ(nap_submit(&submit, run, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_metrics_submitters(of, 2, page, sizeof(page)), strlen(page));
	EXPECT_EQ(value_of(page, "nap_submit_taken{submitter=\"in\"}"), 0);
	EXPECT_EQ(value_of(page, "nap_submit_taken_most{submitter=\"in\"}"), 1);
	EXPECT_EQ(value_of(page, "nap_submit_slots{submitter=\"in\"}"), 2);
	EXPECT_EQ(value_of(page, "nap_submit_refused_total{submitter=\"in\"}"), 0);
	EXPECT_EQ(lines_of(page), 3u * 4);
	/* Without room there is only the length. */
	len = strlen(page);
	EXPECT_EQ(nap_metrics_submitters(of, 2, NULL, 0), len);
	EXPECT_EQ(nap_metrics_submitters(of, 2, NULL, 100), len);
	memset(part, 'x', 2);
	EXPECT_EQ(nap_metrics_submitters(of, 2, part, 1), len);
	EXPECT_TRUE(part[0] == 0 && part[1] == 'x');
	EXPECT_TRUE(nap_metrics_pools(NULL, 3, page, sizeof(page)) && lines_of(page) == 2 * 32);
}

TEST_HARNESS_MAIN
