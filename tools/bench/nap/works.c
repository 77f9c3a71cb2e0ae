/* SPDX-License-Identifier: MIT */
/* Works that end on an epoll loop. */
#include "nap.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "common/trips.h"

static struct nap_cq cq;
static struct nap_work works[TRIPS_MOST];
static struct trips trips;
static int loop;

static int nothing(struct nap_work *unused)
{
	(void)unused;
	return 0;
}

static void begin(struct nap_work *work)
{
	if (nap_work_schedule(&bench_pool, work))
		row_die("nap_work_schedule() refused");
}

static void ended(struct nap_work *work, int result)
{
	if (result)
		row_die("work was not done");
	if (trips_again(&trips))
		begin(work);
}

static void all_trips(const struct size *size)
{
	struct epoll_event event;

	for (unsigned i = trips_begin(&trips, size); i--;)
		begin(&works[i]);
	while (trips.under_way) {
		if (epoll_wait(loop, &event, 1, -1) == 1)
			nap_cq_run(&cq, 0);
	}
}

static void trips_start(const struct size *size)
{
	struct epoll_event event = { .events = EPOLLIN };

	bench_start(size);
	loop = epoll_create1(EPOLL_CLOEXEC);
	if (loop < 0 || nap_cq_init(&cq) ||
	    epoll_ctl(loop, EPOLL_CTL_ADD, nap_cq_fd(&cq), &event))
		row_die("no loop");
	for (unsigned i = 0; i < TRIPS_MOST; i++)
		nap_work_init(&works[i], nothing, ended, &cq);
}

static void trips_end(void)
{
	struct nap_batch none = NAP_BATCH_INIT;

	bench_end();
	nap_cq_close(&cq, &none);
	close(loop);
}

const struct row work_rows[] = {
	ROW_OF("trips", row_time, all_trips, trips_start, trips_end),
	ROWS_END,
};
