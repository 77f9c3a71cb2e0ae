/* SPDX-License-Identifier: MIT */
/* Choosing the CPU on which a new worker begins: src/thread/linux/place.h. */
#include "thread/linux/place.h"

#include <stdint.h>
#include <string.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/futex.h"
#include "os/linux/cpus.h"
#include "worker/worker.h"

/*
 * Reads the mask that src/thread/linux/thread_setup.c will give the worker; returns the mask's
 * bytes, or 0.
 */
static size_t whole_mask(const struct nap_config *config, struct cpu_mask *mask)
{
	size_t size = config->affinity_size < sizeof(*mask) ? config->affinity_size : sizeof(*mask);
	long got;

	if (config->affinity) {
		memcpy(mask, config->affinity, size);
		return size;
	}
	got = nap__os_affinity(nap__syscall0(NAP__NR_getpid), mask);
	return got > 0 ? (size_t)got : 0;
}

static bool is_empty(const struct cpu_mask *mask, size_t size)
{
	for (size_t i = 0; i < size / sizeof(*mask->words); i++)
		if (mask->words[i])
			return false;
	return true;
}

size_t nap__place_elsewhere(struct nap_pool *pool, struct cpu_mask *mask)
{
	uint32_t cpu;
	size_t size;

	if (pool->config.flags & NAP_START_ANYWHERE ||
	    nap__syscall3(NAP__NR_getcpu, (long)&cpu, 0, 0))
		return 0;
	size = whole_mask(&pool->config, mask);
	if (cpu / 8 < size)
		mask->words[cpu / LONG_BITS] &= ~(1ul << cpu % LONG_BITS);
	return is_empty(mask, size) ? 0 : size;
}

void nap__place_done(struct nap_worker *worker)
{
	/* Relaxed, because the kernel has the new mask: there is no memory to publish. */
	nap_store_relaxed(&worker->placed, true);
	nap__futex_wake(&worker->placed, 1);
}

void nap__place_await(struct nap_worker *worker)
{
	while (!nap_load_relaxed(&worker->placed))
		nap__futex_wait(&worker->placed, false, UINT64_MAX);
}
