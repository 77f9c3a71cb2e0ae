/* SPDX-License-Identifier: MIT */
/* nap/local.h: one value for each worker, always the same, ended once when the pool is joined. */
#include <errno.h>
#include <stdlib.h>

#include "parallel_fixture.h"
#include "wrap.h"

static bool no_memory;
WRAP(void *, nap__os_map, (size_t size))
{
	return no_memory ? NULL : __real_nap__os_map(size);
}

/* On this thread the time stands still, so a loop is short. */
static __thread bool no_time;
WRAP(uint64_t, nap__os_now, (void))
{
	return no_time ? 1 : __real_nap__os_now();
}

#define KINDS NAP_LOCALS

struct thing {
	struct nap_worker *worker;
	uint64_t used;
};

static uint32_t nr_made, nr_ended, nr_wrong, nr_refused;
static uint64_t nr_used;

static void *make(struct nap_worker *worker, void *arg)
{
	struct thing *thing = calloc(1, sizeof(*thing));

	if (!thing || arg != &nr_made || worker != nap_worker_self())
		abort();
	thing->worker = worker;
	nap_fetch_add_relaxed(&nr_made, 1);
	return thing;
}

static void end(void *data, void *arg)
{
	struct thing *thing = data;

	if (arg != &nr_made)
		abort();
	nr_used += thing->used;
	nap_fetch_add_relaxed(&nr_ended, 1);
	free(thing);
}

static struct nap_local local = NAP_LOCAL_INIT(make, end, &nr_made);

static int use(size_t i, size_t stop, void *unused)
{
	struct thing *thing = nap_local_get(nap_worker_self(), &local);

	(void)unused;
	if (thing->worker != nap_worker_self() || nap_local_get(thing->worker, &local) != thing)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	thing->used += stop - i;
	return 0;
}

static void begin(uint32_t workers)
{
	nr_made = nr_ended = nr_wrong = 0;
	nr_used = 0;
	pool_of(workers);
	if (nap_local_add(&pool, &local))
		abort();
}

TEST(each_worker_has_its_own)
{
	for (uint32_t workers = 1; workers <= 8; workers *= 2) {
		begin(workers);
		for (int i = 0; i < 20; i++)
			EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .grain = 7 }, 0, 1000, use,
					     NULL), 0);
		EXPECT_EQ(nr_ended, 0);
		pool_end();
		EXPECT_GE(nr_made, 1);
		EXPECT_GE(workers + 1, nr_made);
		EXPECT_EQ(nr_ended, nr_made);
		EXPECT_EQ(nr_used, 20000);
		EXPECT_EQ(nr_wrong, 0);
		/* The pool no longer names what the program may have freed. */
		EXPECT_EQ(pool.locals, NULL);
	}
}

/* A caller from outside runs the first indices itself, and is a worker in these ranges, too. */
TEST(each_range_has_a_worker)
{
	begin(1);
	EXPECT_EQ(nap_for(&pool, 0, 10, use, NULL), 0);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
	EXPECT_EQ(nr_used, 10);
	/* A thread that is no worker has no value. */
	EXPECT_EQ(nap_local_get(NULL, &local), NULL);
}

static int use_and_add(size_t i, size_t stop, void *value, void *unused)
{
	(void)value;
	return use(i, stop, unused);
}

static void merge_nothing(void *value, const void *right, void *unused)
{
	(void)value;
	(void)right;
	(void)unused;
}

TEST(each_range_of_a_scan_has_a_worker)
{
	static const struct nap_reduction by = { 1, use_and_add, merge_nothing, NULL };
	static const struct nap_loop one_part = { .grain = 10 };
	char value = 0;

	begin(1);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 1, &by, use_and_add, &value, NULL), 0);
	EXPECT_EQ(nap_scan(&pool, &one_part, 0, 10, &by, use_and_add, &value, NULL), 0);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
	EXPECT_EQ(nr_used, 11);
}

TEST(a_short_loop_wakes_nobody)
{
	static const struct nap_reduction by = { 1, use_and_add, merge_nothing, NULL };
	struct nap_pool_stats before, after;
	char value = 0;

	begin(1);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	do {
		sched_yield();
		nap_pool_get_stats(&pool, &before);
	} while (!before.workers.parked);
	no_time = true;
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(nap_for(&pool, 0, 16, use, NULL), 0);
		EXPECT_EQ(nap_reduce(&pool, NULL, 0, 16, &by, &value, NULL), 0);
		EXPECT_EQ(nap_scan(&pool, NULL, 0, 16, &by, use_and_add, &value, NULL), 0);
		usleep(1000);		/* so that a worker that was woken is counted */
	}
	no_time = false;
	nap_pool_get_stats(&pool, &after);
	EXPECT_EQ(after.workers.parked, before.workers.parked);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
	EXPECT_EQ(nr_used, 20 * 48);
	EXPECT_EQ(nr_made, 1);
}

static void use_once(struct nap_worker *worker, void *thing)
{
	*(void **)thing = nap_local_get(worker, &local);
}

/* A guest record keeps its value, which the next guest on this record gets. */
TEST(guests_have_what_was_there_before_them)
{
	void *first, *second;

	begin(1);
	EXPECT_EQ(nap_call(&pool, use_once, &first), 0);
	EXPECT_EQ(nap_call(&pool, use_once, &second), 0);
	EXPECT_NE(first, NULL);
	EXPECT_EQ(first, second);
	EXPECT_EQ(nr_made, 1);
	pool_end();
	EXPECT_EQ(nr_ended, 1);
	/* Another pool at the same address begins without values. */
	begin(1);
	pool_end();
	EXPECT_EQ(nr_made, 0);
	EXPECT_EQ(nr_ended, 0);
}

/* Without memory for a guest record, a caller's value ends with the call. */
TEST(who_stands_aside_has_its_own)
{
	void *thing;

	begin(1);
	no_memory = true;
	EXPECT_EQ(nap_call(&pool, use_once, &thing), 0);
	EXPECT_EQ(nr_made, 1);
	EXPECT_EQ(nr_ended, 1);
	EXPECT_EQ(nap_call(&pool, use_once, &thing), 0);
	EXPECT_EQ(nr_made, 2);
	no_memory = false;
	pool_end();
	EXPECT_EQ(nr_ended, 2);
}

/* The @make of a value waits. In this wait the worker runs a task that asks for the same value. */
static struct nap_group asked;
static struct nap_task asker;
static struct nap_local slow;
static uint32_t nr_slow;
static void *got[2];

static void ask_nested(struct nap_task *task)
{
	(void)task;
	got[1] = nap_local_get(nap_worker_self(), &slow);
	if (nap_group_done(&asked))
		abort();
}

static void *make_slowly(struct nap_worker *worker, void *arg)
{
	(void)worker;
	if (!nr_slow++) {
		nap_group_init(&asked, &pool);
		nap_task_init(&asker, ask_nested);
		if (nap_group_add(&asked, 1) || nap_schedule(&pool, &asker) ||
		    nap_group_wait(&asked))
			abort();
	}
	return calloc(1, *(size_t *)arg);
}

static void end_slow(void *data, void *arg)
{
	(void)arg;
	free(data);
	nr_ended++;
}

static void ask(struct nap_task *task)
{
	(void)task;
	got[0] = nap_local_get(nap_worker_self(), &slow);
	got[1] = got[1] == got[0] ? got[0] : NULL;
}

TEST(one_that_is_made_while_another_is)
{
	static size_t size = 100;
	struct nap_task task = NAP_TASK_INIT(ask);

	pool_of(1);
	slow = (struct nap_local)NAP_LOCAL_INIT(make_slowly, end_slow, &size);
	ASSERT_EQ(nap_local_add(&pool, &slow), 0);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	/* Both callers get the same value; the second value that was made has been ended. */
	EXPECT_TRUE(got[0] && got[0] == got[1]);
	EXPECT_TRUE(nr_slow == 2 && nr_ended == 1);
	pool_end();
	EXPECT_EQ(nr_ended, 2u);
}

static void *refuse_once(struct nap_worker *worker, void *unused)
{
	(void)unused;
	return nr_refused++ ? worker : NULL;
}

static struct nap_local kinds[KINDS + 1];

static void look_at_kinds(struct nap_worker *worker, void *unused)
{
	(void)unused;
	nr_wrong += nap_local_get(worker, &kinds[KINDS - 1]) != NULL;
	for (int i = 0; i < KINDS; i++)
		nr_wrong += nap_local_get(worker, &kinds[i]) != worker;
}

/* A @make that has failed is called again. Some kinds of values have no end function. */
TEST(as_many_kinds_as_there_may_be)
{
	pool_of(1);
	nr_wrong = nr_refused = 0;
	for (int i = 0; i <= KINDS; i++) {
		kinds[i] = (struct nap_local)NAP_LOCAL_INIT(refuse_once, NULL, NULL);
		EXPECT_EQ(nap_local_add(&pool, &kinds[i]), i < KINDS ? 0 : -EOVERFLOW);
		EXPECT_EQ(kinds[i].index, i < KINDS ? i : 0);
	}
	EXPECT_EQ(nap_call(&pool, look_at_kinds, NULL), 0);
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(nr_refused, KINDS + 1);
	pool_end();
}

/* Workers read the list of kinds, and the join ends what they have made. */
TEST(a_pool_in_use_gets_no_kind)
{
	struct nap_local late = NAP_LOCAL_INIT(refuse_once, NULL, NULL);

	pool_of(1);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(nap_local_add(&pool, &late), -EBUSY);
	pool_end();
	EXPECT_EQ(nap_local_add(&pool, &late), -EBUSY);
}

TEST(what_is_none)
{
	struct nap_local none = NAP_LOCAL_INIT(NULL, NULL, NULL);

	pool_of(1);
	EXPECT_EQ(nap_local_add(NULL, &local), -EINVAL);
	EXPECT_EQ(nap_local_add(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_local_add(&pool, &none), -EINVAL);
	EXPECT_EQ(nap_local_add(&pool, &local), 0);
	EXPECT_EQ(nap_local_add(&pool, &local), -EALREADY);
	pool_end();
}

TEST_HARNESS_MAIN
