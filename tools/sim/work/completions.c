/* SPDX-License-Identifier: MIT */
/*
 * Works that are handed back to the thread of a loop: --loops threads, each with a completion
 * queue. Each thread has some works under way. A work that comes back is scheduled again, until all
 * have been done.
 */
#include <nap/work.h>

#include "work/common.h"
#include "work/nap.h"

#define MOST_LOOPS	8u

struct item {
	struct nap_work work;
	struct loop *loop;
	uint32_t runs, ends;
} __attribute__((aligned(64)));

struct loop {
	struct nap_cq cq;
	struct item *items;
	uint64_t begun, ended, most;
} __attribute__((aligned(64)));
static struct loop *loops;

static int run_item(struct nap_work *work)
{
	struct item *item = (struct item *)(void *)work;

	sim_begins();
	sim_work(sim_run.grain_ns);
	sim_ends();
	return (int)++item->runs;
}

static void schedule(struct item *item)
{
	sim_queued(1);
	item->loop->begun++;
	if (nap_work_schedule(&work_pool, &item->work))
		sim_fail("nap_work_schedule() refuses a work");
}

static void item_done(struct nap_work *work, int result)
{
	struct item *item = (struct item *)(void *)work;

	item->loop->ended++;
	if ((uint32_t)result != ++item->ends || item->ends != item->runs)
		sim_fail("a work came back with the wrong result, or twice");
	if (item->loop->begun < item->loop->most)
		schedule(item);
}

static void run_loop(void *arg)
{
	struct loop *loop = arg;
	uint64_t window = 4 * sim_run.workers / sim_run.loops;
	struct nap_batch left = { 0 };

	if (!window || window > loop->most)
		window = window ? loop->most : 1;
	loop->items = sim_alloc(window * sizeof(*loop->items), "works");
	if (nap_cq_init(&loop->cq))
		sim_fail("nap_cq_init() fails");
	for (uint64_t i = 0; i < window && i < loop->most; i++) {
		loop->items[i].loop = loop;
		nap_work_init(&loop->items[i].work, run_item, item_done, &loop->cq);
		schedule(&loop->items[i]);
	}
	while (loop->ended < loop->most) {
		sim_fd_wait(nap_cq_fd(&loop->cq));
		nap_cq_run(&loop->cq, 0);
	}
	if (loop->ended != loop->most || nap_cq_close(&loop->cq, &left) || left.head)
		sim_fail("a loop's works have not all come back");
}

static void completions(void)
{
	uint32_t thread[MOST_LOOPS];
	unsigned nr = sim_run.loops;

	loops = sim_alloc(nr * sizeof(*loops), "loops with completion queues");
	begin();
	for (unsigned i = 0; i < nr; i++) {
		loops[i].most = sim_run.tasks * (i + 1) / nr - sim_run.tasks * i / nr;
		thread[i] = sim_thread_start(run_loop, &loops[i], false);
	}
	for (unsigned i = 0; i < nr; i++)
		sim_thread_join(thread[i]);
	end();
}

SIM_WORK(completions, .name = "completions", .run = completions, .each = 500, .grain_ns = 2000,
	 .nap_only = true,
	 .about = "works that come back to --loops threads, which schedule them again");
