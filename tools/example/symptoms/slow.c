/* SPDX-License-Identifier: MIT */
/*
 * Most requests take microseconds, and now and then one takes 10 ms. Why? Documentation/inside.rst
 * finds out.
 *
 *	cc -O2 -o slow slow.c -lnap && ./slow
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/nap.h>

#define REQUESTS	1000

struct request {
	struct nap_task task;
	uint64_t came, done;
};

static struct nap_pool pool = NAP_POOL_INIT(.name = "slow", .max_workers = 2);
static struct nap_serial journal;
static struct request requests[REQUESTS];
static struct nap_task rotations[REQUESTS];

/* Appends a line, which takes some microseconds. */
static void answer(struct nap_task *task)
{
	struct request *request = nap_container_of(task, struct request, task);
	uint64_t until = nap_deadline(5000);

	while (nap_deadline(0) < until)
		;
	request->done = nap_deadline(0);
}

/* Closes the file, compresses it, and opens another one. */
static void rotate(struct nap_task *task)
{
	uint64_t until = nap_deadline(10000000);

	(void)task;
	while (nap_deadline(0) < until)
		;
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	uint64_t took[REQUESTS];

	if (nap_serial_init(&journal, &pool))
		return 1;
	for (int i = 0; i < REQUESTS; i++) {
		usleep(500);
		if (i % 100 == 99) {
			nap_task_init(&rotations[i], rotate);
#ifdef CURED	/* so that no line of the journal waits for the rotation */
			nap_schedule(&pool, &rotations[i]);
#else
			nap_serial_schedule(&journal, &rotations[i]);
#endif
		}
		requests[i].came = nap_deadline(0);
		nap_task_init(&requests[i].task, answer);
		nap_serial_schedule(&journal, &requests[i].task);
	}
	nap_pool_join(&pool, NULL);
	for (int i = 0; i < REQUESTS; i++)
		took[i] = requests[i].done - requests[i].came;
	qsort(took, REQUESTS, sizeof(*took), by_time);
	printf("%d requests: half take %.3f ms at most, the longest %.3f ms\n", REQUESTS,
	       (double)took[REQUESTS / 2] / 1e6, (double)took[REQUESTS - 1] / 1e6);
}
