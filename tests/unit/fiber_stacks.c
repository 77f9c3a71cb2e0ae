/* SPDX-License-Identifier: MIT */
/*
 * The stacks of fibers: no spawn is refused while a stack is free, whichever list has the stack;
 * which pages a trim gives back; the guard below a stack.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "arch/syscall.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "os/os.h"
#include "thread.h"
/* comes after the library's headers, whose functions have parameters named pool */
#include "fiber_fixture.h"
#include "harness.h"
#include "wrap.h"

#define MOST	200
#define PAGE	((size_t)4096)

static struct nap_fiber *handles[MOST];

static void begin_with(uint32_t most)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }) ||
	    nap_fibers_init(&pool, &(struct nap_fibers_config){ .most = most }))
		abort();
	begin_waiting(&pool);
}

static void let_go(void)
{
	nap_group_done(&never);
	nap_pool_quiesce(&pool);
	begin_waiting(&pool);
}

static struct nap_fiber_stats stats(void)
{
	struct nap_fiber_stats now;

	nap_fiber_get_stats(&pool, &now);
	return now;
}

/* ---- spawns that must not be refused */

/* Spawns up to @n fibers; returns how many. */
static uint32_t spawn_many(uint32_t n, nap_fiber_fn fn)
{
	uint32_t spawned = 0;

	for (uint32_t i = 0; i < n; i++)
		spawned += !nap_spawn(&pool, NULL, fn, NULL);
	return spawned;
}

static intptr_t spawns_waiting(void *n)
{
	return spawn_many((uint32_t)(uintptr_t)n, waits);
}

TEST(as_many_are_there_as_can_be_whoever_ended_the_last_ones)
{
	/* with the last number a worker may keep as many stacks as it has slots for */
	static const uint32_t mosts[] = { 1, 2, 17, 50, MOST, 16 * NAP__STACKS_KEPT };

	for (size_t i = 0; i < sizeof(mosts) / sizeof(*mosts); i++) {
		uint32_t most = mosts[i];
		unsigned long rounds = most >= MOST ? nap_test_count(4) : 4;
		struct nap_fiber *spawner;
		intptr_t spawned = 0;

		begin_with(most);
		for (unsigned long round = 0; round < rounds; round++) {
			EXPECT_EQ(spawn_many(most, number), most);
			nap_pool_quiesce(&pool);
			EXPECT_EQ(stats().free, stats().stacks);
			EXPECT_EQ(spawn_many(most, waits), most);
			EXPECT_EQ(nap_spawn(&pool, NULL, number, NULL), -EAGAIN);
			EXPECT_EQ(stats().free, 0);
			let_go();
			/*
			 * A fiber spawns the other fibers, while its worker has some free stacks in
			 * its own list.
			 */
			ASSERT_EQ(nap_spawn(&pool, &spawner, spawns_waiting,
					    (void *)(uintptr_t)most), 0);
			ASSERT_EQ(nap_await(spawner, &spawned), 0);
			EXPECT_EQ(spawned, most - 1);
			let_go();
		}
		EXPECT_EQ(nap_fibers_trim(&pool), (long)(most * stats().stack_size));
		EXPECT_EQ(stats().free, most);
		EXPECT_EQ(spawn_many(most, waits), most);
		EXPECT_EQ(stats().free, 0);
		let_go();
		EXPECT_EQ(stats().stacks, most);
		EXPECT_EQ(stats().live, 0);
		nap_pool_join(&pool, NULL);
	}
}

#define HEAD(tag, first)	((uint64_t)(tag) << 32 | (first))

/* Each change of a list has another tag, so a thread that comes late changes nothing. */
TEST(each_change_of_a_list_has_its_tag)
{
	struct nap__stack_note notes[5] = { { 0 } };
	struct nap__free_list list = { 0 };
	uint32_t n = 7;

	EXPECT_EQ(free_list_pop(&list, notes), 0);
	EXPECT_EQ(list.head, HEAD(0, 0));
	free_list_push(&list, notes, 4, 4, 1);
	EXPECT_EQ(list.head, HEAD(1, 5));
	EXPECT_EQ(notes[4].next, 0);
	/* two that are linked: the stack 1, then the stack 3 */
	notes[1].next = 4;
	free_list_push(&list, notes, 1, 3, 2);
	EXPECT_EQ(list.head, HEAD(2, 2));
	EXPECT_EQ(notes[3].next, 5);
	EXPECT_EQ(list.nr, 3);
	EXPECT_EQ(free_list_pop(&list, notes), 2);
	EXPECT_EQ(list.head, HEAD(3, 4));
	EXPECT_EQ(free_list_pop_many(&list, notes, 9, &n), 4);
	EXPECT_EQ(n, 2);
	EXPECT_EQ(list.head, HEAD(4, 0));
	EXPECT_EQ(free_list_pop_many(&list, notes, 9, &n), 0);
	EXPECT_EQ(n, 0);
	EXPECT_EQ(list.head, HEAD(4, 0));
	/* the last tag is followed by the first one */
	list.head = HEAD(UINT32_MAX, 0);
	free_list_push(&list, notes, 0, 0, 1);
	EXPECT_EQ(list.head, HEAD(0, 1));
	list.head = HEAD(UINT32_MAX, 1);
	EXPECT_EQ(free_list_pop(&list, notes), 1);
	EXPECT_EQ(list.head, HEAD(0, 0));
}

/* A thread that helps without a record of its own counts where all threads do. */
TEST(a_guest_without_a_record_counts_for_all)
{
	struct nap_worker guest = { .index = UINT32_MAX };
	struct nap__fibers *fibers;
	uint64_t spawned;

	begin_with(1);
	fibers = nap__fibers_of(&pool);
	nap__fibers_count_spawned(fibers, &guest);
	EXPECT_EQ(nap__fibers_live(fibers, &spawned), 1);
	EXPECT_EQ(spawned, 1);
	nap__fibers_count_ended(fibers, &guest);
	EXPECT_EQ(nap__fibers_live(fibers, &spawned), 0);
	nap_pool_join(&pool, NULL);
}

static intptr_t has_name(void *name)
{
	size_t before = strlen(nap_fiber_name(nap_fiber_self()));

	nap_fiber_set_name(name);
	return (intptr_t)before;
}

TEST(the_next_one_on_a_stack_has_no_name)
{
	begin_with(1);
	for (int i = 0; i < 2; i++) {
		intptr_t length = -1;

		ASSERT_EQ(nap_spawn(&pool, &handles[0], has_name, "a name"), 0);
		ASSERT_EQ(nap_await(handles[0], &length), 0);
		EXPECT_EQ(length, 0);
	}
	nap_pool_join(&pool, NULL);
}

TEST(an_ended_one_has_its_stack_until_it_is_awaited)
{
	struct nap_fiber *first, *second;

	begin_with(1);
	ASSERT_EQ(nap_spawn(&pool, &first, number, NULL), 0);
	nap_pool_quiesce(&pool);
	EXPECT_EQ(stats().free, 0);
	EXPECT_EQ(nap_spawn(&pool, &second, number, NULL), -EAGAIN);
	ASSERT_EQ(nap_await(first, NULL), 0);
	EXPECT_EQ(stats().free, 1);
	ASSERT_EQ(nap_spawn(&pool, &second, waits, NULL), 0);
	EXPECT_EQ(stats().free, 0);
	nap_group_done(&never);
	ASSERT_EQ(nap_await(second, NULL), 0);
	nap_pool_join(&pool, NULL);
}

/* ---- trims give pages back */

/* A spawn while the pages of another stack are given back: the spawn must find a stack. */
static bool spawns_meanwhile;
static uint32_t nr_forgotten, nr_refused;

WRAP(void, nap__os_forget, (void *mem, size_t size))
{
	nr_forgotten++;
	if (spawns_meanwhile && nap_spawn(&pool, NULL, number, NULL))
		nr_refused++;
	__real_nap__os_forget(mem, size);
}

static size_t bytes_there(void)
{
	struct nap__fibers *fibers = nap__fibers_of(&pool);
	size_t bytes = 0;

	for (uint32_t i = 0; i < fibers->used; i++)
		bytes += nap__os_touched(fibers->stacks + fibers->slot * i + fibers->guard,
					 fibers->slot - fibers->guard);
	return bytes;
}

TEST(a_trim_gives_back_all_that_no_fiber_has)
{
#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user does not say which pages are there (mincore(2))");
#endif
	size_t before;

	begin_with(MOST);
	for (int round = 0; round < 3; round++) {
		EXPECT_EQ(spawn_many(MOST, waits), MOST);
		until_waiting(MOST * (round + 1));
		before = bytes_there();
		EXPECT_GE(before, MOST * PAGE);
		EXPECT_EQ(nap_fibers_trim(&pool), 0);
		EXPECT_EQ(bytes_there(), before);
		let_go();
		EXPECT_EQ(nap_load_relaxed(&nr_ended), MOST * (round + 1));
		EXPECT_EQ(nap_fibers_trim(&pool), (long)(MOST * stats().stack_size));
		EXPECT_EQ(bytes_there(), 0);
		EXPECT_EQ(stats().free, MOST);
		EXPECT_EQ(nap_fibers_trim(&pool), 0);
	}
	nap_pool_join(&pool, NULL);
}

static uint32_t number_of_wait(const struct nap_fiber *fiber)
{
	return nap_load_relaxed(&fiber->wait.state) / WAIT_NUMBER;
}

/* A thread that comes late from an earlier wait must not end a later fiber's wait. */
TEST(the_numbers_of_waits_go_on_behind_a_trim)
{
	uint32_t before;

	begin_with(1);
	ASSERT_EQ(nap_spawn(&pool, &handles[0], waits, NULL), 0);
	until_waiting(1);
	before = number_of_wait(handles[0]);
	EXPECT_GE(before, 1);
	nap_group_done(&never);
	ASSERT_EQ(nap_await(handles[0], NULL), 0);
	EXPECT_GT(nap_fibers_trim(&pool), 0);
	ASSERT_EQ(nap_spawn(&pool, &handles[1], number, NULL), 0);
	EXPECT_EQ(handles[1], handles[0]);
	EXPECT_GE(number_of_wait(handles[1]), before);
	ASSERT_EQ(nap_await(handles[1], NULL), 0);
	nap_pool_join(&pool, NULL);
}

TEST(a_trim_holds_one_at_a_time)
{
	begin_with(2);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_spawn(&pool, &handles[i], number, NULL), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_await(handles[i], NULL), 0);
	spawns_meanwhile = true;
	nap_fibers_trim(&pool);
	EXPECT_GE(nr_forgotten, 1);
	EXPECT_EQ(nr_refused, 0);
	nap_pool_join(&pool, NULL);
}

static uint32_t no_more;

static void *trims(void *unused)
{
	while (!nap_load_relaxed(&no_more))
		nap_fibers_trim(&pool);
	return unused;
}

TEST(no_spawn_fails_beside_a_trim)
{
	unsigned long n = nap_test_count(20000), refused = 0;
	pthread_t trimmer;

	begin_with(1);
	ASSERT_EQ(pthread_create(&trimmer, NULL, trims, NULL), 0);
	for (unsigned long i = 0; i < n; i++) {
		if (nap_spawn(&pool, &handles[0], number, NULL))
			refused++;
		else
			nap_await(handles[0], NULL);
	}
	nap_store_relaxed(&no_more, 1);
	pthread_join(trimmer, NULL);
	EXPECT_EQ(refused, 0);
	nap_pool_join(&pool, NULL);
}

TEST(a_trim_before_the_first_fiber_finds_none)
{
	ASSERT_EQ(nap_pool_init(&pool, NULL), 0);
	EXPECT_EQ(nap_fibers_trim(&pool), 0);
	EXPECT_EQ(stats().free, 0);
	nap_pool_join(&pool, NULL);
	EXPECT_EQ(nap_fibers_trim(&pool), -ESHUTDOWN);
}

/* ---- how deep a stack was used */

#define LARGE	((size_t)1 << 20)
#define DEEP	((size_t)512 << 10)

/* Touches the page that is DEEP below the top, if @arg says so. */
static intptr_t goes_deep(void *arg)
{
	struct nap_fiber *self = nap_fiber_self();
	char *low = nap__stack_low(self->fibers, self);

	if (arg)
		*(volatile char *)(low + self->fibers->slot - self->fibers->guard - DEEP) = 1;
	return (intptr_t)nap_fiber_stack_used(self);
}

static size_t used_by(void *deep)
{
	struct nap_fiber *fiber;
	intptr_t used;

	if (nap_spawn(&pool, &fiber, goes_deep, deep) || nap_await(fiber, &used))
		abort();
	return (size_t)used;
}

TEST(the_deepest_page_that_was_touched_counts)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = LARGE,
								      .most = 1 }), 0);
	EXPECT_EQ(nap_fiber_stack_used(NULL), 0);
	EXPECT_GE(used_by(NULL), PAGE);
	EXPECT_LT(used_by(NULL), DEEP);
	EXPECT_EQ(used_by(&pool), DEEP);
	EXPECT_EQ(used_by(NULL), DEEP);
#ifndef NAP_TEST_EMULATED	/* qemu-user gives no pages back */
	EXPECT_EQ(nap_fibers_trim(&pool), (long)LARGE);
	EXPECT_LT(used_by(NULL), DEEP);
#endif
	nap_pool_join(&pool, NULL);
}

/* ---- the memory below a stack */

#define FUTEX_WAIT_PRIVATE	128
#define FAULT			(-14)	/* EFAULT */

static bool can_be_read(const char *at)
{
	static const int64_t now[2];

	return nap__syscall4(NAP__NR_futex, (long)at, FUTEX_WAIT_PRIVATE, 0, (long)now) != FAULT;
}

static size_t nr_guarded;	/* bytes below the stack */
static uint32_t nr_pages;	/* from a stack to the next one */

/* Counts the guarded bytes below the second of two stacks. What lies below the first is unknown. */
static intptr_t looks(void *unused)
{
	struct nap_fiber *fiber = nap_fiber_self();
	const char *low = nap__stack_low(fiber->fibers, fiber);

	(void)unused;
	nr_pages = (uint32_t)(fiber->fibers->slot / NAP__PAGE_MAX);
	for (nr_guarded = 0; nr_guarded < fiber->fibers->guard; nr_guarded += PAGE)
		if (can_be_read(low - nr_guarded - PAGE))
			break;
	return can_be_read(low);
}

static int guarded(const struct nap_fibers_config *config)
{
	intptr_t whole = 0;
	int err;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	err = nap_fibers_init(&pool, config);
	for (int i = 0; !err && i < 2; i++)
		if (nap_spawn(&pool, &handles[i], i ? looks : number, NULL))
			abort();
	for (int i = 0; !err && i < 2; i++)
		nap_await(handles[i], &whole);
	nap_pool_join(&pool, NULL);
	return err ? err : !whole;
}

TEST(a_guard_is_as_large_as_the_configuration_says)
{
#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user says that it has installed guards (madvise(2)), and has not");
#endif
	static const size_t sizes[] = { 1, PAGE, 11700, 100000, 256 << 10 };

	EXPECT_EQ(guarded(&(struct nap_fibers_config){ 0 }), 0);
	EXPECT_GE(nr_guarded, NAP_FIBER_GUARD);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		EXPECT_EQ(guarded(&(struct nap_fibers_config){ .guard_size = sizes[i] }), 0);
		EXPECT_GE(nr_guarded, sizes[i]);
		EXPECT_EQ(nr_pages % 2, 1);
	}
	EXPECT_EQ(guarded(&(struct nap_fibers_config){ .flags = NAP_FIBER_NO_GUARD }), 0);
	EXPECT_EQ(nr_guarded, 0);
}

#define MOST_PAGE	((size_t)NAP__PAGE_MAX)

/* Stacks and guards are whole pages. The distance is the smallest odd number that has both. */
TEST(stacks_are_no_further_apart_than_they_must_be)
{
	static const struct {
		size_t stack, guard;
		uint32_t pages;
	} sizes[] = {
		{ 16 * MOST_PAGE, 1, 17 }, { 16 * MOST_PAGE, MOST_PAGE, 17 },
		{ 16 * MOST_PAGE, MOST_PAGE + 1, 19 }, { 16 * MOST_PAGE + 1, MOST_PAGE, 19 },
		{ 17 * MOST_PAGE, 1, 19 }, { 17 * MOST_PAGE, 2 * MOST_PAGE, 19 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct nap_fibers_config config = { .stack_size = sizes[i].stack,
						    .guard_size = sizes[i].guard };

		EXPECT_GE(guarded(&config), 0);
		EXPECT_EQ(nr_pages, sizes[i].pages);
	}
}

static int sized(const struct nap_fibers_config *config)
{
	int err;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	err = nap_fibers_init(&pool, config);
	nap_pool_join(&pool, NULL);
	return err;
}

/* There may be no memory for the largest ones. */
TEST(the_limits_of_sizes_are_allowed)
{
	const size_t most = (size_t)1 << 30;

	EXPECT_EQ(sized(&(struct nap_fibers_config){ .stack_size = 16384, .most = 1 }), 0);
	EXPECT_EQ(sized(&(struct nap_fibers_config){ .stack_size = 16383, .most = 1 }), -EINVAL);
	EXPECT_NE(sized(&(struct nap_fibers_config){ .stack_size = most, .most = 1 }), -EINVAL);
	EXPECT_EQ(sized(&(struct nap_fibers_config){ .stack_size = most + 1, .most = 1 }),
		  -EINVAL);
	EXPECT_NE(sized(&(struct nap_fibers_config){ .guard_size = most, .most = 1 }), -EINVAL);
	EXPECT_NE(sized(&(struct nap_fibers_config){ .stack_size = 16384, .most = INT32_MAX }),
		  -EINVAL);
	EXPECT_EQ(sized(&(struct nap_fibers_config){ .stack_size = 16384,
						     .most = (uint32_t)INT32_MAX + 1 }), -EINVAL);
}

TEST(a_guard_that_cannot_be_is_refused)
{
	static const size_t sizes[] = { ((size_t)1 << 30) + 1, SIZE_MAX / 2, SIZE_MAX - PAGE,
					SIZE_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		EXPECT_EQ(guarded(&(struct nap_fibers_config){ .guard_size = sizes[i] }), -EINVAL);
	EXPECT_EQ(guarded(&(struct nap_fibers_config){ .flags = NAP_FIBER_NO_GUARD,
						       .guard_size = 1 }), -EINVAL);
}

/* ---- memory is taken page by page, whatever the system does elsewhere */

/* Whether the mapping of @address has @flag (VmFlags in smaps, proc(5)). */
static bool has_flag(uintptr_t address, const char *flag)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long from, to, low = 0, high = 0;
	bool found = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
			low = from;
			high = to;
		}
		if (!strncmp(line, "VmFlags:", 8) && address >= low && address < high)
			found = strstr(line, flag);
	}
	if (maps)
		fclose(maps);
	return found;
}

TEST(stacks_are_no_huge_pages)
{
#ifdef NAP_TEST_EMULATED
	SKIP(return, "qemu-user has maps of its own (proc(5), smaps)");
#endif
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK))
		SKIP(return, "this kernel has none");
	begin_with(MOST);
	ASSERT_EQ(nap_spawn(&pool, &handles[0], number, NULL), 0);
	EXPECT_TRUE(has_flag((uintptr_t)handles[0], " rd "));
	EXPECT_TRUE(has_flag((uintptr_t)handles[0], " nh"));
	nap_await(handles[0], NULL);
	nap_pool_join(&pool, NULL);
}

TEST_HARNESS_MAIN
