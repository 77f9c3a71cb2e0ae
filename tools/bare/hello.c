/* SPDX-License-Identifier: MIT */
/*
 * nap-hello: the smallest program without a libc. Runs 1,000,000 tasks on 4 workers and prints
 * the sum of their numbers; exits 0 if the sum is right.
 */
#include <nap/bare.h>
#include <nap/nap.h>

#include "arch/syscall.h"

#define TASKS	1000000u
#define WORKERS	4

struct summand {
	struct nap_task task;
	uint64_t number;
};

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = WORKERS, .name = "hello");
static struct summand summands[TASKS];

/* A cache line for each worker, so that no worker waits for another worker's line. */
static struct {
	uint64_t sum;
} nap__line sums[WORKERS];
static uint64_t helped;		/* the sum of what ran on this thread, without a worker */

static void add(struct nap_task *task)
{
	struct nap_worker *self = nap_worker_self();
	uint64_t number = nap_container_of(task, struct summand, task)->number;

	if (self)
		sums[nap_worker_index(self)].sum += number;
	else
		helped += number;
}

static void print(const char *text, uint64_t n)
{
	char line[80], *at = line + sizeof(line);
	size_t len = 0;

	*--at = '\n';
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (text[len])
		len++;
	while (len)
		*--at = text[--len];
	nap__syscall3(NAP__NR_write, 1, (long)at, line + sizeof(line) - at);
}

int main(void)
{
	uint64_t sum = 0;
	int err = 0;

	for (uint32_t i = 0; i < TASKS && !err; i++) {
		summands[i].number = i + 1;
		nap_task_init(&summands[i].task, add);
		err = nap_schedule(&pool, &summands[i].task);
	}
	if (err || nap_pool_join(&pool, NULL))
		return 1;
	for (int i = 0; i < WORKERS; i++)
		sum += sums[i].sum;
	sum += helped;
	print("sum of 1 to 1000000: ", sum);
	return sum == (uint64_t)TASKS * (TASKS + 1) / 2 ? 0 : 1;
}
