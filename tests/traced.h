/* SPDX-License-Identifier: MIT */
/*
 * A pool that is traced from before its first task until its join, so that no event is missing, and
 * the comparison of the trace with the pool's counters.
 */
#ifndef NAP_TESTS_TRACED_H
#define NAP_TESTS_TRACED_H

#include <nap/trace.h>

#include "pool_fixture.h"
#include "trace_fixture.h"

enum { TRACED_EVENTS = 1 << 17 };

static struct nap_pool pool;
static struct trace_read seen;
static int file;

static inline void traced(struct nap_config config)
{
	struct nap_trace_options options = { .events = TRACED_EVENTS, .flags = NAP_TRACE_AT_JOIN };

	file = memfd_create("trace", MFD_CLOEXEC);
	options.fd = file;
	if (nap_pool_init(&pool, &config) || nap_trace_begin(&pool, &options))
		abort();
}

/* Reads the file of a joined pool. Whatever has begun was made runnable before. */
static inline void judge_joined(struct __test_metadata *_metadata)
{
	ASSERT_TRUE(trace_read(&seen, file));
	close(file);
	EXPECT_TRUE(seen.file.flags & NAP_TRACE_JOINED && seen.file.flags & NAP_TRACE_ON);
	for (uint32_t i = 0; i < TRACE_TRACKS; i++) {
		EXPECT_EQ(seen.of[i].lost + seen.of[i].dropped, 0);
	}
	EXPECT_EQ(seen.outside.lost, 0);
	EXPECT_EQ(seen.nr_odd, 0);
	EXPECT_TRUE(seen.is_nested);
	EXPECT_TRUE(seen.is_in_time);
	EXPECT_EQ(seen.unscheduled, 0);
	if (!(seen.file.flags & NAP_TRACE_STOPPED)) {
		EXPECT_EQ(seen.unbegun, 0);
	}
}

/* Joins the pool, and reads the file, as judge_joined(). */
static inline void judge_causes(struct __test_metadata *_metadata)
{
	struct nap_batch left;

	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	free_batch(&left);
	judge_joined(_metadata);
}

/* As judge_causes(); also compares the trace with the counters of the pool. */
static inline void judge(struct __test_metadata *_metadata)
{
	struct nap_pool_stats stats;
	struct nap_worker_stats *sum = &stats.workers;

	judge_causes(_metadata);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(seen.begun, sum->run);
	EXPECT_EQ(seen.begun_outside, stats.helped);
	EXPECT_EQ(seen.stolen, sum->stolen);
	EXPECT_EQ(seen.overflowed, sum->overflowed);
	EXPECT_EQ(seen.parked, sum->parked);
	EXPECT_EQ(seen.spun, sum->spun);
	EXPECT_EQ(seen.dozed, sum->dozed);
	EXPECT_EQ(seen.jobs_stolen, sum->jobs_stolen);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_SPAWN], sum->fibers_spawned);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_END], sum->fibers_ended);
	EXPECT_EQ(seen.kinds[NAP_TRACE_CANCEL], sum->canceled + sum->timed_out);
	EXPECT_EQ(seen.late_works, sum->timed_out);
	EXPECT_EQ(seen.kinds[NAP_TRACE_BEGIN], seen.kinds[NAP_TRACE_END]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_START], seen.kinds[NAP_TRACE_RETIRE]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_JOB_BEGIN], seen.kinds[NAP_TRACE_JOB_END]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_JOIN_BEGIN], seen.kinds[NAP_TRACE_JOIN_END]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_WAIT_BEGIN], seen.kinds[NAP_TRACE_WAIT_END]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_PARK], seen.kinds[NAP_TRACE_UNPARK]);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_RESUME],
		  seen.kinds[NAP_TRACE_FIBER_SUSPEND] + seen.kinds[NAP_TRACE_FIBER_END]);
	/* A worker may already be awake when a wake comes: such a wake ends no park. */
	EXPECT_GE(seen.kinds[NAP_TRACE_WAKE] + seen.kinds_outside[NAP_TRACE_WAKE], seen.woken);
}

#endif /* NAP_TESTS_TRACED_H */
