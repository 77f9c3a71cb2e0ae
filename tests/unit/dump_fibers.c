/* SPDX-License-Identifier: MIT */
/*
 * src/dump/fibers.c, fiber_name.c: what a dump says of a fiber in each state, step by step. No
 * fiber runs: the test writes the records.
 */
#include <errno.h>

#include <nap/trace_file.h>

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "dump_steps.h"
#include "worker/self.h"
#include "worker/worker.h"

enum { SLOT = sizeof(struct nap_fiber), WORKERS = 70 };

static struct nap_pool pool;
static struct nap__fibers fibers = { .slot = SLOT };
static char stacks[(DUMP_FIBERS + 4) * SLOT] __attribute__((aligned(64)));
static struct nap_worker workers[WORKERS];
static struct nap__self threads[WORKERS];

static struct nap_fiber *fiber_at(uint32_t i)
{
	return (struct nap_fiber *)(void *)(stacks + i * SLOT);
}

/* Makes a fiber in this state of its life and of its wait. */
static struct nap_fiber *make(uint32_t i, uint32_t life, uint32_t state)
{
	struct nap_fiber *fiber = fiber_at(i);

	fiber->life = life;
	fiber->index = i;
	fiber->fn = (nap_fiber_fn)(uintptr_t)0x10;
	fiber->wait.state = state;
	pool.async = &fibers.async;
	fibers.stacks = stacks;
	if (fibers.used <= i)
		fibers.used = i + 1;
	return fiber;
}

/* Returns what a dump says of all fibers. The copy number @failing fails; 0: none. */
static const char *dumped(int failing)
{
	text_begin(failing);
	dump.pool = &pool;
	nap__dump_fibers(&dump);
	nap__dump_flush(&dump);
	return text;
}

TEST(a_fiber_before_and_behind_its_life)
{
	char line[64];

	EXPECT_STREQ(dumped(0), "");
	make(0, FIBER_SPAWNED, WAIT_OFF);
	make(1, FIBER_FREE, 0);
	make(2, FIBER_ENDED, 0);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: is queued, has not begun\n"
				"fiber 2 0x10: has ended, nobody has awaited it\n");
	make(0, FIBER_FREE, 0);
	make(2, FIBER_ENDED + 1, 0);
	snprintf(line, sizeof(line), "fiber at 0x%lx: changed during the dump\n",
		 (unsigned long)fiber_at(2));
	EXPECT_STREQ(dumped(0), line);
	fibers.stacks = NULL;
	EXPECT_STREQ(dumped(0), "");
}

TEST(a_fiber_that_runs_waits_or_is_to_go_on)
{
	struct nap_fiber *fiber = make(0, FIBER_BEGUN, 0);

	EXPECT_STREQ(dumped(0), "fiber 0 0x10: runs\n");
	make(0, FIBER_BEGUN, WAIT_OFF);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: is to go on\n");
	make(0, FIBER_BEGUN, WAIT_OFF | WAIT_ASKED);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: is to go on, was asked to end\n");
	fiber->wait.on = NAP_TRACE_ON_EVENT;
	fiber->wait.object = (void *)0x20;
	make(0, FIBER_BEGUN, WAIT_OPEN);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: runs\n");
	make(0, FIBER_BEGUN, WAIT_OFF | WAIT_OPEN | WAIT_SCOPED);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: waits for an event 0x20, was asked to end\n");
}

TEST(a_fiber_that_a_worker_runs)
{
	make(0, FIBER_BEGUN, WAIT_OFF);
	make(1, FIBER_BEGUN, WAIT_OFF | WAIT_OPEN);
	pool.registry = &workers[0];
	workers[0].next = &workers[1];
	workers[1].next = &workers[2];
	workers[1].self = &threads[1];
	workers[2].self = &threads[2];
	threads[2].fiber = fiber_at(0);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: runs\nfiber 1 0x10: waits for something\n");
	/* The fiber has just suspended itself on this worker. */
	threads[1].fiber = fiber_at(1);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: runs\nfiber 1 0x10: waits for something\n");
	EXPECT_STREQ(dumped(2), "fiber 0 0x10: is to go on\nfiber 1 0x10: waits for something\n");
}

/* There is room for the fibers of 64 workers. */
TEST(more_running_fibers_than_there_is_room_for)
{
	for (uint32_t i = 0; i < WORKERS; i++) {
		make(i, FIBER_BEGUN, WAIT_OFF);
		workers[i].self = &threads[i];
		threads[i].fiber = fiber_at(i);
		workers[i].next = i + 1 < WORKERS ? &workers[i + 1] : NULL;
	}
	pool.registry = &workers[0];
	dumped(0);
	EXPECT_EQ(said(": runs\n"), 64);
	EXPECT_EQ(said(": is to go on\n"), WORKERS - 64);
}

/* The number of the wait says whether the fiber is still in it. */
TEST(since_when_a_fiber_waits_at_least)
{
	make(0, FIBER_BEGUN, WAIT_OFF | WAIT_OPEN | WAIT_NUMBER);
	dump.now = 5000000000;
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: waits for something\n");
	dump.now = 6500000000;
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: waits for something, since 1.500 s or longer\n");
	make(0, FIBER_BEGUN, WAIT_OFF | WAIT_OPEN | 2 * WAIT_NUMBER);
	EXPECT_STREQ(dumped(0), "fiber 0 0x10: waits for something\n");
}

TEST(a_record_that_cannot_be_copied)
{
	char line[64];

	make(0, FIBER_BEGUN, 0);
	make(1, FIBER_FREE, 0);
	snprintf(line, sizeof(line), "fiber at 0x%lx: changed during the dump\n",
		 (unsigned long)fiber_at(0));
	EXPECT_STREQ(dumped(1), line);
	make(0, FIBER_FREE, 0);
	EXPECT_STREQ(dumped(1), "");
}

TEST(the_name_of_a_fiber)
{
	strcpy(make(0, FIBER_BEGUN, 0)->name, "n");
	memset(make(1, FIBER_BEGUN, 0)->name, 'x', sizeof(fiber_at(0)->name));
	EXPECT_STREQ(dumped(0), "fiber 0 \"n\" 0x10: runs\n"
				"fiber 1 \"xxxxxxxxxxxxxxx\" 0x10: runs\n");
}

/* Returns what a dump says of a fiber that is said to be at this address; "" if none is. */
static const char *named(const void *fiber, int failing)
{
	bool is_fiber;

	text_begin(failing);
	dump.pool = &pool;
	is_fiber = nap__dump_fiber_name(&dump, fiber);
	nap__dump_flush(&dump);
	return is_fiber ? text : text[0] ? "?" : "none";
}

TEST(an_address_that_may_be_that_of_a_fiber)
{
	EXPECT_STREQ(named(fiber_at(0), 0), "none");
	make(0, FIBER_BEGUN, 0);
	make(1, FIBER_BEGUN, 0);
	EXPECT_STREQ(named(fiber_at(0), 0), "fiber 0 0x10");
	EXPECT_STREQ(named(fiber_at(1), 0), "fiber 1 0x10");
	EXPECT_STREQ(named(fiber_at(2), 0), "none");
	EXPECT_STREQ(named((void *)((uintptr_t)stacks - SLOT), 0), "none");
	EXPECT_STREQ(named(stacks + SLOT - 64, 0), "none");
	EXPECT_STREQ(named(stacks + 64, 0), "none");
	EXPECT_STREQ(named(fiber_at(1), 1), "");
}

TEST(so_many_stacks_are_looked_at)
{
	make(DUMP_FIBERS - 1, FIBER_BEGUN, 0);
	EXPECT_STREQ(dumped(0), "fiber 16383 0x10: runs\n");
	make(DUMP_FIBERS, FIBER_BEGUN, 0);
	make(DUMP_FIBERS + 2, FIBER_BEGUN, 0);
	EXPECT_STREQ(dumped(0), "fiber 16383 0x10: runs\nand 3 more stacks of fibers\n");
	dump.err = -EIO;
	dumped(0);
	EXPECT_EQ(peeks, 0);
}

TEST_HARNESS_MAIN
