/* SPDX-License-Identifier: MIT */
/*
 * For trace_programs.sh: whether the events of a trace are as many as the pool has counted, by
 * the counters that are in the same file. counts FILE prints what differs, and exits with 1. If
 * nothing differs, it prints how many jobs were taken.
 */
#include <fcntl.h>
#include <stdio.h>

#include "../../trace_fixture.h"

static struct trace_read seen;
static int differs;

static void same(const char *what, uint64_t events, uint64_t counted)
{
	if (events == counted)
		return;
	printf("%s: %llu events, counted %llu\n", what, (unsigned long long)events,
	       (unsigned long long)counted);
	differs = 1;
}

static void ended(const char *what, enum nap_trace_kind begin, enum nap_trace_kind end)
{
	same(what, seen.kinds[begin] + seen.kinds_outside[begin],
	     seen.kinds[end] + seen.kinds_outside[end]);
}

int main(int argc, char **argv)
{
	const struct nap_worker_stats *sum = &seen.now.workers;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (!trace_read(&seen, fd))
		return 2;
	same("begun", seen.begun, sum->run);
	same("begun outside", seen.begun_outside, seen.now.helped);
	same("stolen", seen.stolen, sum->stolen);
	same("overflowed", seen.overflowed, sum->overflowed);
	same("parked", seen.parked, sum->parked);
	same("spun", seen.spun, sum->spun);
	same("dozed", seen.dozed, sum->dozed);
	same("jobs stolen", seen.jobs_stolen, sum->jobs_stolen);
	same("canceled", seen.kinds[NAP_TRACE_CANCEL], sum->canceled + sum->timed_out);
	same("spawned", seen.kinds[NAP_TRACE_FIBER_SPAWN], sum->fibers_spawned);
	same("fibers", seen.kinds[NAP_TRACE_FIBER_END], sum->fibers_ended);
	ended("tasks", NAP_TRACE_BEGIN, NAP_TRACE_END);
	ended("jobs", NAP_TRACE_JOB_BEGIN, NAP_TRACE_JOB_END);
	ended("joins", NAP_TRACE_JOIN_BEGIN, NAP_TRACE_JOIN_END);
	ended("waits", NAP_TRACE_WAIT_BEGIN, NAP_TRACE_WAIT_END);
	ended("parks", NAP_TRACE_PARK, NAP_TRACE_UNPARK);
	ended("workers", NAP_TRACE_START, NAP_TRACE_RETIRE);
	same("begun without a schedule", seen.unscheduled, 0);
	same("nested", seen.is_nested && seen.is_in_time && !seen.nr_odd, 1);
	if (!differs)
		printf("jobs %llu\n",
		       (unsigned long long)(seen.kinds[NAP_TRACE_JOB_BEGIN] +
					    seen.kinds_outside[NAP_TRACE_JOB_BEGIN]));
	return differs;
}
