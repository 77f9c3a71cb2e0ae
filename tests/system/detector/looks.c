/* SPDX-License-Identifier: MIT */
/*
 * A thread that looks at the pool again and again, while the program goes on: traces that begin,
 * are written and end; histograms, counters, metrics. There are no dumps, because valgrind's tools
 * would report their accesses: nap_pool_dump() may interrupt a public call, so it does not tell the
 * tools that its accesses are nap's own.
 */
#include <fcntl.h>
#include <nap/histogram.h>
#include <nap/metrics.h>
#include <nap/stats.h>
#include <nap/trace.h>

#include "program.h"

static pthread_t looker;
static int enough FLAG, nr_looks FLAG;

static void look(int to)
{
	static struct nap_histogram waited;
	static char text[1 << 16];
	const struct nap_metrics_pool one = { &pool, "looked at" };
	struct nap_pool_stats stats;
	struct nap_worker_stats worker;

	want(!nap_trace_begin(&pool, NULL), "begin a trace");
	want(!nap_pool_get_stats(&pool, &stats), "counters");
	nap_worker_get_stats(&pool, 0, &worker);
	for (int what = NAP_MEASURE_WAIT; what <= NAP_MEASURE_WAKE; what++)
		want(!nap_pool_histogram(&pool, what, NAP_ALL_CLASSES, &waited), "a histogram");
	nap_metrics_pools(&one, 1, text, sizeof(text));
	want(!nap_trace_write(&pool, to), "write a trace");
	want(!nap_trace_end(&pool), "end a trace");
	flag_up(&nr_looks);
}

static void *looks(void *unused)
{
	int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (!flag_is(&enough)) {
		look(to);
		usleep(2000);
	}
	close(to);
	return unused;
}

void looks_begin(void)
{
	want(!pthread_create(&looker, NULL, looks, NULL), "a thread");
}

void looks_end(void)
{
	await(&nr_looks, 10);
	flag_up(&enough);
	pthread_join(looker, NULL);
}
