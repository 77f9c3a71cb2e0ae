/* SPDX-License-Identifier: MIT */
/* The parts that tests of nap/end.h share: a loop that gets the notice, and a pool that ends. */
#ifndef NAP_TESTS_ENDS_FIXTURE_H
#define NAP_TESTS_ENDS_FIXTURE_H

#include "call_fixture.h"
#include "child_threads.h"
#include "scale.h"

static struct nap_cq cq;
static int nr_told;			/* how many notices the loop has got */
static unsigned long run_before_told;

static inline void told(struct nap_task *task)
{
	(void)task;
	nr_told++;
	run_before_told = nap_load_acquire(&nr_run);
}

/*
 * Runs the completion queue, as a loop does when the fd is readable. Returns how many notices have
 * come.
 */
static inline int look(void)
{
	nap_cq_run(&cq, 0);
	return nr_told;
}

static inline void await_told(int n)
{
	while (look() < n)
		sched_yield();
}

static inline void begin(enum nap_idle idle, uint32_t workers, struct nap_end *end)
{
	begin_pool(&pool, idle, workers);
	if (nap_cq_init(&cq))
		abort();
	nap_end_init(end, told, &cq);
}

/* Waits for the notice, joins, and checks that no second notice comes. */
static inline void finish(struct __test_metadata *_metadata, struct nap_batch *left)
{
	struct nap_batch none = NAP_BATCH_INIT;

	await_told(1);
	EXPECT_EQ(nap_pool_join(&pool, left), 0);
	EXPECT_EQ(look(), 1);
	EXPECT_EQ(nap_cq_close(&cq, &none), 0);
	EXPECT_EQ(none.count, 0);
}

static inline void schedule_many(unsigned long n)
{
	struct nap_batch batch = new_batch(n, count_and_free);

	if (nap_schedule_batch(&pool, &batch))
		abort();
}

#endif /* NAP_TESTS_ENDS_FIXTURE_H */
