/* SPDX-License-Identifier: MIT */
/* Fibers that hand values on through channels, and fibers that share mutexes. */
#include <nap/channel.h>
#include <nap/fiber.h>

#include "work/common.h"
#include "work/nap.h"

#define ROOM		16u	/* values in a channel */

static struct nap_fiber **handles;

static void begin_fibers(uint32_t most)
{
	struct nap_fibers_config config = { .most = most, .stack_size = 32 << 10,
					    .flags = NAP_FIBER_NO_GUARD };

	handles = sim_alloc(most * sizeof(*handles), "handles of fibers");
	begin();
	if (nap_fibers_init(&work_pool, &config))
		sim_fail("nap_fibers_init() fails");
}

static void spawn(uint32_t i, nap_fiber_fn fn, void *arg)
{
	if (nap_spawn(&work_pool, &handles[i], fn, arg))
		sim_fail("nap_spawn() fails");
}

static void await(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		intptr_t result;

		if (nap_await(handles[i], &result) || result)
			sim_fail("fiber %u has failed", i);
	}
}

/* ---- pairs: one sends numbers, the other checks that they come in order */

struct pair {
	struct nap_channel channel;
	uint64_t most;
	uint64_t buffer[ROOM];
} __attribute__((aligned(64)));

static intptr_t sends(void *arg)
{
	struct pair *pair = arg;

	for (uint64_t i = 0; i < pair->most; i++)
		if (nap_channel_send(&pair->channel, &i))
			return 1;
	nap_channel_close(&pair->channel);
	return 0;
}

static intptr_t receives(void *arg)
{
	struct pair *pair = arg;
	uint64_t value, i = 0;

	while (!nap_channel_recv(&pair->channel, &value)) {
		if (value != i++)
			return 1;
		sim_begins();
		sim_work(sim_run.grain_ns);
		sim_ends();
	}
	return i != pair->most;
}

static void channels(void)
{
	uint32_t nr = 2 * sim_run.workers;
	struct pair *pairs = sim_alloc(nr * sizeof(*pairs), "channels");

	begin_fibers(2 * nr);
	sim_queued(sim_run.tasks);
	for (uint32_t i = 0; i < nr; i++) {
		pairs[i].most = sim_run.tasks * (i + 1) / nr - sim_run.tasks * i / nr;
		nap_channel_init(&pairs[i].channel, pairs[i].buffer, sizeof(pairs[i].buffer[0]),
				 ROOM);
		spawn(2 * i, sends, &pairs[i]);
		spawn(2 * i + 1, receives, &pairs[i]);
	}
	await(2 * nr);
	end();
}

SIM_WORK(channels, .name = "channels", .run = channels, .each = 500, .grain_ns = 1000,
	 .nap_only = true,
	 .about = "values that fibers send to fibers: two channels a worker, "
		  "a pair of fibers each");

/* ---- mutexes: what they protect is not atomic */

struct guarded {
	struct nap_mutex mutex;
	uint64_t n __attribute__((aligned(64)));
} __attribute__((aligned(64)));
static struct guarded *guarded;
static uint32_t nr_guarded, nr_fibers;

static intptr_t locks(void *arg)
{
	uint64_t number = (uintptr_t)arg;
	struct guarded *mine = &guarded[number % nr_guarded];
	uint64_t from = sim_run.tasks * number / nr_fibers;
	uint64_t to = sim_run.tasks * (number + 1) / nr_fibers;

	for (uint64_t i = from; i < to; i++) {
		if (nap_mutex_lock(&mine->mutex))
			return 1;
		sim_begins();
		mine->n++;
		sim_work(sim_run.grain_ns / 4);
		sim_ends();
		nap_mutex_unlock(&mine->mutex);
		sim_work(sim_run.grain_ns);
	}
	return 0;
}

OF_SIMULATOR static uint64_t counted(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < nr_guarded; i++)
		n += guarded[i].n;
	return n;
}

static void mutexes(void)
{
	nr_fibers = 4 * sim_run.workers;
	nr_guarded = (sim_run.workers + 1) / 2;
	guarded = sim_alloc(nr_guarded * sizeof(*guarded), "mutexes");
	begin_fibers(nr_fibers);
	sim_queued(sim_run.tasks);
	for (uint32_t i = 0; i < nr_fibers; i++)
		spawn(i, locks, (void *)(uintptr_t)i);
	await(nr_fibers);
	end();
	if (counted() != sim_run.tasks)
		sim_fail("what mutexes protect was counted to %llu", (unsigned long long)counted());
}

SIM_WORK(mutexes, .name = "mutexes", .run = mutexes, .each = 500, .grain_ns = 1000,
	 .nap_only = true,
	 .about = "four fibers a worker, and a mutex for eight of them, "
		  "held for a fifth of the time");
