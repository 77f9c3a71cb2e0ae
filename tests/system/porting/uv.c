/* SPDX-License-Identifier: MIT */
/* A hundred requests, two slow ones, and one that is canceled while the only thread is busy. */
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>

#ifdef BEFORE
#include <uv.h>

struct request {
	uv_work_t req;
	uv_getaddrinfo_t lookup;
	const char *name;
	long n, sum;
	sem_t *gate;
};
static uv_loop_t *loop;
#else
#include <nap/nap.h>

struct request {
	struct nap_work work;
	const char *name;
	struct addrinfo *addresses;
	long n, sum;
	sem_t *gate;
};
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_order order;
static struct nap_cq cq;
#endif

static long total, answers, canceled;

static long sum_of(struct request *r)
{
	if (r->gate)
		sem_wait(r->gate);
	return r->n * (r->n + 1) / 2;
}

static void answer(struct request *r, int status)
{
	answers++;
	if (status)
		canceled++;
	else
		total += r->sum;
}

#include PIECE

static struct request requests[104];

static void run_loop(void)
{
#ifdef BEFORE
	uv_run(loop, UV_RUN_DEFAULT);
#else
	while (answers < 104) {
		struct pollfd fd = { nap_cq_fd(&cq), POLLIN, 0 };

		poll(&fd, 1, -1);
		nap_cq_run(&cq, 0);
	}
#endif
}

int main(void)
{
	sem_t gate;

	sem_init(&gate, 0, 0);
#ifdef BEFORE
	loop = uv_default_loop();
#else
	nap_cq_init(&cq);
	nap_order_init(&order, &pool, 1);
#endif
	requests[0].gate = &gate;
	for (int i = 0; i < 102; i++) {
		requests[i].n = i;
		start(&requests[i]);
	}
	for (int i = 102; i < 104; i++) {
		requests[i].name = "127.0.0.1";
		start_slow(&requests[i]);
	}
	client_gone(&requests[101]);
	sem_post(&gate);
	run_loop();
	printf("%ld answers, %ld canceled, %ld\n", answers, canceled, total);
	return 0;
}
