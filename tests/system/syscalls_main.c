/* SPDX-License-Identifier: MIT */
/*
 * A daemon's life in phases, for syscalls.sh. Each phase begins with a write to descriptor -1 of
 * the phase's name. The program itself calls only write, epoll_create1, epoll_ctl, epoll_wait and
 * sched_yield.
 */
#include <nap/nap.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define WORKS 2000

static struct nap_pool pool;
static struct nap_cq cq;
static unsigned nr_started, nr_ended;

static void phase(const char *name)
{
	if (write(-1, name, strlen(name)) != -1)
		abort();
}

static void started(struct nap_worker *worker, void *arg)
{
	(void)worker, (void)arg;
	__atomic_fetch_add(&nr_started, 1, __ATOMIC_RELEASE);
}

static int spin(struct nap_work *work)
{
	for (volatile int i = 0; i < 10000; i++)
		;
	return nap_work_is_canceled(work);
}

static void ended(struct nap_work *work, int result)
{
	(void)work, (void)result;
	nr_ended++;
}

static struct nap_work works[WORKS];

/* Schedules 100 works at a time, so that workers and the loop sleep in between. */
static void run_works(int epoll)
{
	struct epoll_event event;

	for (unsigned i = 0; i < WORKS; ) {
		for (unsigned end = i + 100; i < end; i++) {
			nap_work_init(&works[i], spin, ended, &cq);
			works[i].deadline = i % 3 ? 0 : nap_deadline(1000000000);
			if (nap_work_schedule(&pool, &works[i]))
				abort();
		}
		nap_cancel(&works[i - 1]);
		for (; nr_ended < i; nap_cq_run(&cq, 0))
			epoll_wait(epoll, &event, 1, -1);
	}
}

int main(int argc, char **argv)
{
	unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_pool_stats stats;

	phase("setup");
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers,
						       .worker_start = started }) ||
	    nap_cq_init(&cq))
		return 1;
	epoll_ctl(epoll, EPOLL_CTL_ADD, nap_cq_fd(&cq), &event);
	phase("start");
	if (nap_pool_prewarm(&pool, NAP_MAX_WORKERS))
		return 1;
	nap_pool_get_stats(&pool, &stats);
	while (__atomic_load_n(&nr_started, __ATOMIC_ACQUIRE) < stats.max_workers)
		sched_yield();
	phase("work");
	run_works(epoll);
	phase("end");
	return nap_work_finish(&pool, &cq, &left);
}
