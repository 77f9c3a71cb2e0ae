// SPDX-License-Identifier: MIT
/* The system: linked with --wrap, it fails when it is told to and counts what it hands out. */
#include <errno.h>
#include <sched.h>

#include "fuzz.h"
#include "os.h"

uint32_t fail_starts, fail_maps, failed, spurious;
uint32_t threads_started, threads_joined, maps, unmaps;

int __real_nap__os_thread_start(struct nap_worker *worker, size_t stack_size);
int __wrap_nap__os_thread_start(struct nap_worker *worker, size_t stack_size);
int __real_nap__os_thread_join(struct nap_worker *worker, uint64_t deadline);
int __wrap_nap__os_thread_join(struct nap_worker *worker, uint64_t deadline);
void *__real_nap__os_map(size_t size);
void *__wrap_nap__os_map(size_t size);
void __real_nap__os_unmap(void *mem, size_t size);
void __wrap_nap__os_unmap(void *mem, size_t size);
int __real_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);
int __wrap_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);

/* Take one off @counter; false when there is none. */
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

int __wrap_nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
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

int __wrap_nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	int err = __real_nap__os_thread_join(worker, deadline);

	if (!err)
		nap_fetch_add_relaxed(&threads_joined, 1);
	return err;
}

void *__wrap_nap__os_map(size_t size)
{
	if (use_up(&fail_maps)) {
		nap_fetch_add_relaxed(&failed, 1);
		return NULL;
	}
	nap_fetch_add_relaxed(&maps, 1);
	return __real_nap__os_map(size);
}

void __wrap_nap__os_unmap(void *mem, size_t size)
{
	nap_fetch_add_relaxed(&unmaps, 1);
	__real_nap__os_unmap(mem, size);
}

int __wrap_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
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
