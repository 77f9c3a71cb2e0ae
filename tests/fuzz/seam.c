/* SPDX-License-Identifier: MIT */
/*
 * The system below the library. The fuzzer sets how many of the next calls fail. The system counts
 * what it hands out.
 */
#include <errno.h>
#include <sched.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fuzz/seam.h"
#include "os/futex.h"
#include "os/os.h"
#include "wrap.h"

uint32_t fail_starts, fail_maps, fail_events, failed, spurious;
uint32_t threads_started, threads_joined, maps, unmaps, events_opened, events_closed, events_failed;

void fuzz_failed(const char *file, int line, const char *what, long value)
{
	fprintf(stderr, "# FAULT: %s:%d: not %s (%ld)\n", file, line, what, value);
	fuzz_print();
	abort();
}

void seam_begin(void)
{
	fail_starts = fail_maps = fail_events = failed = spurious = 0;
	threads_started = threads_joined = maps = unmaps = 0;
	events_opened = events_closed = events_failed = 0;
}

void seam_end(void)
{
	CHECK(threads_started == threads_joined, threads_started - threads_joined);
	CHECK(maps == unmaps, maps - unmaps);
	CHECK(events_opened == events_closed, events_opened - events_closed);
}

uint64_t timeout_of(uint32_t byte)
{
	static const uint64_t timeouts[] = { 0, 20000, 200000, NAP_FOREVER };

	return timeouts[byte % 4];
}

/* Decrements @counter; returns false if it is already 0. */
static bool use_up(uint32_t *counter)
{
	uint32_t n = nap_load_relaxed(counter), found;

	while (n) {
		found = nap_cmpxchg_relaxed(counter, n, n - 1);
		if (found == n)
			return true;
		n = found;
	}
	return false;
}

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	int err;

	if (use_up(&fail_starts)) {
		nap_fetch_add_relaxed(&failed, 1);
		return -EAGAIN;
	}
	err = __real_nap__os_thread_start(worker, stack_size);
	nap_fetch_add_relaxed(err ? &failed : &threads_started, 1);
	return err;
}

WRAP(int, nap__os_thread_join, (struct nap_worker *worker, uint64_t deadline))
{
	int err = __real_nap__os_thread_join(worker, deadline);

	if (!err)
		nap_fetch_add_relaxed(&threads_joined, 1);
	return err;
}

WRAP(void, nap__os_thread_reap, (struct nap_worker *worker))
{
	__real_nap__os_thread_reap(worker);
	nap_fetch_add_relaxed(&threads_joined, 1);
}

WRAP(void *, nap__os_map, (size_t size))
{
	if (use_up(&fail_maps)) {
		nap_fetch_add_relaxed(&failed, 1);
		return NULL;
	}
	nap_fetch_add_relaxed(&maps, 1);
	return __real_nap__os_map(size);
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	nap_fetch_add_relaxed(&unmaps, 1);
	__real_nap__os_unmap(mem, size);
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	static const int answers[] = { 0, -EINTR, -EAGAIN };
	static uint32_t waits;
	uint32_t every = nap_load_relaxed(&spurious);
	uint32_t nr = nap_fetch_add_relaxed(&waits, 1);

	if (every && nr % every == 0) {
		sched_yield();
		return answers[nr / every % 3];
	}
	return __real_nap__futex_wait(word, expected, deadline);
}

WRAP(int, nap__os_eventfd_open, (void))
{
	int fd;

	if (use_up(&fail_events))
		return -EMFILE;
	fd = __real_nap__os_eventfd_open();
	CHECK(fd >= 0, fd);
	nap_fetch_add_relaxed(&events_opened, 1);
	return fd;
}

WRAP(void, nap__os_eventfd_close, (int fd))
{
	nap_fetch_add_relaxed(&events_closed, 1);
	__real_nap__os_eventfd_close(fd);
}

WRAP(int, nap__os_eventfd_write, (int fd))
{
	int err;

	if (use_up(&fail_events)) {
		nap_fetch_add_relaxed(&failed, 1);
		nap_fetch_add_relaxed(&events_failed, 1);
		return -ENOMEM;
	}
	err = __real_nap__os_eventfd_write(fd);
	CHECK(!err, err);
	return err;
}
