/* SPDX-License-Identifier: MIT */
/*
 * Histograms as text: nap/metrics.h. Only a few bounds are written, powers of four. Each of them is
 * also a bound of one of the 593 buckets, so the written counts are exact.
 */
#include "kit/page.h"

#include <errno.h>
#include <string.h>

#include <nap/histogram.h>

#include "kit/class.h"
#include "worker/measure.h"

/* The first bound, and the number of bounds; each bound is four times the one before. */
#define BOUND_NS	256u
#define BOUNDS_NS	15
#define BOUND_TASKS	1u
#define BOUNDS_TASKS	11

#define NANO		1000000000u

static const struct measured_metric {
	const char *name, *help;
	enum nap_measured what;
} measured_metrics[] = {
	{ "nap_task_wait_seconds", "From the schedule of a task to its begin.", NAP_MEASURE_WAIT },
	{ "nap_task_run_seconds", "From the begin of a task to its return.", NAP_MEASURE_RUN },
	{ "nap_queue_length", "Tasks in the queue into which a task went, with it.",
	  NAP_MEASURE_QUEUE },
	{ "nap_wake_seconds", "From a wake for work until the worker goes on.", NAP_MEASURE_WAKE },
};

/* One series: the histogram of one class, or of ordinary tasks, of one pool. */
struct series {
	const struct measured_metric *metric;
	struct nap_pool *pool;
	const char *name;
	uint32_t nr;		/* the pool's number among pools of one name */
	uint32_t which;		/* the number of the class */
};

uint32_t nap__pool_number(const struct nap_metrics_pool *pools, size_t i)
{
	uint32_t nr = 1;

	for (size_t before = 0; before < i; before++)
		nr += pools[before].pool && nap__page_same(pools[before].name, pools[i].name);
	return nr;
}

static bool is_in_tasks(const struct series *series)
{
	return series->metric->what == NAP_MEASURE_QUEUE;
}

/* Puts @n in the unit of the metric: seconds as a decimal fraction, without zeros at the end. */
static void put_value(struct page *page, const struct series *series, uint64_t n)
{
	char digits[10] = ".";
	size_t len = sizeof(digits);
	uint64_t rest = n % NANO;

	if (is_in_tasks(series)) {
		nap__page_number(page, n);
		return;
	}
	nap__page_number(page, n / NANO);
	for (size_t i = len; --i; rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	/* Not noticed in tests when >= for > or 0 for 1: the first byte is the point. */
	while (len > 1 && digits[len - 1] == '0')
		len--;
	if (len > 1)
		nap__page_bytes(page, digits, len);
}

/* Puts the name and the labels; the caller puts the rest of the line. */
static void put_labels(struct page *page, const struct series *series, const char *suffix)
{
	nap__page_string(page, series->metric->name);
	nap__page_string(page, suffix);
	nap__page_labels(page, "pool", series->name, series->nr);
	if (series->metric->what == NAP_MEASURE_WAKE || !class_count(series->pool))
		return;
	nap__page_string(page, ",class=\"");
	if (series->which == CLASS_ORDINARY)
		nap__page_string(page, "ordinary");
	else
		nap__page_number(page, series->which);
	nap__page_string(page, "\"");
}

static void put_bucket(struct page *page, const struct series *series, uint64_t bound,
		       uint64_t count)
{
	put_labels(page, series, "_bucket");
	nap__page_string(page, ",le=\"");
	if (bound == UINT64_MAX)
		nap__page_string(page, "+Inf");
	else
		put_value(page, series, bound);
	nap__page_string(page, "\"} ");
	nap__page_number(page, count);
	nap__page_line(page);
}

static void put_buckets(struct page *page, const struct series *series,
			const struct nap_histogram *histogram)
{
	uint64_t bound = is_in_tasks(series) ? BOUND_TASKS : BOUND_NS, count = 0;
	uint32_t left = is_in_tasks(series) ? BOUNDS_TASKS : BOUNDS_NS;

	for (uint32_t i = 0; left; i++) {
		count += histogram->of[i];
		if (measure_bound(i) != bound)
			continue;
		put_bucket(page, series, bound, count);
		bound *= 4;
		left--;
	}
	put_bucket(page, series, UINT64_MAX, histogram->count);
}

static void put_series(struct page *page, const struct series *series,
		       const struct nap_histogram *histogram)
{
	put_buckets(page, series, histogram);
	put_labels(page, series, "_sum");
	nap__page_string(page, "} ");
	put_value(page, series, histogram->sum);
	nap__page_line(page);
	put_labels(page, series, "_count");
	nap__page_string(page, "} ");
	nap__page_number(page, histogram->count);
	nap__page_line(page);
}

/* Puts all series of a pool: one for each class, and one for tasks without a class. */
static void put_pool(struct page *page, struct series *series)
{
	uint32_t classes = series->metric->what == NAP_MEASURE_WAKE ? 0 : class_count(series->pool);
	struct nap_histogram histogram;

	for (uint32_t i = 0; i <= classes; i++) {
		series->which = i == classes ? CLASS_ORDINARY : i;
		if (!measure_read(series->pool, series->metric->what, series->which, &histogram))
			put_series(page, series, &histogram);
	}
}

static void put_missed(struct page *page, const struct nap_metrics_pool *pools, size_t count)
{
	static const struct measured_metric metric = { "nap_tasks_unmeasured_total", NULL,
						       NAP_MEASURE_WAKE };
	struct nap_histogram histogram;

	nap__page_head(page, metric.name, "Tasks that are in no histogram for lack of room.",
		       "counter");
	for (size_t i = 0; i < count; i++) {
		/* Not noticed in tests when 1 for 0: this series is of no class. */
		struct series series = { &metric, pools[i].pool, pools[i].name,
					 nap__pool_number(pools, i), 0 };

		if (measure_read(pools[i].pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &histogram))
			continue;
		put_labels(page, &series, "");
		nap__page_string(page, "} ");
		nap__page_number(page, histogram.missed);
		nap__page_line(page);
	}
}

static bool is_any_measured(const struct nap_metrics_pool *pools, size_t count)
{
	struct nap_histogram histogram;

	while (count--)
		/* Not noticed in tests when 1 for 0: wakes are of no class. */
		if (!measure_read(pools[count].pool, NAP_MEASURE_WAKE, 0, &histogram))
			return true;
	return false;
}

void nap__put_measured(struct page *page, const struct nap_metrics_pool *pools, size_t count)
{
	if (!is_any_measured(pools, count))
		return;
	for (size_t m = 0; m < sizeof(measured_metrics) / sizeof(*measured_metrics); m++) {
		nap__page_head(page, measured_metrics[m].name, measured_metrics[m].help,
			       "histogram");
		for (size_t i = 0; i < count; i++) {
			/* Not noticed in tests when 1 for 0: put_pool() sets the class. */
			struct series series = { &measured_metrics[m], pools[i].pool, pools[i].name,
						 nap__pool_number(pools, i), 0 };

			if (series.pool)
				put_pool(page, &series);
		}
	}
	put_missed(page, pools, count);
}
