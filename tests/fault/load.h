/* SPDX-License-Identifier: MIT */
/*
 * The load that the fault campaign puts on a pool: every shape of use at once, from threads outside
 * and from tasks, ended in one of five ways.
 *
 *	load_prepare(&pool, rounds, LOAD_STOP);		starts the producers, which wait
 *	load_finish();					lets them begin; ends and joins the pool
 *	load_expect();					checks what became of the tasks
 *	load_report("a fault", injected);		prints the sums of all loads so far
 */
#ifndef NAP_TESTS_FAULT_LOAD_H
#define NAP_TESTS_FAULT_LOAD_H

#include "jobs.h"

/*
 * The size of producers' stacks, and of workers' if there are few workers. Tasks that wait inside
 * each other need much less (ThreadSanitizer takes the first 700 KiB). A libc keeps stacks of this
 * size when threads end.
 */
#define LOAD_STACK ((size_t)2 << 20)

static void look_at_pool(unsigned long i)
{
	int err;

	LOAD_WANT(nap_pool_help(load.pool, 3) >= (load_is_ended() ? -ESHUTDOWN : 0));
	if (i % 3 == 0) {
		err = nap_pool_quiesce_for(load.pool, 50000);
		LOAD_WANT(err == 0 || err == -ETIMEDOUT ||
			  (err == -ECANCELED && load_is_stopped()));
	} else if (i % 3 == 1) {
		err = nap_pool_prewarm(load.pool, i % 2 ? NAP_MAX_WORKERS : 1);
		LOAD_WANT(err == 0 || load.spawns_fail || (err == -ESHUTDOWN && load_is_ended()));
	}
}

static void produce_round(unsigned long i)
{
	put(new_job(run_job, 0));
	put_batch(1 + i % 7);
	put(new_job(echo, (int)(i % 10)));
	if (i % 16 == 0)
		put(new_job(flood, 0));
	if (i % 8 == 0)
		put(new_job(tree, 6));
	if (i % 4 == 1)
		put(new_job(forks, 1 + (int)(i % 8)));
	if (i % 4 == 0)
		put(new_job(wait_inside, (int)(i % 8)));
	if (i % 16 == 7)
		wait_for_members();
	if (i % 16 == 15)
		wait_at_party(i % 100 * 1000);
	if (i % 8 == 5)
		look_at_pool(i);
}

/* Whether a shutdown or join has succeeded, in this call or before on another thread. */
static bool is_done(int err)
{
	return err == 0 || err == -EALREADY;
}

static void *load_produce(void *arg)
{
	unsigned long offset = (unsigned long)arg;

	flag_wait(&load.go);
	if (load.enter)
		load.enter();
	for (unsigned long i = 0; i < load.rounds && !nap_load_relaxed(&load.closed); i++)
		produce_round(i + offset);
	if (offset == 1 && load_is_ended())
		LOAD_WANT(is_done(nap_pool_join(load.pool, NULL)));
	return NULL;
}

/* Starts the producers, which wait. @pool is initialised or static, and the test has a watchdog. */
static inline void load_prepare(struct nap_pool *pool, unsigned long rounds, enum load_end how)
{
	pthread_attr_t attr;

	memset(&load, 0, sizeof(load));
	load.pool = pool;
	load.rounds = rounds;
	load.end = how;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, LOAD_STACK);
	for (unsigned long i = 0; i < LOAD_PRODUCERS; i++)
		if (pthread_create(&load.producers[i], &attr, load_produce, (void *)i))
			abort();
	pthread_attr_destroy(&attr);
}

static inline void load_join_producers(void)
{
	for (int i = 0; i < LOAD_PRODUCERS; i++)
		pthread_join(load.producers[i], NULL);
}

static inline void load_join_pool(void)
{
	struct nap_batch left;

	LOAD_WANT(is_done(nap_pool_join(load.pool, &left)));
	LOAD_WANT(load_is_stopped() || !left.head);
	load.left += end_batch(&left);
}

/* Shuts the pool down, at some time while the producers run. */
static inline void load_shut_down(void)
{
	enum nap_shutdown mode = load.end == LOAD_STOP ? NAP_STOP : NAP_DRAIN;

	for (unsigned long i = 0; i < load.rounds; i++)
		sched_yield();
	LOAD_WANT(is_done(nap_pool_shutdown(load.pool, mode)));
	if (load.end == LOAD_DRAIN_STOP) {
		sched_yield();
		/* A producer that joins may have ended the pool before this. */
		LOAD_WANT(is_done(nap_pool_shutdown(load.pool, NAP_STOP)));
	}
}

static inline void load_go(void)
{
	flag_set(&load.go);
}

/*
 * Quiesces first, if the load's end is LOAD_QUIESCE; then joins. The producers have already been
 * joined.
 */
static inline void load_quiesce_and_join(void)
{
	if (load.end == LOAD_QUIESCE) {
		LOAD_WANT(nap_pool_quiesce(load.pool) == 0);
		load.unfinished = nap_load_relaxed(&load.accepted) - nap_load_relaxed(&load.run);
	}
	load_join_pool();
}

static inline void load_finish(void)
{
	load_go();
	if (load_is_ended()) {
		load_shut_down();
		load_join_pool();
		load_join_producers();
		load_join_pool();
		return;
	}
	load_join_producers();
	load_quiesce_and_join();
}

/* Sums over all loads that load_expect() has judged. */
static unsigned long load_scheduled, load_ended;

static inline void load_count(void)
{
	load_scheduled += load.accepted;
	load_ended += load.run + load.left;
}

#define load_report(fault, injected) fault_report(fault, injected, load_scheduled, load_ended)

/* Checks in the test function that no task was lost or run twice, and that no result was wrong. */
#define load_expect()									\
	do {										\
		struct nap_pool_stats load_stats;					\
											\
		nap_pool_get_stats(load.pool, &load_stats);				\
		EXPECT_EQ(load.odd, 0);							\
		EXPECT_EQ(load.unfinished, 0);						\
		EXPECT_TRUE(load.accepted || load_is_ended());				\
		EXPECT_EQ(load.accepted, load.run + load.left);				\
		EXPECT_EQ(load_stats.workers.run + load_stats.helped, load.run);	\
		load_count();								\
	} while (0)

/* load_expect() where starts may fail with @err. Adds the number of failed starts to *@refused. */
static inline struct nap_pool_stats load_expect_refused(struct __test_metadata *_metadata, int err,
							unsigned long *refused)
{
	struct nap_pool_stats stats;

	load_expect();
	nap_pool_get_stats(load.pool, &stats);
	EXPECT_EQ(stats.spawn_last_errno, stats.spawn_failures ? err : 0);
	*refused += stats.spawn_failures;
	return stats;
}

/* Runs and checks a load for every way of ending. The number of workers depends on @i. */
static inline void load_with_every_end(struct __test_metadata *_metadata, struct nap_pool *pool,
				       unsigned long i)
{
	static const uint32_t workers[] = { 1, 2, 8 };

	for (int how = 0; how < LOAD_NR_ENDS; how++) {
		nap_pool_init(pool, &(struct nap_config){ .max_workers = workers[i % 3] });
		load_prepare(pool, 64, (enum load_end)how);
		load_finish();
		load_expect();
	}
}

#endif /* NAP_TESTS_FAULT_LOAD_H */
