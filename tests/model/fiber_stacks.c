/* SPDX-License-Identifier: MIT */
/*
 * Stacks of fibers and the count of fibers (src/async/fiber/stacks.c). Threads take stacks and
 * give them back; a worker keeps some; a trimmer gives their pages back; fibers spawn and end.
 * Invariants: a stack has at most one user; a thread that takes a stack gets a free one; a thread
 * that finds no fiber left sees what the fibers did.
 */
#include <errno.h>

#include "fiber_setup.h"

#define NR 3

static struct nap__fibers *all;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	all = nap__fibers_of(pool);
	check_name(&all->warm, sizeof(all->warm), "warm");
	check_name(&all->cold, sizeof(all->cold), "cold");
	check_name(&all->moves, sizeof(all->moves), "moves");
	check_name(&all->spawned, sizeof(all->spawned), "spawned");
	check_name(&all->ended, sizeof(all->ended), "ended");
}

/* ---- stacks */

static int used[NR];	/* counted by the thread that has the stack; not atomic */

static void all_free(void)
{
	const struct nap_fibers_config config = { .stack_size = 16 << 10, .most = NR,
						  .flags = NAP_FIBER_NO_GUARD };
	struct nap_fiber *fiber[NR];

	begin();
	CHECK(nap__stacks_init(all, &config) == 0);
	for (int i = 0; i < NR; i++) {
		fiber[i] = nap__stack_take(all, NULL);
		CHECK(fiber[i] && fiber[i]->index == (uint32_t)i);
		check_name(&all->notes[i], sizeof(all->notes[i]), "note");
	}
	CHECK(!nap__stack_take(all, NULL));
	for (int i = 0; i < NR; i++)
		nap__stack_give(all, NULL, fiber[i]);
}

static struct nap_fiber *take(void)
{
	struct nap_fiber *fiber = nap__stack_take(all, NULL);

	CHECK(fiber);
	CHECK(!used[fiber->index]++);
	fiber->arg = fiber;
	return fiber;
}

static void give(struct nap_fiber *fiber)
{
	CHECK(fiber->arg == fiber);
	used[fiber->index]--;
	nap__stack_give(all, NULL, fiber);
}

static void take_and_give(void *unused)
{
	(void)unused;
	give(take());
}

/*
 * Gives the first stack back. The first stack is on top again, but the stack below it is another
 * than before.
 */
static void take_two_give_one(void *unused)
{
	struct nap_fiber *first = take(), *second = take();

	(void)unused;
	give(first);
	CHECK(second->arg == second);
}

static void two_are_free(void)
{
	int taken = 0, free = 0;

	for (int i = 0; i < NR; i++)
		taken += used[i];
	while (nap__stack_take(all, NULL))
		free++;
	CHECK(taken == 1 && free == 2);
}

CHECK_SCENARIO(stacks_taken, .about = "a stack is taken as others are taken and one is given back",
	.setup = all_free, .finally = two_are_free,
	.threads = { { take_and_give, NULL, "one" }, { take_two_give_one, NULL, "two" } });

/* ---- stacks that a worker keeps, and moves */

static struct nap_worker *keeper;
static struct nap_fiber *mine;	/* the stack that the keeper uses */

/* Setup: there are @nr stacks, and the keeper may keep three. */
static void some_free(uint32_t nr)
{
	const struct nap_fibers_config config = { .stack_size = 16 << 10, .most = nr,
						  .flags = NAP_FIBER_NO_GUARD };
	struct nap_fiber *fiber[NR];

	begin();
	keeper = pool_add_worker(3);
	CHECK(nap__stacks_init(all, &config) == 0);
	all->keep = 3;
	check_name(keeper->stacks, sizeof(keeper->stacks), "kept");
	for (uint32_t i = 0; i < nr; i++)
		fiber[i] = nap__stack_take(all, NULL);
	for (uint32_t i = 0; i < nr; i++)
		nap__stack_give(all, NULL, fiber[i]);
}

/*
 * Setup: the keeper keeps one stack in its second slot, because another fiber has taken the stack
 * of the first slot; the keeper uses another stack.
 */
static void second_is_kept(void)
{
	some_free(2);
	mine = nap__stack_take(all, NULL);
	used[mine->index]++;
	keeper->stacks[1] = nap__stack_take(all, NULL);
	keeper->nr_stacks = 2;
}

/* Gives the keeper the stack in use. The keeper then keeps too many stacks, and moves some. */
static void keeper_gives(void *unused)
{
	(void)unused;
	used[mine->index]--;
	nap__stack_give(all, keeper, mine);
}

static void takes(void *unused)
{
	(void)unused;
	take();
}

CHECK_SCENARIO(stacks_spilled,
	.about = "a stack is taken, the last one, which a worker has too many of and moves",
	.setup = second_is_kept,
	.threads = { { keeper_gives, NULL, "keeper" }, { takes, NULL, "other" } });

static void one_is_warm(void)
{
	some_free(1);
}

static void trims(void *unused)
{
	(void)unused;
	nap__stacks_trim(all);
}

CHECK_SCENARIO(stacks_trimmed,
	.about = "a stack is taken, the last one, as its pages are given back",
	.setup = one_is_warm,
	.threads = { { trims, NULL, "trimmer" }, { takes, NULL, "other" } });

static void one_is_kept(void)
{
	some_free(1);
	keeper->stacks[0] = nap__stack_take(all, NULL);
	keeper->nr_stacks = 1;
}

CHECK_SCENARIO(kept_stacks_trimmed, .about = "the same of one that a worker keeps",
	.setup = one_is_kept,
	.threads = { { trims, NULL, "trimmer" }, { takes, NULL, "other" } });

static void two_are_warm(void)
{
	some_free(2);
}

static void keeper_takes(void *unused)
{
	struct nap_fiber *fiber = nap__stack_take(all, keeper);

	(void)unused;
	CHECK(fiber && !used[fiber->index]++);
}

CHECK_SCENARIO(stacks_refilled,
	.about = "one of two is taken, as a worker keeps both and takes one",
	.setup = two_are_warm,
	.threads = { { keeper_takes, NULL, "keeper" }, { takes, NULL, "other" } });

/* Setup: there is one stack; a fiber of the keeper has it, and leaves it. */
static void keeper_has_one(void)
{
	some_free(1);
	mine = nap__stack_take(all, NULL);
	used[mine->index]++;
}

static void take_if_any(struct nap_worker *worker)
{
	struct nap_fiber *fiber = nap__stack_take(all, worker);

	if (!fiber)
		return;
	CHECK(!used[fiber->index]++);
	fiber->arg = fiber;
}

static void keeper_gives_and_takes(void *unused)
{
	mine->arg = mine;
	keeper_gives(unused);
	take_if_any(keeper);
}

static void takes_if_any(void *unused)
{
	(void)unused;
	take_if_any(NULL);
}

static void one_has_it(void)
{
	CHECK(used[0] == 1);
}

CHECK_SCENARIO(kept_stack_taken,
	.about = "the only stack is taken from the worker that keeps it, and takes it again",
	.setup = keeper_has_one, .finally = one_has_it,
	.threads = { { keeper_gives_and_takes, NULL, "keeper" }, { takes_if_any, NULL, "other" } });

/* ---- counts */

static int has_ended[2];
static uint32_t child;
static struct nap_worker *run_by[2];

static void one_runs(void)
{
	begin();
	has_ended[0] = has_ended[1] = 0;
	run_by[0] = run_by[1] = NULL;
	child = 0;
	nap__fibers_count_spawned(all, NULL);
}

static void one_runs_on_worker(void)
{
	one_runs();
	run_by[0] = pool_add_worker(3);
	run_by[1] = pool_add_worker(3);
}

/*
 * Spawns the child, and ends. In a pool the queue orders parent and child; here one word orders
 * them, and no more strictly than the counts need.
 */
static void parent(void *unused)
{
	(void)unused;
	nap__fibers_count_spawned(all, run_by[0]);
	nap_store_release(&child, 1);
	has_ended[0] = 1;
	nap__fibers_count_ended(all, run_by[0]);
}

static void its_child(void *unused)
{
	(void)unused;
	if (!nap_load_acquire(&child))
		return;
	has_ended[1] = 1;
	nap__fibers_count_ended(all, run_by[1]);
}

static void look(void *unused)
{
	uint64_t spawned;

	(void)unused;
	if (nap__fibers_live(all, &spawned))
		return;
	CHECK(spawned == 2);
	CHECK(has_ended[0] && has_ended[1]);
}

CHECK_SCENARIO(fibers_counted,
	.about = "no fiber is left, one says who looks as a fiber spawns another and ends",
	.setup = one_runs,
	.threads = { { parent, NULL, "parent" }, { its_child, NULL, "child" },
		     { look, NULL, "joiner" } });

CHECK_SCENARIO(fibers_counted_by_workers, .about = "the same of fibers that workers run",
	.setup = one_runs_on_worker,
	.threads = { { parent, NULL, "parent" }, { its_child, NULL, "child" },
		     { look, NULL, "joiner" } });

/* ---- two threads make and size the stacks at once */

static int sized[2];

static void no_fibers(void)
{
	pool_new(1, CHECK_THREADS);
	sized[0] = sized[1] = 1;
}

static void size_stacks(void *unused)
{
	const struct nap_fibers_config config = { .stack_size = 16 << 10, .most = 1,
						  .flags = NAP_FIBER_NO_GUARD };
	struct nap__fibers *made = nap__fibers_of(pool);

	(void)unused;
	CHECK(made->pool == pool);
	sized[check_self()] = nap__stacks_init(made, &config);
}

static void one_has_sized(void)
{
	CHECK(sized[0] + sized[1] == -EBUSY);
	CHECK(nap__stack_take(nap__fibers_of(pool), NULL) &&
	      !nap__stack_take(nap__fibers_of(pool), NULL));
}

CHECK_SCENARIO(fibers_made, .about = "two make a pool's fibers, and size their stacks",
	.setup = no_fibers, .finally = one_has_sized,
	.threads = { { size_stacks, NULL, "one" }, { size_stacks, NULL, "other" } });

/* ---- a thread that finds the stacks sized may take one of them */

static int none;

static void take_if_sized(void *unused)
{
	(void)unused;
	if (!stacks_are_sized(nap__fibers_of(pool)))
		return;
	none = !nap__stack_take(nap__fibers_of(pool), NULL);
}

static void none_was_refused(void)
{
	CHECK(!none);
}

static void made(void)
{
	begin();
	none = 0;
}

CHECK_SCENARIO(stacks_sized, .about = "a stack is taken as soon as they are seen to be sized",
	.setup = made, .finally = none_was_refused,
	.threads = { { size_stacks, NULL, "sizer" }, { take_if_sized, NULL, "spawner" } });
